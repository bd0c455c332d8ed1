// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/types.h"

namespace sluice::linalg {

// Operations on vectors of one Vec3 a vertex. Sums have a fixed shape: same bits for any number of
// threads.

[[nodiscard]] double dot(std::span<const Vec3> a, std::span<const Vec3> b);
[[nodiscard]] double norm(std::span<const Vec3> a);

/// y += s x
void add_scaled(double s, std::span<const Vec3> x, std::span<Vec3> y);

/// Sets `out` to x + s d; it may be x or d.
void step_along(std::span<const Vec3> x, double s, std::span<const Vec3> d, std::span<Vec3> out);

}  // namespace sluice::linalg
