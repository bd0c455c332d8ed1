// SPDX-License-Identifier: Apache-2.0
// Distances of pairs and their derivatives, against the same distances in 113-bit arithmetic, whose
// differences over 1e-8 are exact to more digits than a double has.
#include "solver/geometry/pair_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/unit/solver/geometry/quad_distance.h"

namespace sluice::geometry {
namespace {

enum class Kind { point_triangle, edge_edge };

PairDistance distance_of(Kind kind, const PairPoints& x) {
  return kind == Kind::point_triangle ? point_triangle_distance(x) : edge_edge_distance(x);
}

using QuadPoints = std::array<QuadVec3, 4>;

QuadPoints to_quad(const PairPoints& x) {
  return {x[0].cast<Quad>(), x[1].cast<Quad>(), x[2].cast<Quad>(), x[3].cast<Quad>()};
}

QuadVec3 exact_offset(Kind kind, const QuadPoints& x) {
  return kind == Kind::point_triangle ? QuadVec3(x[0] - exact_nearest(x[1], x[2], x[3], x[0]))
                                      : exact_edges(x[0], x[1], x[2], x[3]).offset;
}

Quad exact_squared(Kind kind, const QuadPoints& x) {
  const QuadVec3 r = exact_offset(kind, x);
  return r.dot(r);
}

Quad& coordinate(QuadPoints& x, int i) { return x[static_cast<std::size_t>(i / 3)][i % 3]; }

Vec12 exact_gradient(Kind kind, const PairPoints& points, Quad step) {
  QuadPoints x = to_quad(points);
  Vec12 gradient;
  for (int i = 0; i < 12; ++i) {
    const Quad at = coordinate(x, i);
    coordinate(x, i) = at + step;
    const Quad above = exact_squared(kind, x);
    coordinate(x, i) = at - step;
    const Quad below = exact_squared(kind, x);
    coordinate(x, i) = at;
    gradient[i] = double((above - below) / (2 * step));
  }
  return gradient;
}

Mat12 exact_hessian(Kind kind, const PairPoints& points, Quad step) {
  QuadPoints x = to_quad(points);
  const auto value = [&](int i, const Quad& a, int j, const Quad& b) {
    QuadPoints moved = x;
    coordinate(moved, i) += a;
    coordinate(moved, j) += b;
    return exact_squared(kind, moved);
  };
  Mat12 H;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j <= i; ++j) {
      H(i, j) = H(j, i) = double((value(i, step, j, step) - value(i, step, j, -step) -
                                  value(i, -step, j, step) + value(i, -step, j, -step)) /
                                 (4 * step * step));
    }
  }
  return H;
}

// A random pair that looks at one region: where the nearest points are, and the way between them.
struct Sampler {
  std::mt19937_64 random{7};

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Vec3 point() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }

  // A pair of full size and free of slivers.
  PairPoints ordinary(Kind kind) {
    for (;;) {
      const PairPoints x{point(), point(), point(), point()};
      const Vec3 n = kind == Kind::point_triangle ? (x[2] - x[1]).cross(x[3] - x[1])
                                                  : (x[1] - x[0]).cross(x[3] - x[2]);
      if (n.norm() > 0.3) return x;
    }
  }
  // The first primitive brought within `gap` of the second, across it.
  PairPoints close(Kind kind, double gap) {
    for (;;) {
      PairPoints x = ordinary(kind);
      const PairDistance d = distance_of(kind, x);
      if (d.squared < 1e-4) continue;
      const Vec3 way = (std::sqrt(d.squared) - gap) * d.offset.normalized();
      x[0] -= way;
      if (kind == Kind::edge_edge) x[1] -= way;
      return x;
    }
  }
};

class PairDistances : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, PairDistances, testing::Values(Kind::point_triangle, Kind::edge_edge));

TEST_P(PairDistances, are_those_of_exact_arithmetic_whatever_the_shape) {
  Sampler sampler;
  for (int i = 0; i < 40'000; ++i) {
    PairPoints x{sampler.point(), sampler.point(), sampler.point(), sampler.point()};
    const Vec3 offset = std::pow(10, sampler.uniform(-17, 0)) * sampler.point();
    const double t = sampler.uniform(0, 1);
    if (i % 4 == 1) x[3] = x[2] + t * (x[1] - x[0]) + offset;  // Parallel edges.
    if (i % 4 == 2) x[3] = x[1] + t * (x[2] - x[1]) + offset;  // A sliver.
    if (i % 4 == 3) x[3] = x[2] + offset;                      // A needle, or a point.
    const PairDistance found = distance_of(GetParam(), x);
    double largest = 0;
    for (const Vec3& p : {x[1], x[2], x[3]})
      largest = std::max(largest, (p - x[0]).cwiseAbs().maxCoeff());
    const Quad exact = exact_squared(GetParam(), to_quad(x));
    ASSERT_LE(std::abs(double(Quad(found.squared) - exact)), 1e-14 * largest * largest) << i;
  }
}

TEST_P(PairDistances, have_the_gradient_of_exact_arithmetic) {
  Sampler sampler;
  for (int i = 0; i < 300; ++i) {
    const double gap = std::pow(10, sampler.uniform(-8, 0));
    const PairPoints x = i % 2 == 0 ? sampler.ordinary(GetParam()) : sampler.close(GetParam(), gap);
    const Vec12 expected = exact_gradient(GetParam(), x, Quad(1e-12));
    const Vec12 found = squared_distance_gradient(distance_of(GetParam(), x));
    ASSERT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-13) << i;
  }
}

