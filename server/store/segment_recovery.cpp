// SPDX-License-Identifier: Apache-2.0
#include "server/store/segment_recovery.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "server/store/file.h"
#include "server/store/index_file.h"
#include "server/store/little_endian.h"
#include "server/store/segment_scan.h"

namespace sluice::store {
namespace {

// Far above any real index (1 GiB is 24 million frames): a larger file is not one of ours.
constexpr std::uint64_t max_index_bytes = std::uint64_t{1} << 30;

std::optional<std::uint32_t> segment_number(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (path.extension() != ".seg" || stem.size() != 8 || error != std::errc{} ||
      end != stem.data() + stem.size()) {
    return std::nullopt;
  }
  return number;
}

Result<std::vector<std::uint32_t>> list_segments(const std::filesystem::path& directory) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (const auto number = segment_number(entry->path())) {
      numbers.push_back(*number);
    }
  }
  if (error) {
    return errno_error(error.value(), "list", directory);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Whether the index's last record of a segment stands where the index says.
bool matches(const IndexedSegment& indexed, const std::filesystem::path& directory) {
  const auto file = File::open(segment_path(directory, indexed.number), O_RDONLY);
  if (!file) {
    return false;
  }
  const auto size = file->size();
  if (!size || *size < indexed.covered) {
    return false;
  }
  if (indexed.last_position == 0) {
    return true;
  }
  const auto header =
      read_record_header(*file, indexed.number, indexed.last_position, indexed.covered);
  return header && header_crc_of(*header) == indexed.last_header_crc;
}

// The index file, if it speaks of the segments that are there.
std::optional<IndexFile> load_index(const std::filesystem::path& directory,
                                    const std::vector<std::uint32_t>& numbers) {
  const auto bytes = read_whole_file(index_path(directory), max_index_bytes);
  if (!bytes) {
    return std::nullopt;
  }
  auto index = decode_index(*bytes);
  if (!index) {
    return std::nullopt;
  }
  // The oldest segments are deleted as a whole (checkpoints); the index is not written again for
  // that.
  const std::uint32_t first = numbers.empty() ? UINT32_MAX : numbers.front();
  std::erase_if(index->segments, [&](const IndexedSegment& s) { return s.number < first; });
  std::erase_if(index->records, [&](const RecordInfo& r) { return r.segment < first; });
  // Scans continue the index, so it must know each segment before the last one it knows.
  const auto known = static_cast<std::ptrdiff_t>(index->segments.size());
  const bool is_prefix =
      index->segments.size() <= numbers.size() &&
      std::equal(index->segments.begin(), index->segments.end(), numbers.begin(),
                 numbers.begin() + known,
                 [](const IndexedSegment& s, std::uint32_t number) { return s.number == number; });
  if (!is_prefix || !std::all_of(index->segments.begin(), index->segments.end(),
                                 [&](const auto& s) { return matches(s, directory); })) {
    return std::nullopt;
  }
  return index;
}

// Scans what the index does not cover of one segment; `segment.bytes` is where to begin, 0 for all.
Status scan_rest(const std::filesystem::path& directory, OpenMode mode, bool is_last,
                 Segment& segment, RecoveredLog& log) {
  const auto path = segment_path(directory, segment.number);
  const auto file = File::open(path, mode == OpenMode::write ? O_RDWR : O_RDONLY);
  if (!file) {
    return file.error();
  }
  const auto size = file->size();
  if (!size) {
    return size.error();
  }
  std::array<std::byte, segment_header_bytes> bytes{};
  if (*size >= bytes.size()) {
    if (auto read = file->read_at(0, bytes); !read) {
      return read;
    }
    const auto state = check_segment_header(bytes, segment.number);
    if (state == SegmentHeaderState::newer_version) {
      return Error{ErrorCode::unsupported_version,
                   fmt::format("{} was written by a newer version of Sluice", path.string())};
    }
    segment.header_good = state == SegmentHeaderState::good;
  }
  const std::uint64_t from =
      std::max<std::uint64_t>(segment.bytes, std::min<std::uint64_t>(*size, bytes.size()));
  segment.bytes = from;
  if (*size > from) {
    const auto scan = scan_segment(*file, segment.number, from, [&](const RecordHeader& header) {
      log.index.apply(info_of(header));
      segment.last_position = header.position;
      segment.last_header_crc = header_crc_of(header);
    });
    if (!scan) {
      return scan.error();
    }
    log.report.scanned_bytes += *size - from;
    log.report.damaged_bytes += scan->damaged_bytes;
    segment.bytes = scan->good_end;
  }
  const std::uint64_t rest = *size - segment.bytes;
  if (!is_last) {
    log.report.damaged_bytes += rest;  // A closed segment has no torn tail: this was good once.
    return ok();
  }
  log.report.torn_bytes += rest;
  if (mode == OpenMode::write && rest > 0) {
    if (auto cut = file->truncate(segment.bytes); !cut) {
      return cut;
    }
    return file->sync_data();
  }
  return ok();
}

}  // namespace

std::filesystem::path segment_path(const std::filesystem::path& directory, std::uint32_t number) {
  return directory / fmt::format("{:08}.seg", number);
}

std::filesystem::path index_path(const std::filesystem::path& directory) {
  return directory / "index";
}

RecordInfo info_of(const RecordHeader& header) {
  return {.kind = header.kind,
          .tag = header.tag,
          .key = header.key,
          .length = header.length,
          .position = header.position,
          .payload_crc = header.payload_crc,
          .fingerprint = header.fingerprint,
          .segment = header.segment};
}

std::uint32_t header_crc_of(const RecordHeader& header) {
  const auto bytes = encode_record_header(header);
  std::size_t at = 4;
  return take<std::uint32_t>(bytes, at);
}

Result<RecoveredLog> recover_log(const std::filesystem::path& directory, OpenMode mode) {
  const auto numbers = list_segments(directory);
  if (!numbers) {
    return numbers.error();
  }
  RecoveredLog log;
  std::vector<IndexedSegment> indexed;
  if (auto index = load_index(directory, *numbers)) {
    indexed = std::move(index->segments);
    log.index = RecordIndex(std::move(index->records));
  } else {
    log.report.index_rebuilt = !numbers->empty();
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    Segment segment;
    segment.number = (*numbers)[i];
    if (i < indexed.size()) {
      segment.bytes = indexed[i].covered;
      segment.last_position = indexed[i].last_position;
      segment.last_header_crc = indexed[i].last_header_crc;
    }
    const bool is_last = i + 1 == numbers->size();
    if (auto scanned = scan_rest(directory, mode, is_last, segment, log); !scanned) {
      return scanned.error();
    }
    log.segments.push_back(segment);
  }
  // A last segment without a header is one whose creation was cut short: it holds nothing.
  if (mode == OpenMode::write && !log.segments.empty() && !log.segments.back().header_good &&
      log.segments.back().last_position == 0) {
    if (auto removed = remove_file(segment_path(directory, log.segments.back().number)); !removed) {
      return removed.error();
    }
    log.segments.pop_back();
  }
  return log;
}

}  // namespace sluice::store
