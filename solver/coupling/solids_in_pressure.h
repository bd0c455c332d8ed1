// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solver/coupling/elastic_response.h"
#include "solver/coupling/method.h"
#include "solver/coupling/solid_step.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Elastic solids that a fluid's pressure moves: their description for the fluid before it
/// advances, the ends that it moves them to, and their own step under its impulses.
///
/// The fluid is given the solids where they are going, and their response to impulses in the step
/// (elastic_response.h), so that pressure and solids are solved for at once: stable also where
/// solids are lighter than the fluid they displace. The changes by their own step (contact, and
/// elasticity beyond the linear) reach the fluid in the next substep.
class SolidsInPressure {
 public:
  /// Whether pressure and solids are solved for at once, or the fluid takes solids to move on as
  /// they do.
  enum class Exchange { at_once, weak };

  /// [kg] Returns the part of the fluid attached to a vertex by the response that stays inert where
  /// the vertex goes another way than the linear response has it.
  using AttachedMass = std::function<double(const Mat3& attached)>;

  SolidsInPressure(const scene::Scene& scene, const solid::DeformableSystem& solids,
                   Exchange exchange, AttachedMass attached_mass);

  /// Returns where vertices go without the fluid in `h` seconds, and their response to it, for
  /// fluid::MovesSolids: without surfaces or points, which the method adds. With h = 0 it says
  /// where they are. Its spans live until the next call.
  [[nodiscard]] fluid::ImmersedSolids begin(double h, const ExternalActions& actions,
                                            const solid::DeformableSystem& solids);

  /// After the fluid has advanced: sets the ends of vertices that it gave `velocities` [m/s].
  void expect(double h, const solid::DeformableSystem& solids, std::span<const Vec3> velocities);
  /// [m] The ends by vertex; a method may overwrite those that it knows better.
  [[nodiscard]] std::span<Vec3> expected() noexcept { return expected_; }

  /// The solids' own step under the fluid's `impulses` [N s], one a vertex. Particles that are
  /// caught between solids answer.
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             std::span<const Vec3> impulses, solid::DeformableSystem& solids,
                             fluid::ParticleFluid* particles, const StepNotes& notes);

  [[nodiscard]] SolidStep& solid_step() noexcept { return solids_; }
  [[nodiscard]] const SolidStep& solid_step() const noexcept { return solids_; }

 private:
  Exchange exchange_;
  AttachedMass attached_mass_;
  Vec3 lower_, upper_;  ///< [m] of the domain, which solids do not leave.
  SolidStep solids_;
  ElasticResponse response_;
  std::vector<Vec3> expected_;  ///< [m] by vertex
  std::vector<Vec3> forces_;    ///< [N] by vertex
  std::vector<solid::Anchor> anchors_;
};

}  // namespace sluice::coupling
