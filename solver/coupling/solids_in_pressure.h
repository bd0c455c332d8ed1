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

/// Elastic solids that a fluid's pressure moves: what the fluid is told of them before it advances,
/// where it takes them, and their own step under what it did to them.
///
/// The fluid is told of the solids where they are going, and of what impulses would do to them in
/// the step (elastic_response.h), so that pressure and solids are solved for at once: stable also
/// where solids are lighter than what they displace. What their own step changes about that
/// (contact, and elasticity beyond the linear) the fluid hears of in the next substep.
class SolidsInPressure {
 public:
  /// Whether pressure and solids are solved for at once, or the fluid takes solids to move on as
  /// they do.
  enum class Exchange { at_once, weak };

  /// [kg] Of the fluid that the response has attached to a vertex, what stays inert where the
  /// vertex goes another way than the linear answer has it.
  using AttachedMass = std::function<double(const Mat3& attached)>;

  SolidsInPressure(const scene::Scene& scene, const solid::DeformableSystem& solids,
                   Exchange exchange, AttachedMass attached_mass);

  /// Where vertices go without the fluid in `h` seconds, and how they answer it, for
  /// fluid::MovesSolids: without surfaces or points, which the method adds. With h = 0 it says
  /// where they are. What it refers to lives until the next call.
  [[nodiscard]] fluid::ImmersedSolids begin(double h, const ExternalActions& actions,
                                            const solid::DeformableSystem& solids);

  /// After the fluid has advanced: where vertices end that have got `velocities` [m/s] from it.
  void expect(double h, const solid::DeformableSystem& solids, std::span<const Vec3> velocities);
  /// [m] By vertex; a method may know better of some.
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
