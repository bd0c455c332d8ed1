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
  /// Restores what serialize() wrote; bytes that cannot be read give no warnings.
  explicit SessionWarnings(const std::string& bytes);

  /// Adds the warnings of frame `index`. Frames come in rising order; a frame that came before adds
  /// nothing. Returns whether there was something to add.
  bool add(std::int64_t index, const v1::FrameStatistics& statistics);

  /// The summed-up warnings that the session's clients see.
  [[nodiscard]] const google::protobuf::RepeatedPtrField<v1::SessionWarning>& all() const {
    return kept_.warnings();
  }

  /// Returns, in words, the limit of `options` that frame `index` reached, if any. Missing limits
  /// have the defaults of RunOptions.failure_limits.
  [[nodiscard]] std::optional<std::string> limit_reached(std::int64_t index,
                                                         const v1::FrameStatistics& statistics,
                                                         const v1::RunOptions& options) const;

  [[nodiscard]] std::string serialize() const { return kept_.SerializeAsString(); }

 private:
  v1::Session kept_;  ///< `warnings`; `frame_count`: one past the last frame that added some.
};

}  // namespace sluice::session
