// SPDX-License-Identifier: Apache-2.0
// Oracles: sections worked by hand; quadrature over what the signed distance says is inside; parts
// of a face that add up to the whole.
#include "solver/geometry/covered_fraction.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/unit/solver/geometry/random_shapes.h"

namespace sluice::geometry {
namespace {

using std::numbers::pi;

// Where a convex function is least in [a, b], or any place where it is not positive.
template <typename Function>
double lowest(const Function& f, double a, double b) {
  if (f(a) <= 0) return a;
  if (f(b) <= 0) return b;
  constexpr double golden = 0.6180339887498949;
  double left = b - golden * (b - a), right = a + golden * (b - a);
  double at_left = f(left), at_right = f(right);
  for (int i = 0; i < 70 && at_left > 0 && at_right > 0; ++i) {
    if (at_left < at_right) {
      b = right, right = left, at_right = at_left;
      at_left = f(left = b - golden * (b - a));
    } else {
      a = left, left = right, at_left = at_right;
      at_right = f(right = a + golden * (b - a));
    }
  }
  return at_left < at_right ? left : right;
}

struct Interval {
  double first, last;
};

// Where a convex function is not positive in [a, b].
template <typename Function>
Interval not_positive(const Function& f, double a, double b) {
  const double middle = lowest(f, a, b);
  if (f(middle) > 0) return {middle, middle};
  const auto end = [&](double inside, double outside) {
    if (f(outside) <= 0) return outside;
    for (int i = 0; i < 50; ++i) {
      const double x = (inside + outside) / 2;
      (f(x) <= 0 ? inside : outside) = x;
    }
    return inside;
  };
  return {end(middle, a), end(middle, b)};
}

// The integral of a function that is concave in [a, b]: one whose middle is on its chord is
// straight, so what this leaves out is no more than what it compares with the tolerance.
template <typename Function>
double integral(const Function& f, double a, double b, double at_a, double at_b, double tolerance) {
  const double middle = (a + b) / 2, at_middle = f(middle);
  if ((at_middle - (at_a + at_b) / 2) * (b - a) < tolerance)
    return (b - a) / 6 * (at_a + 4 * at_middle + at_b);
  return integral(f, a, middle, at_a, at_middle, tolerance) +
         integral(f, middle, b, at_middle, at_b, tolerance);
}

// The distance to a convex body is convex, so a line is inside in one interval, whose length is
// concave over the range of parallel lines that meet the body.
double quadrature(const Shape& shape, const AxisFace& face) {
  const Vec3 along_u = Vec3::Unit((face.axis + 1) % 3), along_v = Vec3::Unit((face.axis + 2) % 3);
  const auto on_line = [&](double v) {
    return [&shape, &along_u, start = Vec3(face.lower + v * along_v)](double u) {
      return signed_distance(shape, start + u * along_u).distance;
    };
  };
  const auto least_on_line = [&](double v) {
    const auto f = on_line(v);
    return f(lowest(f, 0, face.edges[0]));
  };
  const auto length = [&](double v) {
    const Interval u = not_positive(on_line(v), 0, face.edges[0]);
    return u.last - u.first;
  };
  const auto [first, last] = not_positive(least_on_line, 0, face.edges[1]);
  const double area = face.edges[0] * face.edges[1];
  return integral(length, first, last, length(first), length(last), 1e-9 * area) / area;
}

class EachForm : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(, EachForm, testing::Range<std::size_t>(0, 5));

AxisFace random_face(RandomShapes& random) {
  return {static_cast<int>(random.uniform(0, 3)),
          random.point(-5, 5),
          {random.uniform(0.3, 1), random.uniform(0.3, 1)}};
}

// With a surface that meets most faces, at any angle, but is `least` [m] or more off their plane
// somewhere near: in that plane it is rounding that decides, also for an oracle.
Shape shape_near(const AxisFace& face, double least, std::size_t form, RandomShapes& random) {
  const double u = random.uniform(-0.1, 1.1) * face.edges[0];
  const double v = random.uniform(-0.1, 1.1) * face.edges[1];
  const double off_plane = std::pow(10, random.uniform(std::log10(least), -0.5));
  return random.through(face.lower + u * Vec3::Unit((face.axis + 1) % 3) +
                            v * Vec3::Unit((face.axis + 2) % 3) + off_plane * Vec3::Unit(face.axis),
                        form);
}

TEST_P(EachForm, covers_of_a_face_what_quadrature_says) {
  RandomShapes random(1);
  int partly = 0;
  for (int i = 0; i < 1000; ++i) {
    const AxisFace face = random_face(random);
    const Shape shape = shape_near(face, 1e-9, GetParam(), random);
    const double found = covered_fraction(shape, face);
    EXPECT_NEAR(found, quadrature(shape, face), 1e-8) << i;
    if (found > 0 && found < 1) ++partly;
  }
  EXPECT_GT(partly, 700);
}

// Far more exact than quadrature is: no formula loses digits at any angle.
TEST_P(EachForm, covers_the_sum_of_a_faces_parts) {
  RandomShapes random(2);
  for (int i = 0; i < 20'000; ++i) {
    const AxisFace face = random_face(random);
    const Shape shape = shape_near(face, 1e-2, GetParam(), random);
    const std::array<double, 2> cut{random.uniform(0.01, 0.99), random.uniform(0.01, 0.99)};
    double sum = 0;
    for (const bool is_right : {false, true}) {
      for (const bool is_upper : {false, true}) {
        AxisFace part = face;
        if (is_right) part.lower[(face.axis + 1) % 3] += cut[0] * face.edges[0];
        if (is_upper) part.lower[(face.axis + 2) % 3] += cut[1] * face.edges[1];
        const double u = is_right ? 1 - cut[0] : cut[0], v = is_upper ? 1 - cut[1] : cut[1];
        part.edges = {u * face.edges[0], v * face.edges[1]};
        sum += u * v * covered_fraction(shape, part);
      }
    }
    EXPECT_NEAR(covered_fraction(shape, face), sum, 1e-13) << i;
  }
}

TEST_P(EachForm, covers_of_a_segment_what_the_distance_says) {
  RandomShapes random(3);
  int partly = 0;
  for (int i = 0; i < 5000; ++i) {
    const AxisSegment segment{static_cast<int>(random.uniform(0, 3)), random.point(-5, 5),
                              random.uniform(0.3, 1)};
    const Vec3 along = Vec3::Unit(segment.axis);
    const Vec3 aside = std::pow(10, random.uniform(-6, -0.5)) * random.point(-1, 1);
    const Shape shape = random.through(
        segment.start + random.uniform(-0.1, 1.1) * segment.length * along + aside, GetParam());
    const auto distance = [&](double x) {
      return signed_distance(shape, segment.start + x * along).distance;
    };
    const Interval inside = not_positive(distance, 0, segment.length);
    const double found = covered_fraction(shape, segment);
    EXPECT_NEAR(found, (inside.last - inside.first) / segment.length, 1e-9) << i;
    if (found > 0 && found < 1) ++partly;
  }
  EXPECT_GT(partly, 2500);
}

// A face from the origin to (1, 1) in the plane z = 0.
const AxisFace unit_face{2, Vec3::Zero(), {1, 1}};

Mat3 turn(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}
// The z axis along x, the x axis along y, without rounding.
const Mat3 axes_cycled = (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
Mat3 facing(const Vec3& normal) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), normal).toRotationMatrix();
}

