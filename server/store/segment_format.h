// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bytes of a segment file. All integers little-endian, unsigned.
///
///   segment       = segment_header record*
///   segment_header= magic:8 "SLUICSEG"  version:u32 = 1  number:u32  reserved:u64 = 0
///                   reserved:u32 = 0  header_crc:u32
///   record        = record_header payload
///   record_header = magic:u32 0x43524C53 ("SLRC")  header_crc:u32  position:u64  key:u64
///                   length:u64  kind:u32  tag:u32  payload_crc:u32  fingerprint:u32
///                   number:u32  reserved:u32 = 0
///   payload       = octet{length}
///
/// header_crc is the CRC32C of the header's bytes, with its own four taken as zero. position is the
/// record's offset in its file, and number is the segment's number. They tell a real record from a
/// copy of one in the payload of another record, when a reader looks for the next good record
/// behind damage. A length is used only if header_crc is good and the payload ends within the
/// file.
///
/// The log's user defines kinds and tags. A later record replaces an earlier one of the same kind
/// and key.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sluice::store {

inline constexpr std::size_t segment_header_bytes = 32;
inline constexpr std::size_t record_header_bytes = 56;
inline constexpr std::uint32_t record_magic = 0x43524C53;

struct RecordHeader {
  std::uint64_t position;  ///< [bytes] Offset of the header in its file.
  std::uint64_t key;
  std::uint64_t length;  ///< [bytes] Length of the payload.
  std::uint32_t kind;
  std::uint32_t tag;
  std::uint32_t payload_crc;
  std::uint32_t fingerprint;  ///< The user's fingerprint of the content (segment_log.h).
  std::uint32_t segment;      ///< Number of the segment.

  /// Returns the offset [bytes] behind the payload.
  [[nodiscard]] std::uint64_t end() const { return position + record_header_bytes + length; }
};

[[nodiscard]] std::array<std::byte, segment_header_bytes> encode_segment_header(
    std::uint32_t number);

enum class SegmentHeaderState { good, damaged, newer_version };

/// Checks the header of a segment file that should have the number `number`.
[[nodiscard]] SegmentHeaderState check_segment_header(
    std::span<const std::byte, segment_header_bytes> bytes, std::uint32_t number);

[[nodiscard]] std::array<std::byte, record_header_bytes> encode_record_header(
    const RecordHeader& header);

/// Decodes a header that stands at `position` in segment `number`, a file of `file_bytes` bytes.
/// Nothing unless magic, CRC, position and number are right and the payload ends within the file.
[[nodiscard]] std::optional<RecordHeader> decode_record_header(
    std::span<const std::byte, record_header_bytes> bytes, std::uint32_t number,
    std::uint64_t position, std::uint64_t file_bytes);

}  // namespace sluice::store
