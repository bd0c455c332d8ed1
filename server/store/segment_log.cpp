// SPDX-License-Identifier: Apache-2.0
#include "server/store/segment_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "proto/wire/crc32c.h"
#include "server/store/file.h"
#include "server/store/index_file.h"
#include "server/store/record_index.h"
#include "server/store/segment_format.h"
#include "server/store/segment_recovery.h"
#include "server/store/segment_scan.h"

namespace sluice::store {
namespace {

// The segments that readers have open. A reader of a live session uses the newest or one that it
// walks through; more open files than this would only use up the process's limit.
class OpenSegments {
 public:
  Result<std::shared_ptr<const File>> get(const std::filesystem::path& directory,
                                          std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(files_.begin(), files_.end(),
                                 [&](const auto& entry) { return entry.first == number; });
    if (at != files_.end()) {
      return at->second;
    }
    auto file = File::open(segment_path(directory, number), O_RDONLY);
    if (!file) {
      return file.error();
    }
    auto shared = std::make_shared<const File>(std::move(file).value());
    if (files_.size() == max_open) {
      files_.pop_front();
    }
    files_.emplace_back(number, shared);
    return shared;
  }

  void drop_before(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const auto& entry) { return entry.first < number; });
  }

 private:
  static constexpr std::size_t max_open = 8;
  std::mutex mutex_;
  std::deque<std::pair<std::uint32_t, std::shared_ptr<const File>>> files_;
};

class FileSegmentLog final : public SegmentLog {
 public:
  FileSegmentLog(std::filesystem::path directory, const SegmentLogOptions& options, OpenMode mode,
                 RecoveredLog recovered)
      : directory_(std::move(directory)),
        options_(options),
        report_(recovered.report),
        can_append_(mode == OpenMode::write),
        must_close_(can_append_),
        segments_(std::move(recovered.segments)),
        index_(std::move(recovered.index)) {}

  ~FileSegmentLog() override {
    (void)FileSegmentLog::close();  // Nobody is left to tell; the next open scans.
  }

  const OpenReport& open_report() const override { return report_; }
  Result<AppendOutcome> append(const NewRecord& record) override;
  Status remove_segments_before(std::uint32_t segment) override;
  Result<SharedBytes> read(RecordId id) const override;
  Status close() override;

  std::optional<RecordInfo> find(RecordId id) const override {
    const std::shared_lock lock(state_mutex_);
    return index_.find(id);
  }

  std::vector<RecordInfo> list(std::uint32_t kind) const override {
    const std::shared_lock lock(state_mutex_);
    const auto records = index_.of_kind(kind);
    return {records.begin(), records.end()};
  }

  std::uint64_t stored_bytes() const override {
    const std::shared_lock lock(state_mutex_);
    std::uint64_t bytes = 0;
    for (const Segment& segment : segments_) {
      bytes += segment.bytes;
    }
    return bytes;
  }

 private:
  // All of these are called under append_mutex_.
  Status check_writable() const;
  Status prepare_segment(std::uint64_t record_bytes);
  Status create_segment(std::uint32_t number);
  Status write_record(RecordHeader header, std::span<const ByteView> slices);
  Status write_index();

  const std::filesystem::path directory_;
  const SegmentLogOptions options_;
  const OpenReport report_;

  std::mutex append_mutex_;  // Held over an append's I/O.
  bool can_append_;
  bool must_close_;
  bool has_torn_tail_ = false;     // A failed append could not be taken back yet.
  std::unique_ptr<File> current_;  // The last segment, open for writing.

  mutable std::shared_mutex state_mutex_;  // Guards the two below; never held over I/O.
  std::vector<Segment> segments_;          // By number. Changed by the appender alone.
  RecordIndex index_;

  mutable OpenSegments open_segments_;
};

Status FileSegmentLog::check_writable() const {
  if (!can_append_) {
    return Error{ErrorCode::read_only,
                 fmt::format("{} is not open for writing", directory_.string())};
  }
  return ok();
}

