// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/rigid/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <variant>

#include "solver/geometry/closed_surface.h"

namespace sluice::solid {
namespace {

constexpr double pi = std::numbers::pi;

std::optional<Error> check_density(double density) {
  if (density > 0 && std::isfinite(density)) return std::nullopt;
  return Error{ErrorCode::invalid_scene,
               "the density must be positive and finite, found " + std::to_string(density)};
}

// Integrals of 1, x and x x^T over the solid.
struct Moments {
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

// Relative to `origin`. Over the tetrahedron (0, a, b, c) with d = a . b x c they are d/6,
// d/24 (a + b + c) and d/120 (a a^T + b b^T + c c^T + (a + b + c)(a + b + c)^T).
Moments integrate(const geometry::TriangleMesh& surface, const Vec3& origin) {
  Moments sum;
  for (const TriangleIndices& triangle : surface.triangles) {
    const auto corner = [&](std::size_t i) -> Vec3 {
      return surface.vertices[static_cast<std::size_t>(triangle[i])] - origin;
    };
    const Vec3 a = corner(0), b = corner(1), c = corner(2), s = a + b + c;
    const double d = a.dot(b.cross(c));
    sum.volume += d / 6;
    sum.first += d / 24 * s;
    sum.second +=
        d / 120 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return sum;
}

// A form's properties in its own frame for the density 1, where the inertia is diagonal.
struct Diagonal {
  double volume;
  Vec3 moments;
};

Diagonal properties_of(const geometry::Box& box) {
  const Vec3 squares = box.half_extents.cwiseProduct(box.half_extents);
  const double volume = 8 * box.half_extents.prod();
  return {volume, volume / 3 * (Vec3::Constant(squares.sum()) - squares)};
}

Diagonal properties_of(const geometry::Sphere& sphere) {
  const double volume = 4.0 / 3 * pi * std::pow(sphere.radius, 3);
  return {volume, Vec3::Constant(0.4 * volume * sphere.radius * sphere.radius)};
}

Diagonal properties_of(const geometry::Cylinder& cylinder) {
  const double r = cylinder.radius, h = cylinder.half_length;
  const double volume = 2 * pi * r * r * h;
  const double across = volume * (r * r / 4 + h * h / 3);
  return {volume, {across, across, volume * r * r / 2}};
}

// A cylinder and two half balls, whose own centres are 3/8 of the radius beyond its ends.
Diagonal properties_of(const geometry::Capsule& capsule) {
  const double r = capsule.radius, h = capsule.half_length;
  const Diagonal middle = properties_of(geometry::Cylinder{r, h});
  const Diagonal ball = properties_of(geometry::Sphere{r});
  const double across = ball.moments.x() + ball.volume * (h * h + 0.75 * h * r);
  return {middle.volume + ball.volume, middle.moments + Vec3{across, across, ball.moments.z()}};
}

}  // namespace

Result<MassProperties> mass_properties(const geometry::TriangleMesh& surface, double density) {
  if (auto error = check_density(density)) return *std::move(error);
  if (auto error = geometry::check_closed(surface)) return *std::move(error);
  // About a vertex for the centre, then about the centre: no digits are lost to the distance.
  const Moments rough = integrate(surface, surface.vertices.front());
  const Vec3 near_centre = surface.vertices.front() + rough.first / rough.volume;
  const Moments fine = integrate(surface, near_centre);
  const Vec3 rest = fine.first / fine.volume;
  const Mat3 second = fine.second - fine.volume * rest * rest.transpose();
  return MassProperties{density * fine.volume, near_centre + rest,
                        density * (second.trace() * Mat3::Identity() - second)};
}

Result<MassProperties> mass_properties(const geometry::Shape& shape, double density) {
  if (auto error = check_density(density)) return *std::move(error);
  std::optional<Diagonal> own;
  if (const auto* box = std::get_if<geometry::Box>(&shape.form)) own = properties_of(*box);
  if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.form)) own = properties_of(*sphere);
  if (const auto* capsule = std::get_if<geometry::Capsule>(&shape.form)) {
    own = properties_of(*capsule);
  }
  if (const auto* cylinder = std::get_if<geometry::Cylinder>(&shape.form)) {
    own = properties_of(*cylinder);
  }
  if (!own) return Error{ErrorCode::invalid_scene, "a half-space has no mass"};
  return MassProperties{
      density * own->volume, shape.translation,
      shape.rotation * (density * own->moments).asDiagonal() * shape.rotation.transpose()};
}

PrincipalAxes principal_axes(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  Mat3 axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  return {solver.eigenvalues(), Quaternion(axes).normalized()};
}

}  // namespace sluice::solid
