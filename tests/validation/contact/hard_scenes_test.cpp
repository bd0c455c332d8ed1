// SPDX-License-Identifier: Apache-2.0
// Scenes in which solvers let things through each other. Oracle: the crossing certificate, in every
// substep, for particles, vertices and edges; and that what should have happened did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/certificate/crossing_certificate.h"
#include "solver/geometry/tessellate_shape.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice {
namespace {

using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::positions;

/// Marches and stops at the first frame that fails or lets something through.
class Watched {
 public:
  explicit Watched(const scene::Scene& scene)
      : simulation_(test::make_simulation(scene, 2, &certificate_)) {}

  Simulation& simulation() { return *simulation_; }

  void advance(int frame_count) {
    for (int i = 0; i < frame_count && !testing::Test::HasFatalFailure(); ++i)
      advance_frame();
  }

  [[nodiscard]] std::int64_t pair_count() const { return certificate_.pair_count(); }

 private:
  void advance_frame() {
    const auto statistics = simulation_->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    ASSERT_EQ(certificate_.crossing_count(), 0) << "frame " << simulation_->frame_index();
    ASSERT_EQ(certificate_.jump_count(), 0);
  }

  certificate::CrossingCertificate certificate_;
  std::unique_ptr<Simulation> simulation_;
};

scene::Scene make_room() {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.5, -0.5, 0);
  scene.domain_upper = Vec3(0.5, 0.5, 1);
  scene.grid.cell_size = 0.02;
  scene.coupling.contact_distance = 1e-3;
  return scene;
}

/// A body that stays where it is, whatever happens.
scene::RigidBody make_fixture(const std::string& name, geometry::TriangleMesh mesh) {
  scene::RigidBody body;
  body.name = name;
  body.mesh = std::move(mesh);
  body.script = {{.time = 1000}};
  return body;
}

double lowest(const std::vector<Vec3>& places) {
  double low = 1e9;
  for (const Vec3& x : places)
    low = std::min(low, x.z());
  return low;
}
double highest(const std::vector<Vec3>& places) {
  double high = -1e9;
  for (const Vec3& x : places)
    high = std::max(high, x.z());
  return high;
}

TEST(HardScenes, ClothOnSpikes) {
  scene::Scene scene = make_room();
  for (const double x : {-0.07, 0.06}) {
    for (const double y : {-0.05, 0.08}) {
      geometry::TriangleMesh spike;
      spike.vertices = {{x - 0.02, y - 0.02, 0.002},
                        {x + 0.02, y - 0.02, 0.002},
                        {x + 0.02, y + 0.02, 0.002},
                        {x - 0.02, y + 0.02, 0.002},
                        {x, y, 0.2}};
      spike.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
      scene.rigid_bodies.push_back(
          make_fixture("spike" + std::to_string(scene.rigid_bodies.size()), spike));
    }
  }
  scene.cloths = {make_sheet(25, 25, 0.0125, {0, 0, 0.3})};
  scene.cloths[0].damping = 1;
  Watched watched(scene);
  watched.advance(60);
  // It hangs on all four: between them, and not down to the floor in the middle.
  const std::vector<Vec3> cloth = positions(watched.simulation(), 0);
  EXPECT_GT(highest(cloth), 0.19);
  EXPECT_LT(lowest(cloth), 0.15);
  EXPECT_GT(cloth[12 * 25 + 12].z(), 0.05);
}

