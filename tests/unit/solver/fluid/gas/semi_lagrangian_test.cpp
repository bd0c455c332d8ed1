// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/semi_lagrangian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "solver/fluid/obstacles/screens.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/lattice/flow_box.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::array methods{scene::Advection::cubic, scene::Advection::maccormack,
                             scene::Advection::semi_lagrangian};

// Velocities are in cells a step.
template <int D>
const CellFrame<D> frame{0.5F, Vec3f(3, -1, 7)};
constexpr float spacing = 0.5F;

template <int D>
Cell<D> cells() {
  Cell<D> all;
  all.fill(FlowBox<D>::edge);
  return all;
}

template <int D>
FlowBox<D> uniform_flow(const Place<D>& way) {
  FlowBox<D> box = make_flow_box<D>();
  for (std::size_t axis = 0; axis < D; ++axis)
    box.grid.velocity[axis] =
        box.sampled(static_cast<int>(axis), [&](const Place<D>&) { return way[axis]; });
  return box;
}

template <int D>
FlowBox<D> random_flow(const Place<D>& mean, float spread, std::mt19937& random) {
  std::uniform_real_distribution<float> part(-spread, spread);
  FlowBox<D> box = uniform_flow<D>(mean);
  for (auto& velocity : box.grid.velocity) {
    box.for_each([&](std::size_t i, const Cell<D>&) { velocity[i] += part(random); });
  }
  return box;
}

template <int D>
Array<float> random_values(const FlowBox<D>& box, std::mt19937& random) {
  std::uniform_real_distribution<float> part(0, 1);
  return box.sampled(Advected::in_middles, [&](const Place<D>&) { return part(random); });
}

// Less and more than the cells around a tile that lie side by side with it.
template <int D>
std::vector<Place<D>> ways() {
  if constexpr (D == 3) {
    return {{0.3, -0.6, 0.85}, {-2.7, 3.4, 1.2}, {5.6, -6.3, 4.9}};
  } else {
    return {{0.3, -0.6}, {-2.7, 3.4}, {9.6, -7.3}};
  }
}

// Carries value(place) by each of ways(), and compares where neither the way there nor back leaves
// the box.
template <int D, typename Value>
void expect_carried_exactly(scene::Advection method, double tolerance, const Value& value) {
  for (const Place<D>& way : ways<D>()) {
    FlowBox<D> box = uniform_flow<D>(way);
    for (int axis = Advected::in_middles; axis < D; ++axis) {
      Array<float> values = box.sampled(axis, value);
      const Array<std::uint8_t> carried = box.inside(axis);
      const Advected advected{axis, &carried, &values};
      SemiLagrangian<D>(frame<D>, {cells<D>(), {}})
          .carry(box.grid, method, spacing, std::span(&advected, 1));
      int compared = 0;
      box.for_each([&](std::size_t i, const Cell<D>& cell) {
        const Place<D> X = box.place(cell, axis);
        Place<D> from, to;
        for (std::size_t a = 0; a < D; ++a) {
          from[a] = X[a] - way[a];
          to[a] = X[a] + way[a];
        }
        if (!box.has(from, 2) || !box.has(to, 2)) return;
        ++compared;
        EXPECT_NEAR(values[i], value(from), tolerance);
      });
      EXPECT_GT(compared, 50);
    }
  }
}

// Places are known to 2e-6 of a cell.
TEST(SemiLagrangian, a_uniform_flow_carries_what_is_linear_exactly) {
  for (const scene::Advection method : methods) {
    expect_carried_exactly<2>(method, 1e-5,
                              [](const Place<2>& X) { return 0.5 + 0.2 * X[0] - 0.1 * X[1]; });
    expect_carried_exactly<3>(
        method, 1e-5, [](const Place<3>& X) { return 0.5 + 0.2 * X[0] - 0.1 * X[1] + 0.3 * X[2]; });
  }
}

// Rises along each axis, so that all values are between those at the cell's corners.
template <int D>
double rising_cubic(const Place<D>& X) {
  double product = 1;
  for (const double x : X) {
    const double t = 2 * x / FlowBox<D>::edge - 1;
    product *= (3 + t + t * t * t) / 5;
  }
  return product;
}

