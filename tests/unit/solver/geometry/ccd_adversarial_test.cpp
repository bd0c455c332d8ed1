// SPDX-License-Identifier: Apache-2.0
// Does what ccd_random_test does, with as many queries as SLUICE_CCD_QUERIES says (a share of them
// without it) and SLUICE_CCD_SEED: no contact is missed, and no time is too late, by exact
// arithmetic. That is asked only where a second rigorous method does not know.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>

#include "solver/certificate/exact_contact.h"
#include "solver/geometry/ccd.h"
#include "solver/parallel/parallel_reduce.h"
#include "tests/certificate/sure_separation.h"
#include "tests/unit/solver/geometry/ccd_motions.h"

namespace sluice::test {
namespace {

std::int64_t parameter(const char* name, std::int64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::stoll(given);
}

struct Tally {
  std::int64_t queries = 0, exact = 0, hits = 0, missed = 0, late = 0;
  std::int64_t first_failure = -1;

  friend Tally operator+(Tally a, const Tally& b) {
    a.queries += b.queries;
    a.exact += b.exact;
    a.hits += b.hits;
    a.missed += b.missed;
    a.late += b.late;
    if (a.first_failure < 0) a.first_failure = b.first_failure;
    return a;
  }
};

void check(std::int64_t query, const Motion<4>& motion, std::optional<double> time,
           bool (*is_surely_apart)(const Motion<4>&), bool (*meets_until)(const Motion<4>&, double),
           Tally& tally) {
  ++tally.queries;
  bool is_wrong = false;
  if (time) {
    ++tally.hits;
    if (*time > 0) {
      ++tally.exact;
      is_wrong = meets_until(motion, std::nextafter(*time, 0));
      tally.late += is_wrong;
    }
  } else if (!is_surely_apart(motion)) {
    ++tally.exact;
    is_wrong = meets_until(motion, 1);
    tally.missed += is_wrong;
  }
  if (is_wrong && tally.first_failure < 0) tally.first_failure = query;
}

TEST(Adversarial, queries_are_never_missed_nor_late) {
  const std::int64_t count = parameter("SLUICE_CCD_QUERIES", 500'000);
  const auto seed = static_cast<std::uint64_t>(parameter("SLUICE_CCD_SEED", 7));
  constexpr std::int64_t grain = 250;
  constexpr auto kind_count = static_cast<std::int64_t>(std::size(kinds));
  const Tally tally = parallel::parallel_reduce(
      0, count, grain, Tally{},
      [&](std::int64_t first, std::int64_t last) {
        Random random{seed + static_cast<std::uint64_t>(first)};
        Tally part;
        for (std::int64_t i = first; i < last; ++i) {
          const Motion<4> m = kinds[i / 2 % kind_count].make(random);
          if (i % 2 == 0) {
            const auto time = geometry::first_contact(
                geometry::PointTriangleMotion{m.start[0], m.start[1], m.start[2], m.start[3],
                                              m.end[0], m.end[1], m.end[2], m.end[3]});
            check(i, m, time, certificate::point_is_surely_apart,
                  certificate::point_meets_triangle_until, part);
          } else {
            const auto time = geometry::first_contact(
                geometry::EdgeEdgeMotion{m.start[0], m.start[1], m.start[2], m.start[3], m.end[0],
                                         m.end[1], m.end[2], m.end[3]});
            check(i, m, time, certificate::edge_is_surely_apart, certificate::edge_meets_edge_until,
                  part);
          }
        }
        return part;
      },
      [](const Tally& a, const Tally& b) { return a + b; });
  std::cout << tally.queries << " queries, " << tally.hits << " with a time, " << tally.exact
            << " decided by exact arithmetic\n";
  EXPECT_EQ(tally.queries, count);
  EXPECT_EQ(tally.missed, 0) << "query " << tally.first_failure;
  EXPECT_EQ(tally.late, 0) << "query " << tally.first_failure;
}

// The method that spares the exact one is itself held against it.
TEST(Adversarial, surely_apart_is_apart) {
  Random random{8};
  int known = 0, apart = 0;
  for (int i = 0; i < 3400; ++i) {
    const Motion<4> motion = kinds[static_cast<std::size_t>(i) % std::size(kinds)].make(random);
    const bool meets = certificate::point_meets_triangle(motion);
    const bool edges_meet = certificate::edge_meets_edge(motion);
    const bool is_known = certificate::point_is_surely_apart(motion);
    ASSERT_FALSE(meets && is_known);
    ASSERT_FALSE(edges_meet && certificate::edge_is_surely_apart(motion));
    apart += meets ? 0 : 1;
    known += is_known ? 1 : 0;
  }
  EXPECT_GT(known, apart / 2) << "of " << apart;
}

}  // namespace
}  // namespace sluice::test
