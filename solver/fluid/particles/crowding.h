// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/particles/particles.h"

namespace sluice::fluid {

/// The part of the volume of all particles that has no room where they are: in boxes of 2 x 2 x 2
/// cells (2 x 2 in two dimensions), the particles' volume beyond the boxes' own volume; boxes that
/// are over-full by less than `uneven` of their volume do not count, as particles are never quite
/// even and liquids a little compressible. In [0, 1).
///
/// The result is 0 for liquid that rests, flows or flies, to the evenness that the solvers keep;
/// about 1 - 1/n where it has been pressed to an n-th of its volume. Never too much: a box that is
/// partly in a solid has less room than it counts with. `volumes` [m^3]: that of a particle, by
/// material. Cost: a look-up in a hash table for each particle.
[[nodiscard]] double crowded_part(const GridFrame& frame, const Particles& particles,
                                  std::span<const double> volumes, double uneven = 0.25);

}  // namespace sluice::fluid
