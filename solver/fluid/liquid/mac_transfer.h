// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/particle_cells.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid::grid {

/// Scatters the particles' momenta to the faces, by trilinear weights and with their affine motion
/// [Jiang2015], sections 5 and 6: `grid.velocity` becomes momentum over mass, and `weights` the
/// mass on each face, 0 where no particle is near. Scatters their volumes to `grid.density`, and to
/// `grid.lightness`, if that is not empty. All have the sizes of the tiles and are 0 before. `mass`
/// is a particle's mass by material, in any unit, and `volume` its volume in cells. A face or cell
/// that `screens` hide from a particle gets nothing of it.
template <int D>
void particles_to_faces(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                        const Screens<D>& screens, std::span<const float> mass,
                        std::span<const float> volume, const Particles& particles, MacGrid<D>& grid,
                        typename MacGrid<D>::template Faces<float>& weights);

/// How much a particle keeps of its own velocity.
struct Blend {
  float flip =
      0;  ///< In [0, 1]: the part that takes only the change of the grid's [Brackbill1986].
  bool is_affine = true;  ///< Whether it takes the velocity's gradient along: APIC.
};

/// Gathers the particles' velocities and C from the faces. `before` is the grid's velocity as it
/// was scattered, unused if Blend::flip is 0. Returns whether all results are finite.
template <int D>
bool faces_to_particles(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                        const MacGrid<D>& grid,
                        const typename MacGrid<D>::template Faces<float>& before,
                        const Blend& blend, Particles& particles);

}  // namespace sluice::fluid::grid
