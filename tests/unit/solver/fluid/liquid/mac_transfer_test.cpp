// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/mac_transfer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sluice::fluid::grid::mac_transfer_test {
namespace {

constexpr float cell_size = 0.1F;

template <int D>
CellFrame<D> frame() {
  return {cell_size, Vec3f(-0.3F, 0.2F, -1)};
}

// Some in tiles next to each other, on both sides of cell 0; a few far away.
Particles random_particles(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> part(-1, 1);
  Particles particles;
  particles.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int a = 0; a < 3; ++a) {
      particles.positions[i][a] = (i % 50 == 0 ? 8.0F : 1.0F) * part(random);
      particles.velocities[i][a] = part(random);
      for (int b = 0; b < 3; ++b)
        particles.affine[i].c[3 * a + b] = part(random);
    }
    particles.materials[i] = static_cast<std::uint8_t>(i % 2);
  }
  return particles;
}

template <int D>
struct Scattered {
  ParticleCells<D> cells;
  MacGrid<D> grid;
  typename MacGrid<D>::template Faces<float> weights;
};

template <int D>
Scattered<D> scatter(const Particles& particles, std::span<const float> mass) {
  Scattered<D> out;
  out.cells = find_cells<D>(frame<D>(), std::span(particles.positions).first(particles.count), 2);
  out.grid.tiles = out.cells.tiles;
  for (std::size_t axis = 0; axis < D; ++axis) {
    out.grid.velocity[axis].assign(out.grid.tiles.array_size(), 0);
    out.weights[axis].assign(out.grid.tiles.array_size(), 0);
  }
  out.grid.density.assign(out.grid.tiles.array_size(), 0);
  const std::vector<float> volumes(mass.size(), 0.125F);
  particles_to_faces<D>(frame<D>(), out.cells, Screens<D>(frame<D>(), 0), mass, volumes, particles,
                        out.grid, out.weights);
  return out;
}

// In cells, of the value of an axis's face; of a cell's middle for axis < 0.
template <int D>
Eigen::Matrix<double, D, 1> place(const Tiles<D>& tiles, std::size_t index, int axis) {
  Eigen::Matrix<double, D, 1> x;
  const Cell<D> cell = tiles.cell(index);
  for (int a = 0; a < D; ++a)
    x[a] = cell[static_cast<std::size_t>(a)] + (a == axis ? 0 : 0.5);
  return x;
}

// Mass, momentum and, of the affine motions too, angular momentum about the frame's origin (3D).
struct Sums {
  double mass = 0, volume = 0;
  Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
};

Sums of_faces(const Scattered<3>& scattered) {
  Sums sums;
  const std::size_t count = scattered.grid.tiles.count() * tile_size<3>;
  for (std::size_t i = 0; i < count; ++i) {
    sums.volume += scattered.grid.density[i];
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double m = scattered.weights[a][i];
      Vec3 p = Vec3::Zero();
      p[axis] = m * scattered.grid.velocity[a][i];
      if (axis == 0) sums.mass += m;
      sums.momentum += p;
      sums.angular += (cell_size * place<3>(scattered.grid.tiles, i, axis)).cross(p);
    }
  }
  return sums;
}

// A particle's affine motion has the angular momentum of its weights' second moments, which are
// diagonal: sum over axes of m M_aa (e_a x C e_a). Component r of C is scattered with the weights
// of r's faces.
Sums of_particles(const Particles& particles, std::span<const float> mass) {
  Sums sums;
  for (std::size_t i = 0; i < particles.count; ++i) {
    const double m = mass[particles.materials[i]];
    const Vec3 x = (particles.positions[i] - frame<3>().origin).cast<double>();
    const Vec3 p = m * particles.velocities[i].cast<double>();
    sums.mass += m;
    sums.volume += 0.125;
    sums.momentum += p;
    sums.angular += x.cross(p);
    for (int r = 0; r < 3; ++r) {
      for (int a = 0; a < 3; ++a) {
        const double X = x[a] / cell_size - (a == r ? 0 : 0.5);
        const double part = X - std::floor(X);
        const double moment = cell_size * cell_size * part * (1 - part);
        const double c = particles.affine[i].c[3 * a + r];
        sums.angular += m * moment * c * Vec3::Unit(a).cross(Vec3::Unit(r));
      }
    }
  }
  return sums;
}

