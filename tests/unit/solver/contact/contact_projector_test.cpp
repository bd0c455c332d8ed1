// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/contact_projector.h"

#include <gtest/gtest.h>

#include <random>

#include "solver/contact/candidates.h"
#include "solver/parallel/thread_limit.h"

namespace sluice::contact {
namespace {

// A flat square sheet of 2 n^2 triangles, at z = 0, and layers of particles above it whose targets
// are below it.
struct Rain {
  std::vector<Vec3f> particles_t0, particles_t1;
  std::vector<Vec3> vertices_t0, vertices_t1;
  std::vector<TriangleIndices> triangles;
  std::vector<double> material_inverse_masses{500}, vertex_inverse_masses, gaps;
  std::vector<std::uint8_t> materials;
  std::vector<Candidate> candidates;

  Rain(int n, int particle_count, unsigned seed) {
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> uniform{0.05, 0.95};
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j)
        vertices_t0.push_back({double(i) / n, double(j) / n, 0});
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const std::int32_t a = i * (n + 1) + j, b = a + n + 1;
        triangles.push_back({a, b, b + 1});
        triangles.push_back({a, b + 1, a + 1});
      }
    }
    vertices_t1 = vertices_t0;
    for (int i = 0; i < particle_count; ++i) {
      const Vec3 start{uniform(random), uniform(random), 0.02 * uniform(random)};
      particles_t0.push_back(start.cast<float>());
      particles_t1.push_back((start - Vec3{0, 0, 0.02}).cast<float>());
    }
    materials.assign(particles_t0.size(), 0);
    vertex_inverse_masses.assign(vertices_t0.size(), 300);
    gaps.assign(triangles.size(), 2e-3);
  }

  ContactBodies bodies() const {
    return {material_inverse_masses, materials, vertex_inverse_masses, triangles, gaps};
  }
  PointsSpan t1() { return {particles_t1, vertices_t1}; }

  ContactProjector projector(double recovery) {
    MotionBounds bounds;
    bounds.begin({particles_t0, vertices_t0}, t1(), 4e-3);
    CandidateFinder().find(bounds, triangles, candidates);
    ContactProjector result;
    result.begin(bodies(), {particles_t0, vertices_t0}, candidates, recovery);
    return result;
  }

  Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (const Vec3f& p : particles_t1)
      sum += p.cast<double>() / material_inverse_masses[0];
    for (std::size_t i = 0; i < vertices_t1.size(); ++i) {
      sum += vertices_t1[i] / vertex_inverse_masses[i];
    }
    return sum;
  }
};

TEST(ContactProjector, SweepsKeepMomentumAndBringEveryPairToItsGap) {
  Rain rain(12, 400, 1);
  ContactProjector projector = rain.projector(1);
  const Vec3 before = rain.momentum();
  const ProjectionReport first = projector.sweep(rain.t1());
  EXPECT_GT(first.active_count, 300);
  ProjectionReport last = first;
  for (int i = 0; i < 60; ++i) {
    const ProjectionReport next = projector.sweep(rain.t1());
    EXPECT_LE(next.largest_violation, last.largest_violation * 1.05);  // No overshoot.
    last = next;
  }
  EXPECT_LT(last.largest_violation, 2e-4);  // A tenth of the gap, from ten gaps.
  // 400 particles of 2 g, each rounded to float (3e-8 at 1) in 61 sweeps.
  EXPECT_LT((rain.momentum() - before).norm(), 400 * 0.002 * 3e-8 * 61);
}

TEST(ContactProjector, MeetsTheTargetOfALoneContactInOneSweep) {
  Rain rain(2, 0, 1);
  rain.particles_t0 = {{0.4F, 0.2F, 0.01F}};
  rain.particles_t1 = {{0.4F, 0.2F, -0.01F}};
  rain.materials = {0};
  ContactProjector projector = rain.projector(1);
  EXPECT_EQ(projector.sweep(rain.t1()).active_count, 1);
  const double gap = smallest_gap(rain.candidates, rain.triangles, rain.t1());
  EXPECT_NEAR(gap, 2e-3, 1e-5);  // To first order: the triangle tilts a little.
  // Signed: on the side where it started.
  EXPECT_LT(projector.sweep(rain.t1()).largest_violation, 1e-5);
}

TEST(ContactProjector, AsksAPairThatStartsTooCloseForItsRecoveryOnly) {
  Rain rain(2, 0, 1);
  rain.vertex_inverse_masses.assign(rain.vertices_t0.size(), 0);
  rain.particles_t0 = rain.particles_t1 = {{0.4F, 0.2F, 0.0005F}};
  rain.materials = {0};
  ContactProjector projector = rain.projector(1e-4);
  for (int i = 0; i < 3; ++i)
    projector.sweep(rain.t1());
  EXPECT_NEAR(rain.particles_t1[0].z(), 0.0006F, 1e-7F);
  EXPECT_EQ(rain.vertices_t1, rain.vertices_t0);  // Held.
}

TEST(ContactProjector, GivesTheSameBitsForAnyThreadCount) {
  Rain one(30, 5000, 2), four = one;
  const auto run = [](Rain& rain, int threads) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      ContactProjector projector = rain.projector(1);
      for (int i = 0; i < 3; ++i)
        projector.sweep(rain.t1());
    });
  };
  run(one, 1);
  run(four, 4);
  EXPECT_EQ(one.particles_t1, four.particles_t1);
  EXPECT_EQ(one.vertices_t1, four.vertices_t1);
}

}  // namespace
}  // namespace sluice::contact
