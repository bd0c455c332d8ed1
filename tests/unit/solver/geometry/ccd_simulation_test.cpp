// SPDX-License-Identifier: Apache-2.0
// Every pair that a simulator asks about in one step, with the exact truth of all of them: of a
// cloth pulled through a funnel; and of one wrapped around a ball (7 million pairs).
#include <gtest/gtest.h>

#include "solver/geometry/ccd_batch.h"
#include "tests/unit/solver/geometry/ccd_step.h"

namespace sluice::test {
namespace {

using Pair = SimulatedStep::Pair;

void expect_no_false_negative(const std::vector<Pair>& pairs, const std::vector<double>& times,
                              const Collisions& collisions, int false_positives_allowed) {
  std::size_t true_positives = 0;
  int false_positives = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_found = times[i] <= 1;
    if (!is_found) continue;
    collisions.contains({pairs[i].first, pairs[i].second}) ? ++true_positives : ++false_positives;
  }
  EXPECT_EQ(true_positives, collisions.size());
  EXPECT_LE(false_positives, false_positives_allowed);
}

// What is expected of a step: its pairs, and how many of them may be found without colliding.
struct Expected {
  std::size_t vertex_face_pairs, edge_edge_pairs;
  int vertex_face_false_positives, edge_edge_false_positives;
};

void expect_no_false_negative(const SimulatedStep& step, const Expected& expected) {
  const geometry::MovingPoints vertices{step.vertices_t0(), step.vertices_t1()};
  {
    const std::vector<Pair> pairs = step.vertex_face_pairs();
    EXPECT_EQ(pairs.size(), expected.vertex_face_pairs);
    std::vector<double> times(pairs.size());
    geometry::first_contacts(vertices, vertices, step.triangles(), pairs, 0, times);
    expect_no_false_negative(pairs, times, step.vertex_face_collisions(),
                             expected.vertex_face_false_positives);
  }
  const std::vector<Pair> pairs = step.edge_edge_pairs();
  EXPECT_EQ(pairs.size(), expected.edge_edge_pairs);
  std::vector<double> times(pairs.size());
  geometry::first_contacts(vertices, step.edges(), pairs, 0, times);
  expect_no_false_negative(pairs, times, step.edge_edge_collisions(),
                           expected.edge_edge_false_positives);
}

TEST(SimulationQueries, of_a_funnel_have_no_false_negative) {
  expect_no_false_negative(SimulatedStep(SLUICE_TEST_DATA "/ccd/simulation", cloth_funnel),
                           {7319, 33770, 0, 0});
}

TEST(SimulationQueries, of_a_ball_have_no_false_negative) {
  expect_no_false_negative(
      SimulatedStep(SLUICE_TEST_DATA "/ccd/simulation", cloth_ball),
      {1'655'541, 5'197'332, 0, 1});  // One gap at the rounding of the coordinates.
}

}  // namespace
}  // namespace sluice::test
