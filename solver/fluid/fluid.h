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

/// The actions on a fluid in a substep.
struct FluidActions {
  double duration = 0;           ///< [s] Length of the substep: > 0, at most stable_substep().
  double time = 0;               ///< [s] at the start of the substep.
  Vec3 gravity = Vec3::Zero();   ///< [m/s^2]
  std::span<const Push> pushes;  ///< The pushes by which people steer the flow.
};

/// How the pressure of a substep was solved for.
struct PressureReport {
  std::int64_t iterations = 0;  ///< Number of iterations of the linear solver.
  double residual = 0;          ///< Divergence that is left, over the divergence before.
};

/// All that flows in a scene: its liquids, or its gas. The one interface of every fluid solver.
///
/// A substep has two halves, so that whoever couples the fluid to solids has the last word:
///
///     const double h = std::min(fluid.stable_substep(), ...);
///     fluid.set_obstacles(obstacles);
///     fluid.advance({.duration = h, ...});   // The flow at the end of the substep.
///     ... what contact with solids changes ...
///     fluid.commit();
///
/// Abilities that only some solvers have are interfaces of their own (abilities.h, and
/// ParticleFluid), which a caller asks for by as().
///
/// Not thread-safe; loops inside run on the threads of the caller's parallel::ThreadLimit. The same
/// calls give the same bits, for any number of threads, and for a fluid that was saved and restored
/// on the way.
class Fluid {
 public:
  virtual ~Fluid() = default;

  /// [s] The longest substep that advance() may be given now. Infinity where nothing flows; NaN
  /// once a velocity is not finite. `obstacle_speed` [m/s] counts as flow, because fluid that an
  /// obstacle pushes is as fast as the obstacle.
  [[nodiscard]] virtual double stable_substep(double obstacle_speed = 0) const noexcept = 0;
  /// Tells people what keeps substeps that short, and what may help.
  [[nodiscard]] virtual std::string what_shortens_substeps() const = 0;

  /// Sets the places of the scene's obstacles at the end of the next substep, and their velocities
  /// in it. Until the first call they stand still where the scene has them.
  virtual void set_obstacles(std::span<const scene::Obstacle> obstacles) = 0;

  /// Computes the flow at the end of the substep. Fails with `solver_diverged`, and the fluid's
  /// name, where the flow is no longer finite; the state is then useless. `timer` may be null.
  virtual Result<std::monostate> advance(const FluidActions& actions,
                                         StageTimer* timer = nullptr) = 0;

  /// Ends the substep: the flow that advance() and contact have found becomes the state.
  virtual void commit() = 0;

  /// Reports how the last advance() solved for pressure; zeros where pressure needs no solving.
  [[nodiscard]] virtual PressureReport pressure_report() const noexcept = 0;

  [[nodiscard]] virtual double kinetic_energy() const = 0;  ///< [J]
  [[nodiscard]] virtual Vec3 momentum() const = 0;          ///< [kg m/s]
  /// [J] Energy of height under `gravity` [m/s^2], and of strain; 0 for a gas.
  [[nodiscard]] virtual double potential_energy(const Vec3& gravity) const = 0;

  /// Appends the exact state between commit() and advance().
  virtual void save(ByteWriter& out) const = 0;
  /// Takes the state that save() wrote for the same scene. Only for a fluid that make_fluid() made
  /// with Start::to_restore, and that has since been told of the obstacles, and of the solids if it
  /// moves any, as they were then. Returns false if the bytes do not fit; the state is then
  /// useless.
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

/// The state that a new fluid begins with.
enum class Start {
  at_time_0,   ///< The state that the scene describes.
  to_restore,  ///< No state: restore() comes next.
};

/// Builds the fluid of a scene, by the solver that the scene asks for; null for a scene without
/// fluids and gas. `scene` has passed validation (scene/validate.h; asserted where cheap), and has
/// at most 255 fluids and fewer than 2^31 seeds.
[[nodiscard]] std::unique_ptr<Fluid> make_fluid(const scene::Scene& scene,
                                                Start start = Start::at_time_0);

}  // namespace sluice::fluid
