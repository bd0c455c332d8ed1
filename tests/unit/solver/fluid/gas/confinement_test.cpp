// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/confinement.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/unit/solver/fluid/lattice/flow_box.h"

namespace sluice::fluid::grid {
namespace {

constexpr int in_middles = Advected::in_middles;
constexpr float strength = 0.7F, h = 0.25F;

template <int D>
using LiveFaces = typename MacGrid<D>::template Faces<std::uint8_t>;

template <int D>
LiveFaces<D> all_faces(const FlowBox<D>& box) {
  LiveFaces<D> live;
  for (std::size_t axis = 0; axis < D; ++axis)
    live[axis] = box.inside(static_cast<int>(axis));
  return live;
}

// velocity(place, axis) [m/s] on all faces, also around.
template <int D, typename Velocity>
FlowBox<D> flow(const Velocity& velocity) {
  FlowBox<D> box = make_flow_box<D>();
  for (int axis = 0; axis < D; ++axis) {
    box.grid.velocity[static_cast<std::size_t>(axis)] =
        box.sampled(axis, [&](const Place<D>& X) { return velocity(X, axis); });
  }
  return box;
}

// [Fedkiw2001] (9) to (11) in double, cell by cell, on cells of edge 1: the edge cancels out.
template <int D>
class PlainConfinement {
 public:
  PlainConfinement(const MacGrid<D>& grid, const Array<std::uint8_t>& live)
      : grid_(grid), live_(live) {}

  // The force on a cell, by axis.
  Vec3 force(const Cell<D>& cell) const {
    if (!is_live(cell)) return Vec3::Zero();
    Vec3 gradient = Vec3::Zero();
    for (std::size_t axis = 0; axis < D; ++axis) {
      gradient[static_cast<int>(axis)] =
          0.5 * (vorticity(next(cell, axis, 1)).norm() - vorticity(next(cell, axis, -1)).norm());
    }
    return strength * gradient.normalized().cross(vorticity(cell));
  }

 private:
  static Cell<D> next(Cell<D> cell, std::size_t axis, int step) {
    cell[axis] += step;
    return cell;
  }
  bool is_live(const Cell<D>& cell) const { return live_[grid_.tiles.find_cell(cell)] != 0; }
  double face(const Cell<D>& cell, std::size_t axis) const {
    return grid_.velocity[axis][grid_.tiles.find_cell(cell)];
  }
  double middle(const Cell<D>& cell, std::size_t axis) const {
    return 0.5 * (face(cell, axis) + face(next(cell, axis, 1), axis));
  }
  double slope(const Cell<D>& cell, std::size_t of, std::size_t along) const {
    return 0.5 * (middle(next(cell, along, 1), of) - middle(next(cell, along, -1), of));
  }
  // In 2D across the plane, whose axes are 0 and 1.
  Vec3 vorticity(const Cell<D>& cell) const {
    if (!is_live(cell)) return Vec3::Zero();
    const double in_plane = slope(cell, 1, 0) - slope(cell, 0, 1);
    if constexpr (D == 2) return {0, 0, in_plane};
    return {slope(cell, D - 1, 1) - slope(cell, 1, D - 1),
            slope(cell, 0, D - 1) - slope(cell, D - 1, 0), in_plane};
  }

