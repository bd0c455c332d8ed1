// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/solid/rigid/free_rotation.h"
#include "solver/solid/rigid/mass_properties.h"
#include "solver/solid/rigid/pose.h"
#include "solver/wrench.h"

namespace sluice::solid {

/// The constants of a body. Its own frame has the centre of mass as origin and the principal axes
/// as axes.
struct RigidBody {
  double mass;          ///< [kg]
  Rotor rotor;          ///< About the centre of mass.
  Pose mesh_from_body;  ///< The pose of that frame in the frame of the surface.
};

/// The pose and the motion of a body.
struct RigidState {
  Pose world_from_body;
  Vec3 velocity = Vec3::Zero();          ///< [m/s] of the centre of mass.
  Vec3 angular_momentum = Vec3::Zero();  ///< [kg m^2/s] about the centre of mass, world axes.
};

[[nodiscard]] RigidBody make_rigid_body(const MassProperties& properties);

/// The state of a body whose surface is at `world_from_mesh` and moves with `velocity` [m/s] of its
/// centre of mass and `angular_velocity` [rad/s].
[[nodiscard]] RigidState make_rigid_state(const RigidBody& body, const Pose& world_from_mesh,
                                          const Vec3& velocity, const Vec3& angular_velocity);

/// Returns the pose of the body's surface.
[[nodiscard]] Pose world_from_mesh(const RigidBody& body, const RigidState& state);

/// [rad/s], world axes
[[nodiscard]] Vec3 angular_velocity(const RigidBody& body, const RigidState& state);

/// [m/s] Returns the body's velocity at a point of the world.
[[nodiscard]] Vec3 velocity_at(const RigidBody& body, const RigidState& state, const Vec3& point);

/// [J]
[[nodiscard]] double kinetic_energy(const RigidBody& body, const RigidState& state);

/// Returns the force and torque about the centre of mass by `force` at a point of the world.
[[nodiscard]] Wrench wrench_at(const RigidState& state, const Vec3& force, const Vec3& point);

/// Changes the momenta at once by an impulse.
void apply_impulse(const RigidBody& body, const Wrench& impulse, RigidState& state);

/// Moves the body for `step` [s] without forces: straight, and as rotate_freely.
void move_freely(const RigidBody& body, double step, RigidState& state);

/// One step under `wrench` and the acceleration `gravity` [m/s^2], constant over it: half their
/// impulse, free motion, the other half. Exact for gravity alone; of second order where `wrench` is
/// that at the middle of the step, or the forces come from positions at its two ends (then call
/// apply_impulse and move_freely instead). Momenta change by the impulse, to rounding.
void step_under(const RigidBody& body, const Wrench& wrench, const Vec3& gravity, double step,
                RigidState& state);

}  // namespace sluice::solid
