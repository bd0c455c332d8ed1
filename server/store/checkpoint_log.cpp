// SPDX-License-Identifier: Apache-2.0
#include "server/store/checkpoint_log.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::store {
namespace {

constexpr std::uint32_t checkpoint_kind = 1;  // On disk: never changes.
constexpr std::size_t kept_count = 2;

}  // namespace

Result<std::unique_ptr<CheckpointLog>> CheckpointLog::open(const std::filesystem::path& directory,
                                                           const SegmentLogOptions& options,
                                                           OpenMode mode) {
  SegmentLogOptions own = options;
  own.segment_bytes = 0;  // A segment for each record, so that it can be deleted alone.
  own.existing_key = ExistingKey::replace;
  auto log = SegmentLog::open(directory, own, mode);
  if (!log) {
    return log.error();
  }
  return std::unique_ptr<CheckpointLog>(new CheckpointLog(std::move(log).value()));
}

Status CheckpointLog::append(std::uint64_t frame_index, std::span<const ByteView> slices) {
  const auto outcome = log_->append({.id = {.kind = checkpoint_kind, .key = frame_index},
                                     .tag = 0,
                                     .fingerprint = {},
                                     .slices = slices});
  if (!outcome) {
    return outcome.error();
  }
  // By age, not by frame: after a restart from an older checkpoint the newest has a lower frame.
  std::vector<std::uint32_t> segments;
  for (const RecordInfo& record : log_->list(checkpoint_kind)) {
    segments.push_back(record.segment);
  }
  if (segments.size() > kept_count) {
    std::sort(segments.begin(), segments.end());
    (void)log_->remove_segments_before(segments[segments.size() - kept_count]);
  }
  return ok();
}

std::optional<Checkpoint> CheckpointLog::latest(std::uint64_t at_most) const {
  const auto records = log_->list(checkpoint_kind);
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->key > at_most) {
      continue;
    }
    auto bytes = log_->read({.kind = checkpoint_kind, .key = record->key});
    if (bytes) {
      return Checkpoint{.frame_index = record->key, .bytes = std::move(bytes).value()};
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> CheckpointLog::latest_frame_index() const {
  const auto records = log_->list(checkpoint_kind);
  if (records.empty()) {
    return std::nullopt;
  }
  return records.back().key;
}

}  // namespace sluice::store