TEST(SemiLagrangian, a_uniform_flow_carries_cubic_polynomials_exactly) {
  expect_carried_exactly<2>(scene::Advection::cubic, 2e-6, rising_cubic<2>);
  expect_carried_exactly<3>(scene::Advection::cubic, 2e-6, rising_cubic<3>);
}

template <int D>
void expect_constant() {
  std::mt19937 random(3);
  const FlowBox<D> box = random_flow<D>(ways<D>().back(), 3, random);
  for (const scene::Advection method : methods) {
    Array<float> values = box.sampled(Advected::in_middles, [](const Place<D>&) { return 0.7; });
    const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
    const Advected advected{Advected::in_middles, &carried, &values};
    SemiLagrangian<D>(frame<D>, {cells<D>(), {}})
        .carry(box.grid, method, spacing, std::span(&advected, 1));
    box.for_each([&](std::size_t i, const Cell<D>&) { EXPECT_EQ(values[i], 0.7F); });
  }
}

TEST(SemiLagrangian, what_is_the_same_everywhere_stays_so) {
  expect_constant<2>();
  expect_constant<3>();
}

// What carry() should do to a value, in double and cell by cell, from the definitions.
template <int D>
class PlainTracer {
 public:
  explicit PlainTracer(const FlowBox<D>& box) : box_(box) {}

  struct Around {
    double value, least, most;
  };

  // `nodes` values along each axis: 2 linear, 4 cubic. `least` and `most` of the nearest 2.
  Around between(const Array<float>& values, int axis, const Place<D>& X, int nodes) const {
    Cell<D> low;
    Place<D> part;
    for (std::size_t a = 0; a < D; ++a) {
      const double x = static_cast<int>(a) == axis ? X[a] : X[a] - 0.5;
      low[a] = static_cast<std::int32_t>(std::floor(x));
      part[a] = x - low[a];
    }
    Around around{0, 1e30, -1e30};
    const int first = nodes == 2 ? 0 : -1;
    int all = 1;
    for (int a = 0; a < D; ++a)
      all *= nodes;
    for (int n = 0; n < all; ++n) {
      Cell<D> cell = low;
      double weight = 1;
      bool is_next = true;
      int rest = n;
      for (std::size_t a = 0; a < D; ++a) {
        const int node = first + rest % nodes;
        rest /= nodes;
        cell[a] += node;
        is_next = is_next && (node == 0 || node == 1);
        for (int other = first; other < first + nodes; ++other) {
          if (other != node) weight *= (part[a] - other) / (node - other);
        }
      }
      const double value = values[box_.grid.tiles.find_cell(cell)];
      around.value += weight * value;
      if (!is_next) continue;
      around.least = std::min(around.least, value);
      around.most = std::max(around.most, value);
    }
    return around;
  }

  // [Ralston1962], back into the box and the middles of the layer around it.
  Place<D> trace(const Place<D>& X, double step) const {
    const auto along = [&](double part, const Place<D>& velocity) {
      Place<D> to;
      for (std::size_t a = 0; a < D; ++a)
        to[a] = X[a] + part * step * velocity[a];
      return to;
    };
    const auto velocity = [&](const Place<D>& at) {
      Place<D> v;
      for (std::size_t a = 0; a < D; ++a)
        v[a] = between(box_.grid.velocity[a], static_cast<int>(a), at, 2).value;
      return v;
    };
    const Place<D> k1 = velocity(X), k2 = velocity(along(0.5, k1)), k3 = velocity(along(0.75, k2));
    Place<D> mean;
    for (std::size_t a = 0; a < D; ++a)
      mean[a] = (2 * k1[a] + 3 * k2[a] + 4 * k3[a]) / 9;
    Place<D> to = along(1, mean);
    for (double& x : to)
      x = std::clamp(x, -0.5, FlowBox<D>::edge + 0.5);
    return to;
  }

