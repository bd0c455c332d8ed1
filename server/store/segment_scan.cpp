// SPDX-License-Identifier: Apache-2.0
#include "server/store/segment_scan.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "proto/wire/crc32c.h"

namespace sluice::store {
namespace {

// Pieces in which payloads are read and checked: they are summed while still in the L2 cache.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

// Whether the payload behind `header` is what was written.
Result<bool> payload_is_good(const File& file, const RecordHeader& header,
                             std::vector<std::byte>& buffer) {
  buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(header.length, piece_bytes)));
  std::uint64_t offset = header.position + record_header_bytes;
  std::uint64_t left = header.length;
  std::uint32_t crc = 0;
  while (left > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_bytes));
    const auto piece = std::span(buffer).first(count);
    if (auto read = file.read_at(offset, piece); !read) {
      return read.error();
    }
    crc = wire::crc32c(piece, crc);
    offset += count;
    left -= count;
  }
  return crc == header.payload_crc;
}

// A good record found behind damage, or nothing up to the end of the file.
using Found = std::optional<RecordHeader>;

Result<Found> find_next_record(const File& file, std::uint32_t number, std::uint64_t from,
                               std::uint64_t file_bytes, std::vector<std::byte>& buffer) {
  std::vector<std::byte> window(
      static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, piece_bytes)));
  while (from + record_header_bytes <= file_bytes) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes - from, piece_bytes));
    const auto view = std::span(window).first(count);
    if (auto read = file.read_at(from, view); !read) {
      return read.error();
    }
    std::size_t at = 0;
    while (at + record_header_bytes <= count) {
      const void* hit = ::memmem(view.data() + at, count - at, &record_magic, sizeof record_magic);
      if (hit == nullptr) {
        break;
      }
      at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - view.data());
      if (at + record_header_bytes > count) {
        break;
      }
      const auto header = decode_record_header(view.subspan(at).first<record_header_bytes>(),
                                               number, from + at, file_bytes);
      if (header) {
        const auto good = payload_is_good(file, *header, buffer);
        if (!good) {
          return good.error();
        }
        if (*good) {
          return Found(header);
        }
      }
      ++at;
    }
    if (count < piece_bytes) {
      break;
    }
    from += count - record_header_bytes + 1;  // A header may stand across the window's end.
  }
  return Found();
}

}  // namespace

std::optional<RecordHeader> read_record_header(const File& file, std::uint32_t number,
                                               std::uint64_t position, std::uint64_t file_bytes) {
  std::array<std::byte, record_header_bytes> bytes{};
  if (position > file_bytes || file_bytes - position < bytes.size() ||
      !file.read_at(position, bytes)) {
    return std::nullopt;
  }
  return decode_record_header(bytes, number, position, file_bytes);
}

Result<bool> read_checked(const File& file, std::uint64_t offset, std::span<std::byte> to,
                          std::uint32_t expected) {
  std::uint32_t crc = 0;
  while (!to.empty()) {
    const auto piece = to.first(std::min(to.size(), piece_bytes));
    if (auto read = file.read_at(offset, piece); !read) {
      return read.error();
    }
    crc = wire::crc32c(piece, crc);
    offset += piece.size();
    to = to.subspan(piece.size());
  }
  return crc == expected;
}

Result<SegmentScan> scan_segment(const File& file, std::uint32_t number, std::uint64_t from,
                                 const std::function<void(const RecordHeader&)>& visit) {
  const auto size = file.size();
  if (!size) {
    return size.error();
  }
  std::vector<std::byte> buffer;
  SegmentScan scan;
  scan.good_end = from;
  std::uint64_t position = from;
  while (position < *size) {
    Found next = read_record_header(file, number, position, *size);
    if (next) {
      const auto good = payload_is_good(file, *next, buffer);
      if (!good) {
        return good.error();
      }
      if (!*good) {
        // The header passed its CRC, so its length is what was written: the next record is behind.
        position = next->end();
        continue;
      }
    } else {
      auto found = find_next_record(file, number, position + 1, *size, buffer);
      if (!found) {
        return found.error();
      }
      next = *found;
      if (!next) {
        break;
      }
    }
    scan.damaged_bytes += next->position - scan.good_end;
    visit(*next);
    position = next->end();
    scan.good_end = position;
  }
  return scan;
}

}  // namespace sluice::store
