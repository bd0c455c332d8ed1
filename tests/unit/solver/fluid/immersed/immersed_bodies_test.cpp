// SPDX-License-Identifier: Apache-2.0
// Oracles: the equations of pressure.h, from their definition; Archimedes; momentum.
#include "solver/fluid/immersed/immersed_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "solver/fluid/pressure/pressure.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::fluid::grid::immersed_bodies_test {
namespace {

constexpr float cell = 0.1F;
constexpr double density = 1000;
const Slab slab{-0.4, 0.8};

template <int D>
double mass_of_cell() {
  return density * std::pow(0.1, D) * (D == 2 ? slab.depth : 1);
}

template <int D>
constexpr std::int32_t size_of_tank() {
  return 3 * tile_edge<D>;
}

// A tank of 3 tiles along each axis with a tile around it, closed on all sides, full of liquid.
template <int D>
MacGrid<D> full_tank() {
  std::vector<Cell<D>> all;
  Cell<D> at{};
  at.fill(-1);
  for (bool more = true; more;) {
    all.push_back(at);
    more = false;
    for (std::size_t axis = 0; axis < D && !more; ++axis) {
      more = ++at[axis] <= 3;
      if (!more) at[axis] = -1;
    }
  }
  MacGrid<D> grid;
  grid.tiles = Tiles<D>(all);
  const std::size_t size = grid.tiles.array_size();
  grid.distance.assign(size, 1);
  grid.room.assign(size, 1);
  grid.density.assign(size, 1);
  grid.is_clear.assign(grid.tiles.count() + 1, 0);
  grid.is_full.assign(grid.tiles.count() + 1, 0);
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.velocity[axis].assign(size, 0);
    grid.open[axis].assign(size, 0);
  }
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    const Cell<D> c = grid.tiles.cell(i);
    bool is_inside = true;
    for (const std::int32_t x : c)
      is_inside = is_inside && x >= 0 && x < size_of_tank<D>();
    if (!is_inside) continue;
    grid.distance[i] = -1;
    for (std::size_t axis = 0; axis < D; ++axis)
      grid.open[axis][i] = c[axis] > 0 ? 1 : 0;
  }
  return grid;
}

// With its surface at z = level [cells].
template <int D>
void pour_out(MacGrid<D>& grid, float level) {
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    if (grid.distance[i] < 0)
      grid.distance[i] = static_cast<float>(grid.tiles.cell(i)[D - 1]) + 0.5F - level;
  }
}

template <int D>
void stir(MacGrid<D>& grid, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> velocity(-1, 1);
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i)
      grid.velocity[axis][i] = velocity(random);
  }
}

// A mesh somewhere, in one piece: its moments of mass are those of a ball of the same volume, which
// is as good as any for what is not at rest.
struct Thing {
  geometry::TriangleMesh mesh;
  ImmersedBody body;

  Thing(geometry::TriangleMesh shape, const Vec3& place, double relative_density, unsigned seed)
      : mesh(std::move(shape)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-1, 1);
    const auto any = [&] { return Vec3(part(random), part(random), part(random)); };
    const Mat3 turn = Eigen::AngleAxisd(3 * part(random), any().normalized()).toRotationMatrix();
    double volume = 0;
    Vec3 moment = Vec3::Zero();
    for (Vec3& x : mesh.vertices)
      x = turn * x + place;
    for (const TriangleIndices& t : mesh.triangles) {
      const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
      const double six_fold = at(0).dot(at(1).cross(at(2)));
      volume += six_fold / 6;
      moment += six_fold / 24 * (at(0) + at(1) + at(2));
    }
    const double mass = relative_density * density * volume;
    body = {.vertices = mesh.vertices,
            .triangles = mesh.triangles,
            .centre = moment / volume,
            .velocity = any(),
            .angular_velocity = any(),
            .inverse_mass = 1 / mass,
            .inverse_inertia = Mat3::Identity() / (0.4 * mass * std::pow(volume, 2.0 / 3))};
  }
  Thing(const Thing&) = delete;
  Thing& operator=(const Thing&) = delete;
};

