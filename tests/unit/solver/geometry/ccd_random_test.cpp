// SPDX-License-Identifier: Apache-2.0
// Random motions of every awkward kind, against exact arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "solver/certificate/exact_contact.h"
#include "solver/geometry/ccd.h"
#include "tests/unit/solver/geometry/ccd_motions.h"

namespace sluice::geometry {
namespace {

using certificate::Motion;
using test::Kind;
using test::kinds;
using test::Random;

class RandomMotion : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, RandomMotion, testing::ValuesIn(kinds),
                         [](const auto& kind) { return "kind_" + std::to_string(kind.index); });

struct PointTriangle {
  static std::optional<double> solve(const Motion<4>& m) {
    return first_contact(PointTriangleMotion{m.start[0], m.start[1], m.start[2], m.start[3],
                                             m.end[0], m.end[1], m.end[2], m.end[3]});
  }
  static constexpr auto meets_until = certificate::point_meets_triangle_until;
};

struct EdgeEdge {
  static std::optional<double> solve(const Motion<4>& m) {
    return first_contact(EdgeEdgeMotion{m.start[0], m.start[1], m.start[2], m.start[3], m.end[0],
                                        m.end[1], m.end[2], m.end[3]});
  }
  static constexpr auto meets_until = certificate::edge_meets_edge_until;
};

template <typename Pair>
void expect_lower_bounds(const Kind& kind) {
  Random random{1};
  int contacts = 0, false_positives = 0, early = 0;
  constexpr int query_count = 400;
  for (int i = 0; i < query_count; ++i) {
    const Motion<4> motion = kind.make(random);
    const bool meets = Pair::meets_until(motion, 1);
    const std::optional<double> time = Pair::solve(motion);
    ASSERT_TRUE(time || !meets) << "missed a contact, query " << i;
    if (!time) continue;
    ASSERT_TRUE(*time >= 0 && *time <= 1);
    if (!meets) {
      ++false_positives;
      continue;
    }
    ++contacts;
    // Later than the first contact by no ulp at all.
    if (*time > 0) {
      ASSERT_FALSE(Pair::meets_until(motion, std::nextafter(*time, 0))) << "too late, query " << i;
    }
    if (!Pair::meets_until(motion, std::min(1.0, 1.001 * *time + 1e-9))) ++early;
  }
  std::cout << contacts << " contacts, " << early << " of them early by more than 0.1 %, "
            << false_positives << " false positives\n";
}

TEST_P(RandomMotion, point_triangle_time_is_a_lower_bound) {
  expect_lower_bounds<PointTriangle>(GetParam());
}

TEST_P(RandomMotion, edge_edge_time_is_a_lower_bound) { expect_lower_bounds<EdgeEdge>(GetParam()); }

TEST(FirstContact, is_where_the_hand_worked_one_is) {
  PointTriangleMotion motion{{0.25, 0.25, 1},  {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                             {0.25, 0.25, -3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto time = first_contact(motion);
  ASSERT_TRUE(time);
  EXPECT_NEAR(*time, 0.25, 1e-12);
  EXPECT_LE(*time, 0.25);
  motion.p_t1.z() = 0.0;  // Touches at the very end.
  EXPECT_TRUE(first_contact(motion));
  motion.p_t1.z() = std::nextafter(0.0, 1);  // Stops short of it.
  EXPECT_FALSE(first_contact(motion));
  motion.p_t0 = motion.p_t1 = {0.25, 0.25, 0};  // Touches throughout.
  EXPECT_EQ(first_contact(motion), 0.0);
}

TEST(FirstContact, never_denies_a_contact_when_numbers_overflow) {
  const double huge = 1e300;
  const PointTriangleMotion motion{{0, 0, huge},     {-huge, -huge, 0}, {huge, -huge, 0},
                                   {0, huge, 0},     {0, 0, -huge},     {-huge, -huge, 0},
                                   {huge, -huge, 0}, {0, huge, 0}};
  EXPECT_TRUE(first_contact(motion));
}

}  // namespace
}  // namespace sluice::geometry
