// SPDX-License-Identifier: Apache-2.0
// Against the system with bodies, from its definition.
#include "solver/fluid/pressure/tied_surfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "solver/fluid/pressure/multigrid.h"
#include "tests/unit/solver/fluid/pressure/random_system.h"

namespace sluice::fluid::grid::tied_surfaces_test {
namespace {

// Bodies that unknowns here and there press on: the first on two alone, which see two of its
// motions. `apart` is how many unknowns there are from one to the next: less than 50, and some
// press on two.
template <int D>
class Bodies {
 public:
  Bodies(const PoissonSystem<D>& system, std::ptrdiff_t apart) : system_(&system) {
    std::vector<std::uint32_t> unknowns;
    for (std::uint32_t i = 0; i < system.tiles().count() * tile_size<D>; ++i) {
      if (system.is_unknown(i / tile_size<D>, i % tile_size<D>)) unknowns.push_back(i);
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<double> value(-1, 1);
    std::shuffle(unknowns.begin(), unknowns.end(), random);
    for (std::size_t b = 0; b < cells_.size(); ++b) {
      const auto first = unknowns.begin() + apart * static_cast<std::ptrdiff_t>(b);
      cells_[b].assign(first, first + (b == 0 ? 2 : 50));
      for (std::size_t n = 0; n < cells_[b].size(); ++n) {
        Motion& row = rows_[b].emplace_back();
        for (const std::size_t i : {0, 1, 2, 3, 4, 5}) {
          const bool is_in_plane = i == 0 || i == 2 || i == 4;
          row[i] = D == 3 || is_in_plane ? value(random) : 0;
        }
      }
      ties.push_back({cells_[b], rows_[b], 3.0, 2 * Mat3::Identity()});
    }
  }

  // (A + K^T R K) x
  [[nodiscard]] std::vector<double> apply(const Array<float>& x) const {
    std::vector<double> image(x.size(), 0);
    system_->apply(x, image);
    for (const RigidTie& tie : ties) {
      Motion pressed{};
      for (std::size_t n = 0; n < tie.cells.size(); ++n) {
        for (std::size_t i = 0; i < pressed.size(); ++i)
          pressed[i] += tie.rows[n][i] * static_cast<double>(x[tie.cells[n]]);
      }
      for (std::size_t n = 0; n < tie.cells.size(); ++n) {
        for (std::size_t i = 0; i < pressed.size(); ++i)
          image[tie.cells[n]] += tie.rows[n][i] * (i < 3 ? 3.0 : 2.0) * pressed[i];
      }
    }
    return image;
  }

  std::vector<RigidTie> ties;

 private:
  const PoissonSystem<D>* system_;
  std::array<std::vector<std::uint32_t>, 3> cells_;
  std::array<std::vector<Motion>, 3> rows_;
};

template <int D>
Array<float> random_residual(const PoissonSystem<D>& system, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  Array<float> r(system.tiles().array_size(), 0);
  for (std::size_t i = 0; i < system.tiles().count() * tile_size<D>; ++i) {
    if (system.is_unknown(i / tile_size<D>, i % tile_size<D>)) r[i] = value(random);
  }
  return r;
}

double dot(const Array<float>& a, const Array<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// Exact where no unknown presses on two bodies.
template <int D>
void expect_symmetric(const PoissonSystem<D>& system, bool is_exact) {
  const Bodies<D> bodies(system, is_exact ? 50 : 30);
  Multigrid<D> multigrid(system);
  TiedSurfaces<D> surfaces(system, bodies.ties);
  std::vector<Array<float>> r, z;
  for (unsigned n = 0; n < 3; ++n) {
    r.push_back(random_residual(system, n));
    z.emplace_back(r.back().size(), 0.0F);
    surfaces.apply(r[n], z[n],
                   [&](std::span<const float> b, std::span<float> x) { multigrid.apply(b, x); });
    const std::vector<double> image = bodies.apply(z[n]);
    for (const RigidTie& tie : bodies.ties) {
      for (std::size_t i = 0; is_exact && i < 6; ++i) {
        double left = 0, sum = 0;
        for (std::size_t c = 0; c < tie.cells.size(); ++c) {
          const std::uint32_t index = tie.cells[c];
          const auto* const general = system.general(index / tile_size<D>);
          const double mode =
              tie.rows[c][i] *
              static_cast<double>(general == nullptr
                                      ? 1.0F / static_cast<float>(side_count<D>)
                                      : general->inverse_diagonal(index % tile_size<D>));
          left += mode * (static_cast<double>(r[n][index]) - image[index]);
          sum += std::abs(mode * image[index]);
        }
        EXPECT_NEAR(left, 0, 1e-4 * sum + 1e-12) << i;
      }
    }
    EXPECT_GT(dot(r[n], z[n]), 0);
    for (unsigned m = 0; m < n; ++m) {
      const double scale = std::sqrt(dot(r[n], z[n]) * dot(r[m], z[m]));
      EXPECT_NEAR(dot(r[n], z[m]), dot(r[m], z[n]), 1e-5 * scale);
    }
  }
}

TEST(TiedSurfaces, leave_no_residual_that_bodies_see_and_are_symmetric) {
  for (const bool is_exact : {true, false}) {
    expect_symmetric(random_system<2>(9, {}, 4), is_exact);
    expect_symmetric(random_system<3>(6, {}, 5), is_exact);
  }
}

}  // namespace
}  // namespace sluice::fluid::grid::tied_surfaces_test
