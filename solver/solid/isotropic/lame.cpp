// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/isotropic/lame.h"

#include <fmt/format.h>

#include <cmath>

namespace sluice::solid {

Result<Lame> lame_of(const Elasticity& elasticity) {
  const auto [E, nu] = elasticity;
  if (!(std::isfinite(E) && E > 0)) {
    return Error{ErrorCode::invalid_scene,
                 fmt::format("young_modulus is {} Pa; it must be positive", E)};
  }
  if (!(nu > -1 && nu < 0.5)) {
    return Error{ErrorCode::invalid_scene,
                 fmt::format("poisson_ratio is {}; it must be greater than -1 and less than 0.5 "
                             "(0.49 is nearly incompressible)",
                             nu)};
  }
  return Lame{E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
}

Result<Elasticity> elasticity_of(const Lame& lame) {
  const auto [mu, lambda] = lame;
  if (!(std::isfinite(mu) && mu > 0)) {
    return Error{ErrorCode::invalid_scene, fmt::format("mu is {} Pa; it must be positive", mu)};
  }
  if (!(std::isfinite(lambda) && 3 * lambda + 2 * mu > 0)) {
    return Error{ErrorCode::invalid_scene,
                 fmt::format("lambda is {} Pa; it must be greater than -2/3 mu, {} Pa", lambda,
                             -2 * mu / 3)};
  }
  return Elasticity{mu * (3 * lambda + 2 * mu) / (lambda + mu), lambda / (2 * (lambda + mu))};
}

Lame plane_stress(const Lame& lame) noexcept {
  return {lame.mu, 2 * lame.mu * lame.lambda / (lame.lambda + 2 * lame.mu)};
}

}  // namespace sluice::solid
