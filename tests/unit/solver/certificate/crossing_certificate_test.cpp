// SPDX-License-Identifier: Apache-2.0
// Oracle: crossings made by hand.
#include "solver/certificate/crossing_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "solver/certificate/crossing_words.h"
#include "solver/certificate/exact_contact.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::certificate {
namespace {

// The triangle (0,0) (1,0) (0,1) at z = 0, standing still, and particles.
struct Substep {
  std::vector<Vec3f> particles_t0, particles_t1;
  std::vector<Vec3> vertices_t0{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, vertices_t1 = vertices_t0;
  std::vector<TriangleIndices> triangles{{0, 1, 2}};

  Substep(const Vec3f& from, const Vec3f& to) : particles_t0{from}, particles_t1{to} {}
  SubstepStates states() const {
    return {1, 1, particles_t0, particles_t1, vertices_t0, vertices_t1, triangles};
  }
};

std::int64_t count_crossings(const Substep& substep) {
  CrossingCertificate certificate;
  certificate.on_substep(substep.states());
  return certificate.crossing_count();
}

const float tiny = std::numeric_limits<float>::denorm_min();

TEST(CrossingCertificate, sees_what_an_ulp_decides) {
  const float above = 0.25F, beyond = std::nextafter(0.5F, 1.0F);
  const struct {
    const char* what;
    Vec3f from, to;
    std::int64_t crossings;
  } cases[] = {
      {"through", {above, above, 1}, {above, above, -1}, 1},
      {"from one denormal above to one below", {above, above, tiny}, {above, above, -tiny}, 1},
      {"ends on it", {above, above, 1}, {above, above, 0}, 1},
      {"ends one denormal above", {above, above, 1}, {above, above, tiny}, 0},
      {"starts one denormal below", {above, above, -tiny}, {above, above, -1}, 0},
      {"through the slanted edge", {0.5F, 0.5F, 1}, {0.5F, 0.5F, -1}, 1},
      {"past the slanted edge by an ulp", {beyond, 0.5F, 1}, {beyond, 0.5F, -1}, 0},
      {"through a corner", {1, 0, 1}, {1, 0, -1}, 1},
      {"past a corner by a denormal", {-tiny, 0, 1}, {-tiny, 0, -1}, 0},
      {"along the plane, into an edge", {0.25F, -1, 0}, {0.25F, 0, 0}, 1},
      {"along the plane, beside", {-tiny, -1, 0}, {-tiny, 2, 0}, 0},
      {"above, parallel", {0, 0, tiny}, {1, 1, tiny}, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(count_crossings({c.from, c.to}), c.crossings);
  }
}

TEST(CrossingCertificate, sees_the_cloth_move_through_a_particle) {
  Substep substep({0.25F, 0.25F, 0.5F}, {0.25F, 0.25F, 0.5F});
  EXPECT_EQ(count_crossings(substep), 0);
  for (Vec3& vertex : substep.vertices_t1)
    vertex.z() = 1;
  EXPECT_EQ(count_crossings(substep), 1);
  for (Vec3& vertex : substep.vertices_t1)
    vertex.z() = 0.5 - 1e-16;
  EXPECT_EQ(count_crossings(substep), 0);
}

TEST(CrossingCertificate, says_who_crossed_what_and_keeps_counting) {
  CrossingCertificate certificate;
  Substep substep({0.25F, 0.25F, 1}, {0.25F, 0.25F, 0.5F});
  certificate.on_substep(substep.states());
  substep.particles_t0 = substep.particles_t1;
  substep.particles_t1[0].z() = -1;
  certificate.on_substep(substep.states());
  ASSERT_EQ(certificate.crossings().size(), 1U);
  const Crossing& crossing = certificate.crossings()[0];
  EXPECT_EQ(crossing.substep, 1);
  EXPECT_EQ(crossing.kind, CrossingKind::particle_triangle);
  EXPECT_EQ(crossing.first, 0U);
  EXPECT_EQ(crossing.second, 0U);
  EXPECT_EQ(crossing.to, Vec3(0.25, 0.25, -1));
  EXPECT_EQ(certificate.jump_count(), 0);
  // A particle that changes sides between substeps is not let through either.
  certificate.on_substep(substep.states());
  EXPECT_EQ(certificate.jump_count(), 1);
  EXPECT_EQ(certificate.crossing_count(), 2);
  EXPECT_EQ(certificate.substep_count(), 3);
}

TEST(CrossingCertificate, lets_fluid_be_put_back_by_whole_periods) {
  const auto jumps = [](float end, float start, double period) {
    CrossingCertificate certificate;
    Substep substep({0.25F, 0.25F, 1}, {end, 0.25F, 1});
    for (int n = 0; n < 2; ++n) {
      SubstepStates states = substep.states();
      states.period = Vec3(period, 0, 0);
      certificate.on_substep(states);
      substep.particles_t0 = substep.particles_t1 = {Vec3f(start, 0.25F, 1)};
    }
    return certificate.jump_count();
  };
  EXPECT_EQ(jumps(7.5F, 7.5F, 2), 0);
  EXPECT_EQ(jumps(7.5F, 5.5F, 2), 0);
  EXPECT_EQ(jumps(7.5F, 1.5F, 2), 0);
  EXPECT_EQ(jumps(-2.5F, 1.5F, 2), 0);
  EXPECT_EQ(jumps(7.5F, 1.4F, 2), 1);
  EXPECT_EQ(jumps(7.5F, 7.4F, 2), 1);
  EXPECT_EQ(jumps(7.5F, 5.5F, 0), 1);
}

// Oracle: integer arithmetic on every pair, no grid and no filter.
TEST(CrossingCertificate, finds_what_all_pairs_find) {
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&](double size) {
    return Vec3(size * Vec3{uniform(random), uniform(random), uniform(random)});
  };
  Substep substep({0, 0, 0}, {0, 0, 0});
  substep.particles_t0.clear();
  substep.particles_t1.clear();
  substep.vertices_t0.clear();
  substep.vertices_t1.clear();
  substep.triangles.clear();
  for (std::int32_t i = 0; i < 40; ++i) {
    const Vec3 center = point(1);
    for (int k = 0; k < 3; ++k) {
      substep.vertices_t0.push_back(center + point(0.3));
      substep.vertices_t1.push_back(substep.vertices_t0.back() + point(0.1));
    }
    substep.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  for (int i = 0; i < 100; ++i) {
    substep.particles_t0.push_back(point(1).cast<float>());
    substep.particles_t1.push_back(substep.particles_t0.back() + point(0.5).cast<float>());
  }
  std::int64_t expected = 0;
  for (std::size_t p = 0; p < substep.particles_t0.size(); ++p) {
    for (const TriangleIndices& t : substep.triangles) {
      Motion<4> motion;
      motion.start[0] = substep.particles_t0[p].cast<double>();
      motion.end[0] = substep.particles_t1[p].cast<double>();
      for (std::size_t k = 0; k < 3; ++k) {
        motion.start[k + 1] = substep.vertices_t0[std::size_t(t[k])];
        motion.end[k + 1] = substep.vertices_t1[std::size_t(t[k])];
      }
      expected += point_meets_triangle(motion);
    }
  }
  EXPECT_GT(expected, 2);
  const std::int64_t of_particles = expected;
  const auto motion_of = [&](const std::array<std::int32_t, 4>& vertices) {
    Motion<4> motion;
    for (std::size_t k = 0; k < 4; ++k) {
      motion.start[k] = substep.vertices_t0[std::size_t(vertices[k])];
      motion.end[k] = substep.vertices_t1[std::size_t(vertices[k])];
    }
    return motion;
  };
  for (const TriangleIndices& t : substep.triangles) {
    for (const TriangleIndices& o : substep.triangles) {
      if (t == o) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        expected += point_meets_triangle(motion_of({t[k], o[0], o[1], o[2]}));
        for (std::size_t j = 0; t[0] < o[0] && j < 3; ++j)
          expected += edge_meets_edge(motion_of({t[k], t[(k + 1) % 3], o[j], o[(j + 1) % 3]}));
      }
    }
  }
  EXPECT_GT(expected, of_particles + 4);
  EXPECT_EQ(count_crossings(substep), expected);
}

// Pairs are listed for several substeps at a time. Oracle: one certificate for each substep.
TEST(CrossingCertificate, sees_in_many_substeps_what_it_sees_in_each) {
  std::mt19937_64 random{2};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&](double size) {
    return Vec3(size * Vec3{uniform(random), uniform(random), uniform(random)});
  };
  Substep substep({9, 9, 9}, {9, 9, 9});
  substep.vertices_t0.clear();
  substep.triangles.clear();
  for (std::int32_t i = 0; i < 60; ++i) {
    const Vec3 center = point(1);
    for (int k = 0; k < 3; ++k)
      substep.vertices_t0.push_back(center + point(0.1));
    substep.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  CrossingCertificate certificate;
  std::int64_t expected = 0;
  for (int step = 0; step < 100; ++step) {
    substep.vertices_t1 = substep.vertices_t0;
    for (Vec3& vertex : substep.vertices_t1)
      vertex += point(step % 30 == 0 ? 0.05 : 0.01);
    certificate.on_substep(substep.states());
    expected += count_crossings(substep);
    EXPECT_EQ(certificate.crossing_count(), expected) << "step " << step;
    substep.vertices_t0 = substep.vertices_t1;
  }
  EXPECT_GT(expected, 10);
}

TEST(CrossingCertificate, takes_each_frame_by_itself) {
  CrossingCertificate certificate;
  Substep substep({0.25F, 0.25F, 1}, {0.25F, 0.25F, 0.5F});
  certificate.on_substep(substep.states());
  const Findings clean = certificate.take_frame();
  EXPECT_EQ(clean.substep_count, 1);
  EXPECT_EQ(clean.crossing_count, 0);
  EXPECT_EQ(clean.jump_count, 0);
  EXPECT_FALSE(clean.first_crossing);

  substep.particles_t0 = substep.particles_t1;
  certificate.on_substep(substep.states());
  substep.particles_t1[0].z() = -1;
  certificate.on_substep(substep.states());
  substep.particles_t0[0].z() = 0.75F;  // Not where it was left.
  certificate.on_substep(substep.states());
  const Findings crossed = certificate.take_frame();
  EXPECT_EQ(crossed.substep_count, 3);
  EXPECT_EQ(crossed.crossing_count, 2);
  EXPECT_EQ(crossed.jump_count, 1);
  EXPECT_EQ(crossed.pair_count, 2) << "where it stands it has no pair";
  EXPECT_GE(crossed.exact_count, 2) << "no direction parts what meets";
  ASSERT_TRUE(crossed.first_crossing);
  EXPECT_EQ(crossed.first_crossing->substep, 1) << "of the frame";

  const Findings none = certificate.take_frame();
  EXPECT_EQ(none.substep_count, 0);
  EXPECT_FALSE(none.first_crossing);
  // Between frames, too, nothing may jump.
  substep.particles_t0[0].z() = 2;
  substep.particles_t1[0].z() = 2;
  certificate.on_substep(substep.states());
  EXPECT_EQ(certificate.take_frame().jump_count, 1);
}

TEST(CrossingCertificate, says_in_words_who_met_whom) {
  const std::vector<BodyLayout> layout{{"water", BodyKind::particles, 2, {}, {}},
                                       {"oil", BodyKind::particles, 3, {}, {}},
                                       {"curtain", BodyKind::surface, 4, {}, {}},
                                       {"block", BodyKind::volume, 5, {}, {}}};
  const auto words = [&](CrossingKind kind, std::size_t first_point, std::size_t second_point) {
    return in_words({2, 0.2, kind, 0, 0, first_point, second_point, {0.5, 0, -0.25}, {}}, layout,
                    12);
  };
  EXPECT_EQ(
      words(CrossingKind::particle_triangle, 1, 3),
      "a particle of \"water\" met a triangle of \"curtain\" in substep 3 of frame 12, before "
      "0.2 s, near (0.5, 0, -0.25)");
  EXPECT_THAT(words(CrossingKind::particle_triangle, 2, 4),
              testing::StartsWith("a particle of \"oil\" met a triangle of \"block\" in"));
  EXPECT_THAT(words(CrossingKind::vertex_triangle, 8, 0),
              testing::StartsWith("a vertex of \"block\" met a triangle of \"curtain\" in"));
  EXPECT_THAT(words(CrossingKind::edge_edge, 3, 3),
              testing::StartsWith("an edge of \"curtain\" met an edge of \"curtain\" in"));
}

/// Triangles and particles that tumble about and cross each other now and then.
struct Tumble {
  std::mt19937_64 random{3};
  Substep substep{{0, 0, 0}, {0, 0, 0}};

