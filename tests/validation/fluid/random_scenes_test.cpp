// SPDX-License-Identifier: Apache-2.0
// Incompressible liquids in scenes and steps at random: nothing may break, nothing may be lost, and
// hardly a scene may give up. A short part of the walk runs by day; SLUICE_RANDOM_STEPS=1000000 is
// as long, SLUICE_RANDOM_WAVES=n walks n waves, and SLUICE_RANDOM_FIRST=n begins with scene n.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <random>
#include <string>

#include "solver/geometry/tessellate_shape.h"
#include "solver/simulation.h"
#include "tests/unit/solver/fluid/scenes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::fluid::random_scenes_test {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double number(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  // Small ones as likely as large ones.
  double size(double least, double most) {
    return std::exp(number(std::log(least), std::log(most)));
  }
  bool chance(double part) { return number(0, 1) < part; }
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  Vec3 vector(double size) {
    return {number(-size, size), number(-size, size), number(-size, size)};
  }
  Mat3 rotation() {
    return Eigen::AngleAxisd(number(0, 3), (vector(1) + Vec3(0, 0, 1e-3)).normalized())
        .toRotationMatrix();
  }

 private:
  std::mt19937 random_;
};

geometry::Shape some_shape(Dice& dice, const Vec3& room, double reach = 0.35) {
  geometry::Shape shape;
  const double size = room.minCoeff();
  switch (dice.up_to(3)) {
    case 0:
      shape.form = geometry::Sphere{dice.number(0.05, 0.3) * size};
      break;
    case 1:
      shape.form = geometry::Capsule{dice.number(0.05, 0.2) * size, dice.number(0.1, 0.5) * size};
      break;
    case 2:
      shape.form = geometry::Cylinder{dice.number(0.05, 0.3) * size, dice.number(0.1, 0.5) * size};
      break;
    default:
      shape.form = geometry::Box{dice.number(0.03, 0.3) * size * Vec3::Ones() +
                                 0.1 * size * Vec3(dice.number(0, 1), 0, dice.number(0, 1))};
  }
  shape.rotation = dice.rotation();
  shape.translation = room.cwiseProduct(Vec3::Constant(0.5) + reach * dice.vector(1));
  return shape;
}