TEST_P(PairDistances, have_the_hessian_of_exact_arithmetic) {
  Sampler sampler;
  int regions[3] = {};
  for (int i = 0; i < 120; ++i) {
    const double gap = std::pow(10, sampler.uniform(-6, 0));
    const PairPoints x = i % 2 == 0 ? sampler.ordinary(GetParam()) : sampler.close(GetParam(), gap);
    const PairDistance distance = distance_of(GetParam(), x);
    ++regions[distance.freedom];
    const Mat12 expected = exact_hessian(GetParam(), x, Quad(1e-9));
    const Mat12 found = squared_distance_hessian(distance);
    ASSERT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-12 * found.cwiseAbs().maxCoeff()) << i;
  }
  for (const int count : regions)
    EXPECT_GT(count, 5);  // All of them were seen.
}

// What would be lost if regions were told apart by comparing squared distances: those of points
// 1e-8 apart differ by 1e-16.
TEST_P(PairDistances, have_gradients_that_are_continuous_across_borders_of_regions) {
  Sampler sampler;
  for (int i = 0; i < 2'000; ++i) {
    // Both nearest points are given; one of them is on the border, off by `past`.
    const double past = (i % 2 == 0 ? 1 : -1) * std::pow(10, sampler.uniform(-16, -5));
    const double gap = std::pow(10, sampler.uniform(-6, 0));
    PairPoints x = sampler.ordinary(GetParam());
    const double t = i % 3 == 0 ? past : sampler.uniform(0, 1);
    if (GetParam() == Kind::point_triangle) {
      const Vec3 normal = (x[2] - x[1]).cross(x[3] - x[1]).normalized();
      x[0] = x[1] + t * (x[2] - x[1]) + past * (x[3] - x[1]) + gap * normal;
    } else {
      const Vec3 normal = (x[1] - x[0]).cross(x[3] - x[2]).normalized();
      const Vec3 shift = x[2] + t * (x[3] - x[2]) - (x[0] + past * (x[1] - x[0])) + gap * normal;
      x[0] += shift;
      x[1] += shift;
    }
    const QuadVec3 exact = exact_offset(GetParam(), to_quad(x));
    const PairDistance found = distance_of(GetParam(), x);
    const QuadVec3 off = found.offset.cast<Quad>() - exact;
    ASSERT_LE(std::abs(double(off.cwiseAbs().maxCoeff())), 2e-14) << i;
    // c is determined by r up to rounding over the size of the primitives, some 0.1.
    ASSERT_LE((squared_distance_gradient(found) - exact_gradient(GetParam(), x, Quad(1e-14)))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12 * std::max(gap, 1e-2))
        << i;
  }
}

TEST_P(PairDistances, slide_as_their_directions_say) {
  Sampler sampler;
  for (int i = 0; i < 1'000; ++i) {
    const PairPoints x = sampler.ordinary(GetParam());
    const PairDistance d = distance_of(GetParam(), x);
    const auto combine = [&](const Vec4& k) -> Vec3 {
      return k[0] * x[0] + k[1] * x[1] + k[2] * x[2] + k[3] * x[3];
    };
    ASSERT_LE((combine(d.coefficients) - d.offset).norm(), 1e-14);
    ASSERT_NEAR(d.coefficients.sum(), 0, 1e-14);
    for (std::size_t k = 0; k < static_cast<std::size_t>(d.freedom); ++k) {
      ASSERT_LE((combine(d.slopes[k]) - d.directions[k]).norm(), 1e-13);
      ASSERT_NEAR(d.slopes[k].sum(), 0, 1e-13);
      ASSERT_NEAR(d.directions[k].dot(d.offset), 0, 1e-13);
      ASSERT_NEAR(d.directions[k].norm(), 1, 1e-14);
    }
  }
}

TEST(PointTriangleDistance, knows_the_seven_regions) {
  const struct {
    const char* region;
    Vec3 query;
    Vec4 coefficients;
    int freedom;
    double squared;
  } cases[] = {
      {"vertex a", {-1, -1, 0}, {1, -1, 0, 0}, 0, 2},
      {"vertex b", {2, -1, 0}, {1, 0, -1, 0}, 0, 2},
      {"vertex c", {-1, 2, 0}, {1, 0, 0, -1}, 0, 2},
      {"edge ab", {0.25, -2, 0}, {1, -0.75, -0.25, 0}, 1, 4},
      {"edge bc", {1, 1, 0}, {1, 0, -0.5, -0.5}, 1, 0.5},
      {"edge ca", {-2, 0.25, 0}, {1, -0.75, 0, -0.25}, 1, 4},
      {"face", {0.25, 0.25, 3}, {1, -0.5, -0.25, -0.25}, 2, 9},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.region);
    const PairDistance found =
        point_triangle_distance({c.query, Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)});
    EXPECT_LE((found.coefficients - c.coefficients).norm(), 1e-15);
    EXPECT_EQ(found.freedom, c.freedom);
    EXPECT_NEAR(found.squared, c.squared, 1e-14);
  }
}

TEST(PointTriangleDistance, of_a_triangle_without_area_is_that_of_its_sides) {
  const PairDistance segment =
      point_triangle_distance({Vec3(3, 0, 1), Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 2)});
  EXPECT_EQ(segment.squared, 9);
  EXPECT_EQ(segment.freedom, 1);
  const PairDistance point =
      point_triangle_distance({Vec3(3, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)});
  EXPECT_EQ(point.squared, 4);
  EXPECT_EQ(point.freedom, 0);
}

}  // namespace
}  // namespace sluice::geometry
