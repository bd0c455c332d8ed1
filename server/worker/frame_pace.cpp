// SPDX-License-Identifier: Apache-2.0
#include "server/worker/frame_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice::worker {
namespace {

constexpr double most_times_as_long = 100;
// Frames of a few milliseconds may wait for a busy machine a hundred times as long as they take.
constexpr double shortest_slow_seconds = 1;
// Old frames say little about a scene in which something new has happened since.
constexpr std::size_t most_frames = 64;
// Two frames are too few to tell what is usual.
constexpr std::size_t least_frames = 3;

double median(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

}  // namespace

std::optional<v1::Warning> FramePace::add(double seconds) {
  std::optional<v1::Warning> warning;
  if (before_.size() >= least_frames) {
    const double usual = median(before_);
    const double limit = std::max(shortest_slow_seconds, most_times_as_long * usual);
    if (seconds > limit) {
      warning.emplace();
      warning->set_kind(v1::WARNING_KIND_SLOW_FRAME);
      warning->set_message(fmt::format(
          "the frame took {:.3g} s where the frames before it took {:.3g} s (up to {:.3g} s may "
          "be): something in it moves fast, is stiff or does not come to rest; its statistics say "
          "which stage took the time",
          seconds, usual, limit));
      warning->set_value(seconds);
      warning->set_limit(limit);
    }
  }
  before_.push_back(seconds);
  if (before_.size() > most_frames) {
    before_.pop_front();
  }
  return warning;
}

}  // namespace sluice::worker
