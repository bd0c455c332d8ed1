// SPDX-License-Identifier: Apache-2.0
// Oracles: residuals with the matrix in double; a dense solve; Galerkin's condition, that what a
// correction leaves of a residual neither pushes nor turns any patch.
#include "solver/linalg/two_level_pcg.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "solver/linalg/pcg.h"
#include "solver/linalg/vectors.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/linalg/random_elements.h"

namespace sluice::linalg {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A lattice of length x width x width vertices, each joined to its 26 neighbours by springs that
/// resist along themselves alone: six motions of the whole cost nothing but inertia.
struct Lattice {
  std::vector<Vec3> positions;
  std::vector<std::int32_t> ends;
  std::vector<double> maps, inertia;
  double stiffness = 1000;

  Lattice(int length, int width) {
    for (int i = 0; i < length; ++i) {
      for (int j = 0; j < width; ++j) {
        for (int k = 0; k < width; ++k)
          positions.emplace_back(i, j, k);
      }
    }
    const auto count = static_cast<std::int32_t>(positions.size());
    for (std::int32_t a = 0; a < count; ++a) {
      for (std::int32_t b = a + 1; b < std::min(count, a + width * width + width + 2); ++b) {
        if (direction(a, b).cwiseAbs().maxCoeff() > 1) continue;
        ends.insert(ends.end(), {a, b});
        maps.insert(maps.end(), {1, -1});
      }
    }
    inertia.assign(positions.size(), 1.0);
  }
  Vec3 direction(std::int32_t a, std::int32_t b) const {
    return positions[static_cast<std::size_t>(b)] - positions[static_cast<std::size_t>(a)];
  }
  BlockMatrix matrix() const {
    const ElementGroup group{2, 1, ends, maps};
    BlockMatrix A(positions.size(), {&group, 1});
    A.begin(inertia);
    A.add(0, [this](std::size_t first, std::size_t last, std::span<double> out) {
      for (std::size_t e = first; e < last; ++e) {
        const Vec3 n = direction(ends[2 * e], ends[2 * e + 1]).normalized();
        Eigen::Map<Mat3> H(&out[9 * (e - first)]);
        H = stiffness * n * n.transpose();
      }
    });
    return A;
  }
  /// Random, and 0 where a vertex is held.
  std::vector<Vec3> load() const {
    std::vector<Vec3> b = random_vectors(positions.size(), 3);
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (inertia[i] == infinity) b[i].setZero();
    }
    return b;
  }
};

double residual(const BlockMatrix& A, const std::vector<Vec3>& b, const std::vector<Vec3>& x) {
  std::vector<Vec3> left(b.size());
  A.multiply(x, left);
  return (flat(b) - flat(left)).norm() / flat(b).norm();
}

TEST(TwoLevelPcg, solves_like_a_dense_factorisation) {
  const RandomElements tets(4, 3, 300, 900, 5);
  std::vector<double> inertia(300, 2.0);
  inertia[7] = infinity;
  const ElementGroup group = tets.group();
  BlockMatrix A(300, {&group, 1});
  A.begin(inertia);
  A.add(0, tets.source());
  auto b = random_vectors(300, 6);
  b[7].setZero();
  std::vector<Vec3> x(300);
  TwoLevelPcg pcg(A.pattern());
  pcg.prepare(A, random_vectors(300, 7));
  // Beyond what float resolves: refinement has to do the rest.
  const TwoLevelReport report = pcg.solve(A, b, 1e-10, 3000, x);
  EXPECT_TRUE(report.is_converged);
  const Eigen::VectorXd expected = dense_hessian({&tets}, inertia).llt().solve(flat(b));
  EXPECT_LT((flat(x) - expected).norm(), 1e-7 * expected.norm());
  EXPECT_EQ(x[7], Vec3::Zero());
}

TEST(TwoLevelPcg, needs_few_iterations_where_waves_are_long) {
  // A beam that sags, held at one end: 19 iterations, and 85 with block Jacobi alone.
  Lattice beam(40, 8);
  beam.stiffness = 100;
  std::vector<Vec3> load(beam.positions.size(), Vec3(0, 0, 1)), x(load.size());
  for (std::size_t i = 0; i < 64; ++i) {
    beam.inertia[i] = infinity;
    load[i].setZero();
  }
  const BlockMatrix A = beam.matrix();
  const PcgReport of_jacobi =
      Pcg().solve([&](auto v, auto w) { A.multiply(v, w); }, BlockJacobi(A), load, 1e-2, 3000, x);
  EXPECT_LT(residual(A, load, x), 1e-2);
  TwoLevelPcg pcg(A.pattern());
  pcg.prepare(A, beam.positions);
  const TwoLevelReport report = pcg.solve(A, load, 1e-2, 3000, x);
  EXPECT_TRUE(report.is_converged);
  EXPECT_LT(residual(A, load, x), 2e-2);
  EXPECT_LT(3 * report.iterations, of_jacobi.iterations);
}

