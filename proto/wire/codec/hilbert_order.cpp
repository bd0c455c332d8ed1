// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/codec/hilbert_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "proto/wire/codec/quantization.h"

namespace sluice::codec {
namespace {

constexpr unsigned axis_bits = 21;  // Three axes in 63.
constexpr double cells_an_axis = 1U << axis_bits;

using Cell = std::array<std::uint32_t, axes>;

// The place of a cell on the curve, by AxestoTranspose in [Skilling]: undo excess work from the
// highest bit down, Gray-encode, then interleave.
std::uint64_t place_on_curve(Cell x) {
  constexpr std::uint32_t highest = 1U << (axis_bits - 1);
  for (std::uint32_t q = highest; q > 1; q >>= 1U) {
    const std::uint32_t lower = q - 1;
    for (std::uint32_t& axis : x) {
      if ((axis & q) != 0) {
        x[0] ^= lower;
      } else {
        const std::uint32_t exchanged = (x[0] ^ axis) & lower;
        x[0] ^= exchanged;
        axis ^= exchanged;
      }
    }
  }
  for (std::size_t i = 1; i < axes; ++i) {
    x[i] ^= x[i - 1];
  }
  std::uint32_t flips = 0;
  for (std::uint32_t q = highest; q > 1; q >>= 1U) {
    flips ^= (x[axes - 1] & q) != 0 ? q - 1 : 0U;
  }
  std::uint64_t place = 0;
  for (unsigned bit = axis_bits; bit-- > 0;) {
    for (const std::uint32_t axis : x) {
      place = place << 1U | (((axis ^ flips) >> bit) & 1U);
    }
  }
  return place;
}

}  // namespace

std::vector<std::int32_t> hilbert_order(std::span<const float> positions) {
  const Box box = bounds(positions);
  double edge = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    edge = std::max(edge, box.upper[axis] - box.lower[axis]);
  }
  const std::size_t rows = positions.size() / axes;
  std::vector<std::pair<std::uint64_t, std::int32_t>> placed(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    Cell cell{};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double at = (static_cast<double>(positions[row * axes + axis]) - box.lower[axis]) /
                        edge * cells_an_axis;
      cell[axis] = std::isfinite(at)
                       ? static_cast<std::uint32_t>(std::clamp(at, 0.0, cells_an_axis - 1))
                       : 0U;
    }
    placed[row] = {place_on_curve(cell), static_cast<std::int32_t>(row)};
  }
  std::ranges::sort(placed);
  std::vector<std::int32_t> order(rows);
  std::ranges::transform(placed, order.begin(), [](const auto& each) { return each.second; });
  return order;
}

}  // namespace sluice::codec
