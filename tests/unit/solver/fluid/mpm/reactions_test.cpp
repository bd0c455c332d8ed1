// SPDX-License-Identifier: Apache-2.0
// Water that contact holds up, by hand: a level bed for particles that the grid knows nothing of.
// Oracles: hydrostatics, and conservation of momentum.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/fluid/mpm/reactions.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::reactions_test {
namespace {

constexpr double cell = 0.02, half_spacing = cell / 4;
constexpr double bed = 0.1, depth = 0.2;

/// A column of water, in a shaft, on the bed.
scene::Scene make_column(scene::Kernel kernel) {
  scene::Scene scene =
      test::tank({0.1, 0.1, 0.6}, cell, test::box({0, 0, bed}, {0.1, 0.1, bed + depth}));
  scene.grid.kernel = kernel;
  return scene;
}

/// Keeps particles half of their spacing above the bed. Returns the impulse [N s].
double stand_on_bed(MpmFluid& fluid, double h, double bed_height = bed) {
  double impulse = 0;
  for (std::size_t i = 0; i < fluid.targets().size(); ++i) {
    Vec3f target = fluid.targets()[i];
    const auto lowest = static_cast<float>(bed_height + half_spacing);
    if (target.z() >= lowest) continue;
    const Vec3f change(0, 0, (lowest - target.z()) / static_cast<float>(h));
    target.z() = lowest;
    fluid.move_by_contact(i, target, change);
    impulse += static_cast<double>(fluid.mass(0) * change.z());
  }
  return impulse;
}

/// Returns the impulse of the bed.
double run(MpmFluid& fluid, const scene::Scene& scene, double duration, double bed_height = bed) {
  double impulse = 0;
  for (double left = duration; left > 0;) {
    const double h = std::min(fluid.stable_substep(), left);
    fluid.advance_velocities(h, scene.gravity);
    impulse += stand_on_bed(fluid, h, bed_height);
    fluid.commit();
    left -= h;
  }
  return impulse;
}

class StandingWater : public testing::TestWithParam<scene::Kernel> {};
INSTANTIATE_TEST_SUITE_P(Kernels, StandingWater,
                         testing::Values(scene::Kernel::quadratic, scene::Kernel::cubic),
                         [](const auto& kernel) {
                           return kernel.param == scene::Kernel::quadratic ? "quadratic" : "cubic";
                         });

TEST_P(StandingWater, keeps_its_depth_and_pressure_on_contact) {
  const scene::Scene scene = make_column(GetParam());
  MpmFluid fluid(scene);
  run(fluid, scene, 1);
  const double impulse = run(fluid, scene, 1);
  const double weight =
      9.81 * static_cast<double>(fluid.mass(0)) * static_cast<double>(fluid.particle_count());
  EXPECT_NEAR(impulse, weight, 0.01 * weight);
  double height = 0, below = 0, near_bed = 0;
  const std::vector<float> pressures = fluid.pressures();
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double z = static_cast<double>(fluid.positions()[i].z());
    height += (z - bed) / static_cast<double>(pressures.size());
    if (z < bed + 4 * cell) {
      near_bed += static_cast<double>(pressures[i]);
      below += 1000 * 9.81 * (bed + depth - z);
    }
  }
  EXPECT_NEAR(height, depth / 2, 0.015 * depth);
  EXPECT_NEAR(near_bed, below, 0.15 * below);  // Less in the first cell, where all contact is.
}

TEST_P(StandingWater, as_other_materials_do) {
  for (const scene::FluidMaterial& material :
       {scene::FluidMaterial(scene::Bingham{200, 1e4}),
        scene::FluidMaterial(scene::Jelly{1e6, 0.3}),
        scene::FluidMaterial(scene::Sand{1e6, 0.3, 0.6}), scene::FluidMaterial(scene::Snow{1e6})}) {
    scene::Scene scene = make_column(GetParam());
    scene.fluids[0].material = material;
    MpmFluid fluid(scene);
    run(fluid, scene, 0.5);
    const double impulse = run(fluid, scene, 0.5);
    const double weight =
        9.81 * static_cast<double>(fluid.mass(0)) * static_cast<double>(fluid.particle_count());
    EXPECT_NEAR(impulse, 0.5 * weight, 0.03 * weight) << material.index();
    double height = 0;
    for (const Vec3f& x : fluid.positions())
      height += (static_cast<double>(x.z()) - bed) / static_cast<double>(fluid.positions().size());
    EXPECT_NEAR(height, depth / 2, 0.02 * depth) << material.index();
  }
}

TEST_P(StandingWater, is_given_no_momentum_by_what_is_expected) {
  const scene::Scene scene = make_column(GetParam());
  MpmFluid fluid(scene);
  run(fluid, scene, 0.3);
  const Vec3 before = fluid.momentum();
  const double h = fluid.stable_substep();
  const double weight =
      9.81 * static_cast<double>(fluid.mass(0)) * static_cast<double>(fluid.particle_count());
  fluid.advance_velocities(h, Vec3::Zero());
  // The force that was expected has been taken off again: the bed has to give all of it.
  EXPECT_NEAR(fluid.momentum().z(), before.z(), 1e-5 * weight);
  EXPECT_GT(stand_on_bed(fluid, h), 0.5 * h * weight);
}

