// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/emitters.h"
#include "solver/fluid/particles/outlets.h"
#include "solver/fluid/particles/particles.h"
#include "solver/fluid/particles/rows.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// The state that all fluids with particles have.
struct ParticleFluid::State {
  /// `are_elastic`: whether particles carry an Elastic.
  State(const scene::Scene& scene, bool are_elastic);

  [[nodiscard]] bool has_exchange() const {
    return do_settle || !emitters.empty() || !outlets.empty();
  }

  GridFrame frame;
  Boundary boundary;
  std::int64_t max_particles;
  std::vector<std::string> names;  // Names of the scene's fluids.
  std::vector<float> mass;         // [kg] of a particle, by material
  double rest_volume;              // [m^3] volume that a particle stands for
  bool has_elastic;
  bool do_settle = false;  // Whether cells without particles take some, and give some.
  Emitters emitters;
  Outlets outlets;
  Rows rows;
  Particles particles;
  float duration = 0;  // [s] of the last advance_velocities
};

/// The largest speed of particles.
struct Speed {
  float squared = 0;  ///< [m^2/s^2]
  bool is_finite = true;
};
[[nodiscard]] Speed largest_speed(const Particles& particles);

/// Sums term(i) over 0 <= i < count, for cheap terms.
template <typename T, typename Term>
[[nodiscard]] T sum_over(std::int64_t count, const T& zero, const Term& term) {
  constexpr std::int64_t grain = 16384;
  return parallel::parallel_reduce(
      0, count, grain, zero,
      [&](std::int64_t first, std::int64_t last) {
        T sum = zero;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          sum += term(i);
        return sum;
      },
      [](const T& a, const T& b) { return T(a + b); });
}

}  // namespace sluice::fluid
