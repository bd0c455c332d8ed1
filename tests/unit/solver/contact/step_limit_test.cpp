// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/step_limit.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/unit/solver/contact/contact_pairs.h"

namespace sluice::contact {
namespace {

TEST(LargestStep, is_nine_tenths_of_the_way_to_the_first_contact) {
  // Two points fall on a triangle from 1 m and 2 m, by 4 m.
  const std::vector<Vec3> x{{0.2, 0.2, 1}, {0.2, 0.3, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3> way(5, Vec3::Zero());
  way[0] = way[1] = {0, 0, -4};
  const std::array<ContactPair, 2> pairs{ContactPair{PairKind::point_triangle, {1, 2, 3, 4}},
                                         ContactPair{PairKind::point_triangle, {0, 2, 3, 4}}};
  EXPECT_NEAR(largest_step(pairs, x, way, 1), 0.9 * 0.25, 3e-4);
  EXPECT_NEAR(largest_step({pairs.data(), 1}, x, way, 1), 0.9 * 0.5, 6e-4);
  way[0] = way[1] = {0, 0, -0.9};
  EXPECT_EQ(largest_step(pairs, x, way, 1), 1);
  EXPECT_EQ(largest_step({}, x, way, 1), 1);
  EXPECT_NEAR(largest_step(pairs, x, way, 3), 0.9 / 0.9, 1e-3);  // It would touch at 1 / 0.9.
}

TEST(LargestStep, keeps_edges_from_crossing) {
  const std::vector<Vec3> x{{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
  const std::vector<Vec3> way{{0, 0, -5}, {0, 0, -5}, {0, 0, 0}, {0, 0, 0}};
  const std::array<ContactPair, 1> pairs{ContactPair{PairKind::edge_edge, {0, 1, 2, 3}}};
  EXPECT_NEAR(largest_step(pairs, x, way, 1), 0.9 * 0.2, 3e-4);
}

TEST(IsClear, is_so_up_to_the_contact) {
  std::vector<Vec3> x{{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, end = x;
  const std::array<ContactPair, 1> pairs{ContactPair{PairKind::point_triangle, {0, 1, 2, 3}}};
  end[0].z() = 1e-9;
  EXPECT_TRUE(is_clear(pairs, x, end));
  end[0].z() = 0;  // Touching counts.
  EXPECT_FALSE(is_clear(pairs, x, end));
  end[0].z() = -1;
  EXPECT_FALSE(is_clear(pairs, x, end));
}

// Whatever goes where: at no part of the step do the pairs touch, as their gaps along it say.
TEST(LargestStep, leaves_a_gap_all_along) {
  PairSampler sampler(6);
  int shortened = 0;
  for (int i = 0; i < 2'000; ++i) {
    const PairKind kind = i % 2 == 0 ? PairKind::point_triangle : PairKind::edge_edge;
    const PlacedPair placed = sampler.close(kind, 1e-2);
    const std::vector<Vec3> x(placed.x.begin(), placed.x.end());
    std::vector<Vec3> way;
    for (int k = 0; k < 4; ++k)
      way.push_back(0.05 * sampler.point());
    const double step = largest_step({&placed.pair, 1}, x, way, 1);
    shortened += step < 1 ? 1 : 0;
    for (int k = 0; k <= 64; ++k) {
      geometry::PairPoints at = placed.x;
      for (std::size_t p = 0; p < 4; ++p)
        at[p] += k / 64.0 * step * way[p];
      ASSERT_GT(distance_of(kind, at).squared, 1e-10) << i;
    }
  }
  EXPECT_GT(shortened, 200);
}

}  // namespace
}  // namespace sluice::contact
