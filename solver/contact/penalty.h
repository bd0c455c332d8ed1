// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/contact/gap_energy.h"

namespace sluice::contact {

/// A spring that pushes apart primitives nearer than `range`: U(g) = k/2 (g - g^)^2 for g < g^.
///
/// The penalty method of [Yang2023, 2.3], kept to compare. It is finite at contact: a fast enough
/// primitive goes through, and is then pushed on, as a distance has no side. Stiffer springs let
/// less through and need shorter steps; none is stiff enough for everything, as a barrier is.
struct Penalty {
  double stiffness;  ///< [N/m] k, > 0
  double range;      ///< [m] g^, > 0

  [[nodiscard]] GapEnergy at(double gap) const noexcept {
    if (gap >= range) return {};
    const double past = gap - range;
    return {stiffness / 2 * past * past, stiffness * past, stiffness};
  }
};

}  // namespace sluice::contact
