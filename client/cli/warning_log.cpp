// SPDX-License-Identifier: Apache-2.0
#include "client/cli/warning_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client/cli/visible_text.h"

namespace sluice::cli {
namespace {

/// `water: its volume is 20 % ...`; the kind where there are no words.
std::string what_is_wrong(const v1::Warning& warning) {
  const std::string& text =
      warning.message().empty() ? v1::WarningKind_Name(warning.kind()) : warning.message();
  return visible(warning.body().empty() ? text : warning.body() + ": " + text);
}

std::string first_line(const v1::SessionWarning& warning) {
  return fmt::format("warning: frame {}: {}", warning.first_frame_index(),
                     what_is_wrong(warning.warning()));
}

/// How far `warning` is beyond its limit, whichever side of it is bad.
double excess(const v1::Warning& warning) { return std::abs(warning.value() - warning.limit()); }

}  // namespace

v1::SessionWarning* WarningLog::find(const v1::Warning& warning) {
  const auto found =
      std::find_if(warnings_.begin(), warnings_.end(), [&](const v1::SessionWarning& known) {
        return known.warning().kind() == warning.kind() && known.warning().body() == warning.body();
      });
  return found == warnings_.end() ? nullptr : &*found;
}

std::vector<std::string> WarningLog::add(const client::Frame& frame) {
  std::vector<std::string> lines;
  if (!frame.statistics) {
    return lines;
  }
  const std::lock_guard lock(mutex_);
  for (const v1::Warning& warning : frame.statistics->warnings()) {
    v1::SessionWarning* known = find(warning);
    if (known == nullptr) {
      known = &warnings_.emplace_back();
      *known->mutable_warning() = warning;
      known->set_first_frame_index(frame.index);
      lines.push_back(first_line(*known));
    }
    if (known->frame_count() == 0 || frame.index > known->last_frame_index()) {
      known->set_last_frame_index(frame.index);
      known->set_frame_count(known->frame_count() + 1);
    }
    if (excess(warning) > excess(known->warning())) {
      *known->mutable_warning() = warning;
    }
  }
  return lines;
}

std::vector<std::string> WarningLog::add(const v1::Session& session) {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const v1::SessionWarning& warning : session.warnings()) {
    v1::SessionWarning* known = find(warning.warning());
    if (known == nullptr) {
      warnings_.push_back(warning);
      lines.push_back(first_line(warning));
    } else if (warning.frame_count() >= known->frame_count()) {
      *known = warning;
    }
  }
  return lines;
}

std::vector<v1::SessionWarning> WarningLog::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

std::string in_words(const v1::SessionWarning& warning) {
  const std::int64_t first = warning.first_frame_index();
  const std::int64_t last = warning.last_frame_index();
  const std::int64_t count = warning.frame_count();
  std::string frames =
      first == last ? fmt::format("frame {}", first) : fmt::format("frames {} to {}", first, last);
  if (count < last - first + 1) {
    frames += fmt::format(" ({} of them)", count);
  }
  return frames + ": " + what_is_wrong(warning.warning());
}

std::string warning_count_in_words(std::size_t count) {
  return fmt::format("{} warning{}", count, count == 1 ? "" : "s");
}

}  // namespace sluice::cli
