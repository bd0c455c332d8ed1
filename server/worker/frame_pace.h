// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "sluice/v1/frames.pb.h"

namespace sluice::worker {

/// Finds frames that take far longer to compute than the frames before them. The caller measures
/// the time: the solver has no clock, and no result may depend on one. No I/O, not
/// thread-safe.
class FramePace {
 public:
  /// Notes that the next frame took `seconds` (>= 0) to compute. Returns a warning of the kind
  /// SLOW_FRAME if that is more than a second and more than 100 times the median of the up to 64
  /// frames before it; never if there are fewer than 3.
  [[nodiscard]] std::optional<v1::Warning> add(double seconds);

 private:
  std::deque<double> before_;  // [s] The newest one is the last.
};

}  // namespace sluice::worker
