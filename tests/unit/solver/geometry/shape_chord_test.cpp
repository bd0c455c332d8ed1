// SPDX-License-Identifier: Apache-2.0
// Oracles: chords worked by hand; the signed distance along the line, which is below 0 between a
// chord's ends and nowhere else.
#include "solver/geometry/shape_chord.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/solver/geometry/random_shapes.h"

namespace sluice::geometry {
namespace {

Shape at_origin(const auto& form) {
  Shape shape;
  shape.form = form;
  return shape;
}

void expect_chord(const Shape& shape, const Vec3& from, const Vec3& to, double first, double last) {
  const auto chord = chord_in(shape, from, to);
  ASSERT_TRUE(chord);
  EXPECT_NEAR(chord->first, first, 1e-14);
  EXPECT_NEAR(chord->last, last, 1e-14);
}

TEST(ShapeChord, of_each_form_is_that_worked_by_hand) {
  expect_chord(at_origin(Box{{0.0001, 1, 1}}), {-1, 0.3, 0}, {1, 0.3, 0}, 0.49995, 0.50005);
  expect_chord(at_origin(Sphere{0.5}), {-1, 0, 0.3}, {1, 0, 0.3}, 0.3, 0.7);
  expect_chord(at_origin(Capsule{0.5, 1}), {0, 0, -2}, {0, 0, 2}, 0.125, 0.875);
  expect_chord(at_origin(Cylinder{0.5, 1}), {0, 0, -2}, {0, 0, 2}, 0.25, 0.75);
  expect_chord(at_origin(Cylinder{0.5, 1}), {-1, 0.3, 0.5}, {1, 0.3, 0.5}, 0.3, 0.7);
  const auto chord = chord_in(at_origin(HalfSpace{}), {0, 0, 1}, {0, 0, -1});
  ASSERT_TRUE(chord);
  EXPECT_EQ(chord->first, 0.5);
  EXPECT_TRUE(std::isinf(chord->last));
}

TEST(ShapeChord, of_what_passes_beside_is_none) {
  EXPECT_FALSE(chord_in(at_origin(Box{{1, 1, 1}}), {-2, 1.01, 0}, {2, 1.01, 0}));
  EXPECT_FALSE(chord_in(at_origin(Sphere{1}), {-2, 1.01, 0}, {2, 1.01, 0}));
  EXPECT_FALSE(chord_in(at_origin(Capsule{1, 1}), {-2, 0, 2.01}, {2, 0, 2.01}));
  EXPECT_FALSE(chord_in(at_origin(Cylinder{1, 1}), {-2, 0, 1.01}, {2, 0, 1.01}));
  EXPECT_FALSE(chord_in(at_origin(HalfSpace{}), {-2, 0, 0.01}, {2, 0, 0.01}));
}

TEST(ShapeChord, of_a_way_of_no_length_is_endless_inside) {
  const Shape ball = at_origin(Sphere{1});
  const auto chord = chord_in(ball, {0.5, 0, 0}, {0.5, 0, 0});
  ASSERT_TRUE(chord);
  EXPECT_TRUE(std::isinf(chord->first) && std::isinf(chord->last));
  EXPECT_FALSE(chord_in(ball, {1.5, 0, 0}, {1.5, 0, 0}));
}

TEST(ShapeChord, is_where_the_signed_distance_is_negative) {
  RandomShapes random(7);
  int chord_count = 0;
  for (int n = 0; n < 20000; ++n) {
    const Shape shape = random.through(random.point(-1, 1), static_cast<std::size_t>(n) % 5);
    const Vec3 from = random.point(-2, 2), to = random.point(-2, 2);
    const auto chord = chord_in(shape, from, to);
    chord_count += chord ? 1 : 0;
    for (int step = -10; step <= 20; ++step) {
      const double part = 0.1 * step;
      const double distance = signed_distance(shape, from + part * (to - from)).distance;
      const bool is_inside = chord && chord->first <= part && part <= chord->last;
      if (is_inside) {
        EXPECT_LE(distance, 1e-9);
      } else {
        EXPECT_GE(distance, -1e-9);
      }
    }
  }
  EXPECT_GT(chord_count, 5000);
}

}  // namespace
}  // namespace sluice::geometry
