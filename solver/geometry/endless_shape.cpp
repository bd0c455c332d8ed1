// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/endless_shape.h"

#include <cmath>
#include <variant>

namespace sluice::geometry {
namespace {

// [m] Far beyond every domain, and near enough for a double to tell a micrometre from another.
constexpr double far_away = 1e6;

// The least cosine between two directions that are the same but for rounding.
constexpr double same_direction = 1 - 1e-9;

}  // namespace

Shape endless_along(const Shape& shape, const Vec3& axis, const Vec3& point) noexcept {
  Shape endless = shape;
  const double away = std::abs((point - shape.translation).dot(axis));
  const auto stretch = [&](int edge, double& half_length) {
    const bool is_along = std::abs(shape.rotation.col(edge).dot(axis)) > same_direction;
    if (is_along && away <= half_length) half_length = far_away;
  };
  if (auto* box = std::get_if<Box>(&endless.form)) {
    for (int edge = 0; edge < 3; ++edge)
      stretch(edge, box->half_extents[edge]);
  } else if (auto* cylinder = std::get_if<Cylinder>(&endless.form)) {
    stretch(2, cylinder->half_length);
  } else if (auto* capsule = std::get_if<Capsule>(&endless.form)) {
    stretch(2, capsule->half_length);
  }
  return endless;
}

}  // namespace sluice::geometry
