// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/motion_bounds.h"
#include "solver/contact/points.h"
#include "solver/contact/step_filter.h"
#include "solver/coupling/implicit_solids.h"
#include "solver/coupling/method.h"
#include "solver/coupling/pressed_solids.h"
#include "solver/coupling/rigid_step.h"
#include "solver/coupling/solid_predictor.h"
#include "solver/coupling/solid_presses.h"
#include "solver/coupling/substep_end.h"
#include "solver/coupling/surface_contact.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/integrator/consensus_admm.h"
#include "solver/integrator/loose_parts.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The solids' part of a substep, from which each method of coupling makes its own: deforming and
/// rigid solids under given forces, in contact with each other, walls and obstacles, and, as far as
/// its role goes, with the fluid's particles. After [Yang2023] Algorithm 5.
///
/// A substep of h seconds: inertial targets y of the solids (those of particles are where the
/// fluid's step sends them); then iterations of
///     dynamic local step, dual, dynamic global step     integrator/consensus_admm.h
///     walls                                             walls.h
///     contact local step, contact global step           surface_contact.h
///     walls again, for the vertices that contact has moved
///     rigid bodies, under the forces of contact and walls              rigid_step.h
/// until the residual is below the scene's tolerance or its number of iterations is reached; then
/// the step filter on the straight lines x^n -> x^{n+1} of the stored numbers
/// (contact/step_filter.h), and velocities: of solids (x^{n+1} - x^n) / h, of particles those of
/// the fluid's step plus contact's displacement / h.
///
/// Deviation from Algorithm 5: the filter acts once, on the whole substep, instead of on every
/// iterate. The line x^n -> x^{n+1} is what must not cross anything, whichever way the iterates
/// went; contact keeps each particle on the side where it was at x^n, so iterates need not be clear
/// themselves.
///
/// Where the scene asks for Newton's method, one minimisation moves all solids, free rigid bodies
/// too, together with their contacts and walls. A contact or a wall that pushes is a press there
/// (press.h). A round finds the contacts, minimises, and takes the forces, to which particles then
/// answer. Rounds end when the gap of each press is as it should be to three times the tolerance,
/// in units of the contact distance.
/// (solid_step_pressed.cpp)
///
/// Where the scene asks for another integrator than these, an iteration solves the solids whole
/// under the forces of contact and walls (implicit_solids.h), and these answer with the inertia of
/// the vertices alone for the diagonal. Solved solids resist at least that much, so the iteration
/// is Uzawa's with a step that is short enough. Walls then act by forces as well,
/// f = D (w - (x - f / D)) with w where `Walls` leads x - f / D: the method of multipliers. The
/// vertices end outside the walls whatever is left over.
///
/// Momentum: contact acts on both bodies by the same lambda n, whatever the tolerance. Springs act
/// between vertices, so that a body gains the momentum of the forces from outside; sweeps that end
/// early leave it short of that (a force that is new in a substep has moved a stiff body by a part
/// only). A part that elements tie together, where nothing holds it and no wall touches it, gets
/// the rest at the end as one common translation (integrator/loose_parts.h), usually far below the
/// tolerance. The momentum that the filter takes is reported.
///
/// Residual: sqrt((sum_e w |D_e x - z_e|^2 + |x^{k+1} - x^k|_D^2) / (|x^{k+1} - x^n|_D^2 + e)), D
/// the diagonal of the global step: primal and dual error relative to the motion of the substep, in
/// the norm of energy, over vertices and, in the second term, particles in contact. e is that norm
/// of a move by a millionth of the contact distance, so that a body at rest stops at once. With
/// another integrator the change is that of contact and walls after the solve, and the integrator's
/// own residual is the other term.
class SolidStep {
 public:
  /// `scene` is valid, and `solids` are its solids in their rest shape.
  SolidStep(const scene::Scene& scene, const solid::DeformableSystem& solids);

  /// [s] The smaller of RigidStep's limit and, with consensus ADMM, the longest substep for which
  /// few iterations are enough: stiffness sum <= 32 mass / h^2 at every vertex.
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const;
  /// Says to people what keeps substeps that short, and what may help.
  [[nodiscard]] std::string what_shortens_substeps(const solid::DeformableSystem& solids) const;
  /// Whether a step that fails may succeed when it is shorter. Consensus ADMM takes what it has
  /// after the last iteration, the other integrators do not.
  [[nodiscard]] bool is_worth_halving() const noexcept { return admm_ == nullptr; }
  /// Forgets what is kept from substep to substep: see Method.
  void begin_frame();
  /// Gives particles other rows from now on: see Method.
  void renumber_particles(std::span<const std::uint32_t> former_rows) {
    contact_.renumber_particles(former_rows);
  }

  /// The role of particles while solids are solved for.
  enum class FluidRole {
    answers,     ///< They take part in contact, and move by it.
    is_carried,  ///< They go to their targets, and only the step filter sees them.
    is_caught,   ///< They are carried, but those that are close to a solid answer: caught_part.
  };

