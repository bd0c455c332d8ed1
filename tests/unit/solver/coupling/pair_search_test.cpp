// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pair_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "solver/contact/edge_mollifier.h"
#include "solver/geometry/mesh_edges.h"

namespace sluice::coupling {
namespace {

using contact::ContactPair;
using contact::PairKind;

// Two bodies of loose triangles in a unit cube, the first of them held in part.
solid::DeformableSystem triangle_soup(int triangles, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, 1), size(-0.1, 0.1);
  solid::DeformableSystem system;
  for (const double half_thickness : {1e-3, 4e-3}) {
    solid::BodyRange body{};
    body.half_thickness = half_thickness;
    for (int t = 0; t < triangles; ++t) {
      const Vec3 middle(place(random), place(random), place(random));
      const auto first = static_cast<std::int32_t>(system.positions.size());
      system.triangles.push_back({first, first + 1, first + 2});
      for (int i = 0; i < 3; ++i) {
        system.positions.push_back(middle + Vec3(size(random), size(random), size(random)));
        system.is_held.push_back(half_thickness < 2e-3 && t % 2 == 0 ? 1 : 0);
        system.body_of_vertex.push_back(static_cast<std::int32_t>(system.bodies.size()));
      }
    }
    system.bodies.push_back(body);
  }
  system.edges = geometry::mesh_edges(system.triangles);
  return system;
}

// Every pair there is, by a look at each.
std::vector<ContactPair> all_pairs(const solid::DeformableSystem& system) {
  std::vector<ContactPair> pairs;
  const auto add = [&](PairKind kind, const std::array<std::int32_t, 4>& points) {
    if (std::set<std::int32_t>(points.begin(), points.end()).size() < 4) return;
    if (std::ranges::all_of(points, [&](std::int32_t i) {
          return system.is_held[static_cast<std::size_t>(i)] != 0;
        })) {
      return;
    }
    const auto half = [&](std::int32_t i) {
      const auto body = system.body_of_vertex[static_cast<std::size_t>(i)];
      return system.bodies[static_cast<std::size_t>(body)].half_thickness;
    };
    pairs.push_back({kind, points, half(points[0]) + half(points[3])});
  };
  std::vector<EdgeIndices> edges;
  for (const TriangleIndices& t : system.triangles) {
    for (std::size_t p = 0; p < system.positions.size(); ++p)
      add(PairKind::point_triangle, {static_cast<std::int32_t>(p), t[0], t[1], t[2]});
    for (const EdgeIndices& e : {EdgeIndices{t[0], t[1]}, {t[1], t[2]}, {t[0], t[2]}})
      edges.push_back(e);
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      add(PairKind::edge_edge, {edges[i][0], edges[i][1], edges[j][0], edges[j][1]});
  }
  return pairs;
}

// A pair whichever way round it is written.
std::vector<std::int32_t> key_of(const ContactPair& pair) {
  std::array<std::int32_t, 4> p = pair.points;
  if (pair.kind == PairKind::point_triangle) {
    std::sort(p.begin() + 1, p.end());
  } else {
    std::sort(p.begin(), p.begin() + 2);
    std::sort(p.begin() + 2, p.end());
    if (p[2] < p[0]) {
      std::swap(p[0], p[2]);
      std::swap(p[1], p[3]);
    }
  }
  std::vector<std::int32_t> key(p.begin(), p.end());
  key.push_back(pair.kind == PairKind::edge_edge ? 1 : 0);
  return key;
}

TEST(PairSearch, FindsEveryPairThatCanComeIntoRangeOnceAndNoOther) {
  const solid::DeformableSystem system = triangle_soup(60, 3);
  PairSearch search(system, 0.25);
  const std::vector<ContactPair> all = all_pairs(system);
  for (const auto& [reach, range] : {std::pair(0.0, 0.02), {0.01, 0.005}, {0.05, 0.001}}) {
    std::vector<ContactPair> found;
    search.find(system.positions, reach, range, found);
    std::set<std::vector<std::int32_t>> keys;
    for (const ContactPair& pair : found) {
      EXPECT_TRUE(keys.insert(key_of(pair)).second);
      EXPECT_EQ(pair.friction, 0.25);
    }
    // All vertices go somewhere within reach, several times.
    std::mt19937 random(4);
    std::uniform_real_distribution<double> way(-reach, reach);
    std::size_t in_range = 0;
    for (int motion = 0; motion < 4; ++motion) {
      std::vector<Vec3> x = system.positions;
      for (Vec3& point : x)
        point += Vec3(way(random), way(random), way(random));
      for (const ContactPair& pair : all) {
        const double distance = std::sqrt(distance_of(pair.kind, pair.gather(x)).squared);
        if (distance > range + pair.thickness) continue;
        ++in_range;
        ASSERT_TRUE(keys.contains(key_of(pair))) << reach;
      }
    }
    EXPECT_GT(in_range, 50);
    // Those found are of all there are, and as near as they must be.
    std::set<std::vector<std::int32_t>> possible;
    for (const ContactPair& pair : all)
      possible.insert(key_of(pair));
    for (const ContactPair& pair : found) {
      ASSERT_TRUE(possible.contains(key_of(pair)));
      ASSERT_LE(std::sqrt(distance_of(pair.kind, pair.gather(system.positions)).squared),
                range + pair.thickness + 2 * std::sqrt(3) * reach + 1e-12);
    }
  }
}

TEST(PairSearch, KnowsThicknessAndEdgesOfItsPairs) {
  const solid::DeformableSystem system = triangle_soup(30, 5);
  PairSearch search(system, 0);
  std::vector<ContactPair> found;
  search.find(system.positions, 0.05, 0.01, found);
  std::set<double> thicknesses;
  for (const ContactPair& pair : found) {
    thicknesses.insert(pair.thickness);
    if (pair.kind == PairKind::point_triangle) continue;
    const geometry::PairPoints x = pair.gather(system.positions);
    EXPECT_NEAR(pair.mollifier_range,
                contact::mollifier_range((x[1] - x[0]).norm(), (x[3] - x[2]).norm()), 1e-18);
  }
  EXPECT_EQ(thicknesses, (std::set<double>{2e-3, 5e-3, 8e-3}));  // Within and between the bodies.
}

}  // namespace
}  // namespace sluice::coupling
