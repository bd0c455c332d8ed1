// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/types.h"

namespace sluice::coupling {

/// r x v = cross_matrix(r) v.
[[nodiscard]] inline Mat3 cross_matrix(const Vec3& r) {
  Mat3 m;
  m << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  return m;
}

}  // namespace sluice::coupling
