// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/wall_potential.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace sluice::coupling::wall_potential_test {
namespace {

constexpr double stiffness = 50;  // [N/m]

// Shapes with a point each, a third of the range outside.
struct Walls {
  std::array<geometry::Shape, 3> shapes{
      geometry::Shape{geometry::Sphere{0.1}, Vec3(0.3, 0.2, -0.1)},
      geometry::Shape{geometry::Capsule{0.05, 0.1}, Vec3(0.1, 0, 0)},
      geometry::Shape{geometry::Box{Vec3(0.1, 0.2, 0.3)}, Vec3(-0.4, 0, 0)}};
  std::vector<WallTouch> touches;
  std::vector<Vec3> x;

  Walls() {
    for (const geometry::Shape& shape : shapes)
      add({.shape = &shape, .shift = Vec3(0.01, 0.02, 0)}, shape.translation + Vec3(0.7, 0.8, 0.9));
    add({.normal = Vec3(0, 0, -1), .offset = -0.5}, Vec3(0.1, 0.2, 0.3));
  }

 private:
  void add(WallTouch touch, Vec3 place) {
    touch.point = static_cast<std::int32_t>(x.size());
    touch.floor = -0.004;
    touch.range = 0.01;
    touch.friction = 0.5;
    for (int i = 0; i < 3; ++i) {
      const auto [gap, normal] = touch.gap_at(place);
      place += (touch.range / 3 - gap) * normal;
    }
    touches.push_back(touch);
    x.push_back(place);
  }
};

// The derivative of `energy` by all coordinates, by central differences.
template <typename Potential>
void expect_gradient(const Potential& potential, std::vector<Vec3> x, double tolerance) {
  std::vector<Vec3> gradient(x.size(), Vec3::Zero());
  potential.add_gradient(x, gradient);
  constexpr double eps = 1e-7;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const double place = x[i][axis];
      x[i][axis] = place + eps;
      const double after = potential.energy(x);
      x[i][axis] = place - eps;
      const double before = potential.energy(x);
      x[i][axis] = place;
      EXPECT_NEAR(gradient[i][axis], (after - before) / (2 * eps), tolerance) << i << ' ' << axis;
    }
    EXPECT_GT(gradient[i].norm(), 100 * tolerance);
  }
}

TEST(WallBarrier, has_the_gradient_of_its_energy) {
  const Walls walls;
  expect_gradient(WallBarrier(stiffness, walls.touches), walls.x, 1e-5);
}

TEST(WallBarrier, has_the_curvature_along_the_normal) {
  const Walls walls;
  const WallBarrier barrier(stiffness, walls.touches);
  std::vector<double> hessians(9 * walls.x.size());
  barrier.hessians(0, walls.x.size(), walls.x, solid::HessianForm::positive_semidefinite, hessians);
  constexpr double eps = 1e-7;
  for (std::size_t i = 0; i < walls.x.size(); ++i) {
    const Vec3 normal = walls.touches[i].gap_at(walls.x[i]).normal;
    std::vector<Vec3> moved = walls.x, after(walls.x.size(), Vec3::Zero()), before = after;
    moved[i] = walls.x[i] + eps * normal;
    barrier.add_gradient(moved, after);
    moved[i] = walls.x[i] - eps * normal;
    barrier.add_gradient(moved, before);
    const Vec3 curvature = (after[i] - before[i]) / (2 * eps);
    const Mat3 H = Eigen::Map<const Mat3>(&hessians[9 * i]);
    EXPECT_LE((H * normal - curvature).norm(), 1e-5 * curvature.norm());
    EXPECT_LE((H * normal.unitOrthogonal()).norm(), 1e-12 * curvature.norm());
  }
}

