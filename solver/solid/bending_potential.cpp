// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/bending_potential.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::solid {

namespace {

/// One triangle's side, a < b, and the vertex across from it.
struct Side {
  std::int32_t a, b, opposite;
  std::size_t triangle;
};

std::vector<Side> sorted_sides(std::span<const TriangleIndices> triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t a = triangles[t][i], b = triangles[t][(i + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), triangles[t][(i + 2) % 3], t});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& p, const Side& q) {
    return std::tie(p.a, p.b, p.triangle) < std::tie(q.a, q.b, q.triangle);
  });
  return sides;
}

/// Cotangent of the angle at `corner` between the directions to p and q.
double cotangent(const Vec3& corner, const Vec3& p, const Vec3& q) {
  const Vec3 u = p - corner, v = q - corner;
  return u.dot(v) / u.cross(v).norm();
}

}  // namespace

double bending_stiffness(const Elasticity& elasticity, double thickness) noexcept {
  const auto [E, nu] = elasticity;
  return E * thickness * thickness * thickness / (12 * (1 - nu * nu));
}

struct BendingPotential::Stencils {
  Tables tables{4, 1, {}, {}};
  std::vector<double> stiffnesses, rest_lengths;

  /// The edge that is side p of one triangle and q of another. [Bergou2006] (2)
  void add(const Side& p, const Side& q, std::span<const Vec3> x, double stiffness) {
    const auto at = [&](std::int32_t vertex) { return x[static_cast<std::size_t>(vertex)]; };
    const Vec3 a = at(p.a), b = at(p.b), c = at(p.opposite), d = at(q.opposite);
    const double area = 0.5 * ((b - a).cross(c - a).norm() + (b - a).cross(d - a).norm());
    assert(area > 0);
    const double c_at_a = cotangent(a, b, c), c_at_b = cotangent(b, a, c);
    const double d_at_a = cotangent(a, b, d), d_at_b = cotangent(b, a, d);
    const std::array weights{c_at_b + d_at_b, c_at_a + d_at_a, -c_at_a - c_at_b, -d_at_a - d_at_b};
    tables.stencils.insert(tables.stencils.end(), {p.a, p.b, p.opposite, q.opposite});
    tables.maps.insert(tables.maps.end(), weights.begin(), weights.end());
    stiffnesses.push_back(stiffness / area);
    // A flat rest shape is exactly flat, whatever the rounding of its vertices.
    const double size = (b - a).norm();
    const double curvature =
        (weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d).norm();
    constexpr double rounding = 1e-10;
    rest_lengths.push_back(curvature > rounding * size ? curvature : 0);
  }
};

BendingPotential::BendingPotential(Stencils stencils)
    : LengthPotential(std::move(stencils.tables), std::move(stencils.stiffnesses),
                      std::move(stencils.rest_lengths)) {}

BendingPotential::BendingPotential(std::span<const Vec3> rest_positions,
                                   std::span<const TriangleIndices> triangles, double stiffness)
    : BendingPotential([&] {
        assert(stiffness > 0);
        const std::vector<Side> sides = sorted_sides(triangles);
        Stencils stencils;
        for (std::size_t i = 1; i < sides.size(); ++i) {
          const Side &p = sides[i - 1], &q = sides[i];
          if (p.a == q.a && p.b == q.b && p.opposite != q.opposite)
            stencils.add(p, q, rest_positions, stiffness);
        }
        return stencils;
      }()) {}

}  // namespace sluice::solid
