// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "server/store/file.h"
#include "server/store/segment_format.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// The result of a scan of a segment file.
struct SegmentScan {
  std::uint64_t good_end = 0;       ///< Offset behind the last good record.
  std::uint64_t damaged_bytes = 0;  ///< Bytes before good_end that are in no good record.
};

/// Reads segment `number` from `from` (where a record begins or the last one ended) to its end and
/// calls `visit` for each record whose header and payload pass their CRC, in the order of the file.
///
/// Behind damage it looks for the next good record byte by byte, so that one bad sector costs only
/// the records in it. Bad content is no error; errors come from reading the file.
Result<SegmentScan> scan_segment(const File& file, std::uint32_t number, std::uint64_t from,
                                 const std::function<void(const RecordHeader&)>& visit);

/// Reads the record header at `position`, if a good one stands there. Does not read the payload.
std::optional<RecordHeader> read_record_header(const File& file, std::uint32_t number,
                                               std::uint64_t position, std::uint64_t file_bytes);

/// Reads `to.size()` bytes at `offset` into `to`. Returns whether their CRC32C is `expected`.
Result<bool> read_checked(const File& file, std::uint64_t offset, std::span<std::byte> to,
                          std::uint32_t expected);

}  // namespace sluice::store
