// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/types.h"

namespace sluice::coupling {

/// A contact of solids as an energy of a step: one plane that the place D = sum_k weights[k] x[k]
/// keeps off, with the force that it has already.
///
/// D is the way from one side of a contact to the other (weights sum to 0), or a place next to a
/// wall (they sum to 1). With the gap g = wanted - normal . D that is missing and the slip
/// s = D - start, across the normal, it pushes with
///     lambda' = max(0, lambda + stiffness g)                             along the normal,
///     f'      = friction - slip_stiffness s, at most coefficient lambda  across it,
/// which is the augmented Lagrangian of contact and Coulomb's law: minimise, put lambda' and f' in
/// the places of lambda and friction, and so on. At the fixed point g <= 0, and s = 0 or the
/// friction slides, whatever the stiffness. [Nocedal2006] 17.4, [Simo1992]
struct Press {
  static constexpr std::size_t most_points = 8;

  std::array<std::int32_t, most_points> points{};
  std::array<double, most_points> weights{};
  std::size_t point_count = 0;
  Vec3 normal = Vec3::Zero();    ///< Unit.
  double wanted = 0;             ///< [m] Least value of normal . D.
  Vec3 start = Vec3::Zero();     ///< [m] D without slip.
  double stiffness = 0;          ///< [N/m] > 0
  double slip_stiffness = 0;     ///< [N/m] > 0 where there is friction.
  double coefficient = 0;        ///< Coulomb coefficient.
  double lambda = 0;             ///< [N] >= 0
  Vec3 friction = Vec3::Zero();  ///< [N] across the normal

  [[nodiscard]] Vec3 place(std::span<const Vec3> x) const {
    Vec3 D = Vec3::Zero();
    for (std::size_t k = 0; k < point_count; ++k)
      D += weights[k] * x[static_cast<std::size_t>(points[k])];
    return D;
  }
  /// [N] lambda' at the place D.
  [[nodiscard]] double pressing(const Vec3& D) const {
    const double force = lambda + stiffness * (wanted - normal.dot(D));
    return force > 0 ? force : 0;
  }
  /// [N] f' at the place D, but not bounded.
  [[nodiscard]] Vec3 sticking(const Vec3& D) const {
    const Vec3 slip = D - start;
    return friction - slip_stiffness * (slip - slip.dot(normal) * normal);
  }
  /// [N] The largest friction while a press is minimised over.
  [[nodiscard]] double limit() const { return coefficient * lambda; }
};

}  // namespace sluice::coupling
