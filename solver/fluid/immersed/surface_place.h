// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace sluice::fluid::grid {

/// A place on a surface: on an edge of an outline in two dimensions, on a triangle in three.
template <int D>
struct SurfacePlace {
  std::uint32_t element = 0;
  std::array<double, D> parts{};  ///< The weights of its corners; they add up to 1.
};

}  // namespace sluice::fluid::grid
