// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/newton_ipc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "solver/certificate/exact_contact.h"
#include "solver/geometry/mesh_edges.h"
#include "solver/geometry/mesh_intersection.h"
#include "solver/geometry/shape.h"
#include "solver/parallel/thread_limit.h"
#include "solver/solid/continuum.h"
#include "tests/unit/solver/solid/grid_mesh.h"

namespace sluice::coupling::newton_ipc_test {
namespace {

constexpr double g = 9.81;  // [m/s^2]

// Bodies put together by hand, each of its own mesh, in a scene that has what else there is.
struct Bodies {
  solid::DeformableSystem system;
  scene::Scene scene;

  explicit Bodies(double tolerance = 1e-3) {
    scene.domain_lower = Vec3::Constant(-100);
    scene.domain_upper = Vec3::Constant(100);
    scene.gravity = {0, 0, -g};
    scene.coupling.contact_distance = 1e-3;
    scene.coupling.tolerance = tolerance;
  }

  Result<SubstepReport> step(NewtonIpc& method, double h, const Vec3& gravity) {
    return method.step(h, {gravity, {}, {}, scene.obstacles}, system, nullptr);
  }

  std::int32_t add(const std::string& name, const geometry::TriangleMesh& surface,
                   double mass_of_vertex, double half_thickness = 0) {
    const auto first = static_cast<std::int32_t>(system.positions.size());
    solid::BodyRange body{};
    body.name = name;
    body.first_vertex = first;
    body.vertex_count = static_cast<std::int32_t>(surface.vertices.size());
    body.first_triangle = static_cast<std::int32_t>(system.triangles.size());
    body.triangle_count = static_cast<std::int32_t>(surface.triangles.size());
    body.half_thickness = half_thickness;
    body.gravity_scale = 1;
    for (TriangleIndices t : surface.triangles) {
      for (std::int32_t& i : t)
        i += first;
      system.triangles.push_back(t);
    }
    system.edges = geometry::mesh_edges(system.triangles);
    for (const Vec3& x : surface.vertices) {
      system.positions.push_back(x);
      system.velocities.emplace_back(Vec3::Zero());
      system.mass.push_back(mass_of_vertex);
      system.is_held.push_back(mass_of_vertex == 0 ? 1 : 0);
      system.body_of_vertex.push_back(static_cast<std::int32_t>(system.bodies.size()));
    }
    system.bodies.push_back(body);
    scene.cloths.emplace_back().name = name;  // What its contacts are like.
    return first;
  }

  // A sheet of springs in the plane of height z about the origin, and where its vertices begin.
  std::int32_t add_sheet(const std::string& name, int n, double size, double z,
                         double half_thickness = 0, double stiffness = 200) {
    geometry::TriangleMesh mesh = solid::grid_mesh(n, n, size / (n - 1));
    for (Vec3& x : mesh.vertices)
      x += Vec3(-size / 2, -size / 2, z);
    const std::int32_t first = add(name, mesh, 1e-3, half_thickness);
    for (solid::Spring spring : solid::lay_springs(mesh, {stiffness, stiffness / 2, 0.5})) {
      spring.a += first;
      spring.b += first;
      system.springs.push_back(spring);
    }
    return first;
  }

