// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/certificate/exact_contact.h"

/// Exact answers about distances in linear motions, in rational arithmetic on the given
/// doubles. Slow (some 50 us); shares no code with solver/geometry.
namespace sluice::certificate {

/// Whether at time `t` in [0, 1] point 0 is within `distance` of the closed triangle of points 1,
/// 2, 3. One without area is the segment or point it collapses to.
[[nodiscard]] bool point_is_within(const Motion<4>& motion, double t, double distance);

/// The same, of the closed edges of points 0, 1 and 2, 3.
[[nodiscard]] bool edge_is_within(const Motion<4>& motion, double t, double distance);

}  // namespace sluice::certificate
