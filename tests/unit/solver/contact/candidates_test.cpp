// SPDX-License-Identifier: Apache-2.0
// Oracle of what must be found: exact integer arithmetic on straight motions that use the bounds to
// the full (solver/certificate), over all pairs. Pairs that need not be found: gaps known by
// construction.
#include "solver/contact/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "solver/certificate/exact_contact.h"
#include "solver/geometry/mesh_edges.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::contact {
namespace {

using Random = std::mt19937_64;

struct World {
  std::vector<Vec3f> particles;
  std::vector<Vec3> vertices;
  std::vector<TriangleIndices> triangles;
  std::vector<std::int32_t> bodies;
  PointsView view() const { return {particles, vertices}; }

  // n x n squares of two triangles each, from `corner` along u and v; body `body`.
  void add_sheet(int n, const Vec3& corner, const Vec3& u, const Vec3& v, std::int32_t body) {
    const auto first = std::int32_t(vertices.size());
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        vertices.push_back(corner + u * (double(i) / n) + v * (double(j) / n));
        bodies.push_back(body);
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const std::int32_t a = first + i * (n + 1) + j, b = a + n + 1;
        triangles.push_back({a, b, b + 1});
        triangles.push_back({a, b + 1, a + 1});
      }
    }
  }
};

// Surfaces of a world, of which all bodies can touch themselves or none.
struct Touching {
  std::vector<EdgeIndices> edges;
  std::vector<std::uint8_t> own;
  Surfaces surfaces;

  Touching(const World& world, bool touch_themselves)
      : edges(geometry::mesh_edges(world.triangles)),
        own(std::size_t(1 + *std::max_element(world.bodies.begin(), world.bodies.end())),
            touch_themselves ? 1 : 0),
        surfaces{world.triangles, edges, world.bodies, own} {}
};

Candidates find(const World& world, const PointsView& predicted, double slack,
                bool touch_themselves) {
  const Touching touching(world, touch_themselves);
  Candidates found;
  MotionBounds bounds;
  bounds.begin(world.view(), predicted, slack);
  CandidateFinder().find(bounds, touching.surfaces, 0, found);
  return found;
}

template <std::size_t one, std::size_t other>
certificate::Motion<4> motion_of(const World& start, const World& end,
                                 const std::array<std::int32_t, one>& a,
                                 const std::array<std::int32_t, other>& b) {
  certificate::Motion<4> motion;
  std::size_t k = 0;
  for (const auto* list : {a.data(), b.data()}) {
    const std::size_t count = list == a.data() ? one : other;
    for (std::size_t i = 0; i < count; ++i, ++k) {
      motion.start[k] = start.vertices[std::size_t(list[i])];
      motion.end[k] = end.vertices[std::size_t(list[i])];
    }
  }
  return motion;
}

// Only pairs that may meet are worth 100 us.
bool boxes_overlap(const certificate::Motion<4>& m, std::size_t split) {
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    double lower[2] = {1e300, 1e300}, upper[2] = {-1e300, -1e300};
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t side = k < split ? 0 : 1;
      lower[side] = std::min({lower[side], m.start[k][axis], m.end[k][axis]});
      upper[side] = std::max({upper[side], m.start[k][axis], m.end[k][axis]});
    }
    if (lower[0] > upper[1] || lower[1] > upper[0]) return false;
  }
  return true;
}

// Three crumpled sheets in each other's way, the third so far out that coordinates are coarse where
// `shift` is large.
World crumpled_sheets(Random& random, const Vec3& shift) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  World world;
  for (std::int32_t body = 0; body < 3; ++body)
    world.add_sheet(4, shift + 0.2 * point(), 0.7 * point(), 0.7 * point(), body);
  for (Vec3& x : world.vertices)
    x += 0.1 * point();
  return world;
}

struct Tally {
  std::int64_t between = 0, within = 0;
};

