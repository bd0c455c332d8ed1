// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// How much a record survives once `append` has returned.
enum class Durability {
  os,  ///< Death of the process, not of the machine. Downside: a power cut loses the last seconds.
  fsync,  ///< Power cut too. Downside: every append waits for the disk (0.1-10 ms).
};

/// What an append does with a key that is there already.
enum class ExistingKey {
  verify,   ///< Same fingerprint: nothing to do. Another one: `mismatch`.
  replace,  ///< The new record counts from then on.
};

struct SegmentLogOptions {
  Durability durability = Durability::fsync;
  ExistingKey existing_key = ExistingKey::verify;
  /// [bytes] A segment that a record would take past this is closed first, unless it is empty.
  std::uint64_t segment_bytes = std::uint64_t{256} << 20;
  /// [bytes] A longer payload is refused with `limit`.
  std::uint64_t max_payload_bytes = std::uint64_t{4} << 30;
  /// [bytes] An append that would leave less than this free on the file system is `disk_full`, so
  /// that the database can still write down why the session stopped.
  std::uint64_t reserve_bytes = 0;
};

/// What names a record; the numbers are the user's.
struct RecordId {
  std::uint32_t kind;
  std::uint64_t key;
};

/// A record to append.
struct NewRecord {
  RecordId id;
  std::uint32_t tag = 0;  ///< The user's; a frame's epoch.
  /// What must be equal for two records of one key to count as the same; the CRC32C of the payload
  /// if not set. Set it where a payload holds something that differs from run to run (a duration).
  std::optional<std::uint32_t> fingerprint = {};
  std::span<const ByteView> slices = {};  ///< The payload is their concatenation.
};

/// Where a record is and what it holds.
struct RecordInfo {
  std::uint32_t kind;
  std::uint32_t tag;
  std::uint64_t key;
  std::uint64_t length;    ///< [bytes] of the payload
  std::uint64_t position;  ///< [bytes] of the record's header in its segment
  std::uint32_t payload_crc;
  std::uint32_t fingerprint;
  std::uint32_t segment;

  friend bool operator==(const RecordInfo&, const RecordInfo&) = default;
};

enum class AppendOutcome {
  appended,
  already_same,  ///< The key was there with the same fingerprint; nothing was written.
};

/// What `open` found; all zero after a clean close.
struct OpenReport {
  std::uint64_t torn_bytes = 0;     ///< Cut off the end (a reader: ignored there).
  std::uint64_t damaged_bytes = 0;  ///< Unreadable, with good records behind; left in place.
  std::uint64_t scanned_bytes = 0;  ///< Read because no index covered them.
  bool index_rebuilt = false;       ///< The index file was missing, stale or damaged.
};

enum class OpenMode {
  write,  ///< Creates the directory if needed, cuts off a torn tail.
  read,   ///< Changes nothing on disk. Sees what was there at `open`.
};

/// An append-only log of keyed records in the segment files of one directory.
///
/// Thread-safe: one thread appends at a time (calls are serialised), any number read meanwhile and
/// none waits for a write. One process at a time may have it open for writing; the data directory's
/// lock sees to that.
///
/// A record is found by `read` only after `append` has made it durable. After a failed append the
/// log is as before and can be appended to again. Bytes that fail their CRC32C are never returned.
///
/// The index file is written on `close` and when a segment is full; if it is missing, stale or
/// damaged the segments are scanned instead, which reads all of them once.
class SegmentLog {
 public:
  static Result<std::unique_ptr<SegmentLog>> open(const std::filesystem::path& directory,
                                                  const SegmentLogOptions& options, OpenMode mode);
  virtual ~SegmentLog() = default;  ///< Closes.

  [[nodiscard]] virtual const OpenReport& open_report() const = 0;

  /// Appends `record`. Errors: `mismatch` (see ExistingKey), `limit`, `disk_full`, `read_only`,
  /// `io_error`.
  [[nodiscard]] virtual Result<AppendOutcome> append(const NewRecord& record) = 0;

  /// Deletes every segment file with a number below `segment`, and the records in them. The segment
  /// that is written to stays in any case.
  [[nodiscard]] virtual Status remove_segments_before(std::uint32_t segment) = 0;

  /// The payload of a record: `not_found`, or `corrupt` if its bytes are not what was written.
  [[nodiscard]] virtual Result<SharedBytes> read(RecordId id) const = 0;

  [[nodiscard]] virtual std::optional<RecordInfo> find(RecordId id) const = 0;

  /// All records of `kind`, by key.
  [[nodiscard]] virtual std::vector<RecordInfo> list(std::uint32_t kind) const = 0;

  [[nodiscard]] virtual std::uint64_t stored_bytes() const = 0;  ///< Size of all segment files.

  /// Makes everything durable and writes the index file. Appends are refused afterwards.
  virtual Status close() = 0;
};

}  // namespace sluice::store
