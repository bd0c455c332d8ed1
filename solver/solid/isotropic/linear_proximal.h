// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/packet.h"

namespace sluice::solid {

/// argmin Psi(Z) + w/2 |Z - P|^2 of four matrices at once, as `proximal` has it.
[[nodiscard]] inline Matrix4 linear_proximal(const LinearElasticity& energy, const Matrix4& P,
                                             double w) noexcept {
  const auto [mu, lambda] = energy.lame;
  const double shear = w / (w + 2 * mu), growth = w / (w + 2 * mu + 3 * lambda);
  const double kept = 0.5 * (1 + shear), turned = 0.5 * (shear - 1);
  const Double4 mean = (growth - shear) * ((P[0] + P[4] + P[8]) * (1.0 / 3) - 1) + (1 - shear);
  return {shear * P[0] + mean,         kept * P[1] + turned * P[3], kept * P[2] + turned * P[6],
          kept * P[3] + turned * P[1], shear * P[4] + mean,         kept * P[5] + turned * P[7],
          kept * P[6] + turned * P[2], kept * P[7] + turned * P[5], shear * P[8] + mean};
}

}  // namespace sluice::solid