TEST(TwoLevelPcg, never_claims_what_float_cannot_reach) {
  // A free body: its own motion costs inertia alone, 1e-3 to 1e-12 of the springs' stiffness.
  Lattice body(12, 5);
  const std::vector<Vec3> b(body.positions.size(), Vec3(1, 2, 3));
  for (const double stiffness : {1e3, 1e6, 1e9, 1e12}) {
    body.stiffness = stiffness;
    const BlockMatrix A = body.matrix();
    TwoLevelPcg pcg(A.pattern());
    pcg.prepare(A, body.positions);
    std::vector<Vec3> x(b.size());
    const TwoLevelReport report = pcg.solve(A, b, 1e-3, 300, x);
    EXPECT_NEAR(report.residual, residual(A, b, x), 1e-12);
    EXPECT_EQ(report.is_converged, residual(A, b, x) <= 2e-3) << stiffness;
    if (stiffness <= 1e3) {
      EXPECT_TRUE(report.is_converged);
    }
  }
}

TEST(TwoLevelPcg, serves_a_rope_and_a_body_that_is_held) {
  // On a line no patch can be turned about it; of held vertices none moves at all.
  Lattice rope(200, 1), held(10, 4);
  std::ranges::fill(held.inertia, infinity);
  for (const Lattice* lattice : {&rope, &held}) {
    const BlockMatrix A = lattice->matrix();
    TwoLevelPcg pcg(A.pattern());
    pcg.prepare(A, lattice->positions);
    const std::vector<Vec3> b = lattice->load();
    std::vector<Vec3> x(b.size());
    const TwoLevelReport report = pcg.solve(A, b, 1e-4, 500, x);
    EXPECT_TRUE(report.is_converged);
    if (lattice == &rope) {
      EXPECT_LE(residual(A, b, x), 2e-4);
    } else {
      EXPECT_EQ(report.iterations, 0);
    }
  }
}

TEST(TwoLevelPcg, has_the_same_bits_for_one_and_two_threads) {
  const Lattice body(40, 8);  // Several chunks of every loop.
  const BlockMatrix A = body.matrix();
  const std::vector<Vec3> b = body.load();
  std::array<std::vector<Vec3>, 2> x;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      std::vector<Vec3>& own = x[static_cast<std::size_t>(threads - 1)];
      own.resize(b.size());
      TwoLevelPcg pcg(A.pattern());
      pcg.prepare(A, body.positions);
      EXPECT_TRUE(pcg.solve(A, b, 1e-4, 500, own).is_converged);
    });
  }
  EXPECT_EQ(std::memcmp(x[0].data(), x[1].data(), x[0].size() * sizeof(Vec3)), 0);
}

TEST(RigidPatches, leave_nothing_that_pushes_or_turns_a_patch) {
  Lattice body(30, 5);
  body.inertia[100] = infinity;
  const BlockMatrix A = body.matrix();
  RigidPatches patches(A.pattern());
  patches.prepare(A, body.positions);
  ASSERT_TRUE(patches.is_ready());
  const std::vector<Vec3> b = body.load();
  std::vector<float> r;
  for (const Vec3& v : b)
    r.insert(r.end(), {static_cast<float>(v.x()), static_cast<float>(v.y()),
                       static_cast<float>(v.z()), 0.0F});
  const double product = patches.solve(r);
  std::vector<Vec3> z, image(b.size());
  for (const RigidPatches::Place& place : patches.places()) {
    const auto& motion = patches.motions()[static_cast<std::size_t>(place.patch)];
    const Vec3f turn = Vec3f(motion.w[0], motion.w[1], motion.w[2]);
    z.push_back((Vec3f(motion.t[0], motion.t[1], motion.t[2]) +
                 turn.cross(Vec3f(place.x, place.y, place.z)))
                    .cast<double>());
  }
  EXPECT_EQ(z[100], Vec3::Zero());
  EXPECT_NEAR(product, flat(b).dot(flat(z)), 1e-5 * product);
  A.multiply(z, image);
  std::vector<Vec3> force(patches.patch_count() + 1, Vec3::Zero()), torque = force, size = force;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const RigidPatches::Place& place = patches.places()[i];
    const auto p = static_cast<std::size_t>(place.patch);
    const Vec3 left = b[i] - image[i];
    force[p] += left;
    torque[p] += Vec3(place.x, place.y, place.z).cross(left);
    size[p] += image[i].cwiseAbs();
  }
  double worst = 0;
  for (std::size_t p = 0; p < patches.patch_count(); ++p)
    worst = std::max({worst, force[p].norm() / size[p].norm(), torque[p].norm() / size[p].norm()});
  // Float keeps seven digits of forces that mostly cancel within a patch.
  EXPECT_LT(worst, 1e-4);
}

}  // namespace
}  // namespace sluice::linalg
