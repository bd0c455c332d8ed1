// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "sluice/v1/frames.pb.h"

namespace sluice::worker {

/// Finds frames that take far longer than the frames before them, by the seconds that it is told:
/// the solver has no clock, and nothing that is computed may depend on one. No I/O, not
/// thread-safe.
class FramePace {
 public:
  /// Notes that the next frame took `seconds` (>= 0) to compute. Answers a warning of the kind
  /// SLOW_FRAME where that is more than a second and more than 100 times the median of the frames
  /// before it: of the last 64, if there are at least 3.
  [[nodiscard]] std::optional<v1::Warning> add(double seconds);

 private:
  std::deque<double> before_;  // [s] The newest one is the last.
};

}  // namespace sluice::worker