  // A cube of five stiff tetrahedra and 1000 kg/m^3 whose lowest face is at height z.
  std::int32_t add_cube(double edge, double z) {
    geometry::TriangleMesh mesh;
    for (int corner = 0; corner < 8; ++corner)
      mesh.vertices.push_back(edge * Vec3(corner & 1, corner >> 1 & 1, corner >> 2) +
                              Vec3(0, 0, z));
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {3, 2, 6}, {3, 6, 7}, {0, 6, 2}, {0, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const std::int32_t first = add("cube", mesh, 125 * edge * edge * edge);
    std::vector<std::array<std::int32_t, 4>> tets;
    for (std::array<std::int32_t, 4> t :
         {std::array{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}}) {
      for (std::int32_t& i : t)
        i += first;
      tets.push_back(t);
    }
    system.elements.push_back(
        solid::make_tets(system.positions, tets,
                         {solid::StableNeoHookean::name, solid::lame_of({1e6, 0.3}).value()}));
    return first;
  }

  // The plane of height 0.
  void add_floor(double friction) {
    scene::Obstacle floor;
    floor.name = "floor";
    floor.shape.form = geometry::HalfSpace{};
    floor.friction = friction;
    scene.obstacles.push_back(floor);
  }

  [[nodiscard]] bool intersects() const {
    geometry::TriangleMesh mesh{system.positions, system.triangles};
    const geometry::TriangleMesh* const meshes[] = {&mesh};
    return !find_intersections(meshes).empty();
  }

  [[nodiscard]] double fastest() const {
    double speed = 0;
    for (std::size_t i = 0; i < system.velocities.size(); ++i) {
      if (system.is_held[i] == 0) speed = std::max(speed, system.velocities[i].norm());
    }
    return speed;
  }

  [[nodiscard]] Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < system.velocities.size(); ++i)
      sum += system.mass[i] * system.velocities[i];
    return sum;
  }
};

// Gravity seen from a plane that is inclined towards x.
Vec3 inclined(double tangent) {
  const double angle = std::atan(tangent);
  return g * Vec3(std::sin(angle), 0, -std::cos(angle));
}

// [m/s] along the incline, after a tenth of `steps` steps and after all: of a cube that has come to
// rest on the level.
std::pair<double, double> slide(double friction, double tangent, double h, int steps) {
  Bodies bodies(1e-6);
  bodies.add_floor(friction);
  const std::int32_t cube = bodies.add_cube(0.1, 5e-4);
  bodies.scene.cloths[0].friction = friction;
  NewtonIpc method(bodies.scene, bodies.system);
  const auto velocity = [&] {
    double sum = 0;
    for (std::int32_t i = cube; i < cube + 8; ++i)
      sum += bodies.system.velocities[static_cast<std::size_t>(i)].x() / 8;
    return sum;
  };
  const auto run = [&](int count, const Vec3& gravity) {
    for (int i = 0; i < count; ++i) {
      const auto report = bodies.step(method, h, gravity);
      ASSERT_TRUE(report) << report.error().message;
    }
  };
  run(40, inclined(0));
  run(steps / 10, inclined(tangent));
  const double before = velocity();
  run(steps - steps / 10, inclined(tangent));
  return {before, velocity()};
}

TEST(NewtonIpc, holds_a_cube_on_an_incline_below_the_angle_of_friction) {
  const double after = slide(0.3, 0.99 * 0.3, 0.01, 50).second;
  EXPECT_LE(std::abs(after), 1e-3);  // The speed at which it counts as sticking.
}

TEST(NewtonIpc, lets_a_cube_slide_above_the_angle_of_friction) {
  const auto [before, after] = slide(0.3, 1.01 * 0.3, 0.01, 50);
  const double angle = std::atan(1.01 * 0.3);
  const double expected = 0.45 * g * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(after - before, expected, 0.01 * expected);
}

TEST(NewtonIpc, slides_a_cube_with_the_acceleration_of_coulombs_law) {
  for (const double friction : {0.0, 0.2}) {
    const auto [before, after] = slide(friction, 0.5, 0.01, 50);
    const double angle = std::atan(0.5);
    const double expected = 0.45 * g * (std::sin(angle) - friction * std::cos(angle));
    EXPECT_NEAR(after - before, expected, 0.01 * expected) << friction;
  }
}

TEST(NewtonIpc, lets_a_cloth_fall_on_a_sphere_and_rest) {
  Bodies bodies;
  scene::Obstacle sphere;
  sphere.name = "sphere";
  sphere.shape.form = geometry::Sphere{0.15};
  sphere.friction = 0.5;
  bodies.scene.obstacles.push_back(sphere);
  bodies.add_sheet("cloth", 10, 0.35, 0.17, 1e-3);
  bodies.system.bodies.back().damping = 5;
  NewtonIpc method(bodies.scene, bodies.system);
  double fastest = 0;
  for (int i = 0; i < 70; ++i) {
    const auto report = bodies.step(method, 0.02, {0, 0, -g});
    ASSERT_TRUE(report) << report.error().message << " step " << i;
    ASSERT_FALSE(bodies.intersects()) << i;
    ASSERT_GT(report.value().smallest_gap, 0);
    fastest = std::max(fastest, bodies.fastest());
  }
  EXPECT_GT(fastest, 0.3);            // It fell,
  EXPECT_LT(bodies.fastest(), 0.02);  // and lies.
}

// A step that must be cut is done as two of half its length.
void advance(NewtonIpc& method, double h, Bodies& bodies, int halvings = 4) {
  const std::vector<Vec3> positions = bodies.system.positions;
  const std::vector<Vec3> velocities = bodies.system.velocities;
  const auto report = bodies.step(method, h, {0, 0, -g});
  if (report) return;
  ASSERT_GT(halvings, 0) << report.error().message;
  bodies.system.positions = positions;
  bodies.system.velocities = velocities;
  for (int half = 0; half < 2; ++half)
    advance(method, h / 2, bodies, halvings - 1);
}

// Ten times the size of an edge in a step.
TEST(NewtonIpc, lets_no_sheet_through_another_however_fast) {
  Bodies bodies;
  const std::int32_t lower = bodies.add_sheet("lower", 9, 0.4, 0);
  for (const std::size_t corner : {0, 8, 72, 80})
    bodies.system.is_held[static_cast<std::size_t>(lower) + corner] = 1;
  const std::int32_t upper = bodies.add_sheet("upper", 7, 0.25, 0.1, 0, 1000);
  for (std::size_t i = static_cast<std::size_t>(upper); i < bodies.system.velocities.size(); ++i)
    bodies.system.velocities[i] = {0.5, 0.3, -25};
  NewtonIpc method(bodies.scene, bodies.system);
  for (int i = 0; i < 12; ++i) {
    advance(method, 0.02, bodies);
    ASSERT_FALSE(bodies.intersects()) << i;
  }
}

bool boxes_overlap(const certificate::Motion<4>& motion, std::size_t first_count) {
  Vec3 lower[2], upper[2];
  for (const std::size_t side : {0, 1}) {
    lower[side].setConstant(1e9);
    upper[side].setConstant(-1e9);
    for (std::size_t i = side * first_count; i < (side == 0 ? first_count : 4); ++i) {
      lower[side] = lower[side].cwiseMin(motion.start[i]).cwiseMin(motion.end[i]);
      upper[side] = upper[side].cwiseMax(motion.start[i]).cwiseMax(motion.end[i]);
    }
  }
  return (lower[0].array() <= upper[1].array()).all() &&
         (lower[1].array() <= upper[0].array()).all();
}

// Nothing of two sheets touches on the straight ways between the states, in integer arithmetic.
TEST(NewtonIpc, steps_on_straight_ways_that_cross_nothing) {
  Bodies bodies;
  bodies.add_sheet("lower", 4, 0.2, 0);
  bodies.add_sheet("upper", 4, 0.15, 0.03);
  for (std::size_t i = 16; i < 32; ++i)
    bodies.system.velocities[i] = {0.3, 0.2, -6};
  NewtonIpc method(bodies.scene, bodies.system);
  for (int step = 0; step < 8; ++step) {
    const std::vector<Vec3> before = bodies.system.positions;
    advance(method, 5e-3, bodies, 0);
    const auto motion_of = [&](const std::array<std::int32_t, 4>& points) {
      certificate::Motion<4> motion;
      for (std::size_t i = 0; i < 4; ++i) {
        motion.start[i] = before[static_cast<std::size_t>(points[i])];
        motion.end[i] = bodies.system.positions[static_cast<std::size_t>(points[i])];
      }
      return motion;
    };
    for (const TriangleIndices& t : bodies.system.triangles) {
      for (std::int32_t p = 0; p < 32; ++p) {
        if ((p < 16) == (t[0] < 16)) continue;
        const auto motion = motion_of({p, t[0], t[1], t[2]});
        ASSERT_FALSE(boxes_overlap(motion, 1) && point_meets_triangle(motion)) << step;
      }
    }
    for (const EdgeIndices& e : bodies.system.edges) {
      for (const EdgeIndices& f : bodies.system.edges) {
        if (e[0] >= 16 || f[0] < 16) continue;
        const auto motion = motion_of({e[0], e[1], f[0], f[1]});
        ASSERT_FALSE(boxes_overlap(motion, 2) && edge_meets_edge(motion)) << step;
      }
    }
  }
  double below = 0;  // [kg m/s] They met.
  for (std::size_t i = 0; i < 16; ++i)
    below += 1e-3 * bodies.system.velocities[i].z();
  EXPECT_LT(below, -0.03);
}

TEST(NewtonIpc, keeps_the_momentum_of_sheets_that_collide) {
  Bodies bodies(1e-8);
  bodies.add_sheet("lower", 6, 0.2, 0);
  const std::int32_t upper = bodies.add_sheet("upper", 6, 0.2, 0.02);
  for (std::size_t i = static_cast<std::size_t>(upper); i < bodies.system.velocities.size(); ++i)
    bodies.system.velocities[i] = {0.4, 0, -2};
  NewtonIpc method(bodies.scene, bodies.system);
  const Vec3 before = bodies.momentum();
  for (int i = 0; i < 15; ++i) {
    const auto report = bodies.step(method, 0.005, Vec3::Zero());
    ASSERT_TRUE(report) << report.error().message << " step " << i;
    EXPECT_LE((bodies.momentum() - before).norm(), 1e-6 * before.norm()) << i;
  }
  double below = 0;  // [kg m/s] They did collide: the lower one has taken of it.
  for (std::int32_t i = 0; i < upper; ++i)
    below += 1e-3 * bodies.system.velocities[static_cast<std::size_t>(i)].z();
  EXPECT_LT(below, 0.3 * before.z());
}

// A plate that moves as told, by ten times its distance from a cloth in a step.
TEST(NewtonIpc, pushes_what_is_in_the_way_of_held_vertices) {
  Bodies bodies;
  bodies.add_sheet("plate", 3, 0.2, 0.302);
  std::ranges::fill(bodies.system.is_held, 1);
  std::ranges::fill(bodies.system.velocities, Vec3(0, 0, -2));
  const std::int32_t cloth = bodies.add_sheet("cloth", 4, 0.15, 0.3);
  NewtonIpc method(bodies.scene, bodies.system);
  const auto report = bodies.step(method, 0.01, Vec3::Zero());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(bodies.intersects());
  const double plate = bodies.system.positions[0].z();
  EXPECT_NEAR(plate, 0.282, 1e-12);
  for (std::size_t i = static_cast<std::size_t>(cloth); i < bodies.system.positions.size(); ++i)
    EXPECT_LT(bodies.system.positions[i].z(), plate);
}

TEST(NewtonIpc, stops_held_vertices_that_have_no_way) {
  Bodies bodies;
  bodies.add_sheet("ground", 3, 0.3, 0);
  bodies.add_sheet("plate", 3, 0.2, 6e-3);
  std::ranges::fill(bodies.system.is_held, 1);
  for (std::size_t i = 9; i < 18; ++i)
    bodies.system.velocities[i] = {0, 0, -2};
  bodies.add_sheet("cloth", 3, 0.15, 3e-3);
  NewtonIpc method(bodies.scene, bodies.system);
  const auto report = bodies.step(method, 0.01, Vec3::Zero());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(bodies.intersects());
  for (std::size_t i = 9; i < 27; ++i)
    EXPECT_GT(bodies.system.positions[i].z(), 0);
}

// A ball of the scene that moves, and that is there before the cloth is.
TEST(NewtonIpc, lets_an_obstacle_push_a_cloth) {
  Bodies bodies;
  scene::Obstacle ball;
  ball.name = "ball";
  ball.shape = {geometry::Sphere{0.05}, Vec3(0, 0, -0.06)};
  bodies.scene.obstacles.push_back(ball);
  bodies.add_sheet("cloth", 8, 0.2, 0);
  NewtonIpc method(bodies.scene, bodies.system);
  scene::Obstacle& moving = bodies.scene.obstacles[0];
  moving.velocity = {0, 0, 2};
  for (int i = 0; i < 8; ++i) {
    moving.shape.translation += 0.01 * moving.velocity;
    const auto report = bodies.step(method, 0.01, Vec3::Zero());
    ASSERT_TRUE(report) << report.error().message;
    for (const Vec3& x : bodies.system.positions)
      ASSERT_GT(geometry::signed_distance(moving.shape, x).distance, 0) << i;
  }
  EXPECT_GT(bodies.momentum().z(), 0.05);  // [kg m/s] Of 64 g that would go at 2 m/s.
}

TEST(NewtonIpc, gives_the_same_bits_for_any_thread_count) {
  std::vector<std::vector<Vec3>> ends;
  for (const int thread_count : {1, 2}) {
    parallel::ThreadLimit limit(thread_count);
    limit.run([&] {
      Bodies bodies;
      bodies.add_floor(0.2);
      bodies.add_sheet("cloth", 12, 0.2, 2e-3);
      bodies.add_sheet("other", 7, 0.15, 4e-3);
      NewtonIpc method(bodies.scene, bodies.system);
      for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(bodies.step(method, 0.02, {1, 0, -g}));
      ends.push_back(bodies.system.positions);
    });
  }
  ASSERT_EQ(ends.size(), 2);
  EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace
}  // namespace sluice::coupling::newton_ipc_test
