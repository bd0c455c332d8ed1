// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::codec {

/// Returns the rows of `positions` (3 numbers a row) in the order of the Hilbert curve through the
/// smallest cube around them, with 2^21 cells along each axis; rows of one cell in rising order. So
/// neighbours in the order are near in space. A permutation of [0, count) for any input: a position
/// that is not finite counts as the cube's lower corner. Pre: less than 2^31 rows.
///
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
[[nodiscard]] std::vector<std::int32_t> hilbert_order(std::span<const float> positions);

}  // namespace sluice::codec