// Some hundred cells, in meters or in thousandths, with liquid, obstacles and bodies.
scene::Scene some_scene(Dice& dice) {
  const double cell = dice.size(1e-3, 1);
  Vec3 cells(4 + dice.up_to(8), 4 + dice.up_to(8), 4 + dice.up_to(8));
  const bool has_bodies = dice.chance(0.6);
  // Tiles' edges; liquid may fall for ever, and not too deep.
  std::array<bool, 3> is_periodic{};
  for (std::size_t axis = 0; axis < 3 && !has_bodies; ++axis) {
    is_periodic[axis] = dice.chance(0.25);
    if (is_periodic[axis]) cells[static_cast<Eigen::Index>(axis)] = 16;
  }
  const Vec3 room = cell * cells;
  scene::Scene scene = test::tank(room, cell, some_shape(dice, room));
  scene.fluids[0].regions.push_back(
      test::box(Vec3::Zero(), {room.x(), room.y(), dice.number(0, 0.9) * room.z()}));
  scene.fluids[0].velocity = dice.vector(std::sqrt(10 * room.z()));
  scene.fluids[0].density = dice.size(1, 20'000);
  scene.gravity = dice.vector(20);
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.cfl = dice.size(0.05, 100);
  scene.grid.particles_per_axis = 1 + dice.up_to(2);
  scene.grid.transfer = static_cast<scene::Transfer>(dice.up_to(2));
  scene.grid.flip_ratio = dice.number(0, 1);
  if (dice.chance(0.3)) scene.grid.path_integrator = scene::PathIntegrator::rk2;
  scene.grid.wall = dice.chance(0.5) ? scene::WallCondition::slip : scene::WallCondition::no_slip;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto side = dice.chance(0.2) ? scene::Side::open : scene::Side::wall;
    scene.grid.sides[axis].fill(is_periodic[axis] ? scene::Side::periodic : side);
  }
  for (int i = dice.up_to(2); i > 0; --i) {
    scene::Obstacle obstacle;
    obstacle.name = "obstacle" + std::to_string(i);
    obstacle.shape = some_shape(dice, room);
    obstacle.wall = scene.grid.wall;
    scene.obstacles.push_back(obstacle);
  }
  scene.coupling.contact_distance = dice.size(1e-3, 0.3) * cell;
  scene.coupling.max_substep = 0.1;
  scene.frame_rate = std::sqrt(10 / room.z()) * dice.size(1, 100);
  scene.fluids[0].dynamic_viscosity =
      !has_bodies && dice.chance(0.5) ? dice.size(1e-6, 1e5) * cell : 0;
  if (!has_bodies) return scene;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene::RigidBody body;
  body.name = "body";
  body.mesh =
      geometry::tessellate_shape(some_shape(dice, room, 0.15), 0.3 * room.minCoeff(), 10'000)
          .value();
  body.density = dice.size(1, 20'000);
  body.velocity = dice.vector(room.z());
  body.angular_velocity = dice.vector(20);
  if (dice.chance(0.2)) body.script = {{.time = 1, .offset = dice.vector(0.1 * room.minCoeff())}};
  scene.rigid_bodies = {body};
  return scene;
}

// A third of those without viscosity get a liquid of any other density on top.
void mix(Dice& dice, scene::Scene& scene) {
  if (scene.fluids[0].dynamic_viscosity > 0 || !dice.chance(0.3)) return;
  const Vec3 room = scene.domain_upper;
  scene.fluids.push_back(scene.fluids[0]);
  scene.fluids[1].name = "other";
  scene.fluids[1].density =
      std::clamp(scene.fluids[0].density * dice.size(1e-3, 1e3), 1.0, 20'000.0);
  scene.fluids[1].regions = {
      test::box({0, 0, dice.number(0.2, 0.9) * room.z()}, {room.x(), room.y(), room.z()})};
}

// Does something to it.
void steer(Simulation& simulation, const scene::Scene& scene, Dice& dice) {
  const double height = scene.domain_upper.z();
  if (dice.chance(0.05)) {
    EXPECT_TRUE(simulation.steer(SetGravity{dice.vector(100)}));
  }
  if (dice.chance(0.05)) {
    EXPECT_TRUE(simulation.steer(
        PushFluid{0.5 * scene.domain_upper, 0.5 * height, dice.vector(200), 1 + dice.up_to(3)}));
  }
  if (!scene.obstacles.empty() && dice.chance(0.1)) {
    EXPECT_TRUE(
        simulation.steer(MoveObstacle{scene.obstacles[0].name, dice.vector(std::sqrt(height))}));
  }
}

struct Walked {
  std::int64_t scenes = 0, substeps = 0;
  std::int64_t failed = 0;  // Scenes that said that they cannot go on.
};

// Runs one scene for `frames`, if it is valid, and says what is wrong with it: nothing, if it is as
// it should be.
std::string walk(unsigned seed, int frames, Walked& walked) {
  Dice dice(seed);
  scene::Scene scene = some_scene(dice);
  mix(dice, scene);
  auto created = Simulation::create(scene, {});
  if (!created) return {};
  Simulation& simulation = *created.value();
  ++walked.scenes;
  const std::size_t liquids = scene.fluids.size();
  const auto count_of_particles = [&] {
    std::int64_t sum = 0;
    for (std::size_t liquid = 0; liquid < liquids; ++liquid)
      sum += simulation.layout()[liquid].count;
    return sum;
  };
  std::int64_t count = count_of_particles();
  for (int frame = 0; frame < frames; ++frame) {
    steer(simulation, scene, dice);
    const auto advanced = simulation.advance_frame();
    if (!advanced) {
      ++walked.failed;
      std::cout << "scene " << seed << ": " << advanced.error().message << '\n';
      return {};
    }
    const FrameStatistics& statistics = advanced.value();
    walked.substeps += statistics.substep_count;
    count -= statistics.removed_count;
    if (count_of_particles() != count) return "particles are lost";
    for (std::size_t liquid = 0; liquid < liquids; ++liquid) {
      for (const Vec3& x : sluice::test::positions(simulation, liquid)) {
        const double slack = 1e-5 * scene.domain_upper.maxCoeff();
        if (!x.allFinite()) return "not finite";
        if (x.minCoeff() < -slack || (x - scene.domain_upper).maxCoeff() > slack) return "outside";
      }
    }
    if (scene.rigid_bodies.empty()) continue;
    for (const Vec3& x : sluice::test::positions(simulation, liquids)) {
      if (!x.allFinite()) return "a body is not finite";
    }
  }
  return {};
}

int number(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : otherwise;
}

void expect_whole(int steps) {
  const int wanted = number("SLUICE_RANDOM_STEPS", steps);
  Walked walked;
  for (auto scene = static_cast<unsigned>(number("SLUICE_RANDOM_FIRST", 0));
       walked.substeps < wanted; ++scene)
    EXPECT_EQ(walk(scene, 10, walked), "") << "scene " << scene;
  // Bodies that shut water in are what is left of them (solver/coupling/README.md).
  EXPECT_LE(walked.failed, 1 + walked.scenes / 200);
}

TEST(RandomScenes, stay_finite_and_whole) { expect_whole(1500); }
TEST(RandomScenesByNight, stay_finite_and_whole) { expect_whole(12'000); }

// In two dimensions: a dam that breaks among bodies of all weights, which shut water in between
// each other, walls and obstacles.
scene::Scene some_wave(Dice& dice) {
  const Vec3 room(dice.number(0.6, 1.6), 0.2, dice.number(0.5, 1.2));
  scene::Scene scene = test::tank(
      room, 0.02,
      test::box(Vec3::Zero(), {dice.number(0.2, 0.6) * room.x(), 1, dice.number(0.3, 0.9)}));
  scene.fluids[0].regions.push_back(
      test::box(Vec3::Zero(), {room.x(), 1, dice.number(0.02, 0.4) * room.z()}));
  scene.fluids[0].dynamic_viscosity = 0;
  scene.gravity = {0, 0, -9.81};
  scene.grid.solver = scene::FluidSolver::incompressible;
  scene.grid.dimensions = 2;
  scene.grid.cfl = dice.number(0.5, 4);
  if (dice.chance(0.3)) scene.grid.transfer = scene::Transfer::flip;
  scene.frame_rate = 30;
  scene.coupling.method = scene::CouplingMethod::variational_rigid;
  scene.coupling.contact_distance = 0.002;
  scene.coupling.max_substep = 1 / scene.frame_rate;
  const auto some_bar = [&](double most) {
    geometry::Shape shape;
    const Vec3 half(dice.number(0.02, most), room.y() / 2, dice.number(0.02, most));
    if (dice.chance(0.7)) {
      shape.form = geometry::Box{half};
      shape.rotation = Eigen::AngleAxisd(dice.number(-1, 1), Vec3::UnitY()).toRotationMatrix();
    } else {
      shape.form = geometry::Cylinder{half.x(), half.y()};
      shape.rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
    }
    shape.translation = room.cwiseProduct(Vec3(dice.number(0.1, 0.9), 0.5, dice.number(0.1, 0.9)));
    return shape;
  };
  for (int i = dice.up_to(2); i > 0; --i) {
    scene::Obstacle obstacle;
    obstacle.name = "obstacle" + std::to_string(i);
    obstacle.shape = some_bar(0.2);
    scene.obstacles.push_back(obstacle);
  }
  for (int i = dice.up_to(4); i >= 0; --i) {
    scene::RigidBody body;
    body.name = "body" + std::to_string(i);
    body.mesh = geometry::tessellate_shape(some_bar(0.15), 0.05, 10'000).value();
    body.density = dice.size(30, 7000);
    body.friction = dice.number(0, 1);
    body.restitution = dice.chance(0.3) ? dice.number(0, 1) : 0;
    body.angular_velocity.y() = dice.number(-5, 5);
    scene.rigid_bodies.push_back(body);
  }
  return scene;
}

class LargestSpeed final : public SubstepObserver {
 public:
  void on_substep(const SubstepStates& states) override {
    for (std::size_t i = 0; i < states.particles_t0.size(); ++i) {
      const Vec3f way = states.particles_t1[i] - states.particles_t0[i];
      largest_ = std::max(largest_, static_cast<double>(way.norm()) / states.duration);
    }
  }
  [[nodiscard]] double value() const { return largest_; }  // [m/s]

 private:
  double largest_ = 0;
};

// Water that is shut in is pressed out fast, but not without end.
TEST(RandomWaves, among_bodies_are_about_as_fast_as_water_falls) {
  int walked = 0;
  const int wanted = number("SLUICE_RANDOM_WAVES", 30);
  for (auto seed = static_cast<unsigned>(number("SLUICE_RANDOM_FIRST", 0)); walked < wanted;
       ++seed) {
    Dice dice(seed);
    const scene::Scene scene = some_wave(dice);
    LargestSpeed speed;
    auto created = Simulation::create(scene, {.observer = &speed});
    if (!created) continue;  // Bodies overlap.
    ++walked;
    for (int frame = 0; frame < 45; ++frame) {
      const auto advanced = created.value()->advance_frame();
      ASSERT_TRUE(advanced) << "wave " << seed << ": " << advanced.error().message;
    }
    EXPECT_LT(speed.value(), 10 * std::sqrt(2 * 9.81 * scene.domain_upper.z())) << "wave " << seed;
  }
}

}  // namespace
}  // namespace sluice::fluid::random_scenes_test