// In 2D a body goes all through the slab, and must not leave its plane.
template <int D>
geometry::TriangleMesh slanted_box(double a, double b) {
  return geometry::make_box({-a, D == 2 ? -0.4 : -0.7 * a, -b}, {a, D == 2 ? 0.4 : 0.7 * a, b});
}

// [m/s] With what pressure has given it.
Vec3 velocity_after(const Thing& thing, const Wrench& impulse) {
  return thing.body.velocity + thing.body.inverse_mass * impulse.force;
}

template <int D>
double outflow(const MacGrid<D>& grid, std::size_t i) {
  double sum = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Cell<D> after = grid.tiles.cell(i);
    ++after[axis];
    for (const auto& [face, sign] :
         {std::pair{i, -1.0}, std::pair{grid.tiles.find_cell(after), 1.0}}) {
      sum += sign * (static_cast<double>(grid.open[axis][face] * grid.velocity[axis][face]) +
                     static_cast<double>(grid.solid_flow[axis][face]));
    }
  }
  return sum;
}

template <int D>
bool is_solved(const MacGrid<D>& grid, std::size_t i) {
  if (!(grid.distance[i] < 0)) return false;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Cell<D> after = grid.tiles.cell(i);
    ++after[axis];
    if (grid.open[axis][i] > 0 || grid.open[axis][grid.tiles.find_cell(after)] > 0) return true;
  }
  return false;
}

const scene::PressureSettings exactly{scene::Preconditioner::multigrid, 1e-9, 1000};

// The divergence that is left is that of bodies with the velocities that they have got: those that
// a second set of bodies, put there anew, carries through the faces.
TEST(ImmersedBodies, move_with_a_liquid_that_keeps_its_volume) {
  for (const double relative_density : {0.05, 1.0, 20.0}) {
    MacGrid<3> grid = full_tank<3>();
    pour_out(grid, 19.3F);
    stir(grid, 1);
    Thing one(geometry::make_bumpy(8), {0.9, 1.1, 1.0}, relative_density, 1);
    for (Vec3& x : one.mesh.vertices)
      x = 0.4 * (x - Vec3(0.9, 1.1, 1.0)) + Vec3(0.9, 1.1, 1.0);
    Thing other(geometry::make_torus(12, 0.3, 0.13), {1.6, 1.5, 1.8}, relative_density, 2);
    const std::vector<ImmersedBody> given{one.body, other.body};
    const MacGrid<3> before = grid;
    ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
    bodies.set(given);
    bodies.cover(grid);
    PressureSolver<3> solver;
    const SolveReport report = solver.project(exactly, grid, &bodies);
    EXPECT_TRUE(report.converged) << report.iterations;

    std::vector<ImmersedBody> moved = given;
    for (std::size_t b = 0; b < 2; ++b) {
      const Wrench& impulse = bodies.impulses()[b];
      moved[b].velocity += moved[b].inverse_mass * impulse.force;
      moved[b].angular_velocity += moved[b].inverse_inertia * impulse.torque;
      EXPECT_GT(impulse.force.norm(), 1);
    }
    MacGrid<3> after = before;
    bodies.set(moved);
    bodies.cover(after);
    after.velocity = grid.velocity;
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      if (is_solved(grid, i)) {
        EXPECT_NEAR(outflow(after, i), 0, 3e-6);
      }
    }
  }
}

