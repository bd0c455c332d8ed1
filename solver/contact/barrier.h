// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "solver/contact/gap_energy.h"

namespace sluice::contact {

/// The barrier of incremental potential contact: infinite at contact, 0 from `range` on, twice
/// continuously differentiable in between and beyond.
///
///     U(g) = kappa b(g),  b(g) = -(g - g^)^2 ln(g / g^)  for 0 < g < g^.
///
/// [Yang2023] (2.34), [Li2020] (6). The gap g is a distance in metres, as in the former; the latter
/// puts squared distances in its place, so that its kappa is in J/m^4. Here kappa is in N/m, as the
/// stiffness of a spring: U'' is 6.4 kappa at half the range and 35 kappa at a fifth, U' is -1.2
/// kappa g^ at half.
struct Barrier {
  double stiffness;  ///< [N/m] kappa, > 0
  double range;      ///< [m] g^, > 0

  [[nodiscard]] GapEnergy at(double gap) const noexcept {
    if (gap >= range) return {};
    if (!(gap > 0)) return {.value = std::numeric_limits<double>::infinity()};
    const double past = gap - range;  // < 0
    const double logarithm = std::log(gap / range);
    return {-stiffness * past * past * logarithm, -stiffness * past * (2 * logarithm + past / gap),
            stiffness * (past / gap * (past / gap - 4) - 2 * logarithm)};
  }
};

}  // namespace sluice::contact
