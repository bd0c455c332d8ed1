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

/// The range of frames that can be read. Empty when first == next.
struct FrameRange {
  std::uint64_t first = 0;  ///< The oldest frame.
  /// One past the last frame of the gapless run that starts at `first`; these may be announced.
  std::uint64_t next = 0;
  /// One past the newest frame on disk. Larger than `next` only after damage; computing again from
  /// a checkpoint at or before `next` (or from the start) fills the gap.
  std::uint64_t stored_end = 0;
};

/// Index, epoch and size of a frame on disk.
struct FrameInfo {
  std::uint64_t index;
  std::uint32_t epoch;
  std::uint64_t length;  ///< [bytes] Length of the frame's record.
};

/// The log of one session's frames, of the layout of each epoch and of the steering commands, all
/// as opaque bytes.
///
/// Thread-safe: one appender, any number of readers.
class FrameLog {
 public:
  static Result<std::unique_ptr<FrameLog>> open(const std::filesystem::path& directory,
                                                const SegmentLogOptions& options, OpenMode mode);

  [[nodiscard]] const OpenReport& open_report() const;

  /// Stores a frame. When this returns, the frame is durable and in `range`.
  ///
  /// `fingerprint` stands for the frame's deterministic content (segment_log.h). If a frame with
  /// this index is stored already and has another fingerprint, the run is not reproducible:
  /// `mismatch`. Also `mismatch` for a new frame that leaves a gap to the stored frames.
  [[nodiscard]] Result<AppendOutcome> append(std::uint64_t index, std::uint32_t epoch,
                                             std::span<const ByteView> slices,
                                             std::optional<std::uint32_t> fingerprint = {});

  /// Stores the layout of `epoch`. Call it before the first frame of the epoch is stored.
  [[nodiscard]] Result<AppendOutcome> append_layout(std::uint32_t epoch,
                                                    std::span<const ByteView> slices);

  /// Stores a steering command (records.h, without its session_id), so that frames on which it acts
  /// can be computed again without the database.
  [[nodiscard]] Status append_command(const CommandRecord& command);
  /// Reads the stored commands, by sequence number; damaged ones are left out.
  [[nodiscard]] std::vector<CommandRecord> commands() const;

  /// Reads a frame. `not_found` outside the range, `corrupt` if it was damaged or lost on disk.
  [[nodiscard]] Result<SharedBytes> read(std::uint64_t index) const;
  [[nodiscard]] Result<SharedBytes> read_layout(std::uint32_t epoch) const;

  [[nodiscard]] std::optional<FrameInfo> find(std::uint64_t index) const;
  [[nodiscard]] FrameRange range() const;
  [[nodiscard]] std::optional<std::uint32_t> last_epoch() const;  ///< Epoch of the newest layout.
  [[nodiscard]] std::uint64_t stored_bytes() const;

  Status close();

 private:
  explicit FrameLog(std::unique_ptr<SegmentLog> log);
  void recompute_range();

  std::unique_ptr<SegmentLog> log_;
  mutable std::mutex append_mutex_;  // Held by the appender, also during the write.
  mutable std::mutex range_mutex_;   // Guards range_; never held during I/O.
  FrameRange range_;
};

}  // namespace sluice::store