Status FileSegmentLog::create_segment(std::uint32_t number) {
  const auto path = segment_path(directory_, number);
  // O_TRUNC: a leftover of a creation that failed half-way has no records.
  auto file = File::open(path, O_RDWR | O_CREAT | O_TRUNC);
  if (!file) {
    return file.error();
  }
  const auto header = encode_segment_header(number);
  const ByteView slice(header);
  auto written = file->write_at(0, std::span(&slice, 1));
  if (written && options_.durability == Durability::fsync) {
    written = file->sync_data();
    if (written) {
      written = sync_directory(directory_);
    }
  }
  if (!written) {
    (void)remove_file(path);  // The first error is the one to tell; see O_TRUNC above.
    return written;
  }
  current_ = std::make_unique<File>(std::move(file).value());
  const std::unique_lock lock(state_mutex_);
  segments_.push_back({.number = number, .bytes = segment_header_bytes, .header_good = true});
  return ok();
}

// Makes `current_` a segment that can take the record.
Status FileSegmentLog::prepare_segment(std::uint64_t record_bytes) {
  if (segments_.empty()) {
    return create_segment(0);
  }
  const Segment& last = segments_.back();
  if (!current_ && last.header_good) {
    auto file = File::open(segment_path(directory_, last.number), O_RDWR);
    if (!file) {
      return file.error();
    }
    current_ = std::make_unique<File>(std::move(file).value());
  }
  if (has_torn_tail_) {
    if (auto cut = current_->truncate(last.bytes); !cut) {
      return cut;
    }
    has_torn_tail_ = false;
  }
  const bool is_full =
      last.last_position != 0 && last.bytes + record_bytes > options_.segment_bytes;
  if (last.header_good && !is_full) {
    return ok();
  }
  if (current_) {
    if (auto synced = current_->sync_data(); !synced) {
      return synced;
    }
    (void)write_index();  // It saves a scan and nothing else; the next roll or close tries again.
  }
  return create_segment(last.number + 1);
}

// Writes header and payload behind the last record; takes everything back on an error.
Status FileSegmentLog::write_record(RecordHeader header, std::span<const ByteView> slices) {
  if (auto ready = prepare_segment(record_header_bytes + header.length); !ready) {
    return ready;
  }
  Segment next = segments_.back();
  header.position = next.bytes;
  header.segment = next.number;
  const auto head = encode_record_header(header);
  std::vector<ByteView> pieces;
  pieces.reserve(slices.size() + 1);
  pieces.emplace_back(head);
  pieces.insert(pieces.end(), slices.begin(), slices.end());

  auto written = current_->write_at(next.bytes, pieces);
  if (written && options_.durability == Durability::fsync) {
    written = current_->sync_data();
  }
  if (!written) {
    has_torn_tail_ = !current_->truncate(next.bytes).has_value();
    return written;
  }
  next.bytes = header.end();
  next.last_position = header.position;
  next.last_header_crc = header_crc_of(header);
  const std::unique_lock lock(state_mutex_);
  segments_.back() = next;
  index_.apply(info_of(header));
  return ok();
}

Result<AppendOutcome> FileSegmentLog::append(const NewRecord& record) {
  RecordHeader header{};
  header.kind = record.id.kind;
  header.key = record.id.key;
  header.tag = record.tag;
  for (const ByteView slice : record.slices) {
    header.length += slice.size();
    header.payload_crc = wire::crc32c(slice, header.payload_crc);
  }
  header.fingerprint = record.fingerprint.value_or(header.payload_crc);

  const std::lock_guard lock(append_mutex_);
  if (auto writable = check_writable(); !writable) {
    return writable.error();
  }
  if (header.length > options_.max_payload_bytes) {
    return Error{ErrorCode::limit,
                 fmt::format("a record of {} bytes for {} is longer than the limit of {}",
                             header.length, directory_.string(), options_.max_payload_bytes)};
  }
  const auto existing = find(record.id);
  if (existing && options_.existing_key == ExistingKey::verify) {
    if (existing->fingerprint == header.fingerprint) {
      return AppendOutcome::already_same;
    }
    return Error{ErrorCode::mismatch, fmt::format("record {} in {} is stored with other content",
                                                  record.id.key, directory_.string())};
  }
  if (options_.reserve_bytes > 0) {
    if (auto room =
            check_room(directory_, record_header_bytes + header.length, options_.reserve_bytes);
        !room) {
      return room.error();
    }
  }
  if (auto written = write_record(header, record.slices); !written) {
    return written.error();
  }
  return AppendOutcome::appended;
}

