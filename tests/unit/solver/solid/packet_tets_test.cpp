// SPDX-License-Identifier: Apache-2.0
// Oracles: one tet at a time by isotropic/, whose own tests go to finite differences; std::log.
#include "solver/solid/packet_tets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/energies.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {

using namespace simd;

namespace {

constexpr Lame packet_rubber{300, 500};
constexpr double packet_stiffness = 2 * 300 + 3 * 500;

/// Tets that share no vertex, corners of cubes of 0.1 m; not a multiple of four.
struct Heap {
  std::vector<Vec3> rest;
  std::vector<std::array<std::int32_t, 4>> tets;

  explicit Heap(int count) {
    for (int i = 0; i < count; ++i) {
      tets.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
      for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)})
        rest.push_back(corner);
    }
  }
  template <typename Energy>
  [[nodiscard]] PacketTets<Energy> four_at_a_time() const {
    return {Energy{packet_rubber}, tet_shapes(rest, tets)};
  }
  template <typename Energy>
  [[nodiscard]] ContinuumPotential<Energy, 3, 3> one_at_a_time() const {
    return {Energy{packet_rubber}, tet_shapes(rest, tets)};
  }
};

Mat3 turned(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

TEST(Packet, logarithm_is_exact_to_rounding) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 20000; ++n) {
    const double wide = std::exp(100 * normal(random)), near_one = 1 + 1e-4 * normal(random);
    const Double4 found = log4(Double4{wide, near_one, 1, 1e-300});
    EXPECT_NEAR(found[0], std::log(wide), 4.5e-16 * std::max(1.0, std::abs(std::log(wide))));
    EXPECT_NEAR(found[1], std::log(near_one), 7e-16 * std::abs(std::log(near_one)));
    EXPECT_EQ(found[2], 0);
  }
}

template <typename Energy>
class PacketTetsTest : public testing::Test {};
template <typename List>
struct TypesOf;
template <typename... Energies>
struct TypesOf<std::tuple<Energies...>> {
  using type = testing::Types<Energies...>;
};
using Models = TypesOf<PacketEnergies>::type;
TYPED_TEST_SUITE(PacketTetsTest, Models);

TYPED_TEST(PacketTetsTest, energy_and_gradient_are_those_of_one_tet_at_a_time) {
  const Heap heap(1027);
  const auto four = heap.four_at_a_time<TypeParam>();
  const auto one = heap.one_at_a_time<TypeParam>();
  constexpr bool inverts = !std::is_same_v<TypeParam, NeoHookean>;
  for (const double size : {0.0, 1e-6, 0.02, inverts ? 0.3 : 0.03}) {
    const auto x = jittered(heap.rest, size, 3);
    const double energy = one.energy(x);
    ASSERT_TRUE(std::isfinite(energy));
    // A tet's packet_stiffness is 2100 Pa of 1.7e-4 m^3; its energy is a difference of terms of
    // that size.
    const double unit = packet_stiffness * 1e-3 / 6;
    EXPECT_NEAR(four.energy(x), energy, 1e-14 * unit * 1027 + 1e-13 * energy);
    const auto expected = gradient_of(one, x), found = gradient_of(four, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Near the jumps of the fixed-corotated rotation a rounding counts some thousand times.
      EXPECT_LE((found[i] - expected[i]).norm(), 1e-10 * (unit / 0.1 + expected[i].norm()))
          << i << " size " << size;
    }
  }
}