// Projecting twice is projecting once: nothing is left for pressure to do to bodies.
TEST(ImmersedBodies, are_at_rest_with_what_pressure_left) {
  MacGrid<2> grid = full_tank<2>();
  pour_out(grid, 40);
  stir(grid, 3);
  Thing thing(slanted_box<2>(0.5, 0.3), {2.2, 0, 2.0}, 0.3, 5);
  thing.body.angular_velocity = {0, 1, 0};
  ImmersedBodies<2> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<2>());
  bodies.set({&thing.body, 1});
  bodies.cover(grid);
  PressureSolver<2> solver;
  EXPECT_TRUE(solver.project(exactly, grid, &bodies).converged);
  const Wrench once = bodies.impulses()[0];
  EXPECT_GT(once.force.norm(), 1);
  EXPECT_EQ(once.force.y(), 0);
  EXPECT_EQ(once.torque.x(), 0);
  EXPECT_EQ(once.torque.z(), 0);
  EXPECT_TRUE(solver.project_again(exactly, grid, &bodies).converged);
  EXPECT_LT((bodies.impulses()[0].force - once.force).norm(), 1e-5 * once.force.norm());
  EXPECT_LT((bodies.impulses()[0].torque - once.torque).norm(), 1e-5 * once.force.norm());
}

// Wherever a body is between the cells, and however it is turned: what it displaces bears it, and
// does not turn it.
TEST(ImmersedBodies, as_dense_as_liquid_at_rest_stay_at_rest) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> within(0, 0.1);
  for (unsigned seed = 0; seed < 8; ++seed) {
    MacGrid<3> grid = full_tank<3>();
    pour_out(grid, 21.4F);
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i)
      grid.velocity[2][i] = -0.1F;
    const Vec3 place = Vec3(1.1, 1.1, 1.0) + Vec3(within(random), within(random), within(random));
    Thing thing(slanted_box<3>(0.43, 0.23), place, 1, seed);
    thing.body.velocity = {0, 0, -0.1};
    thing.body.angular_velocity = Vec3::Zero();
    ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
    bodies.set({&thing.body, 1});
    bodies.cover(grid);
    PressureSolver<3> solver;
    EXPECT_TRUE(solver.project(exactly, grid, &bodies).converged);
    const Wrench& impulse = bodies.impulses()[0];
    EXPECT_LT(velocity_after(thing, impulse).norm(), 1e-6) << seed;
    EXPECT_LT((thing.body.inverse_inertia * impulse.torque).norm(), 1e-6) << seed;
    for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // Open parts are floats, and may be as small as 1e-4.
        if (is_solved(grid, i) && grid.open[axis][i] > 0) {
          EXPECT_NEAR(grid.velocity[axis][i], 0, 6e-5);
        }
      }
    }
  }
}

// [kg m/s] Faces that bodies leave open have that part of a cell's mass.
template <int D>
Vec3 momentum_of(const MacGrid<D>& grid) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<D>; ++i) {
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      sum[world_axis<D>(axis)] += mass_of_cell<D>() * static_cast<double>(grid.open[a][i]) *
                                  static_cast<double>(grid.velocity[a][i]);
    }
  }
  return sum;
}

// In a tank where nothing but the body moves, pressure on its walls is all that comes from outside;
// along an axis with liquid that is not there beyond the sides, none does. So: a body in the middle
// of a block of liquid that ends in air on all sides, at faces.
TEST(ImmersedBodies, get_the_momentum_that_the_liquid_loses) {
  MacGrid<3> grid = full_tank<3>();
  const auto edge = [](std::int32_t x) { return x < 4 || x >= 20; };
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
    const Cell<3> c = grid.tiles.cell(i);
    // The air's cells are as far from the surface as the liquid's: the way to it is half a cell.
    if (edge(c[0]) || edge(c[1]) || edge(c[2])) grid.distance[i] = 1;
  }
  stir(grid, 8);
  Thing thing(slanted_box<3>(0.43, 0.23), {1.21, 1.17, 1.24}, 2.5, 3);
  ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
  bodies.set({&thing.body, 1});
  bodies.cover(grid);
  // At the surface a face has half of a cell's liquid.
  const auto of_liquid = [&](const MacGrid<3>& of) {
    MacGrid<3> halved = of;
    for (std::size_t i = 0; i < of.tiles.count() * tile_size<3>; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Cell<3> before = of.tiles.cell(i);
        --before[axis];
        const bool here = of.distance[i] < 0, there = of.distance[of.tiles.find_cell(before)] < 0;
        halved.open[axis][i] *= here && there ? 1.0F : here || there ? 0.5F : 0.0F;
      }
    }
    return momentum_of(halved);
  };
  const Vec3 before = of_liquid(grid);
  PressureSolver<3> solver;
  EXPECT_TRUE(solver.project(exactly, grid, &bodies).converged);
  const Vec3 gained = bodies.impulses()[0].force;
  EXPECT_GT(gained.norm(), 1);
  EXPECT_LT((of_liquid(grid) - before + gained).norm(), 1e-4 * gained.norm());
}