  // `is_sure` by value: false where rounding may find the values around another place.
  Array<float> carry(scene::Advection method, const Advected& advected,
                     std::vector<bool>& is_sure) const {
    const Array<float>& values = *advected.values;
    const bool is_cubic = method == scene::Advection::cubic;
    Array<float> carried = values;
    std::vector<Around> found(values.size());
    is_sure.assign(values.size(), true);
    for_each_carried(advected, [&](std::size_t i, const Place<D>& X) {
      const Place<D> from = trace(X, -1);
      found[i] = between(values, advected.axis, from, is_cubic ? 4 : 2);
      const double value = found[i].value;
      carried[i] =
          static_cast<float>(is_cubic ? std::clamp(value, found[i].least, found[i].most) : value);
      for (std::size_t a = 0; a < D; ++a) {
        const double x = 2 * from[a];
        is_sure[i] = is_sure[i] && std::abs(x - std::round(x)) > 1e-3;
      }
    });
    if (method != scene::Advection::maccormack) return carried;
    Array<float> corrected = values;
    for_each_carried(advected, [&](std::size_t i, const Place<D>& X) {
      const double back = between(carried, advected.axis, trace(X, 1), 2).value;
      corrected[i] = static_cast<float>(
          std::clamp(carried[i] + 0.5 * (values[i] - back), found[i].least, found[i].most));
    });
    return corrected;
  }

 private:
  template <typename Visit>
  void for_each_carried(const Advected& advected, const Visit& visit) const {
    box_.for_each([&](std::size_t i, const Cell<D>& cell) {
      if ((*advected.is_carried)[i] != 0) visit(i, box_.place(cell, advected.axis));
    });
  }

  const FlowBox<D>& box_;
};

// Carries smoke, heat beside it, and the velocity itself, in flows that end near, in reach of a
// tile or far from it, in a box with holes. A flow whose `spread` [cells a step] is next to none
// keeps places that are side by side together.
template <int D>
void expect_as_plain(scene::Advection method, float spread) {
  std::mt19937 random(static_cast<unsigned>(7 * D) + static_cast<unsigned>(method));
  for (const Place<D>& way : ways<D>()) {
    FlowBox<D> box = random_flow<D>(way, spread, random);
    const FlowBox<D> before = box;
    std::vector<Array<float>> values{random_values(box, random), random_values(box, random)};
    std::vector<Array<std::uint8_t>> carried;
    for (int axis = Advected::in_middles; axis < D; ++axis) {
      carried.push_back(box.inside(axis));
      for (std::uint8_t& is_carried : carried.back()) {
        if (random() % 5 == 0) is_carried = 0;
      }
    }
    std::vector<Advected> advected{{Advected::in_middles, carried.data(), values.data()},
                                   {Advected::in_middles, carried.data(), values.data() + 1}};
    for (std::size_t axis = 0; axis < D; ++axis) {
      advected.push_back(
          {static_cast<int>(axis), carried.data() + axis + 1, box.grid.velocity.data() + axis});
    }
    const PlainTracer<D> plain(before);
    std::vector<Array<float>> expected, given;
    std::vector<std::vector<bool>> is_sure(advected.size());
    for (std::size_t n = 0; n < advected.size(); ++n) {
      given.push_back(*advected[n].values);
      expected.push_back(plain.carry(method, advected[n], is_sure[n]));
    }
    SemiLagrangian<D>(frame<D>, {cells<D>(), {}}).carry(box.grid, method, spacing, advected);
    for (std::size_t n = 0; n < advected.size(); ++n) {
      double change = 0;
      box.for_each([&](std::size_t i, const Cell<D>&) {
        const float value = (*advected[n].values)[i];
        if ((*advected[n].is_carried)[i] == 0) {
          EXPECT_EQ(value, given[n][i]);
        } else if (is_sure[n][i]) {
          // Places to 1e-5 of a cell, along which values change by up to 3.
          EXPECT_NEAR(value, expected[n][i], 1e-4) << n << ' ' << i;
        }
        change += std::abs(static_cast<double>(value - given[n][i]));
      });
      EXPECT_GT(change, 160 * spread);
    }
  }
}

TEST(SemiLagrangian, carries_as_a_plain_loop_over_cells_does) {
  for (const scene::Advection method : methods) {
    for (const float spread : {0.3F, 0.01F}) {
      expect_as_plain<2>(method, spread);
      expect_as_plain<3>(method, spread);
    }
  }
}