TEST(MacTransfer, conserves_mass_and_momenta) {
  const std::vector<float> mass{0.5F, 2};
  Particles particles = random_particles(4000, 1);
  const Scattered<3> scattered = scatter<3>(particles, mass);
  const Sums before = of_particles(particles, mass), after = of_faces(scattered);
  EXPECT_NEAR(after.mass, before.mass, 1e-6 * before.mass);
  EXPECT_NEAR(after.volume, before.volume, 1e-6 * before.volume);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-6 * before.mass);
  EXPECT_LT((after.angular - before.angular).norm(), 5e-6 * before.mass);

  // And back: APIC's C has what a particle's share of the grid has [Jiang2015], section 5.3.
  EXPECT_TRUE(
      faces_to_particles<3>(frame<3>(), scattered.cells, scattered.grid, {}, {0, true}, particles));
  const Sums gathered = of_particles(particles, mass);
  EXPECT_LT((gathered.momentum - before.momentum).norm(), 2e-6 * before.mass);
  EXPECT_LT((gathered.angular - before.angular).norm(), 1e-5 * before.mass);
}

// On a lattice with a period, a face has what particles on both sides of the end give it, wherever
// the end is.
template <int D>
void expect_no_end(std::int32_t shift) {
  const std::vector<float> mass{0.5F, 2};
  Cell<D> period{};
  period[0] = 2 * tile_edge<D>;
  const CellFrame<D> around{cell_size, Vec3f::Zero()};
  const auto at = [&](std::int32_t cells) {
    Particles particles = random_particles(2000, 3);
    const float length = cell_size * static_cast<float>(period[0]);
    for (Vec3f& x : particles.positions) {
      x[0] += cell_size * static_cast<float>(cells);
      x[0] -= length * std::floor(x[0] / length);
    }
    Scattered<D> out;
    out.cells =
        find_cells<D>(around, std::span(particles.positions).first(particles.count), 9, period);
    out.grid.tiles = out.cells.tiles;
    for (std::size_t axis = 0; axis < D; ++axis) {
      out.grid.velocity[axis].assign(out.grid.tiles.array_size(), 0);
      out.weights[axis].assign(out.grid.tiles.array_size(), 0);
    }
    out.grid.density.assign(out.grid.tiles.array_size(), 0);
    const std::vector<float> volumes(mass.size(), 0.125F);
    particles_to_faces<D>(around, out.cells, Screens<D>(around, 0), mass, volumes, particles,
                          out.grid, out.weights);
    return std::pair(std::move(out), std::move(particles));
  };
  auto [here, particles_here] = at(0);
  auto [there, particles_there] = at(shift);
  const Tiles<D>& tiles = here.grid.tiles;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    EXPECT_GE(tiles.coordinates(tile)[0], 0);
    EXPECT_LT(tiles.coordinates(tile)[0], 2);
  }
  double total = 0, expected = 0;
  for (std::size_t i = 0; i < particles_here.count; ++i)
    expected += static_cast<double>(mass[particles_here.materials[i]]);
  for (std::size_t i = 0; i < tiles.count() * tile_size<D>; ++i) {
    Cell<D> cell = tiles.cell(i);
    cell[0] += shift;
    const std::size_t other = there.grid.tiles.find_cell(cell);
    ASSERT_NEAR(here.grid.density[i], there.grid.density[other], 1e-4);
    for (std::size_t axis = 0; axis < D; ++axis) {
      ASSERT_NEAR(here.weights[axis][i], there.weights[axis][other], 1e-3);
      // Momenta: where there is hardly any mass a velocity has no digits.
      ASSERT_NEAR(here.weights[axis][i] * here.grid.velocity[axis][i],
                  there.weights[axis][other] * there.grid.velocity[axis][other], 1e-3);
    }
    total += static_cast<double>(here.weights[0][i]);
  }
  EXPECT_NEAR(total, expected, 1e-5 * expected);
  EXPECT_TRUE(faces_to_particles<D>(around, here.cells, here.grid, {}, {0, true}, particles_here));
  EXPECT_TRUE(
      faces_to_particles<D>(around, there.cells, there.grid, {}, {0, true}, particles_there));
  double difference = 0, squares = 0;
  for (std::size_t i = 0; i < particles_here.count; ++i) {
    difference += (particles_here.velocities[i] - particles_there.velocities[i]).squaredNorm();
    squares += particles_here.velocities[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(difference / squares), 1e-4);
}

TEST(MacTransfer, with_a_period_has_no_end) {
  for (const std::int32_t shift : {3, 8, 13}) {
    expect_no_end<2>(shift);
    expect_no_end<3>(shift);
  }
}

