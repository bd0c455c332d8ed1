// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/rigid_body.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::solid {
namespace {

RigidBody brick() {
  const auto properties = mass_properties(geometry::make_box({1, 1, 1}, {1.2, 1.5, 1.9}), 1000);
  EXPECT_TRUE(properties);
  return make_rigid_body(properties.value());
}

// Oracle: finite differences of where points of the surface are.
TEST(RigidBody, moves_its_surface_with_its_velocities) {
  const RigidBody body = brick();
  const Pose placed{{0.1, 0.2, 0.3}, rotation_by({0.4, -0.2, 1})};
  const Vec3 velocity{1, -2, 0.5}, spin{3, 1, -2};
  const RigidState state = make_rigid_state(body, placed, velocity, spin);
  EXPECT_LT((angular_velocity(body, state) - spin).norm(), 1e-13);
  const Pose start = world_from_mesh(body, state);
  EXPECT_LT((start.translation - placed.translation).norm(), 1e-15);
  const double h = 1e-4;
  RigidState before = state, after = state;
  move_freely(body, -h, before);
  move_freely(body, h, after);
  for (const Vec3& p : {Vec3(1, 1, 1), Vec3(1.2, 1.5, 1.9), Vec3(0, 0, 5)}) {
    const Vec3 rate =
        (transform(world_from_mesh(body, after), p) - transform(world_from_mesh(body, before), p)) /
        (2 * h);
    const Vec3 found = velocity_at(body, state, transform(start, p));
    EXPECT_LT((found - rate).norm(), 1e-6);  // h^2 / 6 of the third derivative, spin^3 times 5 m.
  }
}

// Oracle: 1/2 m v^2 + 1/2 omega I omega with the tensor of the mesh.
TEST(RigidBody, has_the_energy_of_its_tensor) {
  const auto properties = mass_properties(geometry::make_bumpy(12), 500);
  ASSERT_TRUE(properties);
  const RigidBody body = make_rigid_body(properties.value());
  const Vec3 velocity{1, 2, 3}, spin{0.5, -1, 2};
  const RigidState state = make_rigid_state(body, {}, velocity, spin);
  const double expected = 0.5 * properties.value().mass * velocity.squaredNorm() +
                          0.5 * spin.dot(properties.value().inertia * spin);
  EXPECT_NEAR(kinetic_energy(body, state), expected, 1e-12 * expected);
  EXPECT_LT((state.angular_momentum - properties.value().inertia * spin).norm(),
            1e-12 * state.angular_momentum.norm());
}

// Oracle: free fall is a parabola, whatever the spin, to rounding.
TEST(StepUnder, falls_exactly) {
  const RigidBody body = brick();
  const Vec3 gravity{0, 0, -9.81}, velocity{1, 0, 4};
  RigidState state = make_rigid_state(body, {}, velocity, {5, 3, 8});
  const Vec3 start = state.world_from_body.translation;
  const Vec3 momentum = state.angular_momentum;
  for (int i = 0; i < 100; ++i)
    step_under(body, {}, gravity, 0.01, state);
  EXPECT_LT((state.world_from_body.translation - start - velocity - 0.5 * gravity).norm(), 1e-13);
  EXPECT_LT((state.velocity - velocity - gravity).norm(), 1e-13);
  EXPECT_EQ(state.angular_momentum, momentum);
}

// Oracle: momentum and angular momentum about the origin change by the impulse and its moment.
TEST(ApplyImpulse, changes_momentum_by_the_impulse_and_its_moment) {
  const RigidBody body = brick();
  RigidState state =
      make_rigid_state(body, {{1, 2, 3}, rotation_by({1, 1, 1})}, {1, 0, 0}, {0, 2, 0});
  const auto angular_about_origin = [&] {
    return Vec3(body.mass * state.world_from_body.translation.cross(state.velocity) +
                state.angular_momentum);
  };
  const Vec3 linear_before = body.mass * state.velocity, angular_before = angular_about_origin();
  const Vec3 impulse{3, -1, 2}, point{2, 2, 5};
  apply_impulse(body, wrench_at(state, impulse, point), state);
  EXPECT_LT((body.mass * state.velocity - linear_before - impulse).norm(), 1e-12);
  EXPECT_LT((angular_about_origin() - angular_before - point.cross(impulse)).norm(), 1e-11);
}

// Oracle: about a principal axis a constant torque turns by t^2 / 2 of torque / moment.
TEST(StepUnder, turns_under_a_torque) {
  const RigidBody body{2, {{1, 2, 3}}, {}};
  RigidState state = make_rigid_state(body, {}, Vec3::Zero(), Vec3::Zero());
  for (int i = 0; i < 100; ++i)
    step_under(body, {Vec3::Zero(), {0, 0, 0.6}}, Vec3::Zero(), 0.01, state);
  EXPECT_LT((turn_of(state.world_from_body.rotation) - Vec3(0, 0, 0.1)).norm(), 1e-13);
  EXPECT_LT((angular_velocity(body, state) - Vec3(0, 0, 0.2)).norm(), 1e-13);
}

}  // namespace
}  // namespace sluice::solid