Status FileSegmentLog::remove_segments_before(std::uint32_t segment) {
  const std::lock_guard lock(append_mutex_);
  if (auto writable = check_writable(); !writable) {
    return writable;
  }
  bool removed_any = false;
  while (segments_.size() > 1 && segments_.front().number < segment) {
    const std::uint32_t number = segments_.front().number;
    {
      const std::unique_lock state_lock(state_mutex_);
      segments_.erase(segments_.begin());
      index_.drop_segments_before(number + 1);
    }
    open_segments_.drop_before(number + 1);
    if (auto removed = remove_file(segment_path(directory_, number)); !removed) {
      return removed;
    }
    removed_any = true;
  }
  return removed_any ? sync_directory(directory_) : ok();
}

Result<SharedBytes> FileSegmentLog::read(RecordId id) const {
  const auto info = find(id);
  if (!info) {
    return Error{ErrorCode::not_found,
                 fmt::format("no record {} in {}", id.key, directory_.string())};
  }
  const auto file = open_segments_.get(directory_, info->segment);
  if (!file) {
    return file.error();
  }
  // Not make_shared<T[]>(n): that would write zeros over the whole of it first.
  std::shared_ptr<std::byte[]> bytes = std::make_shared_for_overwrite<std::byte[]>(info->length);
  const auto good = read_checked(**file, info->position + record_header_bytes,
                                 {bytes.get(), info->length}, info->payload_crc);
  if (!good) {
    return good.error();
  }
  if (!*good) {
    return Error{ErrorCode::corrupt, fmt::format("record {} at byte {} of {} fails its checksum",
                                                 id.key, info->position, (*file)->path().string())};
  }
  const std::byte* data = bytes.get();
  return SharedBytes(std::shared_ptr<const std::byte>(std::move(bytes), data), info->length);
}

Status FileSegmentLog::write_index() {
  std::vector<IndexedSegment> covered;
  covered.reserve(segments_.size());
  for (const Segment& segment : segments_) {
    covered.push_back({.number = segment.number,
                       .last_header_crc = segment.last_header_crc,
                       .covered = segment.bytes,
                       .last_position = segment.last_position});
  }
  // The appender alone changes the index, and it is here.
  return replace_file(index_path(directory_), encode_index(covered, index_.all()));
}

Status FileSegmentLog::close() {
  const std::lock_guard lock(append_mutex_);
  can_append_ = false;
  if (!std::exchange(must_close_, false) || segments_.empty()) {
    return ok();
  }
  if (has_torn_tail_) {
    if (auto cut = current_->truncate(segments_.back().bytes); !cut) {
      return cut;
    }
  }
  if (current_) {
    if (auto synced = current_->sync_data(); !synced) {
      return synced;
    }
    if (auto synced = sync_directory(directory_); !synced) {
      return synced;
    }
  } else if (!report_.index_rebuilt && report_.scanned_bytes == 0) {
    return ok();  // Nothing new since the index was written.
  }
  return write_index();
}

}  // namespace

Result<std::unique_ptr<SegmentLog>> SegmentLog::open(const std::filesystem::path& directory,
                                                     const SegmentLogOptions& options,
                                                     OpenMode mode) {
  if (mode == OpenMode::write) {
    if (auto created = ensure_directory(directory); !created) {
      return created.error();
    }
  }
  auto recovered = recover_log(directory, mode);
  if (!recovered) {
    return recovered.error();
  }
  return std::unique_ptr<SegmentLog>(
      std::make_unique<FileSegmentLog>(directory, options, mode, std::move(recovered).value()));
}

}  // namespace sluice::store