// Checks that all pairs that meet are among the candidates, each once, and adds them up.
void expect_all_that_meet(const World& start, const World& end, const Surfaces& surfaces,
                          const Candidates& found, Tally& tally) {
  std::set<std::pair<int, int>> points, pairs;
  for (const auto& [point, triangle] : found.points)
    EXPECT_TRUE(points.insert({point, triangle}).second);
  for (const auto& [first, second] : found.edges) {
    EXPECT_LT(first, second);
    EXPECT_TRUE(pairs.insert({first, second}).second);
  }
  const auto body = [&](std::int32_t v) { return start.bodies[std::size_t(v)]; };
  const auto share = [](const auto& a, const auto& b) {
    return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
  };
  for (std::size_t t = 0; t < start.triangles.size(); ++t) {
    for (std::int32_t v = 0; v < std::int32_t(start.vertices.size()); ++v) {
      const std::array vertex{v};
      if (share(vertex, start.triangles[t])) {
        EXPECT_FALSE(points.contains({v, int(t)}));
        continue;
      }
      const auto motion = motion_of(start, end, vertex, start.triangles[t]);
      if (!boxes_overlap(motion, 1) || !certificate::point_meets_triangle(motion)) continue;
      ++(body(v) == body(start.triangles[t][0]) ? tally.within : tally.between);
      EXPECT_TRUE(points.contains({v, int(t)})) << "vertex " << v << ", triangle " << t;
    }
  }
  for (std::size_t i = 0; i < surfaces.edges.size(); ++i) {
    for (std::size_t j = i + 1; j < surfaces.edges.size(); ++j) {
      const EdgeIndices &a = surfaces.edges[i], &b = surfaces.edges[j];
      if (share(a, b)) {
        EXPECT_FALSE(pairs.contains({int(i), int(j)}));
        continue;
      }
      const auto motion = motion_of(start, end, a, b);
      if (!boxes_overlap(motion, 2) || !certificate::edge_meets_edge(motion)) continue;
      ++(body(a[0]) == body(b[0]) ? tally.within : tally.between);
      EXPECT_TRUE(pairs.contains({int(i), int(j)})) << "edges " << i << ", " << j;
    }
  }
}

// Each point to some corner of the box that it may be in.
World at_corners(const World& start, const MotionBounds& bounds, Random& random) {
  std::bernoulli_distribution coin;
  World end = start;
  for (std::size_t i = 0; i < start.vertices.size(); ++i) {
    const geometry::Bounds box = bounds.vertex_box(i);
    for (Eigen::Index axis = 0; axis < 3; ++axis)
      end.vertices[i][axis] = coin(random) ? box.lower[axis] : box.upper[axis];
  }
  return end;
}

TEST(Candidates, miss_no_pair_that_meets_wherever_points_go_within_their_bounds) {
  Tally tally;
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random{seed};
    const World start = crumpled_sheets(random, Vec3::Constant(seed < 2 ? 0 : 1e6));
    World predicted = start;
    std::uniform_real_distribution<double> uniform{-0.2, 0.2};
    for (Vec3& x : predicted.vertices)
      x += Vec3{uniform(random), uniform(random), uniform(random)};
    MotionBounds bounds;
    bounds.begin(start.view(), predicted.view(), seed % 2 * 0.01);
    const Touching touching(start, true);
    Candidates found;
    CandidateFinder().find(bounds, touching.surfaces, 0, found);
    expect_all_that_meet(start, at_corners(start, bounds, random), touching.surfaces, found, tally);
  }
  EXPECT_GT(tally.between, 50);
  EXPECT_GT(tally.within, 100);
}

// Pairs within a body are listed for several substeps at a time.
TEST(Candidates, miss_none_in_any_of_many_substeps) {
  Random random{5};
  Tally tally;
  World world = crumpled_sheets(random, Vec3::Zero());
  const Touching touching(world, true);
  CandidateFinder finder;
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int substep = 0; substep < 25; ++substep) {
    World predicted = world;
    const double way = substep % 10 == 9 ? 0.1 : 0.005;
    for (Vec3& x : predicted.vertices)
      x += way * Vec3{uniform(random), uniform(random), uniform(random)};
    MotionBounds bounds;
    bounds.begin(world.view(), predicted.view(), 1e-3);
    Candidates found;
    finder.find(bounds, touching.surfaces, 0, found);
    expect_all_that_meet(world, at_corners(world, bounds, random), touching.surfaces, found, tally);
    world = predicted;
  }
  EXPECT_GT(tally.between, 10);
  EXPECT_GT(tally.within, 50);
}