TYPED_TEST(PacketTetsTest, squashed_tets_are_as_those_of_one_at_a_time) {
  const Heap heap(64);
  const auto four = heap.four_at_a_time<TypeParam>();
  const auto one = heap.one_at_a_time<TypeParam>();
  for (const double height : {0.1, 1e-2, 1e-3, 1e-4, 1e-8}) {
    auto x = jittered(heap.rest, 0.01, 4);
    for (Vec3& point : x)
      point.z() *= height;
    EXPECT_NEAR(four.energy(x), one.energy(x), 1e-13 * (1 + one.energy(x))) << height;
  }
}
TYPED_TEST(PacketTetsTest, projected_hessian_is_that_of_one_tet_at_a_time) {
  const Heap heap(259);
  const auto four = heap.four_at_a_time<TypeParam>();
  const auto one = heap.one_at_a_time<TypeParam>();
  constexpr bool inverts = !std::is_same_v<TypeParam, NeoHookean>;
  for (const double size : {0.0, 1e-9, 1e-6, 1e-3, 0.02, inverts ? 0.3 : 0.03}) {
    const auto x = jittered(heap.rest, size, 3);
    for (std::size_t e = 0; e < 259; e += 37) {
      std::vector<double> found(std::size_t{81} * 37), expected(found.size());
      four.hessians(e, e + 37, x, HessianForm::positive_semidefinite, found);
      one.hessians(e, e + 37, x, HessianForm::positive_semidefinite, expected);
      for (std::size_t i = 0; i < 37; ++i) {
        using Hessian = Eigen::Matrix<double, 9, 9>;
        const Hessian A = Eigen::Map<const Hessian>(&found[81 * i]);
        const Hessian B = Eigen::Map<const Hessian>(&expected[81 * i]);
        // Stretches closer than the root of rounding, 1.5e-8, cannot be told apart, and what
        // clamping makes of them neither: a few of that, by the order in which compilers add.
        ASSERT_LE((A - B).norm(), 1e-7 * B.norm()) << "size " << size << " tet " << e + i;
      }
    }
  }
}

TEST(NeoHookeanTets, inverted_has_no_energy) {
  const Heap heap(1027);
  auto inverted = heap.rest;
  inverted[4 * 501 + 3].z() = -0.1;
  EXPECT_EQ(heap.four_at_a_time<NeoHookean>().energy(inverted),
            std::numeric_limits<double>::infinity());
}

/// Matrices of every kind: what is near rest, stretched, squashed and mirrored, each turned.
std::vector<Mat3> targets(double size, int count) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Mat3> found;
  found.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    found.emplace_back(turned(random) * (Mat3::Identity() +
                                         size * Mat3::NullaryExpr([&] { return normal(random); })));
  }
  return found;
}

std::vector<double> entries_of(const std::vector<Mat3>& matrices) {
  std::vector<double> entries;
  entries.reserve(9 * matrices.size());
  for (const Mat3& P : matrices)
    entries.insert(entries.end(), P.data(), P.data() + 9);
  return entries;
}

/// The local steps of a potential that has as many elements as there are targets.
std::vector<Mat3> local_steps(const Potential& potential, const std::vector<Mat3>& targets,
                              double scale) {
  const std::vector<double> p = entries_of(targets);
  std::vector<double> z(p.size());
  potential.local_step(0, targets.size(), p, scale, z);
  std::vector<Mat3> found;
  found.reserve(targets.size());
  for (std::size_t e = 0; e < targets.size(); ++e)
    found.emplace_back(Eigen::Map<const Mat3>(&z[9 * e]));
  return found;
}

TYPED_TEST(PacketTetsTest, local_step_is_that_of_one_tet_at_a_time) {
  constexpr int count = 1027;
  const Heap heap(count);
  const auto potential = heap.four_at_a_time<TypeParam>();
  for (const double size : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.8, 5.0}) {
    const std::vector<Mat3> P = targets(size, count);
    for (const double scale : {0.02, 1.0, 30.0}) {
      const std::vector<Mat3> Z = local_steps(potential, P, scale);
      for (std::size_t e = 0; e < count; ++e) {
        const Mat3 expected = proximal(TypeParam{packet_rubber}, P[e], packet_stiffness * scale);
        // Newton stops at a step of 3e-7, which leaves its square times the energy's bend over what
        // is left of its curvature: some thousands where two minima are about to part.
        ASSERT_LE((Z[e] - expected).norm(), 1e-9 * (1 + P[e].norm()))
            << "size " << size << " scale " << scale << "\n"
            << P[e];
      }
    }
  }
}

