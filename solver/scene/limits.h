// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sluice::scene {

/// [m/s] Of whatever a scene or a command gives a velocity, but obstacles.
inline constexpr double largest_speed = 1000;

/// The most that a scene may ask for. The defaults are the most that the solver can hold on a large
/// machine; a server passes its own, smaller ones.
struct Limits {
  std::int64_t particle_count = 100'000'000;     ///< of all fluids together
  std::int64_t vertex_count = 10'000'000;        ///< of all solids together
  std::int64_t triangle_count = 20'000'000;      ///< of all cloths and rigid bodies together
  std::int64_t tetrahedron_count = 50'000'000;   ///< of all soft bodies together
  std::int64_t frame_count = 1'000'000;          ///< after the initial one
  std::int64_t grid_cell_count = 4'000'000'000;  ///< of the fluid grid over the whole domain
};

}  // namespace sluice::scene
