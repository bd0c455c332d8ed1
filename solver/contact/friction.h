// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "solver/contact/barrier.h"
#include "solver/contact/contact_pair.h"
#include "solver/geometry/pair_distance.h"
#include "solver/types.h"

/// Coulomb friction as an energy: smoothed where it turns from sticking to sliding, and lagged:
/// where the bodies touch, across what, and how hard they are pressed, stay as they were when the
/// pair was looked at. [Li2020, 5.2-5.5]
///
/// With s = sum_i c_i (x_i - x_i^n) the way that the touching points have gone against each other
/// in the step, u = s - n (n . s) its part across the normal n, and eps = v_eps h the length of u
/// below which they stick:
///     E = mu lambda f0(|u|),  f0(y) = y for y >= eps, else y^2 / eps - y^3 / (3 eps^2) + eps / 3.
/// The force has the magnitude mu lambda f0'(|u|): mu lambda where it slides, and along -u always.
/// E is convex and once continuously differentiable, f0' rising from 0 to 1 over [0, eps].
///
/// The lagged forces of a pair sum to 0, and their moments to s' x force with s' = sum_i c_i x_i,
/// as the two sides are a gap apart: where the gap is a thousandth of a body's size, that is a
/// thousandth of the moment by which friction turns the body.
namespace sluice::contact {

/// A pair that touches, with the quantities that friction keeps from when it was lagged.
struct FrictionPair {
  std::array<std::int32_t, 4> points;
  geometry::Vec4 coefficients;  ///< c of PairDistance.
  Vec3 normal;                  ///< n, unit.
  double limit;                 ///< [N] mu lambda, > 0.
};

/// Returns the pair as it touches at `x`, or none where it has no friction or nothing presses.
[[nodiscard]] std::optional<FrictionPair> lag_friction(const Barrier& barrier,
                                                       const ContactPair& pair,
                                                       std::span<const Vec3> x);

/// The friction energy [J] of one pair that has gone the way s. `eps` [m] > 0.
[[nodiscard]] double friction_energy(const FrictionPair& pair, double eps, const Vec3& way);
/// [N] dE/ds
[[nodiscard]] Vec3 friction_gradient(const FrictionPair& pair, double eps, const Vec3& way);
/// [N/m] d2E/ds2, which is positive semidefinite everywhere.
[[nodiscard]] Mat3 friction_hessian(const FrictionPair& pair, double eps, const Vec3& way);

/// [m] The change c of the way for which E(way + c) + K / 2 |c|^2 is least, K [N/m] > 0.
[[nodiscard]] Vec3 friction_proximal(const FrictionPair& pair, double eps, const Vec3& way,
                                     double K);

}  // namespace sluice::contact