struct SegmentCase {
  const char* where;
  Shape shape;
  double fraction;
};

TEST(CoveredFraction, is_the_hand_worked_one) {
  const Vec3 middle(0.5, 0.5, 0), edge(0.5, 0, 0), corner(1, 1, 0), up(0, 0, 1);
  const Mat3 upright = Mat3::Identity(), lying = turn(pi / 2, {0, 1, 0});
  const Mat3 tilted = turn(pi / 3, {1, 2, 0});
  const SegmentCase cases[] = {
      {"half a face", {HalfSpace{}, middle, facing({1, 1, 0})}, 0.5},
      {"a corner of a face", {HalfSpace{}, edge, facing({1, 1, 0})}, 0.125},
      {"all but a corner", {HalfSpace{}, edge, facing({-1, -1, 0})}, 0.875},
      {"a box's corner", {Box{{1, 1, 1}}, {-0.7, -0.6, 0.5}, upright}, 0.12},
      {"a turned box", {Box{{0.1, 0.2, 1}}, middle, turn(1, up)}, 0.08},
      {"a box that sticks out", {Box{{0.2, 0.2, 1}}, corner, turn(pi / 4, up)}, 0.04},
      {"a cube's tip of height 0.1",
       {Box{{1, 1, 1}}, middle - (std::sqrt(3.0) - 0.1) * up, facing({1, 1, 1}).transpose()},
       1.5 * std::sqrt(3.0) * 0.01},
      {"a sheet", {Box{{1e-5, 9, 9}}, middle, turn(0.3, {1, 0, 0})}, 2e-5},
      {"a ball", {Sphere{0.5}, middle + 0.3 * up, upright}, pi * 0.16},
      {"half a ball", {Sphere{0.4}, edge, upright}, pi * 0.08},
      {"a quarter of a ball", {Sphere{0.4}, corner, upright}, pi * 0.04},
      {"a ball in the face", {Sphere{0.5}, middle, upright}, pi * 0.25},
      {"a ball around the face", {Sphere{0.75}, middle, upright}, 1},
      {"a wire", {Cylinder{1e-4, 9}, middle, tilted}, pi * 1e-8 / std::cos(pi / 3)},
      {"a tilted cylinder", {Cylinder{0.2, 1}, middle, tilted}, pi * 0.04 / std::cos(pi / 3)},
      {"half of one", {Cylinder{0.2, 1}, edge, turn(1, {1, 0, 0})}, pi * 0.02 / std::cos(1)},
      {"a lying cylinder", {Cylinder{0.5, 0.2}, middle + 0.4 * up, lying}, 0.6 * 0.4},
      {"one that ends outside", {Cylinder{0.5, 0.2}, edge - 0.4 * up, lying}, 0.3 * 0.4},
      {"an upright one", {Cylinder{0.2, 0.3}, middle + 0.2 * up, upright}, pi * 0.04},
      {"a lying capsule", {Capsule{0.25, 0.2}, middle + 0.2 * up, lying}, 0.3 * 0.4 + pi * 0.0225},
      {"a capsule's end", {Capsule{0.5, 1}, middle + 1.4 * up, upright}, pi * 0.09},
      {"a capsule's middle", {Capsule{0.4, 1}, middle + 0.4 * up, upright}, pi * 0.16},
  };
  for (const auto& c : cases)
    EXPECT_NEAR(covered_fraction(c.shape, unit_face), c.fraction, 1e-14) << c.where;
}

