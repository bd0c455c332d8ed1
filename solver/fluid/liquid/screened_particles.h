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

/// The particles near thin solids: what they get of the grid is what they see of it (seen_flow.h),
/// in place of what faces_to_particles() and TileTracer give them.
template <int D>
class ScreenedParticles {
 public:
  template <typename T>
  using Faces = typename MacGrid<D>::template Faces<T>;

  /// Finds them, and keeps their velocities as they are before faces_to_particles().
  void note(const ParticleCells<D>& cells, const Screens<D>& screens, const Particles& particles);

  /// Gives the particles that were found what faces_to_particles() gives others. Returns whether
  /// all is finite.
  bool gather(const SeenFlow<D>& flow, float cell_size, const MacGrid<D>& grid,
              const Faces<float>& before, const Blend& blend, Particles& particles) const;

  /// Their targets after `h` [s].
  void trace(const SeenFlow<D>& flow, float h, scene::PathIntegrator integrator,
             Particles& particles) const;

 private:
  struct Screened {
    std::uint32_t index;
    Vec3f velocity;  // [m/s] Before.
  };
  std::vector<Screened> screened_;
};

extern template class ScreenedParticles<2>;
extern template class ScreenedParticles<3>;

}  // namespace sluice::fluid::grid
