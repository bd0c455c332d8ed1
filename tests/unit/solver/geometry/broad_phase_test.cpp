// SPDX-License-Identifier: Apache-2.0
// Oracle: every pair is looked at.
#include "solver/geometry/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "solver/geometry/bvh.h"
#include "solver/geometry/morton_order.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::geometry {
namespace {

using Random = std::mt19937_64;
using Boxes = std::vector<Bounds>;
using Pairs = std::vector<BoxPair>;

Vec3 uniform_point(Random& random, double size) {
  std::uniform_real_distribution<double> uniform{-size, size};
  return {uniform(random), uniform(random), uniform(random)};
}

// Extents are spread evenly in their logarithm.
Boxes random_boxes(Random& random, std::size_t count, double spread, double smallest,
                   double largest, const Vec3& center = Vec3::Zero()) {
  std::uniform_real_distribution<double> exponent{std::log(smallest), std::log(largest)};
  Boxes boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 middle = center + uniform_point(random, spread);
    const Vec3 half = std::exp(exponent(random)) * uniform_point(random, 1).cwiseAbs();
    boxes.push_back({middle - half, middle + half});
  }
  return boxes;
}

// Boxes in clusters, whose sizes and distances apart differ a thousandfold from cluster to cluster.
Boxes clustered_boxes(Random& random, std::size_t count) {
  Boxes boxes;
  for (int cluster = 0; cluster < 10; ++cluster) {
    const double size = std::pow(10.0, -cluster % 4);
    const Boxes more =
        random_boxes(random, count / 10, size, 0.01 * size, 0.3 * size, uniform_point(random, 20));
    boxes.insert(boxes.end(), more.begin(), more.end());
  }
  return boxes;
}

// Share faces, edges and corners, and are flat.
Boxes lattice_boxes(Random& random) {
  std::uniform_int_distribution<int> small{0, 8};
  Boxes boxes;
  for (int i = 0; i < 500; ++i) {
    const Vec3 lower{small(random) / 8.0, small(random) / 8.0, small(random) / 8.0};
    boxes.push_back({lower, lower + Vec3{small(random) / 8.0, small(random) / 8.0, 0}});
  }
  return boxes;
}

bool touch(const Bounds& a, const Bounds& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

template <BroadPhase Phase>
Pairs overlaps(const Phase& phase, const Boxes& queries) {
  parallel::Collector<BoxPair> collector;
  Pairs pairs;
  find_overlaps(
      phase, std::int64_t(queries.size()), [&](std::int64_t i) { return queries[std::size_t(i)]; },
      collector, pairs);
  return pairs;
}

template <BroadPhase Phase>
Pairs own_pairs(const Phase& phase) {
  parallel::Collector<BoxPair> collector;
  Pairs pairs;
  find_pairs(phase, [](std::int32_t, std::int32_t) { return true; }, collector, pairs);
  return pairs;
}

// The pairs as a set; no pair may come twice.
std::set<std::pair<int, int>> unique(const Pairs& pairs) {
  std::set<std::pair<int, int>> set;
  for (const auto& [first, second] : pairs)
    EXPECT_TRUE(set.insert({first, second}).second) << first << " with " << second << " twice";
  return set;
}

template <BroadPhase Phase>
void expect_exact(const Phase& phase, const Boxes& boxes, const Boxes& queries) {
  std::set<std::pair<int, int>> expected, expected_own;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    for (std::size_t j = 0; j < boxes.size(); ++j) {
      if (touch(queries[i], boxes[j])) expected.insert({int(i), int(j)});
    }
  }
  for (std::size_t j = 0; j < boxes.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (touch(boxes[i], boxes[j])) expected_own.insert({int(i), int(j)});
    }
  }
  EXPECT_EQ(unique(overlaps(phase, queries)), expected);
  EXPECT_EQ(unique(own_pairs(phase)), expected_own);
}

template <typename Phase>
class BroadPhases : public testing::Test {
 public:
  static void expect_exact_when_built(const Boxes& boxes, const Boxes& queries) {
    Phase phase;
    phase.build(boxes);
    expect_exact(phase, boxes, queries);
  }
};
using Phases = testing::Types<SparseGrid, Bvh>;
TYPED_TEST_SUITE(BroadPhases, Phases);

