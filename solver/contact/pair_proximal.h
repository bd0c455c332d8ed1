// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/contact/pair_energy.h"

namespace sluice::contact {

/// Returns a local minimum of E(x) + weight / 2 sum_{i=1..3} |x_i - p_i|^2 over the last three
/// points of a pair, x_0 = p_0: the local step of ADMM. It is reached from p by Newton's method
/// without the pair touching on the way, or, where p has no energy, from a place near it that has.
/// Its residual is 1e-10, relative to weight times the size of p.
template <typename Law>
[[nodiscard]] geometry::PairPoints pair_proximal(const Law& law, const ContactPair& pair,
                                                 const geometry::PairPoints& p, double weight);

}  // namespace sluice::contact
