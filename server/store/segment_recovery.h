// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "server/store/record_index.h"
#include "server/store/segment_format.h"
#include "server/store/segment_log.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// The good part of a segment file.
struct Segment {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;            ///< Offset behind the last good record.
  std::uint64_t last_position = 0;    ///< Offset of the last good record; 0: there is none.
  std::uint32_t last_header_crc = 0;  ///< header_crc of the last good record.
  bool header_good = false;           ///< If false, the segment is read but not appended to.
};

/// A log as it was found on disk.
struct RecoveredLog {
  std::vector<Segment> segments;  ///< Sorted by number.
  RecordIndex index;
  OpenReport report;
};

/// Finds the records in the segment files of `directory`: from the index file as far as it is good,
/// by a scan beyond that. OpenMode::write also cuts off a torn tail.
Result<RecoveredLog> recover_log(const std::filesystem::path& directory, OpenMode mode);

[[nodiscard]] std::filesystem::path segment_path(const std::filesystem::path& directory,
                                                 std::uint32_t number);
[[nodiscard]] std::filesystem::path index_path(const std::filesystem::path& directory);

/// Returns the index's entry for the record with this header.
[[nodiscard]] RecordInfo info_of(const RecordHeader& header);

/// Returns the header_crc of `header` as it stands on disk.
[[nodiscard]] std::uint32_t header_crc_of(const RecordHeader& header);

}  // namespace sluice::store
