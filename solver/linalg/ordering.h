// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/linalg/sparse_pattern.h"

namespace sluice::linalg {

/// Orders rows so that the Cholesky factor stays sparse: entry p of the answer is the row that is
/// eliminated p-th. Multilevel nested dissection, by METIS. [Karypis1998]
///
/// A pattern always has the same answer, whatever other threads do: METIS starts its random numbers
/// anew at each call, and they are its own (random_numbers.cpp). Calls wait for each other.
[[nodiscard]] std::vector<std::int32_t> nested_dissection(const SparsePattern& pattern);

}  // namespace sluice::linalg
