// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace sluice::fluid::grid {

/// An approximate inverse of a system: symmetric and positive definite, and always the same
/// linear map.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Sets z = M^-1 r: vectors of the system, 0 where there is no unknown.
  virtual void apply(std::span<const float> r, std::span<float> z) = 0;
};

}  // namespace sluice::fluid::grid
