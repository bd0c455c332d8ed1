// SPDX-License-Identifier: Apache-2.0
// Every pair that a simulator of a cloth pulled through a funnel asks about in one step, with the
// exact truth of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <set>

#include "solver/geometry/mesh_file.h"
#include "tests/unit/solver/geometry/ccd_data.h"

namespace sluice::test {
namespace {

const std::filesystem::path folder = SLUICE_TEST_DATA "/ccd/simulation/cloth-funnel";

geometry::TriangleMesh read_frame(const char* name) {
  const std::string bytes = read_text(folder / "frames" / name);
  auto mesh = geometry::read_mesh(std::as_bytes(std::span(bytes)), geometry::MeshFormat::ply);
  if (!mesh) throw std::runtime_error(mesh.error().message);
  return std::move(mesh).value();
}

// The pairs of ids that collide: those of `boxes` whose entry in `truth` is true.
std::set<std::pair<int, int>> read_collisions(const char* boxes, const char* truth) {
  std::istringstream pairs(read_text(folder / "boxes" / boxes));
  std::istringstream flags(read_text(folder / "mma_bool" / truth));
  std::set<std::pair<int, int>> collisions;
  char skip = 0;
  flags >> skip;
  pairs >> skip;
  for (std::string flag; std::getline(flags, flag, ',');) {
    int first = 0, second = 0;
    pairs >> skip >> first >> skip >> second >> skip >> skip;
    if (!pairs) throw std::runtime_error("fewer pairs than answers");
    if (flag.find("true") != std::string::npos) collisions.insert(std::minmax(first, second));
  }
  return collisions;
}

struct SweptBox {
  Vec3 lower, upper;
  int id;
};

struct Step {
  geometry::TriangleMesh start = read_frame("227.ply.xz"), end = read_frame("228.ply.xz");
  std::vector<EdgeIndices> edges;  // Unique (min, max), sorted by (max, min).

  Step() {
    std::set<std::pair<int, int>> unique;
    for (const TriangleIndices& t : start.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
        unique.insert({high, low});
      }
    }
    for (const auto& [high, low] : unique)
      edges.push_back({low, high});
  }

  template <typename Corners>
  SweptBox box(const Corners& corners, int id) const {
    SweptBox result{at(start, corners[0]), at(start, corners[0]), id};
    for (const std::int32_t i : corners) {
      for (const auto* mesh : {&start, &end}) {
        result.lower = result.lower.cwiseMin(at(*mesh, i));
        result.upper = result.upper.cwiseMax(at(*mesh, i));
      }
    }
    return result;
  }

