// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/linalg/elements.h"

namespace sluice::linalg {

/// The entries (scalars or 3x3 blocks) of a symmetric matrix that may differ from zero: compressed
/// rows of both triangles, the diagonal always among them, columns ascending.
struct SparsePattern {
  std::vector<std::int32_t> row_starts;  ///< One a row, and one more.
  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> diagonal;  ///< Entry (i, i) of each row, as an index into columns.

  [[nodiscard]] std::size_t row_count() const { return diagonal.size(); }
  [[nodiscard]] std::size_t entry_count() const { return columns.size(); }

  /// Index of entry (row, column), which must be there.
  [[nodiscard]] std::int32_t entry(std::int32_t row, std::int32_t column) const;
};

/// The pattern in which the vertices of an element are joined each with each. Fewer than 2^31
/// entries.
[[nodiscard]] SparsePattern make_pattern(std::size_t vertex_count,
                                         std::span<const ElementGroup> groups);

/// Writes the entries of the scalar matrix diag(diagonal) + sum_e w_e G_e^T G_e over `pattern`,
/// with `weights` one span of w_e a group. The row and column of a vertex whose diagonal is
/// infinite become those of the identity: it is held. Sums run in the order of the elements.
void assemble_scalar(const SparsePattern& pattern, std::span<const ElementGroup> groups,
                     std::span<const std::span<const double>> weights,
                     std::span<const double> diagonal, std::span<double> entries);

}  // namespace sluice::linalg
