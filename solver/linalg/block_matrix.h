// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/linalg/elements.h"
#include "solver/linalg/sparse_pattern.h"
#include "solver/types.h"

namespace sluice::linalg {

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

  /// Adds sum_e (G_e x I_3)^T H_e (G_e x I_3) of group number `group` as given to the constructor,
  /// with `hessians` (3r)^2 doubles an element: by the entries of G_e X_e, row-major.
  void add(std::size_t group, std::span<const double> hessians);

  /// y = A x.
  void multiply(std::span<const Vec3> x, std::span<Vec3> y) const;

  [[nodiscard]] const SparsePattern& pattern() const { return pattern_; }
  /// 9 doubles a block, column-major, over the pattern.
  [[nodiscard]] std::span<const double> entries() const { return entries_; }
  [[nodiscard]] Mat3 block(std::int32_t entry) const {
    return Eigen::Map<const Mat3>(&entries_[9 * static_cast<std::size_t>(entry)]);
  }

 private:
  /// An element at one of its vertices.
  struct Corner {
    std::int32_t element, corner;
  };
  struct Group {
    int vertices_per_element, rows;
    std::vector<std::int32_t> stencils;
    std::vector<double> maps;
    std::vector<std::int32_t> first_corner;  ///< By vertex, and one more.
    std::vector<Corner> corners;             ///< By vertex, then element.
    std::vector<std::int32_t> entries;       ///< Of corner a's row: k a corner.
  };

  SparsePattern pattern_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> is_held_;
  std::vector<double> entries_;
};

}  // namespace sluice::linalg