// Eight cells in a row are loaded as they lie where their ways keep together, and one by one where
// not, or from all of the grid. Nothing of that shows: where some columns of the flow run away, by
// `spread` cells, what does not come past them is what it was, to the bit.
template <int D>
void expect_apart_from_neighbours(scene::Advection method, float spread) {
  constexpr std::int32_t period = 16, column = 7, away = 4;
  std::mt19937 random(static_cast<unsigned>(D));
  FlowBox<D> box = random_flow<D>({0.4, -0.6}, 0.01F, random);
  const Array<float> values = random_values(box, random);
  const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
  const auto carry = [&] {
    Array<float> result = values;
    const Advected advected{Advected::in_middles, &carried, &result};
    SemiLagrangian<D>(frame<D>, {cells<D>(), {}})
        .carry(box.grid, method, spacing, std::span(&advected, 1));
    return result;
  };
  const Array<float> together = carry();
  std::uniform_real_distribution<float> part(-spread, spread);
  box.for_each([&](std::size_t i, const Cell<D>& cell) {
    if ((cell[0] & (period - 1)) != column) return;
    for (auto& velocity : box.grid.velocity)
      velocity[i] += part(random);
  });
  const Array<float> apart = carry();
  int compared = 0, changed = 0;
  box.for_each([&](std::size_t i, const Cell<D>& cell) {
    const std::int32_t past = (cell[0] - column) & (period - 1);
    if (past >= away && past <= period - away) {
      ++compared;
      EXPECT_EQ(apart[i], together[i]) << cell[0] << ' ' << cell[1];
    } else if (apart[i] != together[i]) {
      ++changed;
    }
  });
  EXPECT_GT(compared, 500);
  EXPECT_GT(changed, 50);
}

TEST(SemiLagrangian, what_neighbours_do_changes_no_bit) {
  for (const scene::Advection method : methods) {
    for (const float spread : {1.5F, 30.0F}) {
      expect_apart_from_neighbours<2>(method, spread);
      expect_apart_from_neighbours<3>(method, spread);
    }
  }
}

// Whatever the flow: also one that tears apart what was side by side.
template <int D>
void expect_no_extrema() {
  std::mt19937 random(11);
  for (const float spread : {0.5F, 4.0F, 40.0F}) {
    const FlowBox<D> box = random_flow<D>({}, spread, random);
    for (const scene::Advection method : methods) {
      Array<float> values = random_values(box, random);
      const auto [least, most] =
          std::minmax_element(values.begin(), values.end() - static_cast<int>(tile_size<D>));
      const float lowest = *least, highest = *most;
      const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
      const Advected advected{Advected::in_middles, &carried, &values};
      SemiLagrangian<D>(frame<D>, {cells<D>(), {}})
          .carry(box.grid, method, spacing, std::span(&advected, 1));
      box.for_each([&](std::size_t i, const Cell<D>&) {
        EXPECT_GE(values[i], lowest);
        EXPECT_LE(values[i], highest);
      });
    }
  }
}

TEST(SemiLagrangian, makes_nothing_that_was_not_around) {
  expect_no_extrema<2>();
  expect_no_extrema<3>();
}

// A step from 0 to 1: cubic polynomials and corrections would pass both by far.
TEST(SemiLagrangian, keeps_a_step_between_its_sides) {
  const FlowBox<2> box = uniform_flow<2>({0.37, -0.21});
  for (const scene::Advection method : methods) {
    Array<float> values = box.sampled(
        Advected::in_middles, [](const Place<2>& X) { return X[0] > 20 && X[1] > 20 ? 1 : 0; });
    const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
    const Advected advected{Advected::in_middles, &carried, &values};
    SemiLagrangian<2> advection(frame<2>, {cells<2>(), {}});
    for (int step = 0; step < 5; ++step)
      advection.carry(box.grid, method, spacing, std::span(&advected, 1));
    for (const float value : values) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
  }
}