TEST(WallBarrier, takes_local_steps_to_the_minimum) {
  Walls walls;
  walls.x[0] -= 0.02 * walls.touches[0].gap_at(walls.x[0]).normal;  // Past the floor.
  const WallBarrier barrier(stiffness, walls.touches);
  std::vector<double> p, z(3 * walls.x.size());
  for (const Vec3& x : walls.x)
    p.insert(p.end(), x.data(), x.data() + 3);
  constexpr double scale = 0.3;
  barrier.local_step(0, walls.x.size(), p, scale, z);
  std::vector<Vec3> ends, gradient(walls.x.size(), Vec3::Zero());
  for (std::size_t i = 0; i < walls.x.size(); ++i)
    ends.emplace_back(Eigen::Map<const Vec3>(&z[3 * i]));
  barrier.add_gradient(ends, gradient);
  for (std::size_t i = 0; i < walls.x.size(); ++i) {
    const Vec3 pull = scale * stiffness * (ends[i] - walls.x[i]);
    EXPECT_GT(pull.norm(), 0);
    EXPECT_LE((gradient[i] + pull).norm(), 1e-9 * pull.norm()) << i;
  }
}

TEST(WallFriction, has_the_gradient_of_its_energy) {
  const Walls walls;
  constexpr double eps = 1e-4;  // [m]
  for (const double way : {0.4 * eps, 30 * eps}) {
    std::vector<WallFrictionTouch> touches;
    for (std::size_t i = 0; i < walls.x.size(); ++i) {
      const Vec3 along = walls.touches[i].gap_at(walls.x[i]).normal.unitOrthogonal();
      std::vector<Vec3> x_n = walls.x;
      x_n[i] -= way * along + walls.touches[i].step;
      touches.push_back(lag_friction(stiffness, walls.touches[i], x_n, walls.x).value());
    }
    expect_gradient(WallFriction(touches, eps), walls.x, 1e-6);
  }
}

// Coulomb's law: sliding, the force is the coefficient times what presses, against the slide, which
// is that along the obstacle, wherever it goes.
TEST(WallFriction, is_the_coefficient_times_what_presses) {
  Walls walls;
  walls.touches[0].step = Vec3(0.2, 0, 0.1);
  const WallTouch& touch = walls.touches[0];
  const Vec3 along = touch.gap_at(walls.x[0]).normal.unitOrthogonal();
  std::vector<Vec3> x_n = walls.x;
  x_n[0] -= 0.02 * along + touch.step;
  const WallFriction friction({lag_friction(stiffness, touch, x_n, walls.x).value()}, 1e-4);
  std::vector<Vec3> pressing(walls.x.size(), Vec3::Zero()), slowing = pressing;
  WallBarrier(stiffness, {touch}).add_gradient(walls.x, pressing);
  friction.add_gradient(walls.x, slowing);
  EXPECT_LE((slowing[0] - touch.friction * pressing[0].norm() * along).norm(),
            1e-12 * slowing[0].norm());
}

TEST(WallTouch, lets_no_step_through_a_wall) {
  const geometry::Shape thin{geometry::Box{Vec3(1, 1, 1e-4)}};
  const std::vector<WallTouch> touches{{.point = 0, .shape = &thin, .range = 1e-3}};
  const std::vector<Vec3> x{Vec3(0.1, 0.2, 0.05)};
  const auto limit = [&](const Vec3& direction) {
    return largest_step(touches, x, std::vector{direction}, 1);
  };
  const double gap = 0.05 - 1e-4;
  EXPECT_NEAR(limit({0, 0, -10}), 0.9 * gap / 10, 0.02 * gap / 10);
  EXPECT_NEAR(limit({3, 0, -10}), 0.9 * gap / 10, 0.02 * gap / 10);
  EXPECT_EQ(limit({0, 0, -0.8 * gap}), 1);
  EXPECT_EQ(limit({5, 0, 1}), 1);
  EXPECT_EQ(limit({-1.5, 0, -0.01}), 1);  // Along it.
}

TEST(WallTouch, lets_no_obstacle_through_a_point) {
  const geometry::Shape thin{geometry::Box{Vec3(1, 1, 1e-4)}, Vec3(0, 0, 3)};  // Its end.
  const std::vector<WallTouch> touches{
      {.point = 0, .shape = &thin, .shift = Vec3(0, 0, 3.05), .range = 1e-3}};
  const std::vector<Vec3> x{Vec3(0.1, 0.2, 0)};
  EXPECT_NEAR(largest_advance(touches, x), 0.9 * (0.05 - 1e-4) / 3.05, 4e-4);
}

}  // namespace
}  // namespace sluice::coupling::wall_potential_test
