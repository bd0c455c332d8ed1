// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/contact/barrier.h"
#include "solver/contact/contact_pair.h"
#include "solver/contact/penalty.h"
#include "solver/geometry/pair_distance.h"

/// The energy of one pair by a law of its gap, `Law` being Barrier or Penalty:
///     E(x) = m(x) U(|r(x)| - thickness),
/// m the mollifier of edges (1 for a point and a triangle), r the offset of geometry::PairDistance.
///
/// `x` are the pair's points (ContactPair::gather), finite. The energy may be infinite; gradient
/// and Hessians are asked for where it is not. Forces and moments of a pair sum to 0, to rounding.
namespace sluice::contact {

/// [J] Returns the energy E.
template <typename Law>
[[nodiscard]] double pair_energy(const Law& law, const ContactPair& pair,
                                 const geometry::PairPoints& x) noexcept;

/// [N] Returns the gradient of E by all coordinates.
template <typename Law>
[[nodiscard]] geometry::Vec12 pair_gradient(const Law& law, const ContactPair& pair,
                                            const geometry::PairPoints& x) noexcept;

/// [N/m] Returns the Hessian of E by all coordinates.
template <typename Law>
[[nodiscard]] geometry::Mat12 pair_hessian(const Law& law, const ContactPair& pair,
                                           const geometry::PairPoints& x) noexcept;

/// [N/m] Returns the Hessian with its negative eigenvalues set to 0.
template <typename Law>
[[nodiscard]] geometry::Mat12 projected_pair_hessian(const Law& law, const ContactPair& pair,
                                                     const geometry::PairPoints& x) noexcept;

}  // namespace sluice::contact
