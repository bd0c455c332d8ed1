// SPDX-License-Identifier: Apache-2.0
#include "server/store/segment_format.h"

#include <cstring>

#include "proto/wire/crc32c.h"
#include "server/store/little_endian.h"

namespace sluice::store {
namespace {

constexpr std::uint64_t segment_magic = 0x4745534349554C53;  // "SLUICSEG"
constexpr std::uint32_t segment_version = 1;
constexpr std::size_t segment_crc_offset = 28;
constexpr std::size_t record_crc_offset = 4;

// The header's CRC with its own field taken as zero.
template <std::size_t size>
std::uint32_t header_crc(std::array<std::byte, size> bytes, std::size_t crc_offset) {
  put<std::uint32_t>(bytes, crc_offset, 0);
  return wire::crc32c(bytes);
}

template <std::size_t size>
std::array<std::byte, size> copy(std::span<const std::byte, size> bytes) {
  std::array<std::byte, size> copied;
  std::memcpy(copied.data(), bytes.data(), size);
  return copied;
}

}  // namespace

std::array<std::byte, segment_header_bytes> encode_segment_header(std::uint32_t number) {
  std::array<std::byte, segment_header_bytes> bytes{};
  std::size_t at = put(bytes, 0, segment_magic);
  at = put(bytes, at, segment_version);
  put(bytes, at, number);
  put(bytes, segment_crc_offset, header_crc(bytes, segment_crc_offset));
  return bytes;
}

SegmentHeaderState check_segment_header(std::span<const std::byte, segment_header_bytes> bytes,
                                        std::uint32_t number) {
  std::size_t at = 0;
  const auto magic = take<std::uint64_t>(bytes, at);
  const auto version = take<std::uint32_t>(bytes, at);
  const auto stored_number = take<std::uint32_t>(bytes, at);
  at = segment_crc_offset;
  const auto crc = take<std::uint32_t>(bytes, at);
  if (magic != segment_magic || crc != header_crc(copy(bytes), segment_crc_offset)) {
    return SegmentHeaderState::damaged;
  }
  if (version > segment_version) {
    return SegmentHeaderState::newer_version;
  }
  return stored_number == number ? SegmentHeaderState::good : SegmentHeaderState::damaged;
}

std::array<std::byte, record_header_bytes> encode_record_header(const RecordHeader& header) {
  std::array<std::byte, record_header_bytes> bytes{};
  put(bytes, 0, record_magic);
  std::size_t at = put(bytes, record_crc_offset + 4, header.position);
  at = put(bytes, at, header.key);
  at = put(bytes, at, header.length);
  at = put(bytes, at, header.kind);
  at = put(bytes, at, header.tag);
  at = put(bytes, at, header.payload_crc);
  at = put(bytes, at, header.fingerprint);
  put(bytes, at, header.segment);
  put(bytes, record_crc_offset, header_crc(bytes, record_crc_offset));
  return bytes;
}

std::optional<RecordHeader> decode_record_header(
    std::span<const std::byte, record_header_bytes> bytes, std::uint32_t number,
    std::uint64_t position, std::uint64_t file_bytes) {
  std::size_t at = 0;
  const auto magic = take<std::uint32_t>(bytes, at);
  const auto crc = take<std::uint32_t>(bytes, at);
  if (magic != record_magic || crc != header_crc(copy(bytes), record_crc_offset)) {
    return std::nullopt;
  }
  RecordHeader header{};
  header.position = take<std::uint64_t>(bytes, at);
  header.key = take<std::uint64_t>(bytes, at);
  header.length = take<std::uint64_t>(bytes, at);
  header.kind = take<std::uint32_t>(bytes, at);
  header.tag = take<std::uint32_t>(bytes, at);
  header.payload_crc = take<std::uint32_t>(bytes, at);
  header.fingerprint = take<std::uint32_t>(bytes, at);
  header.segment = take<std::uint32_t>(bytes, at);
  const bool fits = position <= file_bytes && file_bytes - position >= record_header_bytes &&
                    header.length <= file_bytes - position - record_header_bytes;
  if (header.position != position || header.segment != number || !fits) {
    return std::nullopt;
  }
  return header;
}

}  // namespace sluice::store
