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

/// A segment file as far as it is good.
struct Segment {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;            ///< Offset behind the last good record.
  std::uint64_t last_position = 0;    ///< Of the last good record; 0: none.
  std::uint32_t last_header_crc = 0;  ///< Of the last good record.
  bool header_good = false;           ///< Else it is read and not appended to.
};

/// A log as found on disk.
struct RecoveredLog {
  std::vector<Segment> segments;  ///< By number.
  RecordIndex index;
  OpenReport report;
};

/// Finds out what the segment files in `directory` hold: from the index file where it is good, by a
/// scan where it is not or does not reach. With OpenMode::write it cuts off a torn tail.
Result<RecoveredLog> recover_log(const std::filesystem::path& directory, OpenMode mode);

[[nodiscard]] std::filesystem::path segment_path(const std::filesystem::path& directory,
                                                 std::uint32_t number);
[[nodiscard]] std::filesystem::path index_path(const std::filesystem::path& directory);

/// What the index keeps of a record.
[[nodiscard]] RecordInfo info_of(const RecordHeader& header);

/// The header_crc field of `header` as it stands on disk.
[[nodiscard]] std::uint32_t header_crc_of(const RecordHeader& header);

}  // namespace sluice::store
