// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/solid/convergence/studies.h"

#include <cmath>

namespace sluice::solid {

double Study::order(std::size_t index) const {
  const Sample &coarse = samples[index - 1], &fine = samples[index];
  return std::log(coarse.error / fine.error) / std::log(coarse.size / fine.size);
}

}  // namespace sluice::solid