TEST(HardScenes, StripThatFoldsOnItself) {
  scene::Scene scene = make_room();
  scene.domain_upper.z() = 2;
  scene.cloths = {make_sheet(80, 5, 0.01, {0, 0, 0})};
  for (Vec3& x : scene.cloths[0].mesh.vertices)
    x = Vec3(2e-3 * std::sin(20 * x.x()), x.y(), x.x() + 0.42);
  scene.cloths[0].bend_stiffness = 0.02;
  scene.cloths[0].damping = 0.5;
  Watched watched(scene);
  watched.advance(45);
  EXPECT_LT(highest(positions(watched.simulation(), 0)), 0.2);  // Of 0.8 m: it lies in folds.
  EXPECT_GT(watched.pair_count(), 100'000);
}

TEST(HardScenes, BallThroughACurtainAt100MetresASecond) {
  scene::Scene scene = make_room();
  scene.gravity.setZero();
  scene.cloths = {make_sheet(21, 21, 0.02, {0, 0, 0})};
  for (Vec3& x : scene.cloths[0].mesh.vertices)
    x = Vec3(0, x.x(), x.y() + 0.5);
  scene.cloths[0].structural_stiffness = 2000;
  scene.cloths[0].pins = {make_pin({0, 20, 420, 440})};
  scene::RigidBody ball;
  ball.name = "ball";
  ball.mesh = geometry::moved(geometry::make_sphere(8, 0.05), {-0.3, 0.01, 0.52});
  ball.density = 300;
  ball.velocity = Vec3(100, 0, 0);
  scene.rigid_bodies = {ball};
  Watched watched(scene);
  watched.advance(4);
  double front = -1;
  for (const Vec3& x : positions(watched.simulation(), 0))
    front = std::max(front, x.x());
  EXPECT_GT(front, 0.1);  // It took the curtain along.
}

TEST(HardScenes, JetOf50MetresASecondOnACloth) {
  scene::Scene scene = make_room();
  scene.coupling.max_substep = 1.0 / 60;
  scene.grid.cell_size = 0.0125;
  scene.cloths = {make_sheet(25, 25, 0.0125, {0, 0, 0.3})};
  scene.cloths[0].structural_stiffness = 3000;
  scene.cloths[0].pins = {make_pin(test::rim(25, 25))};
  scene.fluids.push_back({"jet", {make_box({-0.03, -0.03, 0.32}, {0.03, 0.03, 0.5})}});
  scene.fluids[0].velocity = Vec3(0, 0, -50);
  scene.fluids[0].sound_speed = 100;
  Watched watched(scene);
  watched.advance(1);
  EXPECT_GT(watched.pair_count(), 10'000);
  EXPECT_LT(lowest(positions(watched.simulation(), 1)), 0.29);  // It bulged.
}

TEST(HardScenes, BlockBetweenRollers) {
  scene::Scene scene = make_room();
  scene.gravity.setZero();
  scene.soft_bodies = {test::make_block({-0.05, -0.04, 0.42}, {0.05, 0.04, 0.58}, 0.03, 3e4)};
  scene.soft_bodies[0].damping = 2;
  // Each turns inwards as it closes in.
  for (const double side : {-1.0, 1.0}) {
    geometry::Shape shape{
        geometry::Cylinder{0.06, 0.1}, Vec3(0.14 * side, 0, 0.5),
        Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix()};
    scene::RigidBody roller = make_fixture(side < 0 ? "left" : "right",
                                           geometry::tessellate_shape(shape, 0.03, 10'000).value());
    roller.script.clear();
    for (int k = 1; k <= 8; ++k) {
      scene::PoseKey key{.time = 0.1 * k, .offset = Vec3(-0.0075 * side * k, 0, 0)};
      key.rotation = Eigen::AngleAxisd(-0.5 * side * k, Vec3::UnitY());
      roller.script.push_back(key);
    }
    scene.rigid_bodies.push_back(roller);
  }
  Watched watched(scene);
  double narrowest = 1, height = 0;
  for (int frame = 0; frame < 48; ++frame) {
    watched.advance(1);
    double widest = 0;
    height = 0;
    const std::vector<Vec3> block = positions(watched.simulation(), 0);
    for (const Vec3& x : block) {
      height += x.z() / static_cast<double>(block.size());
      if (std::abs(x.z() - 0.5) < 0.02 && std::abs(x.y()) < 0.03)
        widest = std::max(widest, std::abs(x.x()));
    }
    if (widest > 0) narrowest = std::min(narrowest, widest);
  }
  EXPECT_LT(narrowest, 0.04);  // Of 0.05,
  EXPECT_LT(height, 0.45);     // and through they went, down from 0.5.
}

/// A cup of one layer of triangles, its rim round a circle.
scene::Cloth make_cup(int around, int up, double radius, double height, double bottom) {
  scene::Cloth cup;
  cup.name = "cup";
  auto& [vertices, triangles] = cup.mesh;
  vertices.emplace_back(0, 0, bottom);
  const int across = up / 2, rings = up + across;
  std::vector<std::int32_t> rim;
  for (int r = 1; r <= rings; ++r) {
    const bool is_bottom = r <= across;
    const double at = is_bottom ? radius * r / across : radius * (1 + 0.1 * (r - across) / up);
    const double z = bottom + (is_bottom ? 0 : height * (r - across) / up);
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      if (r == rings) rim.push_back(static_cast<std::int32_t>(vertices.size()));
      vertices.emplace_back(at * std::cos(angle), at * std::sin(angle), z);
    }
    for (std::int32_t k = 0; k < around; ++k) {
      const std::int32_t next = (k + 1) % around, own = 1 + (r - 1) * around, before = own - around;
      if (r == 1) {
        triangles.push_back({0, own + k, own + next});
        continue;
      }
      triangles.push_back({before + k, own + k, own + next});
      triangles.push_back({before + k, own + next, before + next});
    }
  }
  cup.pins = {make_pin(rim)};
  return cup;
}

TEST(HardScenes, ThinCupThatIsShaken) {
  scene::Scene scene = make_room();
  scene.grid.cell_size = 0.0125;
  scene.cloths = {make_cup(32, 12, 0.08, 0.12, 0.3)};
  scene.cloths[0].structural_stiffness = 1000;
  scene.cloths[0].shear_stiffness = 500;
  scene.fluids.push_back(
      {"water", {{geometry::Cylinder{0.07, 0.03}, Vec3(0, 0, 0.34), Mat3::Identity()}}});
  scene.fluids[0].sound_speed = 12;
  Watched watched(scene);
  const std::size_t count = positions(watched.simulation(), 0).size();
  ASSERT_GT(count, 500U);
  for (int shake = 0; shake < 6; ++shake) {
    const Vec3 velocity(shake % 2 == 0 ? 0.8 : -0.8, 0.2, 0);
    ASSERT_TRUE(watched.simulation().steer(MovePin{"cup", "pin", velocity}));
    watched.advance(4);
  }
  // All of it is in the cup still, or has splashed over the rim: none is below.
  const double bottom = lowest(positions(watched.simulation(), 1));
  std::size_t inside = 0;
  for (const Vec3& x : positions(watched.simulation(), 0))
    inside += x.z() > bottom ? 1U : 0U;
  EXPECT_GT(inside, count * 9 / 10);
}

}  // namespace
}  // namespace sluice