TEST_P(StandingWater, rebounds_from_contact_as_from_a_wall) {
  // Oracle: the domain's side, which is a mirror of the whole field.
  const auto rebound = [](double height, double bed_height) {
    scene::Scene scene = make_column(GetParam());
    scene.gravity.setZero();
    scene.fluids[0].regions = {test::box({0, 0, height}, {0.1, 0.1, height + depth})};
    scene.fluids[0].velocity = Vec3(0, 0, -1);
    MpmFluid fluid(scene);
    const double incoming = -fluid.momentum().z();
    run(fluid, scene, 0.1, bed_height);
    return fluid.momentum().z() / incoming;
  };
  const double from_wall = rebound(0, -1);
  EXPECT_GT(from_wall, 0.5);  // Water hammer; what is missing went into sound.
  EXPECT_NEAR(rebound(bed, bed), from_wall, 0.05);
}

TEST_P(StandingWater, goes_on_bit_for_bit_from_a_snapshot) {
  const scene::Scene scene = make_column(GetParam());
  MpmFluid fluid(scene);
  run(fluid, scene, 0.2);
  const std::vector<std::byte> snapshot = fluid.save();
  auto restored = MpmFluid::restore(scene, snapshot);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored.value().save(), snapshot);
  run(fluid, scene, 0.2);
  run(restored.value(), scene, 0.2);
  EXPECT_EQ(restored.value().save(), fluid.save());
  auto damaged = snapshot;  // The last one's particle; behind it, that no obstacle pushes.
  std::memset(&damaged[damaged.size() - 16 - sizeof(std::uint64_t)], 0xff, 4);
  EXPECT_FALSE(MpmFluid::restore(scene, damaged));
}

class ReactionList : public testing::Test {
 protected:
  void expect_noted(float h) {
    reactions_.expect_noted(h, materials_, frame_, scene_.grid.kernel, particles_);
  }

  const scene::Scene scene_ = make_column(scene::Kernel::quadratic);
  const GridFrame frame_{scene_};
  const std::vector<Material> materials_ = make_materials(scene_);
  Particles particles_;
  Reactions reactions_;
};

TEST_F(ReactionList, follows_particles_into_another_order) {
  particles_.resize(4);
  for (Affine& affine : particles_.affine)
    affine.strain = -0.5F;  // Pressure enough to explain anything.
  reactions_.note(0, Vec3f(1, 0, 0));
  reactions_.note(3, Vec3f(0, 3, 0));
  expect_noted(0.5F);
  const std::array<std::uint32_t, 4> places{3, 2, 0, 1};
  reactions_.move(places);
  ASSERT_EQ(reactions_.expected().size(), 2U);
  EXPECT_EQ(reactions_.expected()[0].particle, 3U);
  EXPECT_EQ(reactions_.expected()[0].acceleration, Vec3f(2, 0, 0));
  EXPECT_EQ(reactions_.expected()[1].particle, 1U);
  EXPECT_EQ(reactions_.expected()[1].acceleration, Vec3f(0, 6, 0));
}

TEST_F(ReactionList, forgets_particles_that_go_out) {
  particles_.resize(3);
  for (Affine& affine : particles_.affine)
    affine.strain = -0.5F;
  reactions_.note(0, Vec3f(1, 0, 0));
  reactions_.note(2, Vec3f(0, 3, 0));
  expect_noted(0.5F);
  const std::array<std::uint32_t, 3> places{no_row, 1, 0};
  reactions_.move(places);
  ASSERT_EQ(reactions_.expected().size(), 1U);
  EXPECT_EQ(reactions_.expected()[0].particle, 0U);
  EXPECT_EQ(reactions_.expected()[0].acceleration, Vec3f(0, 6, 0));
}

TEST_F(ReactionList, leaves_motion_along_a_wall_to_what_the_wall_stops) {
  particles_.resize(1);
  particles_.positions[0] = Vec3f(0.0001F, 0.05F, 0.2F);  // The wall is at x = 0.
  particles_.affine[0].strain = -0.5F;
  reactions_.note(0, Vec3f(1e-3F, 0, 0));
  expect_noted(1e-3F);
  ASSERT_EQ(reactions_.expected().size(), 1U);
  particles_.velocities[0] = Vec3f(-1, 2, 3);
  reactions_.take_off(1e-3F, Boundary(scene_, frame_), particles_);
  EXPECT_EQ(particles_.velocities[0], Vec3f(0, 2, 3));
  EXPECT_GT(particles_.targets[0].x(), 0);
  EXPECT_NEAR(particles_.targets[0].z(), 0.203F, 1e-6F);
}

TEST_F(ReactionList, holds_no_more_than_pressure_explains) {
  particles_.resize(3);
  for (Vec3f& x : particles_.positions)
    x = Vec3f(0.05F, 0.05F, 0.2F);
  particles_.positions[2].z() = 0.5F;  // In a patch of its own, without pressure.
  particles_.affine[0].strain = -1e-3F;
  for (std::size_t i = 0; i < 3; ++i)
    reactions_.note(i, Vec3f(0, 0, 50));
  expect_noted(1e-3F);
  ASSERT_EQ(reactions_.expected().size(), 2U);
  const float mass = materials_[0].mass;
  const auto area = static_cast<float>(4 * half_spacing * half_spacing);
  const float all =
      mass * (reactions_.expected()[0].acceleration + reactions_.expected()[1].acceleration).norm();
  const float by_pressure = area * pressure(materials_[0], -1e-3F);
  EXPECT_GT(all, 2 * by_pressure);
  EXPECT_LT(all, 10 * by_pressure);
}

}  // namespace
}  // namespace sluice::fluid::reactions_test