  const MacGrid<D>& grid_;
  const Array<std::uint8_t>& live_;
};

// With holes, where nothing turns and nothing is changed.
template <int D>
void expect_as_plain() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  FlowBox<D> box = flow<D>([&](const Place<D>&, int) { return part(random); });
  const FlowBox<D> before = box;
  LiveFaces<D> live_faces = all_faces(box);
  Array<std::uint8_t> live_cells = box.inside(in_middles);
  for (std::size_t i = 0; i < live_cells.size(); ++i) {
    if (random() % 8 == 0) live_cells[i] = 0;
    for (auto& live : live_faces) {
      if (random() % 8 == 0) live[i] = 0;
    }
  }
  Confinement<D>().apply(strength, h, live_faces, live_cells, box.grid);
  const PlainConfinement<D> plain(before.grid, live_cells);
  for (std::size_t axis = 0; axis < D; ++axis) {
    box.for_each([&](std::size_t i, const Cell<D>& cell) {
      const float velocity = before.grid.velocity[axis][i];
      if (live_faces[axis][i] == 0) {
        EXPECT_EQ(box.grid.velocity[axis][i], velocity);
        return;
      }
      Cell<D> lower = cell;
      --lower[axis];
      const auto a = static_cast<int>(axis);
      const double force = 0.5 * (plain.force(cell)[a] + plain.force(lower)[a]);
      // The smallest gradient of all these cells is some 1e-3, known to 1e-7.
      EXPECT_NEAR(box.grid.velocity[axis][i], velocity + h * force, 1e-4);
    });
  }
}

TEST(Confinement, is_as_its_formula_cell_by_cell) {
  expect_as_plain<2>();
  expect_as_plain<3>();
}

TEST(Confinement, of_a_uniform_flow_is_nothing) {
  FlowBox<3> box =
      flow<3>([](const Place<3>&, int axis) { return std::array{0.3, -1.7, 2.1}[axis]; });
  const FlowBox<3> before = box;
  Confinement<3>().apply(strength, h, all_faces(box), box.inside(in_middles), box.grid);
  EXPECT_EQ(box.grid.velocity, before.grid.velocity);
}

// It turns as much everywhere. In numbers that floats hold exactly; at the rim, where what turns
// ends, there is a force.
TEST(Confinement, of_a_solid_that_turns_is_nothing) {
  FlowBox<2> box = flow<2>([](const Place<2>& X, int axis) {
    return axis == 0 ? -0.25 * (X[1] - 20) : 0.25 * (X[0] - 20);
  });
  const FlowBox<2> before = box;
  Confinement<2>().apply(strength, h, all_faces(box), box.inside(in_middles), box.grid);
  for (int axis = 0; axis < 2; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    box.for_each([&](std::size_t i, const Cell<2>& cell) {
      if (!box.has(box.place(cell, axis), 2)) return;
      EXPECT_EQ(box.grid.velocity[a][i], before.grid.velocity[a][i]);
    });
    EXPECT_NE(box.grid.velocity[a], before.grid.velocity[a]);
  }
}

// A round vortex that turns most in its middle, to where N points: the force is along its turning,
// strength omega h in all.
TEST(Confinement, drives_a_vortex_on) {
  constexpr double radius = 6;  // [cells]
  for (const double sense : {1.0, -1.0}) {
    FlowBox<2> box = flow<2>([&](const Place<2>& X, int axis) {
      const double x = X[0] - 20, z = X[1] - 20;
      const double rate = 0.5 * sense * std::exp(-(x * x + z * z) / (radius * radius));
      return axis == 0 ? -rate * z : rate * x;
    });
    const FlowBox<2> before = box;
    Confinement<2>().apply(strength, h, all_faces(box), box.inside(in_middles), box.grid);
    int compared = 0;
    for (int axis = 0; axis < 2; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      box.for_each([&](std::size_t i, const Cell<2>& cell) {
        const Place<2> X = box.place(cell, axis);
        const double x = X[0] - 20, z = X[1] - 20, r = std::hypot(x, z);
        if (r < 2 || r > 5) return;
        // omega = (1 / r) d(r^2 rate) / dr.
        const double omega =
            sense * std::exp(-r * r / (radius * radius)) * (1 - r * r / (radius * radius));
        const double along = axis == 0 ? -z / r : x / r;
        const double change = static_cast<double>(box.grid.velocity[a][i]) -
                              static_cast<double>(before.grid.velocity[a][i]);
        // Differences over two cells of what is 6 cells wide: 4 %; N in the middle of four: more.
        EXPECT_NEAR(change, strength * h * omega * along, 0.1 * strength * h) << x << ' ' << z;
        ++compared;
      });
    }
    EXPECT_GT(compared, 100);
  }
}

}  // namespace
}  // namespace sluice::fluid::grid