TYPED_TEST(BroadPhases, find_exactly_the_overlaps) {
  Random random{1};
  const struct {
    const char* what;
    double spread, smallest, largest, query_smallest, query_largest;
  } cases[] = {
      {"particles among cloth triangles", 1, 0.02, 0.03, 0.001, 0.01},
      {"boxes of all sizes", 1, 1e-5, 1, 1e-5, 1},
      {"a huge range of sizes", 1e6, 1e-6, 1e6, 1e-6, 1e6},
      {"tiny boxes far apart", 1e9, 1e-6, 1e-3, 1, 1e8},
      {"queries much larger than boxes", 1, 1e-3, 2e-3, 0.5, 1},
      {"crowded", 0.1, 0.02, 0.05, 0.02, 0.05},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    TestFixture::expect_exact_when_built(
        random_boxes(random, 1000, c.spread, c.smallest, c.largest),
        random_boxes(random, 1000, c.spread, c.query_smallest, c.query_largest));
  }
  SCOPED_TRACE("clusters");
  const Boxes clusters = clustered_boxes(random, 1500);
  TestFixture::expect_exact_when_built(clusters, clusters);
}

TYPED_TEST(BroadPhases, find_boxes_that_only_touch) {
  Random random{1};
  TestFixture::expect_exact_when_built(lattice_boxes(random), lattice_boxes(random));
  // Apart, or touching, by one unit in the last place: far below a float's.
  const double one = 1, next = std::nextafter(one, 2.0);
  const Boxes row{{Vec3::Zero(), Vec3::Constant(one)},
                  {Vec3::Constant(one), Vec3::Constant(2)},
                  {Vec3::Constant(next), Vec3::Constant(3)},
                  {Vec3::Constant(-1000), Vec3::Constant(-999)}};
  TestFixture::expect_exact_when_built(row, row);
}

TYPED_TEST(BroadPhases, find_boxes_without_volume) {
  Random random{1};
  const Bounds point{Vec3::Ones(), Vec3::Ones()};
  TestFixture::expect_exact_when_built({point}, {point});
  TestFixture::expect_exact_when_built(Boxes(40, point), Boxes(3, point));  // All equal.
  const Bounds zero{Vec3::Zero(), Vec3::Zero()};
  TestFixture::expect_exact_when_built({zero, zero}, {zero, point});
  Boxes points, planes, line;
  for (int i = 0; i < 300; ++i) {
    const Vec3 place = uniform_point(random, 1).cwiseProduct(Vec3{1, 1, 0});
    points.push_back({place, place});
    points.push_back(points.back());
    planes.push_back({Vec3{-1, -1, place.x()}, Vec3{1, 1, place.x()}});
    planes.push_back({Vec3{place.y(), -1, -1}, Vec3{place.y(), 1, 1}});
    line.push_back({Vec3{place.x(), 0, 0}, Vec3{place.x() + 0.1, 0, 0}});
  }
  TestFixture::expect_exact_when_built(points, planes);
  TestFixture::expect_exact_when_built(planes, points);
  TestFixture::expect_exact_when_built(line, planes);
  const Boxes same(60, planes.front());
  TestFixture::expect_exact_when_built(same, planes);
}

TYPED_TEST(BroadPhases, answer_far_away_and_at_the_limits_of_numbers) {
  Random random{1};
  for (const double scale : {1e-280, 1e-30, 1e30, 1e280}) {
    SCOPED_TRACE(scale);
    Boxes boxes = random_boxes(random, 300, 1, 0.01, 0.3);
    for (Bounds& box : boxes)
      box = {scale * box.lower, scale * box.upper};
    TestFixture::expect_exact_when_built(boxes, boxes);
  }
  // So far from the origin that few bits tell them apart.
  const Boxes far = random_boxes(random, 300, 1, 0.01, 0.1, Vec3::Constant(1e14));
  TestFixture::expect_exact_when_built(far, far);
}

