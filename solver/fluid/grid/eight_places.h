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

/// Whether all values around all of them are in the padded tile, whether those are at cells'
/// corners, on faces or in their middles.
template <int D, std::size_t margin>
[[nodiscard]] inline bool are_inside_padded(const Places<D>& X) noexcept {
  constexpr auto edge = static_cast<float>(padded_edge<D, margin>);
  Int8 is_inside = X[0] >= 0.5F && X[0] < edge - 1;
  for (std::size_t axis = 1; axis < D; ++axis)
    is_inside = is_inside && X[axis] >= 0.5F && X[axis] < edge - 1;
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

}  // namespace sluice::fluid::grid
