// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "solver/bytes.h"
#include "solver/fluid/push.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::fluid {

/// What acts on a fluid in a substep.
struct FluidActions {
  double duration = 0;           ///< [s] of the substep, > 0, at most stable_substep().
  double time = 0;               ///< [s] at the start of the substep.
  Vec3 gravity = Vec3::Zero();   ///< [m/s^2]
  std::span<const Push> pushes;  ///< What people push with.
};

/// How the pressure of a substep was solved for.
struct PressureReport {
  std::int64_t iterations = 0;  ///< Number of iterations of the linear solver.
  double residual = 0;          ///< Divergence that is left, over the divergence before.
};

/// All that flows in a scene: its liquids, or its gas. The one door of every fluid solver.
///
/// A substep has two halves, so that whoever couples the fluid to solids has the last word:
///
///     const double h = std::min(fluid.stable_substep(), ...);
///     fluid.set_obstacles(obstacles);
///     fluid.advance({.duration = h, ...});   // The flow at the end of the substep.
///     ... what contact with solids changes ...
///     fluid.commit();
///
/// What only some solvers have, or can do, are interfaces of their own (abilities.h, and
/// ParticleFluid), which a caller asks for by as().
///
/// Not thread-safe; loops inside run on the threads of the caller's parallel::ThreadLimit. The same
/// calls give the same bits, for any number of threads, and for a fluid that was saved and restored
/// on the way.
class Fluid {
 public:
  virtual ~Fluid() = default;

  /// [s] The longest substep that advance() may be given now. Infinity where nothing flows; NaN
  /// once a velocity is not finite. `obstacle_speed` [m/s] counts as flow, because what an obstacle
  /// pushes is as fast as the obstacle.
  [[nodiscard]] virtual double stable_substep(double obstacle_speed = 0) const noexcept = 0;
  /// For people: what keeps substeps that short, and what may help.
  [[nodiscard]] virtual std::string what_shortens_substeps() const = 0;

  /// Says where the scene's obstacles are at the end of the next substep, and their velocities in
  /// it. Until the first call they are where the scene has them, and still.
  virtual void set_obstacles(std::span<const scene::Obstacle> obstacles) = 0;

  /// Computes the flow at the end of the substep. `solver_diverged`, with the fluid's name, where
  /// it is no longer finite; the state is then good for nothing. `timer` may be null.
  virtual Result<std::monostate> advance(const FluidActions& actions,
                                         StageTimer* timer = nullptr) = 0;

  /// Ends the substep: makes what advance() and contact came to the state.
  virtual void commit() = 0;

  /// How the last advance() solved for pressure; zeros where pressure needs no solving.
  [[nodiscard]] virtual PressureReport pressure_report() const noexcept = 0;

  [[nodiscard]] virtual double kinetic_energy() const = 0;  ///< [J]
  [[nodiscard]] virtual Vec3 momentum() const = 0;          ///< [kg m/s]
  /// [J] Of height under `gravity` [m/s^2], and of strain; 0 where the fluid fills its domain.
  [[nodiscard]] virtual double potential_energy(const Vec3& gravity) const = 0;

  /// Appends the exact state between commit() and advance().
  virtual void save(ByteWriter& out) const = 0;
  /// Takes the state that save() wrote for the same scene. Only for a fluid that make_fluid() made
  /// with Start::to_restore, and that has since been told of the obstacles, and of the solids if it
  /// moves any, as they were then. False if the bytes do not fit; the state is then good for
  /// nothing.
  [[nodiscard]] virtual bool restore(ByteReader& in) = 0;
};

/// The part of `fluid` that has an ability, or null if it has not; null for null.
template <typename Ability>
[[nodiscard]] Ability* as(Fluid* fluid) noexcept {
  return dynamic_cast<Ability*>(fluid);
}
template <typename Ability>
[[nodiscard]] const Ability* as(const Fluid* fluid) noexcept {
  return dynamic_cast<const Ability*>(fluid);
}

/// What a new fluid begins with.
enum class Start {
  at_time_0,   ///< What the scene says.
  to_restore,  ///< Nothing: restore() comes next.
};

/// Builds the fluid of a scene, by the solver that the scene asks for; null for a scene without
/// fluids and gas. `scene` has passed validation (scene/validate.h; asserted where cheap), and has
/// at most 255 fluids and fewer than 2^31 seeds.
[[nodiscard]] std::unique_ptr<Fluid> make_fluid(const scene::Scene& scene,
                                                Start start = Start::at_time_0);

}  // namespace sluice::fluid
