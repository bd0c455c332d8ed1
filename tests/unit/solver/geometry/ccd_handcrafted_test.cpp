// SPDX-License-Identifier: Apache-2.0
// The handcrafted queries of [Wang2021]: touching, sliding, parallel and degenerate motions, with
// the truth worked out there by symbolic computation.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "solver/certificate/exact_contact.h"
#include "tests/unit/solver/geometry/ccd_data.h"

namespace sluice::test {
namespace {

struct Score {
  int queries = 0, false_positives = 0, false_negatives = 0;
  double seconds = 0;
};

template <typename Meets>
Score score(const char* kind, Meets&& meets) {
  Score result;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SLUICE_TEST_DATA "/ccd/handcrafted")) {
    if (!entry.is_regular_file() || entry.path().parent_path().filename() != kind) continue;
    const auto queries = read_queries(entry.path());
    const auto start = std::chrono::steady_clock::now();
    for (const KnownQuery& query : queries) {
      const bool found = meets(query.points);
      ++result.queries;
      if (found && !query.meets) ++result.false_positives;
      if (!found && query.meets) ++result.false_negatives;
    }
    result.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::cout << kind << ": " << result.queries << " queries, " << result.false_positives
            << " false positives, " << result.seconds / result.queries * 1e6 << " us a query\n";
  return result;
}

certificate::Motion<4> motion(const std::array<Vec3, 8>& p) {
  return {{p[0], p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7]}};
}

TEST(HandcraftedQueries, point_triangle_has_no_false_negative) {
  const Score found = score("vertex-face", [](const auto& points) {
    return geometry::first_contact(point_triangle(points)).has_value();
  });
  EXPECT_EQ(found.queries, 1750);
  EXPECT_EQ(found.false_negatives, 0);
  EXPECT_LE(found.false_positives, 40);  // Measured: gaps at the rounding of the coordinates.
}

TEST(HandcraftedQueries, edge_edge_has_no_false_negative) {
  const Score found = score("edge-edge", [](const auto& points) {
    return geometry::first_contact(edge_edge(points)).has_value();
  });
  EXPECT_EQ(found.queries, 1574);
  EXPECT_EQ(found.false_negatives, 0);
  EXPECT_LE(found.false_positives, 65);  // Measured, as above.
}

// The oracle of the other tests is itself held to the truth here.
TEST(HandcraftedQueries, exact_oracle_agrees) {
  const Score faces = score("vertex-face", [](const auto& points) {
    return certificate::point_meets_triangle(motion(points));
  });
  EXPECT_EQ(faces.false_negatives, 0);
  EXPECT_EQ(faces.false_positives, 0);
  const Score edges = score(
      "edge-edge", [](const auto& points) { return certificate::edge_meets_edge(motion(points)); });
  EXPECT_EQ(edges.false_negatives, 0);
  EXPECT_EQ(edges.false_positives, 0);
}

}  // namespace
}  // namespace sluice::test
