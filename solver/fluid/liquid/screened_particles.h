// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/fluid/liquid/mac_transfer.h"
#include "solver/fluid/liquid/particle_cells.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/obstacles/seen_flow.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid::grid {

/// The particles near thin solids: from the grid they get only what they see of it (seen_flow.h),
/// in place of what faces_to_particles() and TileTracer give them.
template <int D>
class ScreenedParticles {
 public:
  template <typename T>
  using Faces = typename MacGrid<D>::template Faces<T>;

  /// Finds these particles, and keeps their velocities, as before faces_to_particles().
  void note(const ParticleCells<D>& cells, const Screens<D>& screens, const Particles& particles);

  /// Gives these particles velocities and C, as faces_to_particles() does to the others. Returns
  /// whether all results are finite.
  bool gather(const SeenFlow<D>& flow, float cell_size, const MacGrid<D>& grid,
              const Faces<float>& before, const Blend& blend, Particles& particles) const;

  /// Sets the targets of these particles after `h` [s].
  void trace(const SeenFlow<D>& flow, float h, scene::PathIntegrator integrator,
             Particles& particles) const;

 private:
  struct Screened {
    std::uint32_t index;
    Vec3f velocity;  // [m/s] The particle's, before faces_to_particles().
  };
  std::vector<Screened> screened_;
};

extern template class ScreenedParticles<2>;
extern template class ScreenedParticles<3>;

}  // namespace sluice::fluid::grid
