// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/linalg/sparse_pattern.h"

namespace sluice::linalg {

/// Consecutive columns of a Cholesky factor that share their rows: a dense panel.
struct Supernode {
  std::int32_t first_column, column_count;
  std::int32_t first_row, row_count;  ///< Its rows below the columns, in Supernodes::rows.
  std::int32_t parent;                ///< The supernode of the first of those rows; -1 at a root.
};

/// The shape of the Cholesky factor of a matrix: its elimination order, postordered, and its
/// columns gathered into supernodes, children before parents.
struct Supernodes {
  std::vector<std::int32_t> order;  ///< Row of the matrix by place in the elimination.
  std::vector<std::int32_t> place;  ///< The inverse of `order`.
  std::vector<Supernode> supernodes;
  std::vector<std::int32_t> rows;  ///< Places, ascending within a supernode.
};

/// Analyses `pattern` eliminated in `order`. Small supernodes are merged with their parents where
/// that fills in few zeros, and wide ones cut, so that dense kernels have work of a good size.
///
/// Elimination tree: [Liu1990]; relaxed supernodes: [Ashcraft1989].
[[nodiscard]] Supernodes find_supernodes(const SparsePattern& pattern,
                                         std::span<const std::int32_t> order);

}  // namespace sluice::linalg
