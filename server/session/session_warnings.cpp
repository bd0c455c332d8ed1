// SPDX-License-Identifier: Apache-2.0
#include "server/session/session_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::session {
namespace {

constexpr int most_warnings = 100;  // sessions.proto, Session.warnings

// Part of a volume, and frames: sessions.proto, RunOptions.failure_limits.
constexpr double default_lost_volume = 0.25;
constexpr std::int64_t default_growing_frames = 60;

v1::FailureLimit limit_of(v1::WarningKind kind, const v1::RunOptions& options) {
  for (const v1::FailureLimit& limit : options.failure_limits()) {
    if (limit.kind() == kind) {
      return limit;
    }
  }
  v1::FailureLimit limit;
  if (kind == v1::WARNING_KIND_VOLUME_LOST) {
    limit.set_value(default_lost_volume);
  } else if (kind == v1::WARNING_KIND_ENERGY_GREW) {
    limit.set_frame_count(default_growing_frames);
  }
  return limit;
}

bool is_same(const v1::Warning& a, const v1::Warning& b) {
  return a.kind() == b.kind() && a.body() == b.body();
}

double beyond(const v1::Warning& warning) { return std::abs(warning.value() - warning.limit()); }

}  // namespace

SessionWarnings::SessionWarnings(const std::string& bytes) {
  if (!kept_.ParseFromString(bytes)) {
    kept_.Clear();
  }
}

bool SessionWarnings::add(std::int64_t index, const v1::FrameStatistics& statistics) {
  if (statistics.warnings().empty() || index < kept_.frame_count()) {
    return false;
  }
  kept_.set_frame_count(index + 1);
  for (const v1::Warning& warning : statistics.warnings()) {
    auto& all = *kept_.mutable_warnings();
    auto summed = std::ranges::find_if(
        all, [&](const v1::SessionWarning& known) { return is_same(known.warning(), warning); });
    if (summed == all.end()) {
      if (all.size() == most_warnings) {
        continue;
      }
      all.Add()->set_first_frame_index(index);
      summed = all.end() - 1;
      *summed->mutable_warning() = warning;
    } else if (beyond(warning) > beyond(summed->warning())) {
      *summed->mutable_warning() = warning;
    }
    summed->set_last_frame_index(index);
    summed->set_frame_count(summed->frame_count() + 1);
  }
  return true;
}

std::optional<std::string> SessionWarnings::limit_reached(std::int64_t index,
                                                          const v1::FrameStatistics& statistics,
                                                          const v1::RunOptions& options) const {
  for (const v1::Warning& warning : statistics.warnings()) {
    const v1::FailureLimit limit = limit_of(warning.kind(), options);
    const std::string about =
        warning.body().empty() ? std::string() : fmt::format(" of \"{}\"", warning.body());
    if (limit.has_value() && warning.value() >= limit.value()) {
      return fmt::format("frame {}: the warning{} reached {:.3g}, and {:.3g} ends the session: {}",
                         index, about, warning.value(), limit.value(), warning.message());
    }
    const auto summed = std::ranges::find_if(
        all(), [&](const v1::SessionWarning& known) { return is_same(known.warning(), warning); });
    if (limit.has_frame_count() && summed != all().end() &&
        summed->frame_count() >= limit.frame_count()) {
      return fmt::format("frame {}: {} frames have the warning{}, and {} end the session: {}",
                         index, summed->frame_count(), about, limit.frame_count(),
                         warning.message());
    }
  }
  return std::nullopt;
}

}  // namespace sluice::session
