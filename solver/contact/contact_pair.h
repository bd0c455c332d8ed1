// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "solver/geometry/ccd.h"
#include "solver/geometry/pair_distance.h"
#include "solver/types.h"

namespace sluice::contact {

enum class PairKind : std::uint8_t {
  point_triangle,  ///< Points p, a, b, c.
  edge_edge,       ///< Points a, b and c, d.
};

/// Two primitives that may come near each other, and the parameters of their contact.
struct ContactPair {
  PairKind kind;
  /// The pair's points (p, a, b, c) or (a, b, c, d), as geometry::PairPoints, by index into the
  /// positions of everything that moves: vertices of any body, or particles. All four differ.
  std::array<std::int32_t, 4> points;
  double thickness = 0;  ///< [m] Distance of the two at contact, >= 0.
  double friction = 0;   ///< Coulomb coefficient, >= 0.
  /// [m^4] For two edges u and v: where |u x v|^2 is below this range, their energy fades out
  /// (edge_mollifier.h). 0 for no fading, and for a point and a triangle.
  double mollifier_range = 0;

  [[nodiscard]] geometry::PairPoints gather(std::span<const Vec3> x) const {
    const auto at = [&](std::size_t i) { return x[static_cast<std::size_t>(points[i])]; };
    return {at(0), at(1), at(2), at(3)};
  }
};

[[nodiscard]] inline geometry::PairDistance distance_of(PairKind kind,
                                                        const geometry::PairPoints& x) noexcept {
  return kind == PairKind::point_triangle ? geometry::point_triangle_distance(x)
                                          : geometry::edge_edge_distance(x);
}

/// Returns the time of the first contact of a pair, or nothing, as geometry/ccd.h defines it.
[[nodiscard]] inline std::optional<double> first_contact(PairKind kind,
                                                         const geometry::PairPoints& t0,
                                                         const geometry::PairPoints& t1) noexcept {
  if (kind == PairKind::point_triangle) {
    return geometry::first_contact(
        geometry::PointTriangleMotion{t0[0], t0[1], t0[2], t0[3], t1[0], t1[1], t1[2], t1[3]});
  }
  return geometry::first_contact(
      geometry::EdgeEdgeMotion{t0[0], t0[1], t0[2], t0[3], t1[0], t1[1], t1[2], t1[3]});
}

}  // namespace sluice::contact