  Tumble() {
    substep.vertices_t0.clear();
    substep.triangles.clear();
    for (std::int32_t i = 0; i < 60; ++i) {
      const Vec3 center = point(1);
      for (int k = 0; k < 3; ++k)
        substep.vertices_t0.push_back(center + point(0.2));
      substep.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    substep.particles_t0.clear();
    for (int i = 0; i < 5000; ++i)  // More than a chunk of a parallel loop.
      substep.particles_t0.push_back(point(1).cast<float>());
    substep.vertices_t1 = substep.vertices_t0;
    substep.particles_t1 = substep.particles_t0;
  }
  Vec3 point(double size) {
    std::uniform_real_distribution<double> uniform{-size, size};
    const double x = uniform(random), y = uniform(random);
    return {x, y, uniform(random)};
  }
  void go_on() {
    substep.particles_t0 = substep.particles_t1;
    substep.vertices_t0 = substep.vertices_t1;
    for (Vec3& vertex : substep.vertices_t1)
      vertex += point(1e-3);
    for (Vec3f& particle : substep.particles_t1)
      particle += point(1e-3).cast<float>();
  }
};

void expect_same(const Findings& one, const Findings& other) {
  EXPECT_EQ(one.substep_count, other.substep_count);
  EXPECT_EQ(one.crossing_count, other.crossing_count);
  EXPECT_EQ(one.jump_count, other.jump_count);
  EXPECT_EQ(one.pair_count, other.pair_count);
  EXPECT_EQ(one.exact_count, other.exact_count);
  ASSERT_EQ(one.first_crossing.has_value(), other.first_crossing.has_value());
  if (!one.first_crossing) return;
  EXPECT_EQ(one.first_crossing->substep, other.first_crossing->substep);
  EXPECT_EQ(one.first_crossing->kind, other.first_crossing->kind);
  EXPECT_EQ(one.first_crossing->first, other.first_crossing->first);
  EXPECT_EQ(one.first_crossing->second, other.first_crossing->second);
  EXPECT_EQ(one.first_crossing->from, other.first_crossing->from);
}

// What a worker says of a frame must not depend on its threads, nor on whether it began with it.
TEST(CrossingCertificate, finds_the_same_on_two_threads_and_from_any_frame_on) {
  constexpr int frames = 4, substeps = 6;
  std::vector<Findings> by_one, by_two;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit(threads).run([&] {
      Tumble tumble;
      CrossingCertificate certificate;
      for (int frame = 0; frame < frames; ++frame) {
        for (int i = 0; i < substeps; ++i) {
          tumble.go_on();
          certificate.on_substep(tumble.substep.states());
        }
        (threads == 1 ? by_one : by_two).push_back(certificate.take_frame());
      }
    });
  }
  std::vector<Findings> by_itself;
  Tumble tumble;
  for (int frame = 0; frame < frames; ++frame) {
    CrossingCertificate certificate;
    for (int i = 0; i < substeps; ++i) {
      tumble.go_on();
      certificate.on_substep(tumble.substep.states());
    }
    by_itself.push_back(certificate.take_frame());
  }
  for (std::size_t frame = 0; frame < frames; ++frame) {
    SCOPED_TRACE(frame);
    EXPECT_GT(by_one[frame].crossing_count, 0);
    EXPECT_EQ(by_one[frame].jump_count, 0);
    expect_same(by_one[frame], by_two[frame]);
    expect_same(by_one[frame], by_itself[frame]);
  }
}

// Two crossed bars of which no vertex comes near the other.
TEST(CrossingCertificate, sees_edges_that_meet_edges) {
  Substep substep({9, 9, 9}, {9, 9, 9});
  substep.vertices_t0 = {{-1, -0.1, 0},   {1, -0.1, 0},   {1, 0.1, 0},
                         {-0.1, -1, 0.5}, {-0.1, 1, 0.5}, {0.1, 1, 0.5}};
  substep.vertices_t1 = substep.vertices_t0;
  substep.triangles = {{0, 1, 2}, {3, 4, 5}};
  for (std::size_t v = 3; v < 6; ++v)
    substep.vertices_t1[v].z() = 1e-9;
  EXPECT_EQ(count_crossings(substep), 0);
  for (std::size_t v = 3; v < 6; ++v)
    substep.vertices_t1[v].z() = -0.5;
  EXPECT_EQ(count_crossings(substep), 4);  // Both sides of each bar.
}

}  // namespace
}  // namespace sluice::certificate
