// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "server/store/segment_log.h"
#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// A saved state of the solver, taken after the frame `frame_index`.
struct Checkpoint {
  std::uint64_t frame_index;
  SharedBytes bytes;
};

/// The newest checkpoints of one session, each in a segment file of its own.
///
/// Two checkpoints are kept, so that a damaged one costs time and nothing else.
/// Thread-safe: one appender, any number of readers.
class CheckpointLog {
 public:
  /// `options.segment_bytes` and `options.existing_key` are not used.
  static Result<std::unique_ptr<CheckpointLog>> open(const std::filesystem::path& directory,
                                                     const SegmentLogOptions& options,
                                                     OpenMode mode);

  [[nodiscard]] const OpenReport& open_report() const { return log_->open_report(); }

  /// Stores the concatenation of `slices`; durable on return. Keeps this checkpoint and the one
  /// stored before it, and deletes older ones. If that fails, the next append tries again.
  [[nodiscard]] Status append(std::uint64_t frame_index, std::span<const ByteView> slices);

  /// Reads the checkpoint with the highest frame index that is at most `at_most` and whose bytes
  /// are good. Nothing if there is none.
  [[nodiscard]] std::optional<Checkpoint> latest(std::uint64_t at_most = UINT64_MAX) const;

  /// Returns the highest frame index of a checkpoint, without reading its bytes.
  [[nodiscard]] std::optional<std::uint64_t> latest_frame_index() const;

  [[nodiscard]] std::uint64_t stored_bytes() const { return log_->stored_bytes(); }

 private:
  explicit CheckpointLog(std::unique_ptr<SegmentLog> log) : log_(std::move(log)) {}

  std::unique_ptr<SegmentLog> log_;
};

}  // namespace sluice::store
