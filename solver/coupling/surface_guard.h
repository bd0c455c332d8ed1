// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/motion_bounds.h"
#include "solver/coupling/method.h"
#include "solver/coupling/rigid_compliance.h"
#include "solver/coupling/surface_contact.h"
#include "solver/coupling/walls.h"
#include "solver/scene/scene.h"

namespace sluice::coupling {

/// Advice for people where hold_off() finds a particle that is not finite.
inline constexpr const char* thrown_out =
    "contact with solids threw it out; a larger contact_distance or a smaller max_substep_seconds "
    "may help";

/// Holds fluid's particles off solids that nothing moves from their way, by contact
/// (surface_contact.h): the fluid's half of methods that move fluid first.
class SurfaceGuard {
 public:
  /// `most_against` [m] is that of SurfaceContact::finish().
  SurfaceGuard(const scene::Scene& scene, const solid::DeformableSystem& solids,
               double most_against = 0);

  void begin_frame();
  void renumber_particles(std::span<const std::uint32_t> former_rows) {
    contact_.renumber_particles(former_rows);
  }

  /// After advance_velocities(): moves `fluid`'s targets and velocities off solids that go to
  /// `ends` [m, by vertex], and adds to the report. Returns the first particle whose place or
  /// velocity is not finite, or -1.
  [[nodiscard]] std::int64_t hold_off(double h, const ExternalActions& actions,
                                      const solid::DeformableSystem& solids,
                                      std::span<const Vec3> ends, fluid::ParticleFluid& fluid,
                                      StageTimer* timer, SubstepReport& report);

  /// After the solids' part of the substep, and before commit(): adds its gaps and contacts.
  void finish(const solid::DeformableSystem& solids, fluid::ParticleFluid& fluid,
              SubstepReport& report) const;

  // For solids that feel it:
  /// [N] The particles' force on each vertex.
  [[nodiscard]] std::span<const Vec3> forces() const noexcept { return contact_.forces(); }
  /// Adds the forces and impulses of the substep of `h` seconds; after finish().
  void report_forces(double h, const StepNotes& notes, SubstepReport& report) const;

 private:
  scene::Coupling settings_;
  double most_against_;
  Walls walls_;
  SurfaceContact contact_;
  contact::MotionBounds bounds_;
  contact::CandidateFinder finder_;
  contact::Candidates candidates_;
  std::vector<double> immovable_;       ///< [N/m] by vertex: infinite
  std::vector<RigidCompliance> still_;  ///< By rigid body: 0.
  std::vector<double> inertia_;         ///< [N/m] by material
  std::vector<Vec3> ends_;              ///< [m] by vertex
};

}  // namespace sluice::coupling
