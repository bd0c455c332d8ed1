// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/rigid_body.h"

namespace sluice::solid {

RigidBody make_rigid_body(const MassProperties& properties) {
  const PrincipalAxes axes = principal_axes(properties.inertia);
  return {properties.mass, {axes.moments}, {properties.centre, axes.rotation}};
}

RigidState make_rigid_state(const RigidBody& body, const Pose& world_from_mesh,
                            const Vec3& velocity, const Vec3& angular_velocity) {
  const Pose pose = compose(world_from_mesh, body.mesh_from_body);
  const Vec3 in_body = pose.rotation.conjugate() * angular_velocity;
  return {pose, velocity, pose.rotation * Vec3(body.rotor.moments.cwiseProduct(in_body))};
}

Pose world_from_mesh(const RigidBody& body, const RigidState& state) {
  return compose(state.world_from_body, inverse(body.mesh_from_body));
}

Vec3 angular_velocity(const RigidBody& body, const RigidState& state) {
  return angular_velocity(body.rotor, state.angular_momentum, state.world_from_body.rotation);
}

Vec3 velocity_at(const RigidBody& body, const RigidState& state, const Vec3& point) {
  const Vec3 arm = point - state.world_from_body.translation;
  return state.velocity + angular_velocity(body, state).cross(arm);
}

double kinetic_energy(const RigidBody& body, const RigidState& state) {
  return 0.5 * body.mass * state.velocity.squaredNorm() +
         rotational_energy(body.rotor, state.angular_momentum, state.world_from_body.rotation);
}

Wrench wrench_at(const RigidState& state, const Vec3& force, const Vec3& point) {
  return {force, (point - state.world_from_body.translation).cross(force)};
}

void apply_impulse(const RigidBody& body, const Wrench& impulse, RigidState& state) {
  state.velocity += impulse.force / body.mass;
  state.angular_momentum += impulse.torque;
}

void move_freely(const RigidBody& body, double step, RigidState& state) {
  Pose& pose = state.world_from_body;
  pose.translation += step * state.velocity;
  pose.rotation = rotate_freely(body.rotor, state.angular_momentum, step, pose.rotation);
}

void step_under(const RigidBody& body, const Wrench& wrench, const Vec3& gravity, double step,
                RigidState& state) {
  const Wrench half{0.5 * step * (wrench.force + body.mass * gravity), 0.5 * step * wrench.torque};
  apply_impulse(body, half, state);
  move_freely(body, step, state);
  apply_impulse(body, half, state);
}

}  // namespace sluice::solid