TEST(Candidates, leave_out_pairs_of_bodies_that_do_not_touch_themselves) {
  Random random{1};
  const World world = crumpled_sheets(random, Vec3::Zero());
  const Candidates between = find(world, world.view(), 0.05, false);
  const Candidates all = find(world, world.view(), 0.05, true);
  const std::vector<EdgeIndices> edges = geometry::mesh_edges(world.triangles);
  const auto body = [&](std::int32_t v) { return world.bodies[std::size_t(v)]; };
  Candidates expected;
  std::copy_if(all.points.begin(), all.points.end(), std::back_inserter(expected.points),
               [&](const Candidate& c) {
                 return body(c.point) != body(world.triangles[std::size_t(c.triangle)][0]);
               });
  std::copy_if(all.edges.begin(), all.edges.end(), std::back_inserter(expected.edges),
               [&](const EdgeCandidate& c) {
                 return body(edges[std::size_t(c.first)][0]) !=
                        body(edges[std::size_t(c.second)][0]);
               });
  EXPECT_FALSE(between.points.empty());
  EXPECT_LT(between.points.size(), all.points.size());
  EXPECT_EQ(between.points, expected.points);
  EXPECT_FALSE(between.edges.empty());
  EXPECT_LT(between.edges.size(), all.edges.size());
  EXPECT_EQ(between.edges, expected.edges);
}

// Two tilted sheets whose boxes all overlap, at a gap along their common normal. A vertex that
// stays within a cube of half edge `slack` goes up to slack |n|_1 along the normal n.
TEST(Candidates, leave_out_layers_that_cannot_reach_each_other) {
  const Vec3 u{1, 1, 0}, v{0, 1, 1};
  const Vec3 normal = u.cross(v).normalized();
  const double slack = 0.001, reach = 2 * slack * normal.lpNorm<1>();
  for (const bool can_touch : {false, true}) {
    World world;
    world.add_sheet(5, Vec3::Zero(), u, v, 0);
    world.add_sheet(5, normal * reach * (can_touch ? 1 - 1e-11 : 1 + 1e-9), u, v, 1);
    EXPECT_EQ(find(world, world.view(), slack, false).points.empty(), !can_touch);
  }
}

// Neighbours in a flat sheet are apart within its plane: what is at rest costs no candidates.
TEST(Candidates, leave_out_what_is_apart_in_its_plane) {
  World world;
  world.add_sheet(8, Vec3::Zero(), Vec3{1, 0.4, 0.3}, Vec3{-0.2, 1, 0.5}, 0);
  const Candidates found = find(world, world.view(), 1e-4, true);
  EXPECT_TRUE(found.points.empty()) << found.points.size();  // Unlike boxes of neighbours.
  EXPECT_TRUE(found.edges.empty()) << found.edges.size();
}

TEST(Candidates, are_the_same_in_the_same_order_for_any_thread_count) {
  Random random{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
  World world;
  world.add_sheet(40, Vec3{-0.5, -0.5, 0}, Vec3::UnitX(), Vec3::UnitY(), 0);
  world.add_sheet(40, Vec3{-0.5, -0.5, 0.01}, Vec3::UnitX(), Vec3::UnitY(), 1);
  for (Vec3& x : world.vertices)
    x += 0.01 * Vec3{uniform(random), uniform(random), uniform(random)};
  for (int i = 0; i < 5000; ++i)
    world.particles.emplace_back(Vec3{uniform(random), uniform(random), uniform(random)}
                                     .cwiseProduct(Vec3{0.5, 0.5, 0.05})
                                     .cast<float>());
  const auto with = [&](int threads) {
    Candidates found;
    parallel::ThreadLimit limit(threads);
    limit.run([&] { found = find(world, world.view(), 0.003, true); });
    return found;
  };
  const Candidates one = with(1), four = with(4);
  EXPECT_GT(one.points.size(), 1000U);
  EXPECT_GT(one.edges.size(), 1000U);
  EXPECT_EQ(one.points, four.points);
  EXPECT_EQ(one.edges, four.edges);
  EXPECT_TRUE(std::ranges::is_sorted(one.points, {}, &Candidate::point));
  EXPECT_TRUE(std::ranges::is_sorted(one.edges, {}, &EdgeCandidate::first));
}

}  // namespace
}  // namespace sluice::contact
