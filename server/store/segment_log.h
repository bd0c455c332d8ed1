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

/// What a record survives once `append` has returned.
enum class Durability {
  os,     ///< The process's death. Downside: a power cut loses the records of the last seconds.
  fsync,  ///< A power cut too. Downside: every append waits for the disk (0.1-10 ms).
};

/// What an append does if a record with the same key is stored already.
enum class ExistingKey {
  verify,   ///< Nothing if the fingerprints are equal, else it fails with `mismatch`.
  replace,  ///< The new record replaces the old one.
};

struct SegmentLogOptions {
  Durability durability = Durability::fsync;
  ExistingKey existing_key = ExistingKey::verify;
  /// [bytes] If a record does not fit into this size, the segment is closed first unless empty.
  std::uint64_t segment_bytes = std::uint64_t{256} << 20;
  /// [bytes] Largest payload; a longer one is refused with `limit`.
  std::uint64_t max_payload_bytes = std::uint64_t{4} << 30;
  /// [bytes] Space that appends leave free on the file system (else `disk_full`), so that the
  /// database can still store why the session stopped.
  std::uint64_t reserve_bytes = 0;
};

/// The identity of a record; the log's user chooses both numbers.
struct RecordId {
  std::uint32_t kind;
  std::uint64_t key;
};

/// A record to append.
struct NewRecord {
  RecordId id;
  std::uint32_t tag = 0;  ///< A number of the user's, such as a frame's epoch.
  /// Two records of one key count as the same if their fingerprints are equal. If unset, the CRC32C
  /// of the payload. Set it if a part of the payload differs from run to run, such as a duration.
  std::optional<std::uint32_t> fingerprint = {};
  std::span<const ByteView> slices = {};  ///< The payload is the concatenation of the slices.
};

/// The place and the properties of a stored record.
struct RecordInfo {
  std::uint32_t kind;
  std::uint32_t tag;
  std::uint64_t key;
  std::uint64_t length;    ///< [bytes] Length of the payload.
  std::uint64_t position;  ///< [bytes] Offset of the record's header in its segment.
  std::uint32_t payload_crc;
  std::uint32_t fingerprint;
  std::uint32_t segment;

  friend bool operator==(const RecordInfo&, const RecordInfo&) = default;
};

enum class AppendOutcome {
  appended,
  already_same,  ///< The key was stored with the same fingerprint; nothing was written.
};

/// The state in which `open` found the log; all zero after a clean close.
struct OpenReport {
  std::uint64_t torn_bytes = 0;     ///< Torn tail, which `write` cuts off and `read` ignores.
  std::uint64_t damaged_bytes = 0;  ///< Unreadable bytes before good records; left in place.
  std::uint64_t scanned_bytes = 0;  ///< Bytes that were read because no index covered them.
  bool index_rebuilt = false;       ///< The index file was missing, stale or damaged.
};

enum class OpenMode {
  write,  ///< Creates the directory if needed, cuts off a torn tail.
  read,   ///< Changes nothing on disk. Sees the records that were there at `open`.
};

/// An append-only log of keyed records in the segment files of one directory.
///
/// Thread-safe: one thread appends at a time (calls are serialised); any number of threads read
/// meanwhile, and none waits for a write. Only one process may have it open for writing; the data
/// directory's lock ensures that.
///
/// `read` finds a record only after `append` has made it durable. After a failed append the log is
/// as before, and a further append may succeed. Bytes that fail their CRC32C are never returned.
///
/// The index file is written on `close` and when a segment is full; if it is missing, stale or
/// damaged the segments are scanned instead, which reads all of them once.
class SegmentLog {
 public:
  static Result<std::unique_ptr<SegmentLog>> open(const std::filesystem::path& directory,
                                                  const SegmentLogOptions& options, OpenMode mode);
  virtual ~SegmentLog() = default;  ///< Closes the log.

  [[nodiscard]] virtual const OpenReport& open_report() const = 0;

  /// Appends `record`. Errors: `mismatch` (see ExistingKey), `limit`, `disk_full`, `read_only`,
  /// `io_error`.
  [[nodiscard]] virtual Result<AppendOutcome> append(const NewRecord& record) = 0;

  /// Deletes every segment file with a number below `segment`, and the records in them, but never
  /// the last segment.
  [[nodiscard]] virtual Status remove_segments_before(std::uint32_t segment) = 0;

  /// Reads a record's payload. `not_found`, or `corrupt` if its bytes are not what was written.
  [[nodiscard]] virtual Result<SharedBytes> read(RecordId id) const = 0;

  [[nodiscard]] virtual std::optional<RecordInfo> find(RecordId id) const = 0;

  /// Lists all records of `kind`, by key.
  [[nodiscard]] virtual std::vector<RecordInfo> list(std::uint32_t kind) const = 0;

  [[nodiscard]] virtual std::uint64_t stored_bytes() const = 0;  ///< Size of all segment files.

  /// Makes everything durable and writes the index file. Appends are refused afterwards.
  virtual Status close() = 0;
};

}  // namespace sluice::store
