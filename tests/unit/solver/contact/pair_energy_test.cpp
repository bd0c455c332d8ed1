// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/pair_energy.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/solver/contact/contact_pairs.h"

namespace sluice::contact {
namespace {

using geometry::Mat12;
using geometry::PairPoints;
using geometry::Vec12;

constexpr double kappa = 3, range = 1e-2;

TEST(Barrier, has_the_published_values_and_is_infinite_at_contact) {
  const Barrier barrier{kappa, range};
  // By hand at half the range: b = g^2 / 4 ln 2, b' = -g^ (ln 2 + 1/2), b'' = 2 ln 2 + 5.
  const GapEnergy half = barrier.at(range / 2);
  EXPECT_NEAR(half.value, kappa * range * range / 4 * std::log(2.0), 1e-15 * kappa);
  EXPECT_NEAR(half.slope, -kappa * range * (std::log(2.0) + 0.5), 1e-15 * kappa);
  EXPECT_NEAR(half.curvature, kappa * (2 * std::log(2.0) + 5), 1e-13 * kappa);
  EXPECT_EQ(barrier.at(0).value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(barrier.at(-1e-3).value, std::numeric_limits<double>::infinity());
  // The force grows without bound, the closer the more.
  EXPECT_LT(barrier.at(1e-12).slope, -kappa * range * range / 1.1e-12);
}

TEST(Barrier, ends_at_its_range_without_slope_and_curvature) {
  const Barrier barrier{kappa, range};
  const GapEnergy end = barrier.at(range);
  EXPECT_EQ(end.value, 0);
  EXPECT_EQ(end.slope, 0);
  EXPECT_EQ(end.curvature, 0);
  // And without a jump: by the leading terms of its expansion, t^3 / g^, t = g^ - g.
  const double t = 1e-6 * range;
  const GapEnergy before = barrier.at(range - t);
  EXPECT_NEAR(before.value, kappa * t * t * t / range, 1e-5 * kappa * t * t * t / range);
  EXPECT_NEAR(before.slope, -3 * kappa * t * t / range, 1e-5 * kappa * t * t / range);
  EXPECT_NEAR(before.curvature, 6 * kappa * t / range, 1e-4 * kappa * t / range);
}

TEST(Barrier, has_derivatives_of_its_value) {
  const Barrier barrier{kappa, range};
  for (const double gap : {1e-6, 1e-4, 2e-3, 7e-3, 9.9e-3}) {
    const double h = 1e-4 * std::min(gap, range - gap);
    const GapEnergy at = barrier.at(gap), above = barrier.at(gap + h), below = barrier.at(gap - h);
    EXPECT_NEAR(at.slope, (above.value - below.value) / (2 * h), 1e-6 * std::abs(at.slope)) << gap;
    EXPECT_NEAR(at.curvature, (above.slope - below.slope) / (2 * h), 1e-6 * at.curvature) << gap;
  }
}

TEST(Penalty, is_a_spring_that_pushes_only) {
  const Penalty penalty{50, range};
  EXPECT_NEAR(penalty.at(range - 1e-3).value, 50 * 1e-6 / 2, 1e-18);
  EXPECT_NEAR(penalty.at(range - 1e-3).slope, -50 * 1e-3, 1e-15);
  EXPECT_EQ(penalty.at(range).value, 0);
  EXPECT_EQ(penalty.at(2 * range).slope, 0);
  EXPECT_NEAR(penalty.at(0).value, 50 * range * range / 2, 1e-15);  // Finite at contact.
}

// All kinds of pairs by a law: the same checks for both.
template <typename Law>
class PairEnergies : public testing::Test {
 protected:
  Law law{kappa, range};

  // Calls check(placed, step, gap): central differences over `step` [m] are well within the scale
  // on which the pair's energy changes, and stay in one region.
  template <typename Check>
  void for_each_pair(Check check) {
    PairSampler sampler(11);
    int checked = 0;
    for (int i = 0; i < 400; ++i) {
      const double gap = range * std::pow(10, sampler.uniform(-3, -0.02));
      const double sine = i % 4 == 3 ? std::pow(10, sampler.uniform(-3, -1.6)) : 1;
      const PairKind kind = i % 4 == 0 ? PairKind::point_triangle : PairKind::edge_edge;
      const double thickness = i % 4 == 2 ? 0.02 : 0;
      const PlacedPair placed =
          sine < 1 ? sampler.nearly_parallel(sine, gap) : sampler.close(kind, gap, thickness);
      const double step = 1e-3 * std::min({gap, range - gap, sine});
      if (pair_energy(law, placed.pair, placed.x) == 0 || is_near_border(placed, step)) continue;
      ++checked;
      check(placed, step, gap);
    }
    EXPECT_GT(checked, 300);
  }

 private:
  static bool is_near_border(const PlacedPair& placed, double step) {
    const int freedom = distance_of(placed.pair.kind, placed.x).freedom;
    for (Eigen::Index i = 0; i < 12; ++i) {
      for (const double way : {-2 * step, 2 * step}) {
        if (distance_of(placed.pair.kind, moved(placed.x, i, way)).freedom != freedom) return true;
      }
    }
    return false;
  }
};
using Laws = testing::Types<Barrier, Penalty>;
TYPED_TEST_SUITE(PairEnergies, Laws);

TYPED_TEST(PairEnergies, have_the_gradient_of_their_energy) {
  this->for_each_pair([&](const PlacedPair& placed, double step, double gap) {
    const Vec12 gradient = pair_gradient(this->law, placed.pair, placed.x);
    const std::function<double(const PairPoints&)> energy = [&](const PairPoints& x) {
      return pair_energy(this->law, placed.pair, x);
    };
    const auto expected = differences(energy, placed.x, step);
    for (Eigen::Index i = 0; i < 12; ++i) {
      ASSERT_NEAR(gradient[i], expected[static_cast<std::size_t>(i)],
                  1e-7 * gradient.cwiseAbs().maxCoeff())
          << i << " gap " << gap;
    }
  });
}

TYPED_TEST(PairEnergies, have_the_hessian_of_their_energy) {
  this->for_each_pair([&](const PlacedPair& placed, double step, double gap) {
    const Mat12 H = pair_hessian(this->law, placed.pair, placed.x);
    const std::function<Vec12(const PairPoints&)> gradient = [&](const PairPoints& x) -> Vec12 {
      return pair_gradient(this->law, placed.pair, x);
    };
    const auto expected = differences(gradient, placed.x, step);
    // The direction of r is known to rounding over the gap.
    const double rounding = 1e-15 / gap * gradient(placed.x).norm() / step;
    for (Eigen::Index i = 0; i < 12; ++i) {
      ASSERT_LE((H.col(i) - expected[static_cast<std::size_t>(i)]).cwiseAbs().maxCoeff(),
                1e-7 * H.cwiseAbs().maxCoeff() + rounding)
          << i << " gap " << gap;
    }
  });
}

TYPED_TEST(PairEnergies, are_projected_to_their_non_negative_eigenvalues) {
  this->for_each_pair([&](const PlacedPair& placed, double /*step*/, double gap) {
    const Mat12 H = pair_hessian(this->law, placed.pair, placed.x);
    const Mat12 projected = projected_pair_hessian(this->law, placed.pair, placed.x);
    const Eigen::SelfAdjointEigenSolver<Mat12> eigen(H);
    const Mat12 expected = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                           eigen.eigenvectors().transpose();
    ASSERT_LE((projected - expected).cwiseAbs().maxCoeff(), 1e-12 * H.cwiseAbs().maxCoeff())
        << "gap " << gap;
    ASSERT_LT(eigen.eigenvalues()[0], 0);  // There was something to project.
  });
}

TYPED_TEST(PairEnergies, push_without_resultant_and_moment) {
  this->for_each_pair([&](const PlacedPair& placed, double /*step*/, double gap) {
    const Vec12 gradient = pair_gradient(this->law, placed.pair, placed.x);
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (Eigen::Index i = 0; i < 4; ++i) {
      const Vec3 f = gradient.segment<3>(3 * i);
      force += f;
      moment += placed.x[static_cast<std::size_t>(i)].cross(f);
    }
    ASSERT_LE(force.norm(), 1e-12 * gradient.norm()) << gap;
    ASSERT_LE(moment.norm(), 1e-12 * gradient.norm()) << gap;
  });
}

TYPED_TEST(PairEnergies, vanish_from_the_range_on) {
  PairSampler sampler(3);
  for (int i = 0; i < 50; ++i) {
    const PairKind kind = i % 2 == 0 ? PairKind::point_triangle : PairKind::edge_edge;
    const PlacedPair placed = sampler.close(kind, range * 1.0001, 0.01);
    ASSERT_EQ(pair_energy(this->law, placed.pair, placed.x), 0);
    ASSERT_EQ(pair_gradient(this->law, placed.pair, placed.x), Vec12(Vec12::Zero()));
    ASSERT_EQ(projected_pair_hessian(this->law, placed.pair, placed.x), Mat12(Mat12::Zero()));
  }
}

TEST(PairEnergy, of_the_barrier_is_infinite_within_the_thickness) {
  const Barrier barrier{kappa, range};
  PairSampler sampler(4);
  PlacedPair placed = sampler.close(PairKind::point_triangle, 1e-9, 0.01);
  EXPECT_TRUE(std::isfinite(pair_energy(barrier, placed.pair, placed.x)));
  placed.pair.thickness += 2e-9;
  EXPECT_EQ(pair_energy(barrier, placed.pair, placed.x), std::numeric_limits<double>::infinity());
}

// Without the mollifier the force jumps from one end of the edges to the other as they turn through
// parallel.
TEST(PairEnergy, of_edges_is_continuously_differentiable_through_parallel) {
  const Barrier barrier{kappa, range};
  const auto at = [](double angle) {
    return PairPoints{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(-1, -angle, 0.004),
                      Vec3(1, angle, 0.004 + 1e-5 * angle)};
  };
  ContactPair pair{PairKind::edge_edge, {0, 1, 2, 3}};
  const auto jump = [&](double angle) {
    return (pair_gradient(barrier, pair, at(angle)) - pair_gradient(barrier, pair, at(-angle)))
        .norm();
  };
  const double force = barrier.at(0.004).slope;
  pair.mollifier_range = mollifier_range(2, 2);
  EXPECT_LE(jump(1e-6), 1e-3 * std::abs(force));
  EXPECT_LE(jump(1e-9), 1e-6 * std::abs(force));
  EXPECT_EQ(pair_energy(barrier, pair, at(0)), 0);
}

TEST(EdgeMollifier, is_one_beyond_its_range_and_touches_it_smoothly) {
  PairSampler sampler(5);
  const PlacedPair parallel = sampler.nearly_parallel(0, 0.01);
  EXPECT_NEAR(edge_mollifier_value(parallel.x, parallel.pair.mollifier_range), 0, 1e-25);
  const PlacedPair placed = sampler.nearly_parallel(0.3, 0.01);
  const double area = (placed.x[1] - placed.x[0]).cross(placed.x[3] - placed.x[2]).squaredNorm();
  EXPECT_EQ(edge_mollifier_value(placed.x, 0.999 * area), 1);
  const EdgeMollifier before = edge_mollifier(placed.x, area * (1 + 1e-9));
  EXPECT_NEAR(before.value, 1, 1e-15);
  EXPECT_LE(before.gradient.norm(), 1e-7);  // The range is area: it is of the order of 1e-9 / area.
}

}  // namespace
}  // namespace sluice::contact