// Liquid that is shut in, with a hollow body that shuts some in once more: pressure is any number
// in both, and the body moves all the same.
TEST(ImmersedBodies, may_be_hollow_and_shut_in) {
  MacGrid<3> grid = full_tank<3>();
  stir(grid, 6);
  Thing shell(
      geometry::joined(geometry::make_box({-0.7, -0.6, -0.65}, {0.7, 0.6, 0.65}),
                       geometry::turned(geometry::make_box({-0.4, -0.3, -0.35}, {0.4, 0.3, 0.35}))),
      {1.2, 1.2, 1.2}, 0.5, 7);
  ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
  bodies.set({&shell.body, 1});
  bodies.cover(grid);
  PressureSolver<3> solver;
  const SolveReport report = solver.project({}, grid, &bodies);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 100);
  for (std::size_t i = 0; i < grid.tiles.count() * tile_size<3>; ++i) {
    if (is_solved(grid, i)) {
      EXPECT_NEAR(outflow(grid, i), 0, 1e-4);
    }
  }
}

// Away from the liquid, and larger than all of it.
TEST(ImmersedBodies, may_be_anywhere) {
  for (const Vec3& place : {Vec3(1.2, 1.2, 9), Vec3(-50, 1, 1), Vec3(2.4, 2.4, 2.4)}) {
    MacGrid<3> grid = full_tank<3>();
    pour_out(grid, 12.2F);
    stir(grid, 9);
    Thing thing(geometry::make_sphere(6, 0.9), place, 1, 2);
    Thing huge(slanted_box<3>(40, 50), {45, 3, 2}, 1, 3);
    const std::vector<ImmersedBody> both{thing.body, huge.body};
    ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
    bodies.set(both);
    bodies.cover(grid);
    PressureSolver<3> solver;
    EXPECT_TRUE(solver.project({}, grid, &bodies).converged);
    EXPECT_TRUE(velocity_after(thing, bodies.impulses()[0]).allFinite());
    bodies.constrain(grid);
  }
}

TEST(ImmersedBodies, are_the_same_bits_for_any_number_of_threads) {
  std::vector<Wrench> impulses;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit(threads).run([&] {
      MacGrid<3> grid = full_tank<3>();
      pour_out(grid, 17.7F);
      stir(grid, 12);
      Thing thing(geometry::make_torus(20, 0.5, 0.2), {1.3, 1.1, 1.2}, 0.7, 4);
      ImmersedBodies<3> bodies({cell, Vec3f::Zero()}, slab, mass_of_cell<3>());
      bodies.set({&thing.body, 1});
      bodies.cover(grid);
      PressureSolver<3> solver;
      EXPECT_TRUE(solver.project({}, grid, &bodies).converged);
      impulses.push_back(bodies.impulses()[0]);
    });
  }
  EXPECT_EQ(impulses[0].force, impulses[1].force);
  EXPECT_EQ(impulses[0].torque, impulses[1].torque);
}

}  // namespace
}  // namespace sluice::fluid::grid::immersed_bodies_test
