// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/contact/contact_pair.h"
#include "solver/types.h"

namespace sluice::contact {

/// Returns how far all points may go from `x` [m] along their `direction` at once, as a multiple of
/// it, without any of the pairs touching on the way: `longest` where none would, else nine tenths
/// of the way to the first contact (geometry/ccd.h, no false negatives). So a method that goes from
/// iterate to iterate never crosses any of them; it is line 8 of Algorithm 4 in [Yang2023]. Pairs
/// must not touch at `x`.
///
/// The thickness of pairs has no part in it: their energy, infinite there, shortens the step more.
/// The answer is the same for any number of threads.
[[nodiscard]] double largest_step(std::span<const ContactPair> pairs, std::span<const Vec3> x,
                                  std::span<const Vec3> direction, double longest);

/// Whether no pair touches while all points go straight from `x_t0` to `x_t1` [m]: decided on just
/// these numbers, without false negatives.
[[nodiscard]] bool is_clear(std::span<const ContactPair> pairs, std::span<const Vec3> x_t0,
                            std::span<const Vec3> x_t1);

}  // namespace sluice::contact