TYPED_TEST(BroadPhases, answer_queries_that_are_empty_infinite_or_not_numbers) {
  TypeParam phase;
  const double infinity = std::numeric_limits<double>::infinity();
  const Bounds all{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  const auto ask = [&](const Bounds& box) { return overlaps(phase, {box}).size(); };
  EXPECT_EQ(ask(all), 0U);
  EXPECT_TRUE(own_pairs(phase).empty());
  phase.build(Boxes{});
  EXPECT_EQ(ask(all), 0U);
  EXPECT_TRUE(own_pairs(phase).empty());
  Random random{1};
  const Boxes boxes = random_boxes(random, 100, 1, 0.01, 1);
  phase.build(boxes);
  EXPECT_EQ(ask(all), 100U);
  EXPECT_EQ(ask({Vec3::Constant(std::nan("")), Vec3::Constant(std::nan(""))}), 0U);
  EXPECT_EQ(ask({Vec3::Constant(5e300), Vec3::Constant(6e300)}), 0U);
  expect_exact(phase, boxes, {{Vec3{-infinity, 0, 0}, Vec3{0, 0, infinity}}});
  phase.build(Boxes{{Vec3::Zero(), Vec3::Zero()}});
  EXPECT_EQ(ask(all), 1U);
  phase.build(Boxes{});
  EXPECT_EQ(ask(all), 0U);
  EXPECT_TRUE(own_pairs(phase).empty());
}

TYPED_TEST(BroadPhases, give_the_same_pairs_in_the_same_order_for_any_thread_count_and_reuse) {
  Random random{1};
  const Boxes boxes = random_boxes(random, 20'000, 1, 0.01, 0.1);
  const Boxes queries = random_boxes(random, 50'000, 1, 0.001, 0.01);
  const auto pairs_with = [&](int threads, TypeParam& phase) {
    std::pair<Pairs, Pairs> pairs;
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      phase.build(boxes);
      pairs = {overlaps(phase, queries), own_pairs(phase)};
    });
    return pairs;
  };
  TypeParam fresh, used;
  const auto expected = pairs_with(1, fresh);
  used.build(random_boxes(random, 300, 2, 0.1, 0.3));
  EXPECT_FALSE(expected.first.empty());
  EXPECT_FALSE(expected.second.empty());
  EXPECT_TRUE(pairs_with(4, used) == expected);
}

TEST(MortonOrder, lists_every_box_once_and_neighbours_together) {
  Random random{1};
  const Boxes boxes = random_boxes(random, 5000, 1, 0.001, 0.01);
  const std::vector<std::int32_t> order = morton_order(boxes);
  EXPECT_EQ(std::set(order.begin(), order.end()).size(), boxes.size());
  // A random order goes 1.3 on average, the mean distance of two places in a cube of edge 2; a walk
  // to the nearest neighbours some 0.1.
  double way = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    way += (boxes[std::size_t(order[i])].lower - boxes[std::size_t(order[i - 1])].lower).norm();
  EXPECT_LT(way / double(boxes.size()), 0.25);
  EXPECT_EQ(morton_order(Boxes(3, boxes[0])), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(SparseGrid, is_exact_for_any_settings) {
  Random random{1};
  for (const SparseGrid::Settings& settings :
       {SparseGrid::Settings{0.1, 3}, {0.125, 1}, {0, 1}, {1e-9, 2}, {50, 16}}) {
    SCOPED_TRACE(settings.cell_edge);
    SparseGrid grid;
    // A cell edge that is far too small is raised to what an index can hold.
    const double smallest = settings.cell_edge == 1e-9 ? 1e-12 : 1e-3;
    const Boxes boxes = random_boxes(random, 1000, 1, smallest, 300 * smallest);
    grid.build(boxes, settings);
    expect_exact(grid, boxes, random_boxes(random, 500, 1, 1e-3, 0.3));
    const Boxes lattice = lattice_boxes(random);
    if (settings.cell_edge == 1e-9) continue;
    grid.build(lattice, settings);
    expect_exact(grid, lattice, lattice_boxes(random));
  }
}

TEST(Bvh, is_exact_after_a_refit_however_far_boxes_moved) {
  Random random{1};
  Bvh bvh;
  bvh.build(clustered_boxes(random, 800));
  for (const double spread : {0.3, 30.0}) {
    const Boxes moved = random_boxes(random, 800, spread, 0.01, 0.3);
    bvh.refit(moved);
    expect_exact(bvh, moved, random_boxes(random, 500, spread, 0.01, 0.1));
  }
}

}  // namespace
}  // namespace sluice::geometry
