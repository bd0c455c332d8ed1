// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/fluid/grid/padded.h"
#include "solver/fluid/simd.h"

namespace sluice::fluid::grid {

/// Eight places, by axis; in cells from the first one of a padded tile on.
template <int D>
using Places = std::array<Float8, D>;

/// The values around eight places, by corner: along x first.
template <int D>
using Corners8 = std::array<Float8, std::size_t{1} << D>;

/// Whether all values around all of them, `reach` cells wide, are in the padded tile, whether those
/// are at cells' corners, on faces or in their middles.
template <int D, std::size_t margin, int reach = 1>
[[nodiscard]] inline bool are_inside_padded(const Places<D>& X) noexcept {
  constexpr auto least = static_cast<float>(reach) - 0.5F;
  constexpr auto most = static_cast<float>(padded_edge<D, margin>) - static_cast<float>(reach);
  Int8 is_inside = X[0] >= least && X[0] < most;
  for (std::size_t axis = 1; axis < D; ++axis)
    is_inside = is_inside && X[axis] >= least && X[axis] < most;
  bool all = true;
  for (std::size_t lane = 0; lane < 8; ++lane)
    all = all && is_inside[lane] != 0;
  return all;
}

/// The values around places that are inside, and in `part` how far each is from the lower ones.
template <int D, std::size_t margin>
[[nodiscard]] inline Corners8<D> corners_in(const float* padded, const Places<D>& X,
                                            Places<D>& part) noexcept {
  Int8 first{};
  for (std::size_t axis = D; axis-- > 0;) {
    const Int8 low = __builtin_convertvector(X[axis], Int8);
    part[axis] = X[axis] - __builtin_convertvector(low, Float8);
    first = first * static_cast<int>(padded_edge<D, margin>) + low;
  }
  Corners8<D> at;
  for (std::size_t corner = 0; corner < at.size(); ++corner) {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      if ((corner >> axis & 1U) != 0) offset += padded_stride<D, margin>(static_cast<int>(axis));
    }
    const float* const from = padded + offset;
    for (std::size_t lane = 0; lane < 8; ++lane)
      at[corner][lane] = from[first[lane]];
  }
  return at;
}

/// Linear along each axis.
template <int D>
[[nodiscard]] inline Float8 blend(Corners8<D> at, const Places<D>& part) noexcept {
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < at.size() >> (axis + 1); ++i)
      at[i] = at[2 * i] + part[axis] * (at[2 * i + 1] - at[2 * i]);
  }
  return at[0];
}

/// The value at places that are inside.
template <int D, std::size_t margin>
[[nodiscard]] inline Float8 between(const float* padded, const Places<D>& X) noexcept {
  Places<D> part;
  const Corners8<D> at = corners_in<D, margin>(padded, X, part);
  return blend<D>(at, part);
}

/// Values at eight places, and the least and the most of those right around each.
struct Looked {
  Float8 value, least, most;
};

/// Cubic along each axis, through the four values around: Lagrange's polynomial. `row(lane, r)` are
/// the four along x of row r, of 4 (16 in 3D), and `part` is how far a place is from the second of
/// four.
template <int D, typename Row>
[[nodiscard]] inline Looked cubic(const Places<D>& part, const Row& row) noexcept {
  std::array<std::array<Float8, 4>, D> weight;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const Float8 t = part[axis];
    const Float8 below = t + 1, above = t - 1, far = t - 2;
    weight[axis] = {t * above * far * (-1.0F / 6), below * above * far * 0.5F,
                    below * t * far * -0.5F, below * t * above * (1.0F / 6)};
  }
  constexpr std::size_t rows = D == 3 ? 16 : 4;
  Looked looked;
  for (std::size_t lane = 0; lane < 8; ++lane) {
    Float4 sum{}, least{}, most{};
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t y = r % 4, z = r / 4;
      const Float4 values = row(lane, r);
      float w = weight[1][y][lane];
      if constexpr (D == 3) w *= weight[2][z][lane];
      sum += w * values;
      const bool is_next = (y == 1 || y == 2) && (D == 2 || z == 1 || z == 2);
      if (!is_next) continue;
      const bool is_first = y == 1 && (D == 2 || z == 1);
      least = is_first ? values : min4(least, values);
      most = is_first ? values : max4(most, values);
    }
    looked.value[lane] = sum[0] * weight[0][0][lane] + sum[1] * weight[0][1][lane] +
                         sum[2] * weight[0][2][lane] + sum[3] * weight[0][3][lane];
    looked.least[lane] = least[1] < least[2] ? least[1] : least[2];
    looked.most[lane] = most[1] > most[2] ? most[1] : most[2];
  }
  return looked;
}

/// The same for places that are inside, and a cell from the padded tile's rim.
template <int D, std::size_t margin>
[[nodiscard]] inline Looked cubic_in(const float* padded, const Places<D>& X) noexcept {
  Int8 first{};
  Places<D> part;
  for (std::size_t axis = D; axis-- > 0;) {
    const Int8 low = __builtin_convertvector(X[axis], Int8);
    part[axis] = X[axis] - __builtin_convertvector(low, Float8);
    first = first * static_cast<int>(padded_edge<D, margin>) + (low - 1);
  }
  return cubic<D>(part, [&](std::size_t lane, std::size_t r) {
    const std::size_t offset = r % 4 * padded_stride<D, margin>(1) +
                               (D == 3 ? r / 4 * padded_stride<D, margin>(D - 1) : 0);
    return load4(padded + first[lane] + offset);
  });
}

}  // namespace sluice::fluid::grid
