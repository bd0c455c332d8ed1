// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/certificate/exact_contact.h"

/// Answers most questions of exact_contact.h a hundred times as fast: "surely apart", or not known.
/// Shares no code with solver/geometry/ccd.
namespace sluice::certificate {

/// True only if point 0 does not meet the triangle of points 1, 2, 3 at any time in [0, 1].
///
/// Over a part of the time the hull of both ends' differences is searched for its point nearest to
/// the origin (Gilbert's algorithm); if all of the hull is beyond the plane through that point, by
/// more than rounding in long double can amount to, they are apart. If not, each half is tried.
[[nodiscard]] bool point_is_surely_apart(const Motion<4>& motion);

/// The same, of the edges of points 0, 1 and 2, 3.
[[nodiscard]] bool edge_is_surely_apart(const Motion<4>& motion);

}  // namespace sluice::certificate
