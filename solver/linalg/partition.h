// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/linalg/sparse_pattern.h"

namespace sluice::linalg {

/// Cuts the rows of `pattern` into `part_count` >= 1 parts of nearly one size, with few entries
/// from part to part. Returns the part of each row. By METIS. [Karypis1998] The same pattern has
/// the same answer (see nested_dissection).
[[nodiscard]] std::vector<std::int32_t> partition(const SparsePattern& pattern, int part_count);

}  // namespace sluice::linalg
