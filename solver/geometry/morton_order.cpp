// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/morton_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/parallel/radix_sort.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t morton_order_grain = 4096;
constexpr int axis_bits = 16;

// The bits of `i`, two apart.
std::uint64_t spread(std::uint64_t i) {
  i = (i | i << 32) & 0x001F00000000FFFFU;
  i = (i | i << 16) & 0x001F0000FF0000FFU;
  i = (i | i << 8) & 0x100F00F00F00F00FU;
  i = (i | i << 4) & 0x10C30C30C30C30C3U;
  return (i | i << 2) & 0x1249249249249249U;
}

// A quarter of the sum of lower and upper: no sum overflows.
Vec3 half_center(const Bounds& box) { return 0.25 * box.lower + 0.25 * box.upper; }

}  // namespace

std::vector<std::int32_t> morton_order(std::span<const Bounds> boxes) {
  std::vector<std::int32_t> order(boxes.size());
  if (boxes.empty()) return order;
  const auto count = static_cast<std::int64_t>(boxes.size());
  const auto center = [&](std::int64_t i) {
    return half_center(boxes[static_cast<std::size_t>(i)]);
  };
  const Bounds all = parallel::parallel_reduce(
      0, count, morton_order_grain, Bounds{center(0), center(0)},
      [&](std::int64_t first, std::int64_t last) {
        Bounds some{center(first), center(first)};
        for (std::int64_t i = first + 1; i < last; ++i)
          some = {some.lower.cwiseMin(center(i)), some.upper.cwiseMax(center(i))};
        return some;
      },
      [](const Bounds& a, const Bounds& b) -> Bounds {
        return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
      });
  const double range = (all.upper - all.lower).maxCoeff();
  constexpr double least_range = 1e-290;  // [m] A range far below this has no finite inverse.
  const double scale = range > least_range ? ((1 << axis_bits) - 1) / range : 0;
  std::vector<std::uint64_t> codes(boxes.size());
  parallel::parallel_for(0, count, morton_order_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const Vec3 place = (center(i) - all.lower) * scale;
      codes[static_cast<std::size_t>(i)] = spread(static_cast<std::uint64_t>(place.x())) |
                                           spread(static_cast<std::uint64_t>(place.y())) << 1 |
                                           spread(static_cast<std::uint64_t>(place.z())) << 2;
    }
  });
  std::vector<std::uint32_t> indices(boxes.size());
  std::iota(indices.begin(), indices.end(), 0U);
  parallel::radix_sort<std::uint64_t>(codes, indices);
  std::copy(indices.begin(), indices.end(), order.begin());
  return order;
}

}  // namespace sluice::geometry
