// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/v1/sessions.pb.h"

namespace sluice::session {

/// The warnings of a session's frames, summed up by kind and body; no clock, no I/O, not
/// thread-safe.
class SessionWarnings {
 public:
  SessionWarnings() = default;
  /// As serialize() wrote them; without warnings for bytes that are none.
  explicit SessionWarnings(const std::string& bytes);

  /// Adds those of the frame `index`. Frames come in rising order; one that came before adds
  /// nothing. True if there was something to add.
  bool add(std::int64_t index, const v1::FrameStatistics& statistics);

  /// What the session's clients see.
  [[nodiscard]] const google::protobuf::RepeatedPtrField<v1::SessionWarning>& all() const {
    return kept_.warnings();
  }

  /// In words, which limit of `options` the frame `index` reached, if any. Defaults are those of
  /// RunOptions.failure_limits.
  [[nodiscard]] std::optional<std::string> limit_reached(std::int64_t index,
                                                         const v1::FrameStatistics& statistics,
                                                         const v1::RunOptions& options) const;

  [[nodiscard]] std::string serialize() const { return kept_.SerializeAsString(); }

 private:
  v1::Session kept_;  ///< `warnings`, and as `frame_count` the frames that were looked at.
};

}  // namespace sluice::session
