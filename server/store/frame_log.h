// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "server/store/records.h"
#include "server/store/segment_log.h"
#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// The frames that can be had. Empty when first == next.
struct FrameRange {
  std::uint64_t first = 0;  ///< The oldest frame.
  /// One past the last frame of the unbroken run from `first` on: what may be announced.
  std::uint64_t next = 0;
  /// One past the newest frame on disk. More than `next` only after damage; running again from a
  /// checkpoint at or before `next` (or from the start) fills the gap.
  std::uint64_t stored_end = 0;
};

/// A frame on disk.
struct FrameInfo {
  std::uint64_t index;
  std::uint32_t epoch;
  std::uint64_t length;  ///< [bytes]
};

/// The frames of one session, the layout of each epoch and the commands given on the way, as opaque
/// bytes.
///
/// Thread-safe: one appender, any number of readers.
class FrameLog {
 public:
  static Result<std::unique_ptr<FrameLog>> open(const std::filesystem::path& directory,
                                                const SegmentLogOptions& options, OpenMode mode);

  [[nodiscard]] const OpenReport& open_report() const;

  /// Stores a frame; when this returns it is durable and in `range`.
  ///
  /// `fingerprint` stands for the frame's deterministic content (segment_log.h). A frame that is
  /// there already must have the same one, else `mismatch`: the same scene did not give the same
  /// bits. So must a new frame be the next one, fill a gap, or be the first of an empty log.
  [[nodiscard]] Result<AppendOutcome> append(std::uint64_t index, std::uint32_t epoch,
                                             std::span<const ByteView> slices,
                                             std::optional<std::uint32_t> fingerprint = {});

  /// Stores the layout that holds for the frames of `epoch`, before the first of them.
  [[nodiscard]] Result<AppendOutcome> append_layout(std::uint32_t epoch,
                                                    std::span<const ByteView> slices);

  /// Stores a steering command (records.h; its session does not count), so that frames that it
  /// shaped can be computed again without the database.
  [[nodiscard]] Status append_command(const CommandRecord& command);
  /// The commands that were stored and can be read, by sequence.
  [[nodiscard]] std::vector<CommandRecord> commands() const;

  /// `not_found` outside the range, `corrupt` where the disk lost it.
  [[nodiscard]] Result<SharedBytes> read(std::uint64_t index) const;
  [[nodiscard]] Result<SharedBytes> read_layout(std::uint32_t epoch) const;

  [[nodiscard]] std::optional<FrameInfo> find(std::uint64_t index) const;
  [[nodiscard]] FrameRange range() const;
  [[nodiscard]] std::optional<std::uint32_t> last_epoch() const;  ///< Of the newest layout.
  [[nodiscard]] std::uint64_t stored_bytes() const;

  Status close();

 private:
  explicit FrameLog(std::unique_ptr<SegmentLog> log);
  void recompute_range();

  std::unique_ptr<SegmentLog> log_;
  mutable std::mutex append_mutex_;  // One appender; held over the write.
  mutable std::mutex range_mutex_;   // Never held over I/O.
  FrameRange range_;
};

}  // namespace sluice::store