  static const Vec3& at(const geometry::TriangleMesh& mesh, std::int32_t i) {
    return mesh.vertices[static_cast<std::size_t>(i)];
  }
};

// Calls visit(i, j) for boxes i of `one` and j of `other` that overlap; sweeps along x.
template <typename Visit>
void for_overlaps(std::vector<SweptBox> one, std::vector<SweptBox> other, Visit&& visit) {
  const auto by_x = [](const SweptBox& a, const SweptBox& b) { return a.lower.x() < b.lower.x(); };
  std::sort(one.begin(), one.end(), by_x);
  std::sort(other.begin(), other.end(), by_x);
  double widest = 0;
  for (const SweptBox& b : other)
    widest = std::max(widest, b.upper.x() - b.lower.x());
  std::size_t first = 0;
  for (const SweptBox& a : one) {
    while (first < other.size() && other[first].lower.x() + 2 * widest < a.lower.x())
      ++first;
    for (std::size_t i = first; i < other.size() && other[i].lower.x() <= a.upper.x(); ++i) {
      const SweptBox& b = other[i];
      if ((a.lower.array() <= b.upper.array()).all() &&
          (b.lower.array() <= a.upper.array()).all()) {
        visit(a.id, b.id);
      }
    }
  }
}

struct Query {
  std::pair<int, int> ids;
  std::array<Vec3, 8> points;
};

template <std::size_t one, std::size_t other>
void append(std::vector<Query>& queries, const Step& step, std::pair<int, int> ids,
            const std::array<std::int32_t, one>& a, const std::array<std::int32_t, other>& b) {
  for (const std::int32_t i : a) {
    if (std::find(b.begin(), b.end(), i) != b.end()) return;
  }
  Query query{std::minmax(ids.first, ids.second), {}};
  std::size_t next = 0;
  for (const auto* mesh : {&step.start, &step.end}) {
    for (const std::int32_t i : a)
      query.points[next++] = Step::at(*mesh, i);
    for (const std::int32_t i : b)
      query.points[next++] = Step::at(*mesh, i);
  }
  queries.push_back(query);
}

template <typename Meets>
void expect_no_false_negative(const char* kind, const std::vector<Query>& queries,
                              const std::set<std::pair<int, int>>& collisions,
                              int false_positives_allowed, Meets&& meets) {
  std::vector<bool> found;
  found.reserve(queries.size());
  const auto start = std::chrono::steady_clock::now();
  for (const Query& query : queries)
    found.push_back(meets(query.points));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::size_t true_positives = 0;
  int false_positives = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const bool is_true = collisions.contains(queries[i].ids);
    EXPECT_TRUE(found[i] || !is_true);
    if (is_true && found[i]) ++true_positives;
    if (!is_true && found[i]) ++false_positives;
  }
  EXPECT_EQ(true_positives, collisions.size());
  EXPECT_LE(false_positives, false_positives_allowed);
  std::cout << kind << ": " << queries.size() << " queries, " << false_positives
            << " false positives, " << time.count() / static_cast<double>(queries.size()) * 1e6
            << " us a query\n";
}

TEST(FunnelQueries, PointTriangleHasNoFalseNegative) {
  const Step step;
  const int V = static_cast<int>(step.start.vertices.size()),
            E = static_cast<int>(step.edges.size());
  std::vector<SweptBox> points, faces;
  for (int i = 0; i < V; ++i)
    points.push_back(step.box(std::array{i}, i));
  const auto& triangles = step.start.triangles;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    faces.push_back(step.box(triangles[i], static_cast<int>(i)));
  }
  std::vector<Query> queries;
  for_overlaps(points, faces, [&](int point, int face) {
    append(queries, step, {point, V + E + face}, std::array{point},
           triangles[static_cast<std::size_t>(face)]);
  });
  EXPECT_EQ(queries.size(), 7319U);
  expect_no_false_negative("funnel VF", queries,
                           read_collisions("227vf.json", "227vf_mma_bool.json"), 65,
                           [](const std::array<Vec3, 8>& p) {
                             return geometry::first_contact(point_triangle(p)).has_value();
                           });
}

TEST(FunnelQueries, EdgeEdgeHasNoFalseNegative) {
  const Step step;
  const int V = static_cast<int>(step.start.vertices.size());
  std::vector<SweptBox> boxes;
  boxes.reserve(step.edges.size());
  for (std::size_t i = 0; i < step.edges.size(); ++i) {
    boxes.push_back(step.box(step.edges[i], static_cast<int>(i)));
  }
  std::vector<Query> queries;
  for_overlaps(boxes, boxes, [&](int one, int other) {
    if (one >= other) return;
    append(queries, step, {V + one, V + other}, step.edges[static_cast<std::size_t>(one)],
           step.edges[static_cast<std::size_t>(other)]);
  });
  EXPECT_EQ(queries.size(), 33770U);
  expect_no_false_negative("funnel EE", queries,
                           read_collisions("227ee.json", "227ee_mma_bool.json"), 156,
                           [](const std::array<Vec3, 8>& p) {
                             return geometry::first_contact(edge_edge(p)).has_value();
                           });
}

}  // namespace
}  // namespace sluice::test
