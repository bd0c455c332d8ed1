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
/// header_crc is the CRC32C of the header's bytes, its own four taken as zero. position is the
/// record's offset in its file and number the segment's: with them a record that happens to be the
/// payload of another one is not taken for a record when a reader looks for the next good one
/// behind damage. A length is believed only under a good header_crc, and only if it ends within the
/// file.
///
/// Kinds and tags belong to the log's user. A later record replaces an earlier one of its kind and
/// key.

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
  std::uint64_t position;  ///< [bytes] of the header's first byte in its file
  std::uint64_t key;
  std::uint64_t length;  ///< [bytes] of the payload
  std::uint32_t kind;
  std::uint32_t tag;
  std::uint32_t payload_crc;
  std::uint32_t fingerprint;  ///< of the content; the user's (segment_log.h)
  std::uint32_t segment;      ///< the segment's number

  /// The offset behind the payload.
  [[nodiscard]] std::uint64_t end() const { return position + record_header_bytes + length; }
};

[[nodiscard]] std::array<std::byte, segment_header_bytes> encode_segment_header(
    std::uint32_t number);

enum class SegmentHeaderState { good, damaged, newer_version };

/// Checks the first bytes of a segment file that should have `number`.
[[nodiscard]] SegmentHeaderState check_segment_header(
    std::span<const std::byte, segment_header_bytes> bytes, std::uint32_t number);

[[nodiscard]] std::array<std::byte, record_header_bytes> encode_record_header(
    const RecordHeader& header);

/// The header in `bytes`, which stand at `position` of segment `number`, a file of `file_bytes`;
/// nothing unless magic, CRC, position and number are right and the payload ends within the file.
[[nodiscard]] std::optional<RecordHeader> decode_record_header(
    std::span<const std::byte, record_header_bytes> bytes, std::uint32_t number,
    std::uint64_t position, std::uint64_t file_bytes);

}  // namespace sluice::store
