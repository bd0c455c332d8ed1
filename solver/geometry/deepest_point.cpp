// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/deepest_point.h"

#include <cmath>
#include <numbers>

namespace sluice::geometry {
namespace {

constexpr double golden = 0.618033988749894848;
constexpr int section_count = 20;  // golden^20 = 7e-5
constexpr int rim_points = 8;

struct Minimum {
  double place, value;
};

// The minimum of a convex function on [0, 1].
template <typename Function>
Minimum minimum_of(const Function& f) {
  double low = 0, high = 1;
  double a = 1 - golden, b = golden;
  double at_a = f(a), at_b = f(b);
  for (int i = 0; i < section_count; ++i) {
    if (at_a <= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - golden * (high - low);
      at_a = f(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + golden * (high - low);
      at_b = f(b);
    }
  }
  Minimum best = at_a <= at_b ? Minimum{a, at_a} : Minimum{b, at_b};
  for (const double end : {0.0, 1.0}) {  // Golden sections come close to an end and never there.
    const double value = f(end);
    if (value <= best.value) best = {end, value};
  }
  return best;
}

}  // namespace

DeepestPoint deepest_point(const Shape& shape, const Triangle& triangle) noexcept {
  const auto along = [&](double part_of_c) {
    return minimum_of([&](double s) {
      const Vec3 on_ab = triangle.a + s * (triangle.b - triangle.a);
      return signed_distance(shape, on_ab + part_of_c * (triangle.c - on_ab)).distance;
    });
  };
  const Minimum best = minimum_of([&](double t) { return along(t).value; });
  const double s = along(best.place).place, t = best.place;
  return {{(1 - t) * (1 - s), (1 - t) * s, t}, best.value};
}

std::vector<Vec3> support_points(const Shape& shape) {
  std::vector<Vec3> points;
  const auto add = [&](const Vec3& p) {
    points.emplace_back(shape.rotation * p + shape.translation);
  };
  if (const auto* box = std::get_if<Box>(&shape.form)) {
    for (int i = 0; i < 8; ++i) {
      const Vec3 signs((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
      add(signs.cwiseProduct(box->half_extents));
    }
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.form)) {
    for (int i = 0; i < rim_points; ++i) {
      const double angle = 2 * std::numbers::pi * i / rim_points;
      for (const double z : {-cylinder->half_length, cylinder->half_length})
        add({cylinder->radius * std::cos(angle), cylinder->radius * std::sin(angle), z});
    }
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.form)) {
    for (const double z : {-capsule->half_length, capsule->half_length})
      add({0, 0, z});
  }
  return points;
}

}  // namespace sluice::geometry
