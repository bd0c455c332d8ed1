// SPDX-License-Identifier: Apache-2.0
#include "server/store/index_file.h"

#include <algorithm>
#include <tuple>

#include "proto/wire/crc32c.h"
#include "server/store/little_endian.h"
#include "server/store/segment_format.h"

namespace sluice::store {
namespace {

constexpr std::uint64_t index_magic = 0x5844494349554C53;  // "SLUICIDX"
constexpr std::uint32_t index_version = 1;
constexpr std::size_t head_bytes = 24;
constexpr std::size_t segment_bytes = 24;
constexpr std::size_t record_bytes = 44;
constexpr std::size_t crc_bytes = 4;

bool rises(const RecordInfo& a, const RecordInfo& b) {
  return std::tie(a.kind, a.key) < std::tie(b.kind, b.key);
}

// Whether the record stands inside what its segment covers.
bool is_covered(const RecordInfo& record, const std::vector<IndexedSegment>& segments) {
  const auto at = std::lower_bound(
      segments.begin(), segments.end(), record.segment,
      [](const IndexedSegment& segment, std::uint32_t number) { return segment.number < number; });
  return at != segments.end() && at->number == record.segment &&
         record.position >= segment_header_bytes && record.position <= at->covered &&
         at->covered - record.position >= record_header_bytes &&
         record.length <= at->covered - record.position - record_header_bytes;
}

}  // namespace

std::vector<std::byte> encode_index(const std::vector<IndexedSegment>& segments,
                                    std::span<const RecordInfo> records) {
  std::vector<std::byte> bytes(head_bytes + segments.size() * segment_bytes +
                               records.size() * record_bytes + crc_bytes);
  std::size_t at = put(bytes, 0, index_magic);
  at = put(bytes, at, index_version);
  at = put(bytes, at, static_cast<std::uint32_t>(segments.size()));
  at = put(bytes, at, static_cast<std::uint64_t>(records.size()));
  for (const IndexedSegment& segment : segments) {
    at = put(bytes, at, segment.number);
    at = put(bytes, at, segment.last_header_crc);
    at = put(bytes, at, segment.covered);
    at = put(bytes, at, segment.last_position);
  }
  for (const RecordInfo& record : records) {
    at = put(bytes, at, record.kind);
    at = put(bytes, at, record.tag);
    at = put(bytes, at, record.key);
    at = put(bytes, at, record.length);
    at = put(bytes, at, record.position);
    at = put(bytes, at, record.payload_crc);
    at = put(bytes, at, record.fingerprint);
    at = put(bytes, at, record.segment);
  }
  put(bytes, at, wire::crc32c(std::span(bytes).first(at)));
  return bytes;
}

std::optional<IndexFile> decode_index(ByteView bytes) {
  if (bytes.size() < head_bytes + crc_bytes) {
    return std::nullopt;
  }
  const std::size_t body = bytes.size() - crc_bytes;
  std::size_t at = body;
  if (take<std::uint32_t>(bytes, at) != wire::crc32c(bytes.first(body))) {
    return std::nullopt;
  }
  at = 0;
  const auto magic = take<std::uint64_t>(bytes, at);
  const auto version = take<std::uint32_t>(bytes, at);
  const std::uint64_t segment_count = take<std::uint32_t>(bytes, at);
  const auto record_count = take<std::uint64_t>(bytes, at);
  const std::uint64_t room = body - head_bytes;
  if (magic != index_magic || version != index_version || segment_count > room / segment_bytes ||
      record_count > room / record_bytes ||
      segment_count * segment_bytes + record_count * record_bytes != room) {
    return std::nullopt;
  }
  IndexFile index;
  index.segments.resize(segment_count);
  for (IndexedSegment& segment : index.segments) {
    segment.number = take<std::uint32_t>(bytes, at);
    segment.last_header_crc = take<std::uint32_t>(bytes, at);
    segment.covered = take<std::uint64_t>(bytes, at);
    segment.last_position = take<std::uint64_t>(bytes, at);
  }
  index.records.resize(record_count);
  for (RecordInfo& record : index.records) {
    record.kind = take<std::uint32_t>(bytes, at);
    record.tag = take<std::uint32_t>(bytes, at);
    record.key = take<std::uint64_t>(bytes, at);
    record.length = take<std::uint64_t>(bytes, at);
    record.position = take<std::uint64_t>(bytes, at);
    record.payload_crc = take<std::uint32_t>(bytes, at);
    record.fingerprint = take<std::uint32_t>(bytes, at);
    record.segment = take<std::uint32_t>(bytes, at);
  }
  const bool segments_rise =
      std::adjacent_find(index.segments.begin(), index.segments.end(),
                         [](const IndexedSegment& a, const IndexedSegment& b) {
                           return a.number >= b.number;
                         }) == index.segments.end();
  const bool records_rise = std::adjacent_find(index.records.begin(), index.records.end(),
                                               [](const RecordInfo& a, const RecordInfo& b) {
                                                 return !rises(a, b);
                                               }) == index.records.end();
  if (!segments_rise || !records_rise ||
      !std::all_of(index.records.begin(), index.records.end(),
                   [&](const RecordInfo& record) { return is_covered(record, index.segments); })) {
    return std::nullopt;
  }
  return index;
}

}  // namespace sluice::store
