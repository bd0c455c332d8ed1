// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <random>

#include "solver/geometry/shape.h"

namespace sluice::geometry {

/// Shapes of all forms, from slivers to such that are flat on a length of 1, whose surface goes
/// through a point: turned any way or, every other one, by as little as 1e-15 off the axes.
class RandomShapes {
 public:
  explicit RandomShapes(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vec3 point(double low, double high) {
    return {uniform(low, high), uniform(low, high), uniform(low, high)};
  }

  /// `form` is the index in Shape::form.
  Shape through(const Vec3& point_on_surface, std::size_t form) {
    Shape shape;
    const auto size = [&] { return std::pow(10, uniform(-2, 1.3)); };
    if (form == 0) shape.form = Box{{size(), size(), size()}};
    if (form == 1) shape.form = Sphere{size()};
    if (form == 2) shape.form = Capsule{size(), size()};
    if (form == 3) shape.form = Cylinder{size(), size()};
    if (form == 4) shape.form = HalfSpace{};
    shape.rotation = rotation();
    const double reach = form == 4 ? 1 : 1.5 * smallest_half_extent(shape);
    shape.translation = point_on_surface + point(-reach, reach);
    const SignedDistance found = signed_distance(shape, point_on_surface);
    shape.translation += found.distance * found.normal;
    return shape;
  }

 private:
  Mat3 rotation() {
    const Vec3 axis = point(-1, 1).normalized();
    if (uniform(0, 1) < 0.5) return Eigen::AngleAxisd(uniform(0, 3.1), axis).toRotationMatrix();
    Mat3 turn;  // Axes to axes.
    const auto first = static_cast<Eigen::Index>(uniform(0, 3));
    for (Eigen::Index i = 0; i < 3; ++i)
      turn.col(i) = Vec3::Unit((first + i) % 3);
    return Eigen::AngleAxisd(std::pow(10, uniform(-15, -1)), axis).toRotationMatrix() * turn;
  }

  std::mt19937_64 random_;
};

}  // namespace sluice::geometry
