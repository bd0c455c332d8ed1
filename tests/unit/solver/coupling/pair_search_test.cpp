// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pair_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "solver/contact/edge_mollifier.h"
#include "solver/geometry/mesh_edges.h"

namespace sluice::coupling::pair_search_test {
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
    body.first_vertex = static_cast<std::int32_t>(system.positions.size());
    body.vertex_count = 3 * triangles;
    body.first_triangle = static_cast<std::int32_t>(system.triangles.size());
    body.triangle_count = triangles;
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

// The scene of such a system.
scene::Scene scene_of(double contact_distance) {
  scene::Scene scene;
  scene.coupling.contact_distance = contact_distance;
  scene.cloths.emplace_back().name = "thin";
  scene.cloths.emplace_back().name = "thick";
  return scene;
}

struct RangedPair {
  ContactPair pair;
  double range;  // [m]
};

double lowest_height(const solid::DeformableSystem& system, std::int32_t body) {
  double lowest = 1;
  for (const TriangleIndices& t : system.triangles) {
    if (system.body_of_vertex[static_cast<std::size_t>(t[0])] != body) continue;
    const auto x = [&](std::size_t i) { return system.positions[static_cast<std::size_t>(t[i])]; };
    const double area = (x(1) - x(0)).cross(x(2) - x(0)).norm();
    for (std::size_t i = 0; i < 3; ++i)
      lowest = std::min(lowest, area / (x(i) - x((i + 1) % 3)).norm());
  }
  return lowest;
}

// Every pair there is of these points, by a look at each; those after the vertices are particles.
std::vector<RangedPair> all_pairs(const solid::DeformableSystem& system, std::span<const Vec3> x,
                                  double contact_distance) {
  std::vector<RangedPair> pairs;
  const std::array lowest{lowest_height(system, 0), lowest_height(system, 1)};
  const auto is_particle = [&](std::int32_t i) {
    return static_cast<std::size_t>(i) >= system.positions.size();
  };
  const auto body = [&](std::int32_t i) {
    return system.body_of_vertex[static_cast<std::size_t>(i)];
  };
  const auto half = [&](std::int32_t i) {
    return system.bodies[static_cast<std::size_t>(body(i))].half_thickness;
  };
  const auto add = [&](PairKind kind, const std::array<std::int32_t, 4>& points) {
    if (std::set<std::int32_t>(points.begin(), points.end()).size() < 4) return;
    if (std::ranges::all_of(points, [&](std::int32_t i) {
          return !is_particle(i) && system.is_held[static_cast<std::size_t>(i)] != 0;
        })) {
      return;
    }
    double range = contact_distance + half(points[3]);
    if (!is_particle(points[0])) {
      range += half(points[0]);
      if (body(points[0]) == body(points[3]))
        range = std::min(range, 0.5 * lowest[static_cast<std::size_t>(body(points[0]))]);
    }
    pairs.push_back({{kind, points}, kind == PairKind::edge_edge ? 0.9 * range : range});
  };
  std::vector<EdgeIndices> edges;
  for (const TriangleIndices& t : system.triangles) {
    for (std::size_t p = 0; p < x.size(); ++p)
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

double distance_at(const ContactPair& pair, std::span<const Vec3> x) {
  return std::sqrt(distance_of(pair.kind, pair.gather(x)).squared);
}

TEST(PairSearch, finds_every_pair_that_can_come_into_range_once_and_no_other) {
  const solid::DeformableSystem system = triangle_soup(60, 3);
  std::vector<Vec3> places = system.positions;
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    std::uniform_real_distribution<double> place(0, 1);
    places.emplace_back(place(random), place(random), place(random));
  }
  for (const auto& [reach, distance] : {std::pair(0.0, 0.02), {0.01, 0.005}, {0.05, 0.001}}) {
    const ContactSurfaces surfaces(scene_of(distance), system);
    PairSearch search(surfaces, system);
    const std::vector<RangedPair> all = all_pairs(system, places, distance);
    std::map<std::vector<std::int32_t>, double> ranges;
    for (const auto& [pair, range] : all)
      ranges[key_of(pair)] = range;
    std::vector<PairGroup> found;
    search.find(places, reach, found);
    std::set<std::vector<std::int32_t>> keys;
    std::size_t of_particles = 0;
    for (const PairGroup& group : found) {
      for (const ContactPair& pair : group.pairs) {
        EXPECT_TRUE(keys.insert(key_of(pair)).second);
        of_particles += static_cast<std::size_t>(pair.points[0]) >= system.positions.size();
        // The pair is one of all there are, with its range, and as near as it must be.
        ASSERT_TRUE(ranges.contains(key_of(pair)));
        EXPECT_NEAR(group.range, ranges[key_of(pair)], 1e-15);
        EXPECT_LE(distance_at(pair, places), group.range + 2 * std::sqrt(3) * reach + 1e-12);
      }
    }
    EXPECT_GT(of_particles, 10);
    // All points go somewhere within reach, several times.
    std::uniform_real_distribution<double> way(-reach, reach);
    std::size_t in_range = 0;
    for (int motion = 0; motion < 4; ++motion) {
      std::vector<Vec3> x = places;
      for (Vec3& point : x)
        point += Vec3(way(random), way(random), way(random));
      for (const auto& [pair, range] : all) {
        if (distance_at(pair, x) > range) continue;
        ++in_range;
        ASSERT_TRUE(keys.contains(key_of(pair))) << reach;
      }
    }
    EXPECT_GT(in_range, 30);
  }
}

TEST(PairSearch, knows_the_edges_of_its_pairs) {
  const solid::DeformableSystem system = triangle_soup(30, 5);
  const ContactSurfaces surfaces(scene_of(0.01), system);
  PairSearch search(surfaces, system);
  std::vector<PairGroup> found;
  search.find(system.positions, 0.05, found);
  std::size_t of_edges = 0;
  for (const PairGroup& group : found) {
    for (const ContactPair& pair : group.pairs) {
      if (pair.kind == PairKind::point_triangle) continue;
      ++of_edges;
      const geometry::PairPoints x = pair.gather(system.positions);
      EXPECT_NEAR(pair.mollifier_range,
                  contact::mollifier_range((x[1] - x[0]).norm(), (x[3] - x[2]).norm()), 1e-18);
    }
  }
  EXPECT_GT(of_edges, 10);
}

}  // namespace
}  // namespace sluice::coupling::pair_search_test
