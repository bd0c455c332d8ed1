// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/bytes.h"
#include "solver/cell_lattice.h"
#include "solver/field.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/mpm/push.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/scene/scene.h"
#include "solver/stages.h"
#include "solver/types.h"

namespace sluice::fluid {

/// What people paint into a gas: along a straight line, in the middle all of it, at `radius` none.
struct Stroke {
  Vec3 from, to;  ///< [m]
  double radius;  ///< [m], > 0
  scene::GasContent content;
};

/// What acts on a gas in a substep.
struct GasActions {
  double duration;        ///< [s] > 0
  double time;            ///< [s] at the start
  double frame_duration;  ///< [s] A stroke is all there after so long.
  Vec3 gravity;           ///< [m/s^2]
  std::span<const Push> pushes;
  std::span<const Stroke> strokes;
};

/// The gas of a scene, which fills its domain. Same bits for any number of threads.
class Gas {
 public:
  virtual ~Gas() = default;

  /// [s] The longest substep in which the flow crosses no more cells than the scene allows. NaN
  /// once its velocity is no number.
  [[nodiscard]] virtual double stable_substep(double obstacle_speed) const noexcept = 0;

  /// Where the obstacles are at the end of the next substep, and their velocities in it.
  virtual void set_obstacles(std::span<const scene::Obstacle> obstacles) = 0;

  /// The solids in it in the next substep; what they refer to must live as long.
  virtual void set_solids(const ImmersedSolids& solids) = 0;
  /// [N s] By vertex of those, in the last substep: of pressure, hydrostatic pressure (which the
  /// gas itself does not feel; 0 in the domain's middle) and viscous stress. 0 at the vertices that
  /// no rim or surface has.
  [[nodiscard]] virtual std::span<const Vec3> impulses_on_solids() const noexcept = 0;
  /// [m/s] By vertex: with these impulses, as their response has it.
  [[nodiscard]] virtual std::span<const Vec3> velocities_of_solids() const noexcept = 0;

  /// Moves on. False, and the state is good for nothing, if it is no longer finite.
  [[nodiscard]] virtual bool advance(const GasActions& actions, StageTimer* timer = nullptr) = 0;

  [[nodiscard]] virtual const CellLattice& lattice() const noexcept = 0;
  /// By cell, x fastest; the components of a vector side by side. 0 in solids, but for the
  /// temperature, which is that around. Pressure is that of the last substep, 0 before it.
  virtual void read(Field field, std::span<float> values) const = 0;

  [[nodiscard]] virtual double kinetic_energy() const = 0;  ///< [J]
  [[nodiscard]] virtual Vec3 momentum() const = 0;          ///< [kg m/s]
  [[nodiscard]] virtual PressureReport pressure_report() const noexcept = 0;

  virtual void save(ByteWriter& out) const = 0;
  /// Of the same scene; false if the bytes do not fit.
  [[nodiscard]] virtual bool restore(ByteReader& in) = 0;
};

/// The gas of a scene that has one, at time 0.
std::unique_ptr<Gas> make_gas(const scene::Scene& scene);

}  // namespace sluice::fluid