// Closed shapes cover a face that lies in a side of theirs; what touches it from outside at a point
// or along a line covers nothing.
TEST(CoveredFraction, of_what_touches) {
  const Vec3 middle(0.5, 0.5, 0), beside(1.5, 0.5, 0), up(0, 0, 1);
  const Mat3 upright = Mat3::Identity();
  const SegmentCase cases[] = {
      {"ground", {HalfSpace{}, middle, upright}, 1},
      {"ceiling", {HalfSpace{}, middle, facing({0, 0, -1})}, 1},
      {"box below", {Box{{2, 2, 1}}, middle - up, upright}, 1},
      {"box above", {Box{{2, 2, 1}}, middle + up, upright}, 1},
      {"box below, in part", {Box{{0.25, 0.25, 1}}, middle - up, upright}, 0.25},
      {"box beside", {Box{{0.5, 2, 1}}, beside, upright}, 0},
      {"ball below", {Sphere{1}, middle - up, upright}, 0},
      {"ball beside", {Sphere{0.5}, beside, upright}, 0},
      {"cylinder standing above", {Cylinder{0.5, 1}, middle + up, upright}, pi / 4},
      {"cylinder lying below", {Cylinder{1, 2}, middle - up, axes_cycled}, 0},
      {"cylinder lying above", {Cylinder{1, 2}, middle + up, axes_cycled}, 0},
      {"capsule at its end", {Capsule{0.5, 1}, middle - 1.5 * up, upright}, 0},
      {"capsule where its end begins", {Capsule{0.5, 1}, middle - up, upright}, pi / 4},
      {"capsule where its other end begins", {Capsule{0.5, 1}, middle + up, upright}, pi / 4},
      {"capsule lying below", {Capsule{1, 2}, middle - up, axes_cycled}, 0},
      {"capsule beside", {Capsule{0.5, 1}, beside, upright}, 0},
  };
  for (const auto& c : cases)
    EXPECT_NEAR(covered_fraction(c.shape, unit_face), c.fraction, 1e-14) << c.where;
  // Turned by numbers: the axis is off by rounding, and with it what is covered, by its root.
  for (int i = 0; i < 300; ++i) {
    const Mat3 turned = turn(0.01 * i, up) * turn(pi / 2, {0, 1, 0});
    EXPECT_LT(covered_fraction({Cylinder{1, 2}, middle - up, turned}, unit_face), 1e-7);
    EXPECT_LT(covered_fraction({Capsule{1, 2}, middle + up, turned}, unit_face), 1e-7);
  }
}

