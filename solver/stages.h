// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace sluice {

/// The parts of the solver's work on a frame; sluice.v1.StageTime says what each of them holds.
enum class Stage {
  fluid_transfers,
  fluid_grid,
  fluid_pressure,
  fluid_sorting,
  solid,
  contact_detection,
  coupling,
  step_filter,
  output,
};
inline constexpr std::size_t stage_count = 9;

/// [s] Time spent, by stage.
using StageSeconds = std::array<double, stage_count>;

/// Returns a monotonic time in seconds, from any origin. The solver owns no clock: whoever wants
/// its stages timed gives it one. The times never change the bits of a result.
using Clock = std::function<double()>;

/// Adds up the time that each stage takes. Used by one thread alone: the one that steps.
class StageTimer {
 public:
  /// Without a clock nothing is measured, and all is 0.
  explicit StageTimer(Clock clock = {}) : clock_(std::move(clock)) {}

  /// Forgets what was measured. The first stage begins now.
  void restart() {
    seconds_.fill(0);
    if (clock_) last_ = clock_();
  }

  /// Gives `stage` the time since the call before.
  void finish(Stage stage) {
    if (!clock_) return;
    const double now = clock_();
    seconds_[static_cast<std::size_t>(stage)] += now - last_;
    last_ = now;
  }

  [[nodiscard]] const StageSeconds& seconds() const noexcept { return seconds_; }

 private:
  Clock clock_;
  double last_ = 0;
  StageSeconds seconds_{};
};

}  // namespace sluice
