// SPDX-License-Identifier: Apache-2.0
// Scenes in which solvers let things through each other. Oracle: the crossing certificate, in every
// substep, for particles, vertices and edges; and that what should have happened did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/geometry/tessellate_shape.h"
#include "solver/geometry/winding.h"
#include "tests/unit/solver/geometry/closed_meshes.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/validation/contact/watched.h"

namespace sluice::hard_scenes_test {
namespace {

using test::make_box;
using test::make_pin;
using test::make_sheet;
using test::positions;
using test::Watched;

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

TEST(HardScenes, cloth_on_spikes) {
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

TEST(HardScenes, strip_that_folds_on_itself) {
  scene::Scene scene = make_room();
  scene.domain_upper.z() = 2;
  scene.cloths = {make_sheet(80, 5, 0.01, {0, 0, 0})};
  for (Vec3& x : scene.cloths[0].mesh.vertices)
    x = Vec3(2e-3 * std::sin(20 * x.x()), x.y(), x.x() + 0.42);
  scene.cloths[0].bend_stiffness = 0.02;
  scene.cloths[0].damping = 0.5;
  Watched watched(scene);
  watched.advance(45);
  EXPECT_LT(highest(positions(watched.simulation(), 0)), 0.2);  // 0.8 m long, it lies in folds.
  EXPECT_GT(watched.pair_count(), 100'000);
}

TEST(HardScenes, ball_through_a_curtain_at_100_metres_a_second) {
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

TEST(HardScenes, jet_of_50_metres_a_second_on_a_cloth) {
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

TEST(HardScenes, block_between_rollers) {
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
  EXPECT_LT(narrowest, 0.04);  // It was 0.05,
  EXPECT_LT(height, 0.45);     // and the block went through, down from 0.5.
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

TEST(HardScenes, thin_cup_that_is_shaken) {
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

/// How many triangles the line along z through (x, y) meets.
int layers_at(const geometry::TriangleMesh& mesh, const std::vector<Vec3>& places, double x,
              double y) {
  const auto turn = [&](const Vec3& a, const Vec3& b) {
    return (a.x() - x) * (b.y() - y) - (a.y() - y) * (b.x() - x);
  };
  int count = 0;
  for (const TriangleIndices& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return places[static_cast<std::size_t>(t[k])]; };
    const double u = turn(at(0), at(1)), v = turn(at(1), at(2)), w = turn(at(2), at(0));
    if ((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0)) ++count;
  }
  return count;
}

TEST(HardScenes, cloth_in_fifty_layers) {
  // A strip in zigzag falls together in a narrow shaft, and a plate presses it.
  constexpr int layers = 50, steps = 4, across = 4;
  constexpr double spacing = 0.025, rise = 0.005;
  scene::Scene scene = make_room();
  scene.domain_lower = Vec3(-0.06, -0.05, 0);
  scene.domain_upper = Vec3(0.06, 0.05, 0.3);
  scene.cloths = {make_sheet(layers * steps + 1, across, spacing, Vec3::Zero())};
  scene::Cloth& strip = scene.cloths[0];
  for (std::size_t i = 0; i < strip.mesh.vertices.size(); ++i) {
    Vec3& place = strip.mesh.vertices[i];
    const int column = static_cast<int>(i) % (layers * steps + 1);
    const int within = column % (2 * steps);
    const int from_left = within <= steps ? within : 2 * steps - within;
    place.x() = spacing * (from_left - 0.5 * steps);
    place.z() = 0.01 + rise / steps * column;
  }
  strip.bend_stiffness = 0.02;
  strip.damping = 1;
  scene.rigid_bodies = {
      make_fixture("press", geometry::make_box({-0.055, -0.045, 0.27}, {0.055, 0.045, 0.28}))};
  // The layers are 2 mm thick each, half of which is the cloth's own.
  constexpr double pressed = 0.27 - 1.2 * layers * 0.002;
  scene.rigid_bodies[0].script = {{.time = 0.1}, {.time = 0.5, .offset = Vec3(0, 0, -pressed)}};
  Watched watched(scene);
  watched.advance(32);
  const std::vector<Vec3> places = positions(watched.simulation(), 0);
  EXPECT_LT(highest(places), 0.27 - pressed);
  int most = 0;
  for (const double x : {-0.02, -0.01, 0.001, 0.01, 0.02})
    most = std::max(most, layers_at(strip.mesh, places, x, 0.0013));
  EXPECT_GE(most, layers);
  EXPECT_GT(watched.last_frame().contact_count, 1000);
}

TEST(HardScenes, bag_of_water_that_is_swung_and_squeezed) {
  scene::Scene scene = make_room();
  scene::Cloth bag;
  bag.name = "bag";
  bag.mesh = geometry::moved(geometry::make_sphere(9, 0.1), {0, 0, 0.5});
  bag.structural_stiffness = 1000;
  bag.shear_stiffness = 300;
  bag.pins = {make_pin({})};
  for (std::size_t i = 0; i < bag.mesh.vertices.size(); ++i) {
    if (bag.mesh.vertices[i].z() > 0.585)
      bag.pins[0].vertices.push_back(static_cast<std::int32_t>(i));
  }
  scene.cloths = {bag};
  scene.fluids.push_back({"water", {{geometry::Sphere{0.085}, Vec3(0, 0, 0.5), Mat3::Identity()}}});
  scene.fluids[0].sound_speed = 10;
  // Two plates that close in from the sides, once it has been swung along them.
  for (const double side : {-1.0, 1.0}) {
    const double inner = 0.2 * side, outer = 0.22 * side;
    scene.rigid_bodies.push_back(make_fixture(
        side < 0 ? "left" : "right", geometry::make_box({std::min(inner, outer), -0.3, 0.3},
                                                        {std::max(inner, outer), 0.3, 0.7})));
    scene.rigid_bodies.back().script = {{.time = 0.4},
                                        {.time = 0.8, .offset = Vec3(-0.14 * side, 0, 0)}};
  }
  Watched watched(scene);
  const std::size_t count = positions(watched.simulation(), 0).size();
  ASSERT_GT(count, 1500U);
  double swing = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const Vec3 velocity(0, turn == 0 || turn == 3 ? 1.2 : -1.2, 0);
    ASSERT_TRUE(watched.simulation().steer(MovePin{"bag", "pin", velocity}));
    watched.advance(6);
    for (const Vec3& x : positions(watched.simulation(), 1))
      swing = std::max(swing, std::abs(x.y()));
  }
  ASSERT_TRUE(watched.simulation().steer(MovePin{"bag", "pin", Vec3::Zero()}));
  watched.advance(26);
  EXPECT_GT(swing, 0.15);
  geometry::TriangleMesh now{positions(watched.simulation(), 1), bag.mesh.triangles};
  double width = 0;
  for (const Vec3& x : now.vertices)
    width = std::max(width, std::abs(x.x()));
  EXPECT_LT(width, 0.06);  // It was 0.1.
  const geometry::SparseGrid boxes = geometry::triangle_boxes(now);
  for (const Vec3& x : positions(watched.simulation(), 0))
    ASSERT_EQ(geometry::winding_number(now, boxes, x), 1) << x.transpose();
}

TEST(HardScenes, particles_a_micrometre_from_a_sheet) {
  // Water between two sheets, the outermost particles a micrometre from what each of them is thick.
  scene::Scene scene = make_room();
  scene.domain_lower = Vec3(-0.2, -0.2, -0.2);
  scene.domain_upper = Vec3(0.2, 0.2, 0.2);
  scene.coupling.contact_distance = 1e-6;
  constexpr double thickness = 1e-6, distance = 1.05e-6, spacing = 0.01;
  for (const double side : {-1.0, 1.0}) {
    scene::Cloth sheet = make_sheet(13, 13, 0.02, Vec3::Zero());
    sheet.name = side < 0 ? "below" : "above";
    for (Vec3& x : sheet.mesh.vertices)
      x.z() = side * (3.5 * spacing + distance + thickness / 2);
    sheet.thickness = thickness;
    sheet.structural_stiffness = 1000;
    sheet.pins = {make_pin(test::rim(13, 13))};
    scene.cloths.push_back(sheet);
  }
  scene.fluids.push_back({"water", {make_box({-0.08, -0.08, -0.038}, {0.08, 0.08, 0.038})}});
  scene.fluids[0].velocity = Vec3(0, 0, -2);
  Watched watched(scene);
  const auto place_count = [&](double from, double to) {
    const std::vector<Vec3> places = positions(watched.simulation(), 0);
    return std::ranges::count_if(places, [&](const Vec3& x) {
      const double off = 3.5 * spacing + distance - std::abs(x.z());
      return from < off && off < to;
    });
  };
  const auto count = static_cast<std::ptrdiff_t>(positions(watched.simulation(), 0).size());
  ASSERT_EQ(place_count(1.0e-6, 1.1e-6), 2 * 16 * 16);
  watched.advance(12);
  // It lies in the lower one, which hangs through, and the upper one has come down on it.
  EXPECT_LT(lowest(positions(watched.simulation(), 1)), -0.04);
  EXPECT_EQ(place_count(-0.2, 0.2), count);
}

}  // namespace
}  // namespace sluice::hard_scenes_test
