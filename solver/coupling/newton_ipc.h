// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/motion_bounds.h"
#include "solver/contact/pairs.h"
#include "solver/coupling/contact_surfaces.h"
#include "solver/coupling/ipc_solve.h"
#include "solver/coupling/method.h"
#include "solver/coupling/rigid_step.h"
#include "solver/coupling/solid_predictor.h"
#include "solver/coupling/substep_end.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Steps solids and fluid together: Newton-IPC, [Yang2023] Algorithm 4. Exact and slow: the method
/// to compare with.
///
/// A substep of h seconds: inertial targets y (of the fluid: where the MPM step sends its
/// particles); then the minimum over the vertices of solids, and the particles that could touch
/// any, of inertia, elastic energy, barrier and friction (ipc_solve.h); then the step filter on the
/// straight lines x^n -> x^{n+1} of the stored numbers, as the way of the minimisation is crooked,
/// and particles are stored as floats; and velocities: of solids (x^{n+1} - x^n) / h, of particles
/// those of the MPM step plus contact's displacement / h.
///
/// The barrier begins at the gap that ADMM-IPC keeps (contact_surfaces.h), and bodies rest at some
/// nine tenths of it. At obstacles and the sides of the domain it acts on vertices alone, as walls
/// do in ADMM-IPC; particles may enter these by a tenth of the contact distance while they are
/// solved for, and are led out at the end. Friction acts in all pairs, of particles and solids too,
/// and on solids at walls, as ContactMaterials has it.
///
/// The scene's tolerance is the gradient that may be left, over the forces that take all points
/// from rest to their targets; its number of iterations is that of Newton's method with one set of
/// pairs, and a substep may need several sets. Validation refuses free rigid bodies, and any
/// integrator but the default one.
class NewtonIpc final : public Method {
 public:
  /// Refers to the elements of `solids`, which are in their rest shape and stay where they are.
  NewtonIpc(const scene::Scene& scene, solid::DeformableSystem& solids);

  /// The same limit as that of RigidStep::longest_substep().
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const override;
  [[nodiscard]] std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const override;
  [[nodiscard]] bool is_worth_halving() const noexcept override { return true; }
  void begin_frame() override;
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                             const StepNotes& notes = {}) override;

 private:
  std::optional<Error> solve(double h, solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                             const StepNotes& notes, SubstepReport& report);
  void gather_points(double h, const solid::DeformableSystem& solids, fluid::ParticleFluid* fluid);
  void place_points(const fluid::ParticleFluid* fluid);
  void set_velocities(double h, fluid::ParticleFluid& fluid) const;
  void measure_forces(const fluid::ParticleFluid* fluid, ContactForces& forces) const;

  double contact_distance_;  ///< [m]
  SolidPredictor predictor_;
  Walls walls_;
  RigidStep rigid_;
  ContactSurfaces surfaces_;
  IpcSolve solve_;
  SubstepEnd end_;
  std::vector<WallMargin> vertex_margins_;
  solid::InertialTerm term_;
  // State of the substep: where all points go, as far as that is known.
  std::vector<Vec3f> particle_places_;
  std::vector<Vec3> vertex_places_;
  contact::MotionBounds bounds_;
  contact::CandidateFinder finder_;
  contact::Candidates candidates_;
  // The points that are solved for: all vertices, then these particles, by place in the fluid.
  std::vector<std::int32_t> particles_;
  std::vector<Vec3> x_n_, x_, targets_;
  std::vector<double> inertia_;
  std::vector<WallMargin> margins_;
};

}  // namespace sluice::coupling
