// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "solver/types.h"

/// Continuous collision detection: when do two primitives that move along straight lines first
/// touch, or come within a given distance of each other?
///
/// All points move linearly from their positions `_t0` to `_t1`. A contact is any time t in [0, 1]
/// at which the distance of the two closed primitives is <= `minimum_distance`: for the default of
/// 0, touching counts, coplanar overlap counts, and primitives without extent (zero-area triangles,
/// zero-length edges) are the points or segments they collapse to.
///
/// Guarantee (no false negatives): `nullopt` is returned only if no contact exists in exact real
/// arithmetic on the given doubles, and a returned t is never later than the first contact. The
/// argument, which the unit tests hold against exact rational arithmetic:
///   Relative to one primitive the other is the convex hull of points V_i(t), linear in t: a
///   triangle, or the parallelogram of all differences of two edges. Contact at t means that the
///   origin is within d of that hull. Two kinds of certificate exclude contact on a span:
///   1. A direction n with n . V_i > d |n| for all i at both ends of the span: n . V_i is linear in
///      t, so it is so in between, and n . V <= |n| |V| (ccd/separation.h).
///   2. The distance of the origin from the hull's plane, as a cubic of coplanarity
///      [Yang2023, 4.5]: its Bernstein coefficients over the span bound it from below
///      (ccd/coplanarity.h).
///   The solver only ever moves a time T forward over a span that starts at or before T and that
///   has a certificate, so contact before T stays excluded. Each certificate is decided on values
///   lowered by a bound of their rounding error, with comparisons that are false for NaN, so
///   overflow can only end the advance early.
/// False positives: possible only where the gap is within some 1e-15 of the extent of the motion,
///   or after 64 advances.
/// Accuracy: a returned t is 0 or, for the contacts of practice, within 0.1 % of the first contact;
///   where the touch is degenerate it may be earlier.
/// Domain: finite coordinates, any one length unit, in which `minimum_distance` >= 0 is too. From
///   2^40 on of either, relative to each other, 0 is returned unless an axis separates the motion.
/// Cost: some 50 ns for a separated pair, 1 us for a contact, 10 us at worst; of many pairs
///   ccd_batch.h takes a quarter. Pure; no allocation.
///
/// Deviates from [Yang2023, 4.2]: they run Newton on the cubic from three points; here the Newton
///   steps are those of the control polygon (Bezier clipping [Sederberg1990]), which never
///   overshoot a root, and the test whether the point lies in the triangle is a separating
///   direction, which also serves when the cubic vanishes identically (coplanar motion).
namespace sluice::geometry {

/// Point p against triangle abc.
struct PointTriangleMotion {
  Vec3 p_t0, a_t0, b_t0, c_t0;
  Vec3 p_t1, a_t1, b_t1, c_t1;
};

/// Edge ab against edge cd.
struct EdgeEdgeMotion {
  Vec3 a_t0, b_t0, c_t0, d_t0;
  Vec3 a_t1, b_t1, c_t1, d_t1;
};

/// A lower bound in [0, 1] of the first contact, or nullopt if there is certainly none.
/// `minimum_distance` in the unit of the coordinates.
[[nodiscard]] std::optional<double> first_contact(const PointTriangleMotion& motion,
                                                  double minimum_distance = 0) noexcept;
[[nodiscard]] std::optional<double> first_contact(const EdgeEdgeMotion& motion,
                                                  double minimum_distance = 0) noexcept;

}  // namespace sluice::geometry