TEST(CoveredFraction, of_a_segment_is_the_hand_worked_one) {
  const AxisSegment segment{0, {0, 0, 0}, 1};
  const Vec3 up(0, 0, 1), middle(0.5, 0, 0);
  const Mat3 upright = Mat3::Identity(), lying = facing({1, 0, 0});
  const SegmentCase cases[] = {
      {"ground", {HalfSpace{}, middle, upright}, 1},
      {"a wall", {HalfSpace{}, {0.3, 0, 0}, facing({1, 0, 0})}, 0.3},
      {"a slope", {HalfSpace{}, 0.1 * up, facing({-1, 0, 1})}, 1},
      {"under a slope", {HalfSpace{}, -0.1 * up, facing({-1, 0, 1})}, 0.9},
      {"a box", {Box{{0.2, 1, 1}}, {0.1, 0, 0}, upright}, 0.3},
      {"along a box's side", {Box{{0.2, 1, 1}}, middle - up, upright}, 0.4},
      {"a box's edge",
       {Box{{1, 1, 1}}, middle - 1.3 * up, turn(pi / 4, {0, 1, 0})},
       2 * (std::sqrt(2.0) - 1.3)},
      {"beside a box", {Box{{0.2, 1, 1}}, middle - 1.1 * up, upright}, 0},
      {"a ball", {Sphere{0.5}, middle + 0.4 * up, upright}, 0.6},
      {"beneath a ball", {Sphere{0.5}, middle + 0.5 * up, upright}, 0},
      {"a tube", {Cylinder{0.5, 1}, {0, 0.3, 0}, upright}, 0.4},
      {"along a tube", {Cylinder{0.5, 0.2}, {0.1, 0.1, 0}, lying}, 0.3},
      {"exactly along a tube", {Cylinder{0.5, 0.2}, {0.1, 0.5, 0}, axes_cycled}, 0.3},
      {"exactly beside a tube", {Cylinder{0.5, 0.2}, {0.1, 0.51, 0}, axes_cycled}, 0},
      {"beside a tube", {Cylinder{0.5, 0.2}, {0.1, 0.6, 0}, lying}, 0},
      {"across a capsule", {Capsule{0.25, 1}, middle, upright}, 0.5},
      {"along a capsule", {Capsule{0.5, 0.1}, {0, 0.3, 0}, lying}, 0.5},
      {"a capsule's end", {Capsule{0.5, 1}, middle - 1.4 * up, upright}, 0.6},
  };
  for (const auto& c : cases)
    EXPECT_NEAR(covered_fraction(c.shape, segment), c.fraction, 1e-14) << c.where;
}

}  // namespace
}  // namespace sluice::geometry