  /// Moves `solids` on by `h` seconds. `fluid`, which may be null, has advanced: its targets and
  /// velocities are changed as far as its role goes, and its commit is the caller's.
  /// `solver_diverged`, with the body's name, leaves states that are good for nothing.
  Result<SubstepReport> step(double h, const ExternalActions& actions,
                             solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
                             FluidRole role, const StepNotes& notes = {});

  /// The rigid bodies of the last substep.
  [[nodiscard]] const RigidStep& rigid_step() const noexcept { return rigid_; }

 private:
  /// Which vertices a pass over the walls looks at.
  enum class WallPass {
    all,
    touching,  ///< Vertices that a wall held in the iteration before.
    again,     ///< All; adds to the forces that the iteration's pass before found.
  };

  Result<SubstepReport> solve(double h, const ExternalActions& actions,
                              solid::DeformableSystem& solids, fluid::ParticleFluid* fluid);
  void find_touched(bool has_contact);
  void measure_forces(std::span<const Vec3> of_fluid, ContactForces& forces) const;
  void finish(Stage stage) const {
    if (notes_.timer != nullptr) notes_.timer->finish(stage);
  }
  void set_particles(double h, fluid::ParticleFluid* fluid);
  void find_contacts(double h, const solid::DeformableSystem& solids);
  [[nodiscard]] bool is_within_bounds();
  void iterate(double h, const solid::DeformableSystem& solids, SubstepReport& report);
  std::optional<Error> solve_whole(const solid::DeformableSystem& solids, std::span<Vec3> x,
                                   SubstepReport& report);
  std::optional<Error> iterate_whole(double h, const solid::DeformableSystem& solids,
                                     SubstepReport& report);
  std::optional<Error> iterate_pressed(double h, const solid::DeformableSystem& solids,
                                       SubstepReport& report);
  /// [J] The sum of the diagonal times |a - b|^2 over the vertices that deform; and the energy of a
  /// move of all bodies by a millionth of the contact distance, which that is compared with.
  [[nodiscard]] double squared_distance(const solid::DeformableSystem& solids,
                                        std::span<const Vec3> a, std::span<const Vec3> b) const;
  [[nodiscard]] double energy_floor(const solid::DeformableSystem& solids) const;
  [[nodiscard]] Error failed_step(double residual, int round_count) const;
  void stay_off_walls(const solid::DeformableSystem& solids);
  [[nodiscard]] WallPoint wall_point(double h, const solid::DeformableSystem& solids,
                                     std::size_t vertex) const;
  void push_by_walls(double h, const solid::DeformableSystem& solids);
  void bound_substep(const solid::DeformableSystem& solids);
  void resolve_walls(double h, const solid::DeformableSystem& solids, WallPass pass);
  RigidChange move_rigid_bodies(int k);
  void balance_momentum();
  void filter(double h, const solid::DeformableSystem& solids, fluid::ParticleFluid* fluid,
              SubstepReport& report);

  scene::Coupling settings_;
  StepNotes notes_;                            ///< Notes of the substep at hand.
  FluidRole fluid_role_ = FluidRole::answers;  ///< In the substep at hand.
  Walls walls_;
  std::unique_ptr<integrator::ConsensusAdmm> admm_;  ///< Exactly one of these three is set.
  std::unique_ptr<ImplicitSolids> implicit_;
  std::unique_ptr<PressedSolids> pressed_;
  SolidPresses presses_;  ///< The presses of `pressed_`.
  SolidPredictor predictor_;
  solid::InertialTerm term_;
  SurfaceContact contact_;
  RigidStep rigid_;
  integrator::LooseParts loose_parts_;
  std::vector<double> loose_inertia_;  ///< [N/m] by vertex; infinite where a wall holds it.
  ParticleMotion particles_;
  std::vector<Vec3f> particle_places_;  ///< Places in the iteration at hand.
  contact::MotionBounds bounds_;
  double slack_ = 0;            ///< [m] of bounds_
  double expected_excess_ = 0;  ///< [m] by which points leave their predicted way, in this frame
  contact::CandidateFinder finder_;
  contact::Candidates candidates_;
  SubstepEnd end_;
  std::vector<double> diagonal_;          ///< [N/m] of the global step, by vertex
  std::vector<double> particle_inertia_;  ///< [N/m] by material
  std::vector<Vec3> iterate_, next_;
  std::vector<Vec3> wall_forces_;         ///< [N] by vertex; with admm_ only if forces are noted
  std::vector<Vec3> forces_;              ///< [N] by vertex: of contact and walls
  std::vector<std::uint8_t> is_touched_;  ///< 1 for a vertex that contact or a wall holds back.
  std::vector<std::uint8_t> is_at_wall_;  ///< 1 for a vertex that a wall moved in the last sweep.
  double stable_substep_ = std::numeric_limits<double>::infinity();
  std::string stiffest_body_;
  double stiffness_total_ = 0;  ///< [N/m] sum over the vertices of admm_
};

}  // namespace sluice::coupling