// A place that rounds to the end of the period is in its last cell, or in the first one.
TEST(MacTransfer, of_a_place_at_the_end_of_a_period_is_in_it) {
  const CellFrame<2> around{0.1F, Vec3f(0.3F, 0, -0.7F)};
  const float end = 0.3F + 3.2F;
  for (const float x : {0.3F, std::nextafter(end, 0.0F), end}) {
    const std::vector<Vec3f> positions{{x, 0, 0.05F}};
    const ParticleCells<2> cells = find_cells<2>(around, positions, 1, {32, 0});
    ASSERT_EQ(cells.occupied.size(), 1U);
    const std::size_t tile = cells.occupied[0];
    ASSERT_LT(tile, cells.tiles.count());
    EXPECT_EQ(cells.in_tile(tile).size(), 1U);
    const float X = around.coordinates(positions[0], cells.tiles.first_cell(tile))[0];
    EXPECT_GE(X, 0);
    EXPECT_LE(X, 16.001F);
  }
}

// Trilinear weights carry linear fields exactly, and so does an affine motion.
template <int D>
void expect_linear_field_kept() {
  Eigen::Matrix<float, D, D> gradient;
  Vec<D> at_origin;
  for (int r = 0; r < D; ++r) {
    at_origin[r] = 0.3F - 0.2F * static_cast<float>(r);
    for (int a = 0; a < D; ++a)
      gradient(r, a) = 0.7F * static_cast<float>(r) - 0.4F * static_cast<float>(a) + 0.1F;
  }
  Particles particles = random_particles(3000, 2);
  for (std::size_t i = 0; i < particles.count; ++i) {
    const Vec<D> X = frame<D>().coordinates(particles.positions[i]);
    const Vec<D> v = at_origin + cell_size * gradient * X;
    for (int r = 0; r < D; ++r) {
      particles.velocities[i][world_axis<D>(r)] = v[r];
      for (int a = 0; a < D; ++a)
        particles.affine[i].c[3 * world_axis<D>(a) + world_axis<D>(r)] = gradient(r, a);
    }
  }
  const std::vector<float> mass{1, 1};
  const Particles before = particles;
  const Scattered<D> scattered = scatter<D>(particles, mass);
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (std::size_t i = 0; i < scattered.grid.tiles.count() * tile_size<D>; ++i) {
      // Less is rounding.
      if (!(scattered.weights[a][i] > 1e-3F)) continue;
      const Vec<D> X = place<D>(scattered.grid.tiles, i, axis).template cast<float>();
      EXPECT_NEAR(scattered.grid.velocity[a][i], (at_origin + cell_size * gradient * X)[axis],
                  2e-4);
    }
  }
  faces_to_particles<D>(frame<D>(), scattered.cells, scattered.grid, {}, {0, true}, particles);
  for (std::size_t i = 0; i < particles.count; ++i) {
    for (int r = 0; r < D; ++r) {
      const int w = world_axis<D>(r);
      EXPECT_NEAR(particles.velocities[i][w], before.velocities[i][w], 2e-4);
    }
  }
}

TEST(MacTransfer, keeps_linear_fields) {
  expect_linear_field_kept<2>();
  expect_linear_field_kept<3>();
}

// FLIP adds what the grid's velocity changed by, here the same everywhere.
TEST(MacTransfer, of_flip_adds_the_change) {
  Particles particles = random_particles(2000, 3);
  const std::vector<float> mass{1, 1};
  Scattered<3> scattered = scatter<3>(particles, mass);
  const auto before = scattered.grid.velocity;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (float& v : scattered.grid.velocity[axis])
      v += 0.25F * static_cast<float>(axis + 1);
  }
  const Particles start = particles;
  faces_to_particles<3>(frame<3>(), scattered.cells, scattered.grid, before, {1, false}, particles);
  for (std::size_t i = 0; i < particles.count; ++i) {
    const Vec3f change = particles.velocities[i] - start.velocities[i];
    EXPECT_LT((change - Vec3f(0.25F, 0.5F, 0.75F)).norm(), 1e-5F);
  }
}

TEST(MacTransfer, says_where_something_is_not_finite) {
  Particles particles = random_particles(100, 4);
  particles.velocities[17][1] = std::nanf("");
  const std::vector<float> mass{1, 1};
  const Scattered<3> scattered = scatter<3>(particles, mass);
  EXPECT_FALSE(
      faces_to_particles<3>(frame<3>(), scattered.cells, scattered.grid, {}, {0, true}, particles));
}

}  // namespace
}  // namespace sluice::fluid::grid::mac_transfer_test
