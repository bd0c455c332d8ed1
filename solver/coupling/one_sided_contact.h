// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/motion_bounds.h"
#include "solver/coupling/method.h"
#include "solver/coupling/surface_contact.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"

namespace sluice::coupling {

/// Contact (surface_contact.h) that moves particles alone: off solids that go their way whatever it
/// does.
class OneSidedContact {
 public:
  OneSidedContact(const scene::Scene& scene, const solid::DeformableSystem& solids);

  void begin_frame();  ///< As Method's, and the next.
  void renumber_particles(std::span<const std::uint32_t> former_rows) {
    contact_.renumber_particles(former_rows);
  }

  /// Where particles that the fluid sends into solids go, whose vertices go to `predicted` [m].
  /// Adds the iterations, and what they have come to, to `report`. An error where a particle's
  /// place is no longer finite.
  [[nodiscard]] std::optional<Error> hold_off(double h, const ExternalActions& actions,
                                              const solid::DeformableSystem& solids,
                                              std::span<Vec3> predicted,
                                              fluid::ParticleFluid& fluid, const StepNotes& notes,
                                              SubstepReport& report);

  /// [N] on the vertices, of what was held off.
  [[nodiscard]] std::span<const Vec3> forces() const noexcept { return contact_.forces(); }

  /// Once the solids are where the substep ends: adds what contact came to, and notes its forces on
  /// the particles.
  void report_to(double h, const solid::DeformableSystem& solids, fluid::ParticleFluid& fluid,
                 const StepNotes& notes, SubstepReport& report) const;

 private:
  scene::Coupling settings_;
  std::vector<std::string> fluid_names_;
  Walls walls_;
  SurfaceContact contact_;
  contact::MotionBounds bounds_;
  contact::CandidateFinder finder_;
  contact::Candidates candidates_;
  std::vector<double> immovable_;       ///< [N/m] by vertex: infinite
  std::vector<RigidCompliance> still_;  ///< By rigid body: none.
  std::vector<double> inertia_;         ///< [N/m] by material
};

}  // namespace sluice::coupling
