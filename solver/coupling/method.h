// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "solver/coupling/contact_forces.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/push.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/stages.h"
#include "solver/types.h"
#include "solver/wrench.h"

namespace sluice::coupling {

/// The outcome of one substep.
struct SubstepReport {
  std::int64_t iteration_count = 0;
  double residual = 0;  ///< Relative, at the end: see SolidStep.
  double smallest_gap = std::numeric_limits<double>::infinity();  ///< [m] see FrameStatistics
  std::int64_t contact_count = 0;      ///< Pairs with a force: points and triangles, and edges.
  std::int64_t stopped_count = 0;      ///< Points that the step filter stopped on their way.
  Vec3 fluid_impulse = Vec3::Zero();   ///< [N s] of contact on the particles
  Vec3 solid_impulse = Vec3::Zero();   ///< [N s] of contact on the vertices: opposite, to rounding
  Vec3 filter_impulse = Vec3::Zero();  ///< [N s] of stopping points, on all bodies
};

/// The larger of two residuals, or one that is not a number.
[[nodiscard]] inline double larger_or_nan(double a, double b) noexcept {
  return std::isnan(a) || b <= a ? a : b;
}

/// The external actions on the bodies during a substep.
struct ExternalActions {
  Vec3 gravity = Vec3::Zero();             ///< [m/s^2]
  std::span<const solid::Anchor> anchors;  ///< On solids.
  std::span<const fluid::Push> pushes;     ///< On fluid.
  /// The scene's obstacles where they are at the end of the substep, with their velocities in it:
  /// all of them, in the scene's order.
  std::span<const scene::Obstacle> obstacles;
  double time = 0;                    ///< [s] at the start of the substep: gusts of wind follow it.
  std::span<const Vec3> forces = {};  ///< [N] on the vertices of solids, one each; or none.
  std::span<const Wrench> wrenches = {};  ///< On rigid bodies, one each; or none.
  /// [m] Guesses of where vertices end, one each, to start the solver from; or none.
  std::span<const Vec3> likely_ends = {};
  solid::ThetaRule time_rule = {};  ///< For deformable solids.
};

/// Outputs of a substep besides its report; both may be null.
struct StepNotes {
  ContactForces* forces = nullptr;  ///< Overwritten; has the sizes that it needs.
  StageTimer* timer = nullptr;
};

/// A way to step solids and fluid together.
///
/// A method takes both at t^n and leaves them at t^{n+1}, with nothing that crosses anything on the
/// straight way between (OneWay excepted: its fluid passes through solids). Same bits for any
/// number of threads.
class Method {
 public:
  virtual ~Method() = default;

  /// [s] Longest substep that the method can take, for how the bodies move now.
  [[nodiscard]] virtual double longest_substep(const solid::DeformableSystem& solids) const = 0;

  /// Says to people what keeps substeps that short, and what may help.
  [[nodiscard]] virtual std::string what_shortens_substeps(
      const solid::DeformableSystem& solids) const = 0;

  /// Whether a substep that fails may succeed when it is shorter.
  [[nodiscard]] virtual bool is_worth_halving() const noexcept = 0;

  /// Forgets what is kept from substep to substep, so that a frame depends on the bodies alone;
  /// also after a substep that failed.
  virtual void begin_frame() = 0;

  /// Tells that particles have other rows from now on (ParticleFluid::exchange): `former_rows` has,
  /// for each row, the one before, or no_row.
  virtual void renumber_particles(std::span<const std::uint32_t> former_rows) {
    static_cast<void>(former_rows);
  }

  /// Tells `fluid` where solids are in it: before its first substep, and before a saved state of it
  /// is restored. Does nothing in a method whose solids are not in the fluid's pressure.
  virtual void place_solids(const solid::DeformableSystem& solids, fluid::Fluid& fluid) {
    static_cast<void>(solids);
    static_cast<void>(fluid);
  }

  /// Advances solids and fluid by `h` seconds. `fluid` may be null. On `solver_diverged` (the
  /// message names the body) the states are partly advanced and good for nothing.
  virtual Result<SubstepReport> step(double h, const ExternalActions& actions,
                                     solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                     const StepNotes& notes = {}) = 0;
};

/// The method that the scene asks for. `solids` are those of the scene, in their rest shape, and
/// stay where they are.
std::unique_ptr<Method> make_method(const scene::Scene& scene, solid::DeformableSystem& solids);

}  // namespace sluice::coupling
