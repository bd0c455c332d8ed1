// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bytes of a log's index file; integers little-endian, unsigned.
///
///   index   = magic:8 "SLUICIDX"  version:u32 = 1  segment_count:u32  record_count:u64
///             segment{segment_count}  record{record_count}  crc:u32
///   segment = number:u32  last_header_crc:u32  covered:u64  last_position:u64
///   record  = kind:u32  tag:u32  key:u64  length:u64  position:u64  payload_crc:u32
///             fingerprint:u32  segment:u32
///
/// covered is the offset in the segment up to which the index has all records; a scan finds later
/// records. last_position and last_header_crc identify the last record header before covered (0, 0
/// if there is none): if that header no longer stands there, the index belongs to other files. crc
/// is the CRC32C of all bytes before it.

#include <cstdint>
#include <optional>
#include <vector>

#include "server/store/segment_log.h"
#include "server/store/shared_bytes.h"

namespace sluice::store {

struct IndexedSegment {
  std::uint32_t number = 0;
  std::uint32_t last_header_crc = 0;
  std::uint64_t covered = 0;
  std::uint64_t last_position = 0;
};

struct IndexFile {
  std::vector<IndexedSegment> segments;  ///< Sorted by number.
  std::vector<RecordInfo> records;       ///< Sorted by kind and key.
};

[[nodiscard]] std::vector<std::byte> encode_index(const std::vector<IndexedSegment>& segments,
                                                  std::span<const RecordInfo> records);

/// Decodes an index file. Nothing if `bytes` are not as `encode_index` writes them: CRC, counts,
/// order, and each record within the covered part of its segment.
[[nodiscard]] std::optional<IndexFile> decode_index(ByteView bytes);

}  // namespace sluice::store
