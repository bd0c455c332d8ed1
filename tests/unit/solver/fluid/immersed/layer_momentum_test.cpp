// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/layer_momentum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace sluice::fluid::grid::layer_momentum_test {
namespace {

constexpr double mass_of_face = 0.7;  // [kg]

template <int D>
struct Dimensions {
  static constexpr int value = D;
};

// Liquid at random speeds, and what pressure made of them.
template <typename T>
class LayerMomentumTest : public testing::Test {
 protected:
  static constexpr int D = T::value;
  using Faces = typename MacGrid<D>::template Faces<float>;

  void SetUp() override {
    Cell<D> other{};
    other[0] = 1;
    grid_.tiles = Tiles<D>({Cell<D>{}, other});
    const std::size_t size = grid_.tiles.array_size();
    grid_.distance.assign(size, -1);
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (Array<float>* values :
           {&before_[axis], &after_[axis], &grid_.open[axis], &weights_[axis]})
        values->assign(size, 0);
      for (std::size_t face = 0; face < size; ++face) {
        before_[axis][face] = number(-1, 1);
        after_[axis][face] = before_[axis][face] + number(-0.02F, 0.05F);
        grid_.open[axis][face] = number(0, 1);
        weights_[axis][face] = number(0.1F, 1);
      }
    }
  }

  // All faces of a block that begins in the first tile and ends in the other one.
  void take(std::size_t body, const Vec3& centre) {
    grid_.velocity = before_;
    Cell<D> cell;
    for (int n = 0; n < 64; ++n) {
      cell.fill(3);
      cell[0] = tile_edge<D> - 2 + n % 4;
      cell[1] += n / 4 % 4;
      cell[D - 1] += n / 16;
      for (std::size_t axis = 0; axis < D; ++axis)
        layers_.take(body, frame_, cell, axis, centre, grid_);
    }
  }

  void add(const std::vector<typename LayerMomentum<D>::Body>& bodies) {
    grid_.velocity = after_;
    layers_.add(bodies, weights_, mass_of_face, grid_);
  }

  // About `centre`, the momentum that particles got less the one that open parts of faces did.
  [[nodiscard]] std::array<double, 6> beyond_pressure(const Vec3& centre) const {
    std::array<double, 6> sum{};
    for (std::size_t axis = 0; axis < D; ++axis) {
      for (std::size_t face = 0; face < 2 * tile_size<D>; ++face) {
        Vec<D> within = Vec<D>::Constant(0.5F);
        within[static_cast<int>(axis)] = 0;
        const Cell<D> cell = grid_.tiles.cell(face);
        if (!is_taken(cell)) continue;
        const Vec3 arm = frame_.place(cell, within, centre[1]) - centre;
        const auto start = static_cast<double>(before_[axis][face]);
        const double momentum = static_cast<double>(weights_[axis][face]) *
                                    (static_cast<double>(grid_.velocity[axis][face]) - start) -
                                mass_of_face * static_cast<double>(grid_.open[axis][face]) *
                                    (static_cast<double>(after_[axis][face]) - start);
        const Vec3 along = momentum * Vec3::Unit(world_axis<D>(static_cast<int>(axis)));
        const Vec3 turn = arm.cross(along);
        for (int i = 0; i < 3; ++i) {
          sum[static_cast<std::size_t>(i)] += along[i];
          sum[static_cast<std::size_t>(i) + 3] += turn[i];
        }
      }
    }
    return sum;
  }

  [[nodiscard]] float number(float least, float most) {
    return std::uniform_real_distribution<float>(least, most)(random_);
  }

  std::mt19937 random_{7};
  CellFrame<D> frame_{0.1F, Vec3f(-0.3F, 0.2F, -1)};
  MacGrid<D> grid_;
  LayerMomentum<D> layers_;
  Faces before_, after_, weights_;

 private:
  [[nodiscard]] static bool is_taken(const Cell<D>& cell) {
    for (int n = 0; n < 64; ++n) {
      Cell<D> taken;
      taken.fill(3);
      taken[0] = tile_edge<D> - 2 + n % 4;
      taken[1] += n / 4 % 4;
      taken[D - 1] += n / 16;
      if (taken == cell) return true;
    }
    return false;
  }
};

using Both = testing::Types<Dimensions<2>, Dimensions<3>>;
TYPED_TEST_SUITE(LayerMomentumTest, Both);

constexpr Motion still{};

// Particles get what pressure gives to the open parts of faces, and what is owed besides.
TYPED_TEST(LayerMomentumTest, is_what_pressure_gives_and_what_is_owed) {
  const Vec3 centre(0.4, 0.7, -0.5);
  this->take(0, centre);
  this->layers_.share_out();
  // In the plane: across it nothing turns.
  const Motion owed{0.02, 0, -0.03, 0, 0.004, 0};
  this->add({{still, owed}});
  const std::array<double, 6> beyond = this->beyond_pressure(centre);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(beyond[i], owed[i], 2e-6) << i;
}

// Two bodies that take the same faces do not give them all twice.
TYPED_TEST(LayerMomentumTest, is_shared_out_between_bodies) {
  const Vec3 centre(0.4, 0.7, -0.5);
  this->take(1, centre);
  this->take(0, centre);
  this->take(0, centre);
  this->layers_.share_out();
  this->add({{still, still}, {still, still}});
  const std::array<double, 6> beyond = this->beyond_pressure(centre);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(beyond[i], 0, 2e-6) << i;
}

// Thrown at a layer, whatever momentum makes it no faster than a part of its own speed by the body;
// and a layer that goes with its body gets none.
TYPED_TEST(LayerMomentumTest, is_slow_next_to_the_flow) {
  for (auto& of_axis : this->after_)
    of_axis.assign(of_axis.size(), 0.5F);
  this->take(0, Vec3::Zero());
  this->layers_.share_out();
  for (const double by : {0.0, 0.2}) {
    this->add({{Motion{0.5 - by, 0.5 - by, 0.5 - by, 0, 0, 0}, Motion{1e6, 2e6, 0, 3e5, 0, 0}}});
    double fastest = 0;
    for (std::size_t axis = 0; axis < TestFixture::D; ++axis) {
      for (const float velocity : this->grid_.velocity[axis])
        fastest = std::max(fastest, std::abs(static_cast<double>(velocity) - 0.5));
    }
    EXPECT_NEAR(fastest, 0.1 * by, 1e-6);
  }
}

TYPED_TEST(LayerMomentumTest, is_taken_off_to_the_last_bit) {
  this->take(0, Vec3::Zero());
  this->layers_.share_out();
  this->add({{still, Motion{0.1, 0, 0, 0, 0, 0}}});
  const auto same = [&] {
    for (std::size_t axis = 0; axis < TestFixture::D; ++axis) {
      if (!std::ranges::equal(this->grid_.velocity[axis], this->after_[axis])) return false;
    }
    return true;
  };
  EXPECT_FALSE(same());
  this->layers_.remove(this->grid_);
  EXPECT_TRUE(same());
}

}  // namespace
}  // namespace sluice::fluid::grid::layer_momentum_test