TYPED_TEST(PacketTetsTest, local_step_of_degenerate_targets_is_finite_and_that_of_one_tet) {
  std::mt19937 random(7);
  std::vector<Mat3> P;
  for (const Vec3& stretches :
       {Vec3(1, 1, 1), Vec3(2, 2, 2), Vec3(0.3, 0.3, 0.3), Vec3(1, 1, 0.2), Vec3(3, 0.5, 0.5),
        Vec3(10, 1, 1), Vec3(1, 1, 1e-2), Vec3(1, 1, 1e-3), Vec3(1, 1, 1e-6), Vec3(1, 0.9, 0),
        Vec3(1, 1e-4, 1e-5), Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(1.1, 0.9, -0.1),
        Vec3(1.1, 0.9, -0.7), Vec3(1.1, 0.9, -0.899), Vec3(2, 1, -1e-9), Vec3(1e-8, 1e-9, 1e-10)}) {
    const Mat3 turn = turned(random), other = turned(random);
    P.emplace_back(turn * stretches.asDiagonal() * other);
    P.emplace_back(turn);  // A neighbour in its packet.
  }
  for (const double huge : {1e10, 1e80, 1e200})
    P.emplace_back(huge * turned(random) * Vec3(1, 0.9, 0.8).asDiagonal());
  const Heap heap(static_cast<int>(P.size()));
  const auto potential = heap.four_at_a_time<TypeParam>();
  for (const double scale : {1.0, 30.0}) {
    const std::vector<Mat3> Z = local_steps(potential, P, scale);
    for (std::size_t e = 0; e < P.size(); ++e) {
      ASSERT_TRUE(Z[e].allFinite()) << P[e];
      if (P[e].norm() > 1e9) continue;
      const Mat3 expected = proximal(TypeParam{packet_rubber}, P[e], packet_stiffness * scale);
      EXPECT_LE((Z[e] - expected).norm(), 1e-9 * (1 + P[e].norm())) << P[e];
    }
  }
}

// The energy has several minima: it is one of them that is found.
TEST(NeoHookeanTets, local_step_is_a_minimum_from_rest_to_mirrored) {
  constexpr int count = 1027;
  const Heap heap(count);
  const auto potential = heap.four_at_a_time<NeoHookean>();
  const NeoHookean energy{packet_rubber};
  for (const double size : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.8, 5.0}) {
    const std::vector<Mat3> P = targets(size, count);
    for (const double scale : {0.02, 1.0, 30.0}) {
      const std::vector<Mat3> Z = local_steps(potential, P, scale);
      const double w = packet_stiffness * scale;
      for (std::size_t e = 0; e < count; ++e) {
        ASSERT_TRUE(Z[e].allFinite()) << P[e];
        ASSERT_GT(Z[e].determinant(), 0) << P[e];
        // Newton stops at 1e-5 of log J, which leaves 1e-10; softer w multiplies it.
        EXPECT_LE((stress(energy, Z[e]) + w * (Z[e] - P[e])).norm(),
                  1e-8 * (packet_stiffness + w) * (1 + P[e].norm()))
            << "size " << size << " scale " << scale << "\n"
            << P[e];
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> solver(
            hessian(energy, Z[e], HessianForm::exact));
        EXPECT_GE(solver.eigenvalues()[0] + w, -1e-6 * solver.eigenvalues()[8]);
      }
    }
  }
}

TYPED_TEST(PacketTetsTest, equal_and_nearly_equal_stretches_agree_with_the_singular_vectors) {
  const Heap heap(64);
  const auto potential = heap.four_at_a_time<TypeParam>();
  std::vector<Mat3> P;
  const double tiny[] = {0, 1e-16, 1e-12, 1e-8};
  for (std::size_t e = 0; e < 64; ++e) {
    const double a = tiny[e % 4], b = tiny[e / 4 % 4];
    const double base = e < 16 ? 1 : (e < 32 ? 0.3 : 2);
    const Vec3 stretches(base, base * (1 + a), e < 48 ? base * (1 + a + b) : 0.5);
    const Mat3 turn(Eigen::AngleAxisd(0.7, Vec3(1, -2, 3).normalized()));
    P.emplace_back(turn * stretches.asDiagonal() * turn.transpose());
  }
  const std::vector<Mat3> Z = local_steps(potential, P, 1);
  for (std::size_t e = 0; e < 64; ++e)
    EXPECT_LE((Z[e] - proximal(TypeParam{packet_rubber}, P[e], packet_stiffness)).norm(), 1e-9)
        << e;
}

TYPED_TEST(PacketTetsTest, maps_are_those_of_the_tables) {
  const Heap heap(1027);
  expect_maps_are_those_of_the_tables(heap.four_at_a_time<TypeParam>(),
                                      jittered(heap.rest, 0.05, 7));
}

TYPED_TEST(PacketTetsTest, same_bits_for_any_thread_count) {
  const Heap heap(5003);
  const auto potential = heap.four_at_a_time<TypeParam>();
  expect_same_bits_for_any_thread_count(potential, jittered(heap.rest, 0.01, 3));
}

}  // namespace
}  // namespace sluice::solid
