// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/simd/vectors.h"

/// Interpolation in a padded tile at eight places at once. In a smooth flow, the values that cells
/// in a row look back at are in a row again, and are loaded as they lie; else lane by lane. Both
/// give the same bits: the result in a lane does not depend on the others.
namespace sluice::fluid::grid {

using namespace simd;

/// Eight places, by axis; in cells from the first one of a padded tile on.
template <int D>
using Places = std::array<Float8, D>;

/// The lanes whose surrounding values, `reach` cells wide, are not all in the padded tile, whether
/// values are at cells' corners, on faces or in their middles.
template <int D, std::size_t margin, int reach = 1>
[[nodiscard]] inline Int8 outside_padded(const Places<D>& X) noexcept {
  constexpr auto least = static_cast<float>(reach) - 0.5F;
  constexpr auto most = static_cast<float>(padded_edge<D, margin>) - static_cast<float>(reach);
  Int8 is_inside = X[0] >= least && X[0] < most;
  for (std::size_t axis = 1; axis < D; ++axis)
    is_inside = is_inside && X[axis] >= least && X[axis] < most;
  return ~is_inside;
}

/// The lower corner of the cell of values that each of eight places is in, as an index into a
/// padded tile; `part` becomes their distance from there. Only for places that are inside.
template <int D, std::size_t margin>
[[nodiscard]] inline Int8 corner_of(const Places<D>& X, Places<D>& part) noexcept {
  Int8 corner{};
  for (std::size_t axis = D; axis-- > 0;) {
    const Int8 low = __builtin_convertvector(X[axis], Int8);
    part[axis] = X[axis] - __builtin_convertvector(low, Float8);
    corner = corner * static_cast<int>(padded_edge<D, margin>) + low;
  }
  return corner;
}

/// `taps` values side by side for each of eight lanes, by tap.
template <std::size_t taps>
using Taps = std::array<Float8, taps>;

/// Loads the values from `from[lane] + offset` on, for each lane.
template <std::size_t taps>
[[nodiscard]] inline Taps<taps> load_taps(const std::array<const float*, 8>& from,
                                          std::size_t offset) noexcept {
  static_assert(taps == 2 || taps == 4);
  if constexpr (taps == 2) {
    const auto two_of_four = [&](std::size_t a, std::size_t b) {
      std::array<double, 4> twos;
      std::memcpy(&twos[0], from[a] + offset, sizeof(double));
      std::memcpy(&twos[1], from[a + 1] + offset, sizeof(double));
      std::memcpy(&twos[2], from[b] + offset, sizeof(double));
      std::memcpy(&twos[3], from[b + 1] + offset, sizeof(double));
      return reinterpret_cast<Float8>(Double4{twos[0], twos[1], twos[2], twos[3]});
    };
    const Float8 front = two_of_four(0, 4), back = two_of_four(2, 6);
    return {__builtin_shufflevector(front, back, 0, 2, 8, 10, 4, 6, 12, 14),
            __builtin_shufflevector(front, back, 1, 3, 9, 11, 5, 7, 13, 15)};
  } else {
    const auto fours = [&](std::size_t lane) {
      return join(load4(from[lane] + offset), load4(from[lane + 4] + offset));
    };
    const Float8 a = fours(0), b = fours(1), c = fours(2), d = fours(3);
    const Float8 ab01 = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const Float8 ab23 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const Float8 cd01 = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const Float8 cd23 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(ab01, cd01, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab01, cd01, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(ab23, cd23, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab23, cd23, 2, 3, 10, 11, 6, 7, 14, 15)};
  }
}

/// Returns look(row), where row(offset) are a padded tile's values from `first` + offset on.
template <std::size_t taps, typename Look>
[[nodiscard]] inline auto look_from(const float* padded, Int8 first, const Look& look) noexcept {
  const Int8 out_of_step = first != first[0] + Int8{0, 1, 2, 3, 4, 5, 6, 7};
  if (!any_of(out_of_step)) {
    const float* const from = padded + first[0];
    return look([from](std::size_t offset) {
      Taps<taps> row;
      for (std::size_t tap = 0; tap < taps; ++tap)
        row[tap] = load8(from + offset + tap);
      return row;
    });
  }
  std::array<const float*, 8> from;
  for (std::size_t lane = 0; lane < 8; ++lane)
    from[lane] = padded + first[lane];
  return look([&from](std::size_t offset) { return load_taps<taps>(from, offset); });
}

/// The offset of row r, of all rows along x through a box of values with an edge of `taps`.
template <int D, std::size_t margin, std::size_t taps>
[[nodiscard]] constexpr std::size_t row_offset(std::size_t r) noexcept {
  return r % taps * padded_stride<D, margin>(1) + r / taps * padded_stride<D, margin>(D - 1);
}

/// Values at eight places, and the least and the greatest of the values right around each.
struct Looked {
  Float8 value, least, most;
};

/// Interpolates linearly along each axis. `row(r)` are the two values along x of row r < 2 (3D: 4).
template <int D, typename Row>
[[nodiscard]] inline Float8 linear(const Places<D>& part, const Row& row) noexcept {
  std::array<Float8, std::size_t{1} << (D - 1)> at;
  for (std::size_t r = 0; r < at.size(); ++r) {
    const Taps<2> values = row(r);
    at[r] = values[0] + part[0] * (values[1] - values[0]);
  }
  for (std::size_t axis = 1; axis < D; ++axis) {
    for (std::size_t i = 0; i < at.size() >> axis; ++i)
      at[i] = at[2 * i] + part[axis] * (at[2 * i + 1] - at[2 * i]);
  }
  return at[0];
}

/// Does what linear() does, and finds the least and the greatest of the values that it mixes.
template <int D, typename Row>
[[nodiscard]] inline Looked linear_between(const Places<D>& part, const Row& row) noexcept {
  Looked looked;
  looked.value = linear<D>(part, [&](std::size_t r) {
    const Taps<2> values = row(r);
    const Float8 least = min8(values[0], values[1]), most = max8(values[0], values[1]);
    looked.least = r == 0 ? least : min8(looked.least, least);
    looked.most = r == 0 ? most : max8(looked.most, most);
    return values;
  });
  return looked;
}

/// Lagrange's weights of the four values around eight places along an axis, for a polynomial of
/// third order. By tap.
template <int D>
using CubicWeights = std::array<Taps<4>, D>;
template <int D>
[[nodiscard]] inline CubicWeights<D> cubic_weights(const Places<D>& part) noexcept {
  CubicWeights<D> weights;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const Float8 t = part[axis];
    const Float8 below = t + 1, above = t - 1, far = t - 2;
    weights[axis] = {t * above * far * (-1.0F / 6), below * above * far * 0.5F,
                     below * t * far * -0.5F, below * t * above * (1.0F / 6)};
  }
  return weights;
}

/// Interpolates cubically along each axis, limited to the range of the nearest values. `row(r)` are
/// the four values along x of row r < 4 (3D: 16).
template <int D, typename Row>
[[nodiscard]] inline Float8 cubic(const CubicWeights<D>& weights, const Row& row) noexcept {
  constexpr float most_of_all = std::numeric_limits<float>::max();
  Float8 least = Float8{} + most_of_all, most = -least, sum{};
  for (std::size_t z = 0; z < (D == 3 ? 4 : 1); ++z) {
    Float8 plane{};
    for (std::size_t y = 0; y < 4; ++y) {
      const Taps<4> v = row(4 * z + y);
      Float8 line = weights[0][0] * v[0];
      for (std::size_t x = 1; x < 4; ++x)
        line = line + weights[0][x] * v[x];
      plane = plane + weights[1][y] * line;
      if ((y != 1 && y != 2) || (D == 3 && z != 1 && z != 2)) continue;
      least = min8(least, min8(v[1], v[2]));
      most = max8(most, max8(v[1], v[2]));
    }
    if constexpr (D == 3) {
      sum = sum + weights[2][z] * plane;
    } else {
      sum = plane;
    }
  }
  return max8(min8(sum, most), least);
}

}  // namespace sluice::fluid::grid
