// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/linalg/sparse_pattern.h"
#include "solver/linalg/supernodes.h"
#include "solver/types.h"

namespace sluice::linalg {

/// The kind of a pattern's entries.
enum class EntryKind {
  scalar,  ///< One number for all three coordinates: a system with three right-hand sides.
  block,   ///< A 3x3 block, column-major.
};

/// Cholesky factorisation A = L L^T of a symmetric positive definite sparse matrix, kept to solve
/// with many right-hand sides. Analysed once for a pattern, factored as often as entries change.
///
/// Factors in double by the multifrontal method [Liu1992], and stores in `Scalar` (float halves the
/// memory that a solve must stream through, which is what bounds it) panels of columns with the
/// inverse of their diagonal block multiplied in: P = [L_JJ^-1; L_RJ L_JJ^-1]. A solve is then two
/// dense products a panel, P b_J on the way down and P^T [x_J; -x_R] on the way up, vectorised over
/// the rows. [Raghavan1998] calls this selective inversion.
///
/// Accuracy: residual |A x - b| / (|A| |x|) of the order of the unit roundoff of `Scalar` times the
/// condition of the diagonal blocks. With float, iterate x += solve(b - A x): each round gains five
/// digits or so (sparse_cholesky_test).
///
/// Same bits for any number of threads: it runs on one. Not for use by two threads at once.
template <typename Scalar>
class SparseCholesky {
 public:
  /// Analyses `pattern`, and does not refer to it later.
  SparseCholesky(const SparsePattern& pattern, EntryKind kind);

  /// Factors the matrix with `entries` over the pattern (9 doubles a block; of each pair (i, j),
  /// (j, i) one is read). Returns false if it is not positive definite: solve() is then of no use.
  [[nodiscard]] bool factor(std::span<const double> entries);

  /// Solves A x = b. May be in place.
  void solve(std::span<const Vec3> b, std::span<Vec3> x);

  /// Solves A x = b with one vector a coordinate, for scalar entries. May be in place.
  void solve(const std::array<const float*, 3>& b, const std::array<float*, 3>& x);

  /// Returns how many numbers of the factor are stored.
  [[nodiscard]] std::size_t stored_count() const { return panels_.size(); }

 private:
  struct Source {  ///< An entry of the matrix, and where it goes in its supernode's front.
    std::int32_t entry, row, column;
    bool is_transposed;
  };

  [[nodiscard]] bool factor_supernode(std::size_t s, std::span<const double> entries);
  void store_panel(std::size_t s);
  void prefetch_panel(std::size_t s) const;
  template <int count>
  void solve_permuted();

  Supernodes shape_;
  std::int32_t block_;                      ///< Scalars a row of the pattern: 1 or 3.
  std::vector<std::int32_t> first_source_;  ///< By supernode, and one more.
  std::vector<Source> sources_;
  std::vector<std::int64_t> panel_starts_;  ///< By supernode, and one more.
  std::vector<Scalar> panels_;
  std::vector<std::vector<std::int32_t>> children_;
  std::vector<std::int32_t> local_;       ///< Place in the front at hand, by row.
  Eigen::MatrixXd panel_;                 ///< The columns of the front at hand.
  std::vector<Eigen::MatrixXd> updates_;  ///< By supernode: the update for its parent.
  std::vector<Scalar> work_, gathered_;   ///< Right-hand sides, one after the other.
};

extern template class SparseCholesky<float>;
extern template class SparseCholesky<double>;

}  // namespace sluice::linalg
