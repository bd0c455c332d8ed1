// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/projection.h"

namespace sluice::contact {

PairShifts project(const PairGap& gap, double target, const PairValues& inverse_masses,
                   const PairValues& shares) noexcept {
  const Vec3& w = gap.weights;
  const double compliance =  // sum over the points of share m^-1 |grad distance|^2
      shares.particle * inverse_masses.particle +
      (shares.vertices.array() * inverse_masses.vertices.array() * w.array().square()).sum();
  if (!(gap.distance < target) || !(compliance > 0) || gap.normal.isZero()) return {};
  const Vec3 impulse = (target - gap.distance) / compliance * gap.normal;  // lambda, [kg m]
  PairShifts shifts{inverse_masses.particle * impulse, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    shifts.vertices[k] = -w[i] * inverse_masses.vertices[i] * impulse;
  }
  return shifts;
}

}  // namespace sluice::contact
