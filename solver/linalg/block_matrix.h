// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/linalg/elements.h"
#include "solver/linalg/sparse_pattern.h"
#include "solver/types.h"

namespace sluice::linalg {

/// Writes H_e of the elements [first, last) of a group: (3r)^2 doubles each, by the entries of G_e
/// X_e, row-major. Called from several threads at once.
using HessianSource =
    std::function<void(std::size_t first, std::size_t last, std::span<double> hessians)>;

/// A symmetric sparse matrix of 3x3 blocks, one row of them a vertex, with a pattern that stays:
/// the Hessian of a step's energy. Both triangles are stored.
///
/// Filled in turn by `begin` and one `add` a group. Every block sums in the order of the elements,
/// so that the bits do not depend on the number of threads.
class BlockMatrix {
 public:
  BlockMatrix(std::size_t vertex_count, std::span<const ElementGroup> groups);

  /// Sets the matrix to diag(inertia) x I_3. A vertex with infinite inertia is held: its row and
  /// column stay those of the identity, whatever is added.
  void begin(std::span<const double> inertia);

  /// Adds sum_e (G_e x I_3)^T H_e (G_e x I_3) of group number `group` as given to the constructor.
  void add(std::size_t group, const HessianSource& hessians);

  /// y = A x.
  void multiply(std::span<const Vec3> x, std::span<Vec3> y) const;

  [[nodiscard]] const SparsePattern& pattern() const { return pattern_; }
  /// 9 doubles a block, column-major, over the pattern.
  [[nodiscard]] std::span<const double> entries() const {
    return {entries_.data(), 9 * pattern_.entry_count()};
  }
  [[nodiscard]] bool is_held(std::size_t vertex) const { return is_held_[vertex] != 0; }
  [[nodiscard]] Mat3 block(std::int32_t entry) const {
    return Eigen::Map<const Mat3>(&entries_[9 * static_cast<std::size_t>(entry)]);
  }

 private:
  /// An element at one of its vertices.
  struct Corner {
    std::int32_t element, corner;
  };
  /// The corners at one vertex of a wave's elements: what a row of the matrix takes from the wave.
  struct Run {
    std::int32_t vertex, first_corner;
  };
  /// Elements are taken in waves, whose blocks stay in cache between the loop over the elements
  /// that writes them and the loop over the rows that adds them up.
  struct Group {
    int vertices_per_element, rows;
    std::size_t element_count;
    std::vector<double> maps;
    std::vector<Corner> corners;         ///< By wave, then vertex, then element.
    std::vector<std::int32_t> entries;   ///< k entries for each corner: its row of blocks.
    std::vector<Run> runs;               ///< By wave, then vertex; and an end.
    std::vector<std::size_t> first_run;  ///< By wave, and one more.
  };

  [[nodiscard]] Group make_group(const ElementGroup& from) const;
  template <std::size_t k, std::size_t r>
  void add_group(const Group& group, const HessianSource& hessians);
  template <std::size_t k>
  void add_rows(const Group& group, std::size_t first_run, std::size_t last_run);

  SparsePattern pattern_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> is_held_;
  std::vector<double> entries_;      ///< One number more than 9 a block: kernels read 4 + 4 + 4.
  std::vector<double> wave_blocks_;  ///< k x k blocks an element of a wave, row by row.
};

}  // namespace sluice::linalg
