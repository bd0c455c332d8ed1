// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/pressed_cells.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/particles.h"
#include "solver/types.h"

namespace sluice::fluid {

/// What contact is expected to press a particle with.
struct Reaction {
  std::uint32_t particle;
  Vec3f acceleration;  ///< [m/s^2]
};

/// What contact presses particles with, for the grid to balance pressure by.
///
/// Contact comes after the gather, so that without this the grid moves into what holds the fluid
/// up, in each substep anew: tr C grows by h p / (density dx^2) near every solid, J with it,
/// pressure falls, and a floating brick sinks. Here the reactions of the substep before are
/// scattered with the particles' momenta, and taken off the particles again after the gather, where
/// contact gives them what they really need. Momentum is exchanged on the grid alone: the sum is
/// none. Where nothing changes, contact gives what was expected, and force goes through the grid as
/// in any MPM with loaded particles.
///
/// An impact is over after its substep, and must not be expected again: it would push back what has
/// stopped. So what is expected on a patch of the surface is no more than what stress there
/// explains: of liquids pressure, of other materials the size of their stress, as where they hang
/// on to a surface their pressure is tension.
class Reactions {
 public:
  /// Adds what is expected in `h` [s] to the velocities, before the scatter.
  void add(float h, Particles& particles) const;

  /// Takes it off the velocities gathered in `h` [s], with the targets that then follow.
  void take_off(float h, const Boundary& boundary, Particles& particles) const;

  /// The cells around the particles from which a reaction is expected.
  void mark_cells(const GridFrame& frame, scene::Kernel kernel, const Particles& particles,
                  PressedCells& pressed) const;

  /// Contact has changed the velocity of a particle by `change` [m/s]; once a particle.
  void note(std::size_t particle, const Vec3f& change);

  /// At the end of a substep of `h` seconds: expects what was noted, from then on.
  void expect_noted(float h, std::span<const Material> materials, const GridFrame& frame,
                    scene::Kernel kernel, const Particles& particles);

  /// Particles come to stand elsewhere: places[i] is where particle i will be, or no_row for one
  /// that goes out.
  void move(std::span<const std::uint32_t> places);

  [[nodiscard]] const std::vector<Reaction>& expected() const noexcept { return expected_; }
  void restore(std::vector<Reaction> expected) { expected_ = std::move(expected); }

 private:
  /// A piece of surface, as large as a block of nodes.
  struct Patch {
    float force = 0;   ///< [N] that contact gave
    float stress = 0;  ///< [N] that the fluid's stress makes on the particles' share of it
  };

  std::vector<Reaction> expected_, noted_;
  KeyIndex patch_index_;
  std::vector<Patch> patches_;
  std::vector<std::uint32_t> patch_of_;  ///< By noted reaction.
};

}  // namespace sluice::fluid
