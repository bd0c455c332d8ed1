// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solver/contact/candidates.h"
#include "solver/contact/motion_bounds.h"
#include "solver/contact/points.h"
#include "solver/contact/step_filter.h"
#include "solver/coupling/contact_forces.h"
#include "solver/coupling/particle_contact.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/integrator/consensus_admm.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/cloth_system.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::coupling {

/// How one substep went.
struct SubstepReport {
  std::int64_t iteration_count = 0;
  double residual = 0;  ///< At the end, relative: see AdmmIpc.
  double smallest_gap = std::numeric_limits<double>::infinity();  ///< [m] see FrameStatistics
  std::int64_t contact_count = 0;      ///< Particle-triangle pairs with a force.
  std::int64_t limited_count = 0;      ///< Points that the step filter stopped on their way.
  Vec3 fluid_impulse = Vec3::Zero();   ///< [N s] of contact on the particles
  Vec3 cloth_impulse = Vec3::Zero();   ///< [N s] of contact on the vertices: opposite, to rounding
  Vec3 filter_impulse = Vec3::Zero();  ///< [N s] of stopping points, on both bodies
};

/// What acts on the bodies during a substep, besides each other.
struct ExternalActions {
  Vec3 gravity = Vec3::Zero();             ///< [m/s^2]
  std::span<const solid::Anchor> anchors;  ///< On cloth.
  std::span<const fluid::Push> pushes;     ///< On fluid.
  /// Where the scene's obstacles are at the end of the substep, and their velocities in it: all of
  /// them, in the scene's order.
  std::span<const scene::Obstacle> obstacles;
};

/// What is noted of a substep besides its report; both may be null.
struct StepNotes {
  ContactForces* forces = nullptr;  ///< Overwritten; has its sizes.
  StageTimer* timer = nullptr;
};

/// Steps cloth and fluid together: ADMM-IPC, [Yang2023] Algorithm 5.
///
/// A substep of h seconds: inertial targets y (of the fluid: where the MPM step sends its
/// particles); then iterations of
///     dynamic local step, dual, dynamic global step     integrator/consensus_admm.h
///     walls                                             walls.h
///     contact local step, contact global step           particle_contact.h
///     walls, for what contact has moved
/// until the residual is below the scene's tolerance or its number of iterations is reached; then
/// the step filter on the straight lines x^n -> x^{n+1} of the stored numbers
/// (contact/step_filter.h), and velocities: of cloth (x^{n+1} - x^n) / h, of particles those of the
/// MPM step plus contact's displacement / h.
///
/// Deviation from Algorithm 5: the filter acts once, on the whole substep, instead of on every
/// iterate. The line x^n -> x^{n+1} is what must not cross anything, whichever way the iterates
/// went; contact keeps each particle on the side where it was at x^n, so iterates need not be clear
/// themselves.
///
/// Momentum: contact acts on both bodies by the same lambda n, whatever the tolerance. Springs act
/// between vertices, so that what a cloth gains is what acts on it from outside; sweeps that end
/// early leave it short of that (a force that is new in a substep has moved a stiff cloth by a part
/// only). A cloth that nothing holds and no wall touches gets the rest at the end as one common
/// translation, usually far below the tolerance. What the filter takes is reported.
///
/// Residual: sqrt((sum_e w |D_e x - z_e|^2 + |x^{k+1} - x^k|_D^2) / (|x^{k+1} - x^n|_D^2 + e)), D
/// the diagonal of the global step: primal and dual error relative to the motion of the substep, in
/// the norm of energy, over vertices and, in the second term, particles in contact. e is that norm
/// of a move by a millionth of the contact distance, so that a body at rest stops at once.
class AdmmIpc {
 public:
  AdmmIpc(const scene::Scene& scene, const solid::ClothSystem& cloth);

  /// [s] Longest substep for which few iterations are enough: stiffness sum <= 32 mass / h^2 at
  /// every vertex.
  [[nodiscard]] double stable_substep() const noexcept { return stable_substep_; }

  /// The cloth whose vertices set that bound; empty without springs.
  [[nodiscard]] const std::string& stiffest_cloth() const noexcept { return stiffest_cloth_; }

  /// Forgets what is kept from substep to substep, so that a frame depends on the bodies alone.
  void begin_frame() { contact_.begin_frame(); }

  /// Advances both bodies by `h` seconds. `fluid` may be null. On `solver_diverged` (a number is
  /// not finite; the message names the body) the states are partly advanced and good for nothing.
  Result<SubstepReport> step(double h, const ExternalActions& actions, solid::ClothSystem& cloth,
                             fluid::MpmFluid* fluid, const StepNotes& notes = {});

 private:
  /// Which vertices a pass over the walls looks at.
  enum class WallPass {
    all,
    touching,  ///< Those that a wall held in the iteration before.
    again,     ///< All, and adds to what the pass before in the same iteration found.
  };

  Result<SubstepReport> solve(double h, solid::ClothSystem& cloth, fluid::MpmFluid* fluid);
  void measure_forces(ContactForces& forces) const;
  void finish(Stage stage) const {
    if (notes_.timer != nullptr) notes_.timer->finish(stage);
  }
  [[nodiscard]] const std::string& name_of(const fluid::MpmFluid& fluid,
                                           std::int64_t particle) const;
  void find_contacts(double h, const solid::ClothSystem& cloth, fluid::MpmFluid& fluid);
  void iterate(double h, const solid::ClothSystem& cloth, SubstepReport& report);
  void resolve_walls(double h, const solid::ClothSystem& cloth, WallPass pass);
  void balance_momentum(const solid::ClothSystem& cloth);
  void filter(double h, const solid::ClothSystem& cloth, fluid::MpmFluid& fluid,
              SubstepReport& report);
  Vec3 take_back(double h, const solid::ClothSystem& cloth, fluid::MpmFluid& fluid) const;
  void set_cloth(double h, solid::ClothSystem& cloth) const;

  scene::Coupling settings_;
  StepNotes notes_;  ///< Of the substep at hand.
  std::vector<std::string> fluid_names_;
  Walls walls_;
  integrator::ConsensusAdmm admm_;
  solid::InertialTerm term_;
  ParticleContact contact_;
  ParticleMotion particles_;
  contact::MotionBounds bounds_;
  contact::CandidateFinder finder_;
  std::vector<contact::Candidate> candidates_;
  contact::StepFilter filter_;
  std::vector<double> diagonal_;          ///< [N/m] of the global step, by vertex
  std::vector<double> particle_inertia_;  ///< [N/m] by material
  std::vector<Vec3> iterate_, next_;
  std::vector<Vec3> wall_forces_;         ///< [N] by vertex, where forces are noted
  std::vector<std::uint8_t> is_at_wall_;  ///< 1 for a vertex that a wall moved in the last sweep.
  std::vector<Vec3f> unfiltered_;         ///< Targets of the particles before the filter.
  double stable_substep_ = std::numeric_limits<double>::infinity();
  std::string stiffest_cloth_;
  double stiffness_total_ = 0;  ///< [N/m]
};

}  // namespace sluice::coupling