// A plate through the box, to its sides and no further, with 1 on one side of it and 0 on the
// other; what is carried must stay on its side.
template <int D>
void expect_parted(double thickness, double place, const Place<D>& way) {
  constexpr double edge_length = 0.5, size = FlowBox<D>::edge * edge_length;
  const FlowBox<D> box = uniform_flow<D>(way);
  scene::Obstacle plate;
  plate.shape.form = geometry::Box{{0.5 * edge_length * thickness, 0.5 * size, 0.5 * size}};
  plate.shape.translation =
      Vec3(3 + edge_length * place, D == 3 ? -1 + 0.5 * size : 0, 7 + 0.5 * size);
  Sides<D> sides{cells<D>(), {}};
  for (auto& of_axis : sides.is_wall)
    of_axis.fill(true);
  for (const scene::Advection method : methods) {
    SCOPED_TRACE(static_cast<int>(method));
    const auto side = [&](const Place<D>& X) { return X[0] < place ? 1.0 : 0.0; };
    Array<float> values = box.sampled(Advected::in_middles, side);
    const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
    const Advected advected{Advected::in_middles, &carried, &values};
    Screens<D> screens(frame<D>, 0);
    screens.set_obstacles({&plate, 1});
    double squared = 0;
    for (const double cells_along : way)
      squared += cells_along * cells_along;
    screens.look_around(box.grid.tiles, spacing, edge_length * std::sqrt(squared));
    SemiLagrangian<D>(frame<D>, sides)
        .carry(box.grid, method, spacing, std::span(&advected, 1), &screens);
    int compared = 0;
    box.for_each([&](std::size_t i, const Cell<D>& cell) {
      const Place<D> X = box.place(cell, Advected::in_middles);
      if (!box.has(X) || std::abs(X[0] - place) < 0.5 * thickness) return;
      ++compared;
      EXPECT_EQ(values[i], side(X)) << X[0] << ' ' << X[1];
    });
    EXPECT_GT(compared, 50);
  }
}

// Ways of less than a cell and of more, so that they begin where nothing is near; into the sides
// that the plate ends at, behind which there are images of what is beyond it.
TEST(SemiLagrangian, nothing_comes_through_a_plate_nor_around_its_end_at_a_wall) {
  for (const double thickness : {0.01, 0.9}) {
    for (const double along : {0.4, 6.3}) {
      for (const double up : {0.0, 0.4, -0.45}) {
        SCOPED_TRACE(testing::Message() << thickness << ' ' << along << ' ' << up);
        expect_parted<2>(thickness, 10.3, {along, up});
        expect_parted<3>(thickness, 10.3, {along, up, 0.3 * up});
      }
    }
  }
}

TEST(SemiLagrangian, of_any_number_of_threads_gives_the_same_bits) {
  for (const auto integrator : {scene::PathIntegrator::rk2, scene::PathIntegrator::rk3}) {
    for (const scene::Advection method : methods) {
      std::vector<Array<float>> results;
      for (const int threads : {1, 2}) {
        std::mt19937 random(5);
        FlowBox<3> box = random_flow<3>({1.3, -0.4, 2.2}, 2, random);
        Array<float> values = random_values(box, random);
        const Array<std::uint8_t> in_cells = box.inside(Advected::in_middles),
                                  on_faces = box.inside(0);
        const std::vector<Advected> advected{{Advected::in_middles, &in_cells, &values},
                                             {0, &on_faces, box.grid.velocity.data()}};
        SemiLagrangian<3> advection(frame<3>, {cells<3>(), {}}, integrator);
        parallel::ThreadLimit limit(threads);
        limit.run([&] { advection.carry(box.grid, method, spacing, advected); });
        results.push_back(values);
        results.push_back(box.grid.velocity[0]);
      }
      EXPECT_EQ(results[0], results[2]);
      EXPECT_EQ(results[1], results[3]);
    }
  }
}

// Gas that comes in from outside is the layer around, however fast it comes.
TEST(SemiLagrangian, from_outside_comes_the_layer_around) {
  const FlowBox<2> box = uniform_flow<2>({100, 0});
  for (const scene::Advection method : methods) {
    Array<float> values =
        box.sampled(Advected::in_middles, [](const Place<2>& X) { return X[0] < 0 ? 0.25 : 1.0; });
    const Array<std::uint8_t> carried = box.inside(Advected::in_middles);
    const Advected advected{Advected::in_middles, &carried, &values};
    SemiLagrangian<2>(frame<2>, {cells<2>(), {}})
        .carry(box.grid, method, spacing, std::span(&advected, 1));
    box.for_each([&](std::size_t i, const Cell<2>&) {
      if (carried[i] != 0) {
        EXPECT_EQ(values[i], 0.25F);
      }
    });
  }
}

}  // namespace
}  // namespace sluice::fluid::grid
