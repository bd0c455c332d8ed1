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

/// The acceleration that contact is expected to give a particle.
struct Reaction {
  std::uint32_t particle;
  Vec3f acceleration;  ///< [m/s^2]
};

/// The forces of contact on particles, which the grid's pressure is to balance.
///
/// Contact comes after the gather, so that without this the grid moves into the solid that holds
/// the fluid up, in each substep anew: tr C grows by h p / (density dx^2) near every solid, J with
/// it, pressure falls, and a floating brick sinks. Here the reactions of the substep before are
/// scattered with the particles' momenta, and taken off the particles again after the gather, where
/// contact gives them what they really need. So they only move momentum about on the grid, and add
/// none. Where nothing changes, contact gives what was expected, and force goes through the grid as
/// in any MPM with loaded particles.
///
/// An impact is over after its substep, and must not be expected again: it would push back
/// particles that have stopped. So the force expected on a patch of the surface is at most some
/// times that of the stress there: of a liquid's pressure, or of the norm of another material's
/// stress, whose pressure is tension where it hangs on to a surface.
class Reactions {
 public:
  /// Adds the changes expected in `h` [s] to the particles' velocities, before the scatter.
  void add(float h, Particles& particles) const;

  /// Takes these off the velocities gathered in `h` [s], and sets the targets that then follow.
  void take_off(float h, const Boundary& boundary, Particles& particles) const;

  /// Marks in `pressed` the cells around the particles from which a reaction is expected.
  void mark_cells(const GridFrame& frame, scene::Kernel kernel, const Particles& particles,
                  PressedCells& pressed) const;

  /// Notes that contact has changed a particle's velocity by `change` [m/s]; once a particle.
  void note(std::size_t particle, const Vec3f& change);

  /// At the end of a substep of `h` seconds: expects the changes noted in it from then on.
  void expect_noted(float h, std::span<const Material> materials, const GridFrame& frame,
                    scene::Kernel kernel, const Particles& particles);

  /// Follows particles to new places in the arrays: places[i] is where particle i will be, or
  /// no_row for one that goes out.
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
  std::vector<std::uint32_t> patch_of_;  ///< By noted reaction: its patch.
};

}  // namespace sluice::fluid
