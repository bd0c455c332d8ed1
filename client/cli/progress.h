// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace sluice::cli {

/// How far a session is.
struct ProgressState {
  std::int64_t frame{0};        ///< Frames computed after the initial one.
  std::int64_t frame_total{0};  ///< Frames to compute in all; 0 when that is not known yet.
  double frames_per_second{0};  ///< Rate now; 0 when it is not known.
};

/// `frame 57/120 (47 %), 12.3 frames/s, 5.1 s left`
[[nodiscard]] std::string format_progress(const ProgressState& state);

/// The same behind a bar that fills a terminal of `width` columns: `[#####.....] frame 57/120 ...`
[[nodiscard]] std::string format_progress_bar(const ProgressState& state, int width);

/// Shows progress on stderr: one line that is drawn over on a terminal; else plain lines, one each
/// tenth of the way or 10 s. Any thread may call.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const ProgressState& state);

  /// Writes a line of message above the bar.
  void message(std::string_view text);

  /// Ends the line that is drawn over.
  void finish();

 private:
  void draw();

  std::mutex mutex_;
  bool on_terminal_;
  bool drawn_{false};
  ProgressState state_;
  std::chrono::steady_clock::time_point last_drawn_;
  int last_tenth_{-1};
};

}  // namespace sluice::cli
