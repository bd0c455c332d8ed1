// SPDX-License-Identifier: Apache-2.0
// Batches give the bits of single queries, with every instruction set that this CPU has.
#include "solver/geometry/ccd_batch.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/geometry/ccd_motions.h"
#include "tests/unit/solver/geometry/ccd_step.h"

namespace sluice::test {
namespace {

using geometry::BoxPair;
using geometry::InstructionSet;

constexpr double distances[] = {0, 1e-9, 2e-3};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const auto set : {InstructionSet::scalar, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set <= geometry::best_instruction_set()) sets.push_back(set);
  }
  return sets;
}

/// Queries with points of their own: of query i those from 4 i on, as one point and triangle and as
/// two edges.
struct Queries {
  std::vector<Vec3> t0, t1;
  std::vector<TriangleIndices> triangles;
  std::vector<EdgeIndices> edges;
  std::vector<BoxPair> point_triangle_pairs, edge_edge_pairs;

  void add(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end) {
    const auto first = static_cast<std::int32_t>(t0.size());
    t0.insert(t0.end(), start.begin(), start.end());
    t1.insert(t1.end(), end.begin(), end.end());
    point_triangle_pairs.push_back({first, static_cast<std::int32_t>(triangles.size())});
    triangles.push_back({first + 1, first + 2, first + 3});
    const auto edge = static_cast<std::int32_t>(edges.size());
    edge_edge_pairs.push_back({edge, edge + 1});
    edges.push_back({first, first + 1});
    edges.push_back({first + 2, first + 3});
  }
};

void expect_same_bits(const std::vector<double>& expected, const std::vector<double>& times) {
  ASSERT_EQ(expected.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(expected[i]), std::bit_cast<std::uint64_t>(times[i]))
        << "query " << i << ": " << times[i] << " instead of " << expected[i];
  }
}

// Asks one by one, and in batches.
void expect_same_bits(const std::vector<Vec3>& t0, const std::vector<Vec3>& t1,
                      const std::vector<TriangleIndices>& triangles,
                      const std::vector<EdgeIndices>& edges,
                      const std::vector<BoxPair>& faces_asked,
                      const std::vector<BoxPair>& edges_asked) {
  const geometry::MovingPoints vertices{t0, t1};
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  for (const double distance : distances) {
    std::vector<double> of_faces, of_edges;
    for (const auto& [point, face] : faces_asked) {
      const auto p = at(point);
      const auto [a, b, c] = triangles[at(face)];
      of_faces.push_back(geometry::first_contact(
                             geometry::PointTriangleMotion{t0[p], t0[at(a)], t0[at(b)], t0[at(c)],
                                                           t1[p], t1[at(a)], t1[at(b)], t1[at(c)]},
                             distance)
                             .value_or(geometry::no_contact));
    }
    for (const auto& [one, other] : edges_asked) {
      const auto [a, b] = edges[at(one)];
      const auto [c, d] = edges[at(other)];
      of_edges.push_back(geometry::first_contact(
                             geometry::EdgeEdgeMotion{t0[at(a)], t0[at(b)], t0[at(c)], t0[at(d)],
                                                      t1[at(a)], t1[at(b)], t1[at(c)], t1[at(d)]},
                             distance)
                             .value_or(geometry::no_contact));
    }
    for (const InstructionSet set : instruction_sets()) {
      SCOPED_TRACE(testing::Message()
                   << "instruction set " << static_cast<int>(set) << ", distance " << distance);
      std::vector<double> times(faces_asked.size());
      geometry::first_contacts(vertices, vertices, triangles, faces_asked, distance, times, set);
      expect_same_bits(of_faces, times);
      times.resize(edges_asked.size());
      geometry::first_contacts(vertices, edges, edges_asked, distance, times, set);
      expect_same_bits(of_edges, times);
    }
  }
}

void expect_same_bits(const Queries& queries) {
  expect_same_bits(queries.t0, queries.t1, queries.triangles, queries.edges,
                   queries.point_triangle_pairs, queries.edge_edge_pairs);
}

class BatchOfRandomMotions : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, BatchOfRandomMotions, testing::ValuesIn(kinds),
                         [](const auto& kind) { return "kind_" + std::to_string(kind.index); });

TEST_P(BatchOfRandomMotions, has_the_bits_of_single_queries) {
  Random random{2};
  Queries queries;
  for (int i = 0; i < 10'000; ++i) {  // Several chunks, and groups that are not full.
    const Motion<4> motion = GetParam().make(random);
    queries.add(motion.start, motion.end);
  }
  expect_same_bits(queries);
}

TEST(Batch, of_handcrafted_queries_has_the_bits_of_single_ones) {
  Queries queries;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SLUICE_TEST_DATA "/ccd/handcrafted")) {
    if (!entry.is_regular_file() || entry.path().filename().string().rfind("data_", 0) != 0)
      continue;
    for (const KnownQuery& query : read_queries(entry.path())) {
      const auto& p = query.points;
      queries.add({p[0], p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7]});
    }
  }
  EXPECT_EQ(queries.edge_edge_pairs.size(), 1750U + 1574U);
  expect_same_bits(queries);
}

TEST(Batch, of_a_simulation_has_the_bits_of_single_queries) {
  const SimulatedStep step(SLUICE_TEST_DATA "/ccd/simulation", cloth_funnel);
  expect_same_bits(step.vertices_t0(), step.vertices_t1(), step.triangles(), step.edges(),
                   step.vertex_face_pairs(), step.edge_edge_pairs());
}

TEST(Batch, of_any_size_is_complete) {
  Random random{3};
  Queries queries;
  for (const std::size_t count : {0, 1, 3, 4, 5, 7, 8, 9, 17}) {
    while (queries.edge_edge_pairs.size() < count) {
      const Motion<4> motion = kinds[2].make(random);
      queries.add(motion.start, motion.end);
    }
    expect_same_bits(queries);
  }
}

TEST(Batch, of_points_and_vertices_that_are_apart_reads_each_from_its_array) {
  const std::vector<Vec3> points_t0{{9, 9, 9}, {0.25, 0.25, 1}},
      points_t1{{9, 9, 9}, {0.25, 0.25, -1}};
  const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<TriangleIndices> triangles{{0, 1, 2}};
  const std::vector<BoxPair> pairs{{0, 0}, {1, 0}};
  for (const InstructionSet set : instruction_sets()) {
    std::vector<double> times(2);
    geometry::first_contacts({points_t0, points_t1}, {vertices, vertices}, triangles, pairs, 0.5,
                             times, set);
    EXPECT_EQ(times[0], geometry::no_contact);
    EXPECT_NEAR(times[1], 0.25, 1e-12);
  }
}

TEST(Batch, is_the_same_for_any_number_of_threads) {
  Random random{4};
  Queries queries;
  for (int i = 0; i < 20'000; ++i) {
    const Motion<4> motion = kinds[i % 2 == 0 ? 1 : 2].make(random);
    queries.add(motion.start, motion.end);
  }
  const auto solve = [&](int threads) {
    std::vector<double> times(queries.point_triangle_pairs.size());
    parallel::ThreadLimit(threads).run([&] {
      const geometry::MovingPoints vertices{queries.t0, queries.t1};
      geometry::first_contacts(vertices, vertices, queries.triangles, queries.point_triangle_pairs,
                               1e-3, times);
    });
    return times;
  };
  expect_same_bits(solve(1), solve(3));
}

}  // namespace
}  // namespace sluice::test
