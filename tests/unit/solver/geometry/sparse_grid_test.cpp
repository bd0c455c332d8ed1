// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/sparse_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "solver/parallel/thread_limit.h"

namespace sluice::geometry {
namespace {

using Random = std::mt19937_64;

Vec3 uniform_point(Random& random, double size) {
  std::uniform_real_distribution<double> uniform{-size, size};
  return {uniform(random), uniform(random), uniform(random)};
}

std::vector<Bounds> random_boxes(Random& random, std::size_t count, double spread, double smallest,
                                 double largest) {
  std::uniform_real_distribution<double> exponent{std::log(smallest), std::log(largest)};
  std::vector<Bounds> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 center = uniform_point(random, spread);
    const Vec3 half = std::exp(exponent(random)) * uniform_point(random, 1).cwiseAbs();
    boxes.push_back({center - half, center + half});
  }
  return boxes;
}

bool overlap(const Bounds& a, const Bounds& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

// Oracle: every pair is looked at.
void expect_all_overlaps_once(const std::vector<Bounds>& boxes, const std::vector<Bounds>& queries,
                              const SparseGrid::Settings& settings) {
  std::set<std::pair<int, int>> expected;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    for (std::size_t j = 0; j < boxes.size(); ++j) {
      if (overlap(queries[i], boxes[j])) expected.insert({int(i), int(j)});
    }
  }
  SparseGrid grid;
  grid.build(boxes, settings);
  std::vector<BoxPair> pairs;
  grid.query(
      std::int64_t(queries.size()), [&](std::int64_t i) { return queries[std::size_t(i)]; }, pairs);
  std::set<std::pair<int, int>> found;
  for (const BoxPair& pair : pairs)
    found.insert({pair.query, pair.box});
  EXPECT_EQ(found.size(), pairs.size());  // None twice.
  EXPECT_EQ(found, expected);
}

TEST(SparseGrid, FindsEveryOverlapOnce) {
  Random random{1};
  const struct {
    const char* what;
    double spread, smallest, largest, query_smallest, query_largest;
    SparseGrid::Settings settings;
  } cases[] = {
      {"particles among cloth triangles", 1, 0.02, 0.03, 0.001, 0.01, {}},
      {"boxes of all sizes", 1, 1e-5, 1, 1e-5, 1, {}},
      {"a fixed cell edge, finer and coarser boxes", 1, 1e-3, 0.3, 1e-3, 0.3, {0.1, 3}},
      {"one level", 1, 0.01, 0.2, 0.01, 0.2, {0, 1}},
      {"tiny boxes far apart", 1e9, 1e-6, 1e-3, 1, 1e8, {}},
      {"queries much larger than boxes", 1, 1e-3, 2e-3, 0.5, 1, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    expect_all_overlaps_once(
        random_boxes(random, 1500, c.spread, c.smallest, c.largest),
        random_boxes(random, 1500, c.spread, c.query_smallest, c.query_largest), c.settings);
  }
}

TEST(SparseGrid, FindsBoxesThatOnlyTouch) {
  // Lattice boxes share faces, edges and corners, exactly at block borders.
  Random random{1};
  std::uniform_int_distribution<int> small{0, 8};
  const auto lattice = [&] {
    std::vector<Bounds> boxes;
    for (int i = 0; i < 400; ++i) {
      const Vec3 lower{small(random) / 8.0, small(random) / 8.0, small(random) / 8.0};
      boxes.push_back({lower, lower + Vec3{small(random) / 8.0, small(random) / 8.0, 0}});
    }
    return boxes;
  };
  expect_all_overlaps_once(lattice(), lattice(), {});
  expect_all_overlaps_once(lattice(), lattice(), {0.125, 1});
  const Bounds point{Vec3::Ones(), Vec3::Ones()};
  expect_all_overlaps_once({point, point}, {point}, {});
}

TEST(SparseGrid, AnswersQueriesThatAreEmptyInfiniteOrNotNumbers) {
  SparseGrid grid;
  std::vector<BoxPair> pairs;
  const double infinity = std::numeric_limits<double>::infinity();
  const Bounds all{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  const auto ask = [&](const Bounds& box) {
    grid.query(1, [&](std::int64_t) { return box; }, pairs);
    return pairs.size();
  };
  EXPECT_EQ(ask(all), 0U);
  grid.build({}, {});
  EXPECT_EQ(ask(all), 0U);
  Random random{1};
  grid.build(random_boxes(random, 100, 1, 0.01, 1), {});
  EXPECT_EQ(ask(all), 100U);
  EXPECT_EQ(ask({Vec3::Constant(std::nan("")), Vec3::Constant(std::nan(""))}), 0U);
  EXPECT_EQ(ask({Vec3::Constant(5e300), Vec3::Constant(6e300)}), 0U);
}

TEST(SparseGrid, GivesTheSamePairsInTheSameOrderForAnyThreadCountAndReuse) {
  Random random{1};
  const auto boxes = random_boxes(random, 20'000, 1, 0.01, 0.03);
  const auto queries = random_boxes(random, 50'000, 1, 0.001, 0.01);
  const auto pairs_with = [&](int threads, SparseGrid& grid) {
    std::vector<BoxPair> pairs;
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      grid.build(boxes, {});
      grid.query(
          std::int64_t(queries.size()), [&](std::int64_t i) { return queries[std::size_t(i)]; },
          pairs);
    });
    return pairs;
  };
  SparseGrid fresh, used;
  const auto expected = pairs_with(1, fresh);
  used.build(random_boxes(random, 300, 2, 0.1, 0.3), {});
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(pairs_with(4, used) == expected);
}

}  // namespace
}  // namespace sluice::geometry
