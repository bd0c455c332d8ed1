// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "client/cli/output.h"

namespace sluice::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds plain_interval{10};

int terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

double fraction(const ProgressState& state) {
  if (state.frame_total <= 0) {
    return 0;
  }
  const double whole = static_cast<double>(state.frame) / static_cast<double>(state.frame_total);
  return std::clamp(whole, 0.0, 1.0);
}

}  // namespace

std::string format_progress(const ProgressState& state) {
  if (state.frame_total <= 0) {
    return fmt::format("frame {}", state.frame);
  }
  std::string text = fmt::format("frame {}/{} ({} %)", state.frame, state.frame_total,
                                 static_cast<int>(100 * fraction(state)));
  if (state.frames_per_second > 0) {
    text += fmt::format(", {:.3g} frames/s", state.frames_per_second);
    const std::int64_t left = state.frame_total - state.frame;
    if (left > 0) {
      text += fmt::format(", {} left",
                          format_duration(static_cast<double>(left) / state.frames_per_second));
    }
  }
  return text;
}

std::string format_progress_bar(const ProgressState& state, int width) {
  const std::string text = format_progress(state);
  // The last column stays free: some terminals wrap when it is written.
  const int room = width - 1 - static_cast<int>(text.size()) - 3;
  if (room < 4) {
    return text.substr(0, static_cast<std::size_t>(std::max(width - 1, 0)));
  }
  const int cells = std::min(room, 40);
  const int full = static_cast<int>(cells * fraction(state));
  return fmt::format("[{}{}] {}", std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(cells - full), '.'), text);
}

Progress::Progress() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { finish(); }

void Progress::update(const ProgressState& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  const auto now = steady_clock::now();
  const bool first = last_drawn_ == steady_clock::time_point();
  if (on_terminal_) {
    if (first || now - last_drawn_ >= terminal_interval) {
      last_drawn_ = now;
      draw();
    }
    return;
  }
  const int tenth = static_cast<int>(10 * fraction(state));
  if (first || tenth > last_tenth_ || now - last_drawn_ >= plain_interval) {
    last_drawn_ = now;
    last_tenth_ = tenth;
    draw();
  }
}

void Progress::message(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (on_terminal_ && drawn_) {
    fmt::print(stderr, "\r\x1b[K");
  }
  print_message(text);
  if (on_terminal_ && drawn_) {
    draw();
  }
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (on_terminal_ && drawn_) {
    draw();
    fmt::print(stderr, "\n");
  }
  drawn_ = false;
}

void Progress::draw() {
  if (on_terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", format_progress_bar(state_, terminal_width()));
  } else {
    fmt::print(stderr, "{}\n", format_progress(state_));
  }
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace sluice::cli
