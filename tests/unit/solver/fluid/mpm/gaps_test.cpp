// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/gaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "solver/fluid/mpm/obstacle_links.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid::gaps_test {
namespace {

constexpr float density = 1000;

// The nodes of a tank of 16 x 16 x 16 cells, each with a mass that depends on its place, in cells
// from the tank's corner.
class Nodes {
 public:
  explicit Nodes(int dimensions) : frame_(frame_of(dimensions)) {
    std::vector<Vec3f> places;
    for (float x = 0; x < 16; ++x) {
      for (float y = 0; y < (dimensions == 2 ? 1.0F : 16.0F); ++y) {
        for (float z = 0; z < 16; ++z)
          places.push_back(frame_.lower + cell * Vec3f(x + 0.5F, y + 0.5F, z + 0.5F));
      }
    }
    const std::size_t count = places.size();
    places.emplace_back();  // Places are read by fours of floats.
    ParticleBlocks blocks;
    assign_blocks(frame_, scene::Kernel::quadratic, places, count, blocks);
    grid_.activate(frame_, blocks.blocks);
  }

  void fill(const std::function<double(const Vec3&)>& part) {
    each([&](const Vec3& place, Float4& node) {
      node[3] = static_cast<float>(part(place)) * density * frame_.node_volume();
    });
  }

  void narrow() { Gaps().narrow(frame_, density, ObstacleLinks(frame_, {}), grid_); }

  [[nodiscard]] double part_at(const Vec3& wanted) {
    double found = -1;
    each([&](const Vec3& place, const Float4& node) {
      if ((place - wanted).norm() < 1e-6)
        found = static_cast<double>(node[3] / (density * frame_.node_volume()));
    });
    return found;
  }

  [[nodiscard]] std::vector<float> masses() {
    std::vector<float> all;
    each([&](const Vec3& /*place*/, const Float4& node) { all.push_back(node[3]); });
    return all;
  }

 private:
  static constexpr float cell = 0.02F;

  static GridFrame frame_of(int dimensions) {
    scene::Scene scene =
        test::tank(Vec3::Constant(16 * 0.02), 0.02, test::box({0, 0, 0}, {0.1, 0.1, 0.1}));
    scene.grid.dimensions = dimensions;
    return GridFrame(scene);
  }

  template <typename Visit>
  void each(Visit&& visit) {
    for (std::size_t b = 0; b < grid_.block_count(); ++b) {
      const auto base = frame_.block_base(grid_.keys()[b]);
      for (int n = 0; n < block_nodes; ++n) {
        const auto local = node_of_bit(n);
        const Vec3 place(base[0] + local[0] - GridFrame::wall_lower,
                         base[1] + local[1] - GridFrame::wall_lower,
                         base[2] + local[2] - GridFrame::wall_lower);
        if (frame_.is_flat && place.y() != 0) continue;
        visit(place, grid_.nodes(b)[static_cast<std::size_t>(n)]);
      }
    }
  }

  GridFrame frame_;
  Grid grid_;
};

// The part of a node's quadratic kernel that is below a surface at `depth` cells above the node.
double part_below(double depth) {
  const double a = std::min(std::abs(depth), 1.5);
  const double beside = a < 0.5 ? 0.75 * a - a * a * a / 3 : 0.5 - std::pow(1.5 - a, 3) / 6;
  return 0.5 + std::copysign(beside, depth);
}

class GapsIn : public testing::TestWithParam<int> {};

TEST_P(GapsIn, leave_a_flat_surface_alone_wherever_it_is) {
  for (double height = 6; height < 7; height += 0.01) {
    Nodes nodes(GetParam());
    nodes.fill([&](const Vec3& place) { return part_below(height - place.z()); });
    const std::vector<float> before = nodes.masses();
    nodes.narrow();
    EXPECT_EQ(nodes.masses(), before) << height;
  }
}

TEST_P(GapsIn, leave_a_drop_and_a_film_alone) {
  Nodes nodes(GetParam());
  nodes.fill([](const Vec3& place) {
    const double film = part_below(0.5 - place.z());
    // Particles that fill one cell, from node 8 to 9.
    const double from = std::max(std::abs(place.x() - 8.5), std::abs(place.z() - 8.5));
    return film + (from < 1 ? 0.44 : (from < 2 ? 0.1 : 0));
  });
  const std::vector<float> before = nodes.masses();
  nodes.narrow();
  EXPECT_EQ(nodes.masses(), before);
}

// Symptom: poured water stayed as foam of half its density.
TEST_P(GapsIn, narrow_holes_of_up_to_three_cells) {
  const double y = GetParam() == 2 ? 0 : 8;
  const Vec3 middle(8, y, 8);
  for (const double radius : {0.1, 1.1}) {
    Nodes nodes(GetParam());
    const auto is_in_hole = [&](const Vec3& place) {
      return (place - middle).cwiseAbs().maxCoeff() < radius;
    };
    nodes.fill([&](const Vec3& place) { return is_in_hole(place) ? 0.1 : 1; });
    nodes.narrow();
    for (const double x : {0.0, radius - 0.1}) {
      const double part = nodes.part_at(middle + Vec3(x, 0, 0));
      EXPECT_GT(part, 1 / 1.1) << "the feedback would take it for a surface";
      EXPECT_LT(part, 1) << "it would not be closed";
    }
    EXPECT_EQ(nodes.part_at(middle + Vec3(3, 0, 0)), 1);
  }
  // A larger gap is a bubble and has a surface.
  Nodes nodes(GetParam());
  nodes.fill(
      [&](const Vec3& place) { return (place - middle).cwiseAbs().maxCoeff() < 3.1 ? 0.04 : 1; });
  nodes.narrow();
  EXPECT_NEAR(nodes.part_at(middle), 0.04, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, GapsIn, testing::Values(2, 3));

}  // namespace
}  // namespace sluice::fluid::gaps_test
