// SPDX-License-Identifier: Apache-2.0
#include "server/store/frame_log.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "server/store/little_endian.h"

namespace sluice::store {
namespace {

// Kinds of record; on disk, so they never change.
constexpr std::uint32_t layout_kind = 1;
constexpr std::uint32_t frame_kind = 2;
constexpr std::uint32_t command_kind = 3;  // Key: its sequence. Payload: frame_index:u64 octet*

}  // namespace

FrameLog::FrameLog(std::unique_ptr<SegmentLog> log) : log_(std::move(log)) { recompute_range(); }

Result<std::unique_ptr<FrameLog>> FrameLog::open(const std::filesystem::path& directory,
                                                 const SegmentLogOptions& options, OpenMode mode) {
  auto log = SegmentLog::open(directory, options, mode);
  if (!log) {
    return log.error();
  }
  return std::unique_ptr<FrameLog>(new FrameLog(std::move(log).value()));
}

const OpenReport& FrameLog::open_report() const { return log_->open_report(); }

void FrameLog::recompute_range() {
  FrameRange range;
  const auto frames = log_->list(frame_kind);
  if (!frames.empty()) {
    range.first = frames.front().key;
    range.stored_end = frames.back().key + 1;
    range.next = range.first;
    for (const RecordInfo& frame : frames) {
      if (frame.key != range.next) {
        break;
      }
      ++range.next;
    }
  }
  const std::lock_guard lock(range_mutex_);
  range_ = range;
}

Result<AppendOutcome> FrameLog::append(std::uint64_t index, std::uint32_t epoch,
                                       std::span<const ByteView> slices,
                                       std::optional<std::uint32_t> fingerprint) {
  const std::lock_guard lock(append_mutex_);
  const FrameRange before = range();
  const bool is_empty = before.first == before.stored_end;
  if (!is_empty && (index > before.stored_end || index + 1 < before.first)) {
    return Error{ErrorCode::mismatch,
                 fmt::format("frame {} does not follow the stored frames {} to {}", index,
                             before.first, before.stored_end - 1)};
  }
  const auto outcome = log_->append({.id = {.kind = frame_kind, .key = index},
                                     .tag = epoch,
                                     .fingerprint = fingerprint,
                                     .slices = slices});
  if (!outcome || *outcome == AppendOutcome::already_same) {
    return outcome;
  }
  if (!is_empty && index == before.next && index == before.stored_end) {
    const std::lock_guard range_lock(range_mutex_);
    range_.next = range_.stored_end = index + 1;
  } else {
    recompute_range();
  }
  return outcome;
}

Result<AppendOutcome> FrameLog::append_layout(std::uint32_t epoch,
                                              std::span<const ByteView> slices) {
  return log_->append({.id = {.kind = layout_kind, .key = epoch},
                       .tag = epoch,
                       .fingerprint = {},
                       .slices = slices});
}

Status FrameLog::append_command(const CommandRecord& command) {
  std::array<std::byte, sizeof(std::uint64_t)> frame_index{};
  put(std::span<std::byte>(frame_index), 0, static_cast<std::uint64_t>(command.frame_index));
  const std::array<ByteView, 2> slices{ByteView(frame_index),
                                       std::as_bytes(std::span(command.payload_bytes))};
  const auto outcome = log_->append(
      {.id = {.kind = command_kind, .key = static_cast<std::uint64_t>(command.sequence)},
       .tag = 0,
       .fingerprint = {},
       .slices = slices});
  return outcome ? ok() : Status(outcome.error());
}

std::vector<CommandRecord> FrameLog::commands() const {
  std::vector<CommandRecord> commands;
  for (const RecordInfo& record : log_->list(command_kind)) {
    const auto bytes = log_->read({.kind = command_kind, .key = record.key});
    if (!bytes || bytes->size() < sizeof(std::uint64_t)) {
      continue;
    }
    std::size_t at = 0;
    CommandRecord command;
    command.sequence = static_cast<std::int64_t>(record.key);
    command.frame_index = static_cast<std::int64_t>(take<std::uint64_t>(bytes->view(), at));
    command.payload_bytes.assign(reinterpret_cast<const char*>(bytes->data()) + at,
                                 bytes->size() - at);
    commands.push_back(std::move(command));
  }
  return commands;
}

Result<SharedBytes> FrameLog::read(std::uint64_t index) const {
  auto bytes = log_->read({.kind = frame_kind, .key = index});
  if (!bytes && bytes.error().code == ErrorCode::not_found) {
    const FrameRange has = range();
    if (index >= has.first && index < has.stored_end) {
      return Error{ErrorCode::corrupt, fmt::format("frame {} was lost to damage on disk", index)};
    }
  }
  return bytes;
}

Result<SharedBytes> FrameLog::read_layout(std::uint32_t epoch) const {
  return log_->read({.kind = layout_kind, .key = epoch});
}

std::optional<FrameInfo> FrameLog::find(std::uint64_t index) const {
  const auto info = log_->find({.kind = frame_kind, .key = index});
  if (!info) {
    return std::nullopt;
  }
  return FrameInfo{.index = info->key, .epoch = info->tag, .length = info->length};
}

FrameRange FrameLog::range() const {
  const std::lock_guard lock(range_mutex_);
  return range_;
}

std::optional<std::uint32_t> FrameLog::last_epoch() const {
  const auto layouts = log_->list(layout_kind);
  if (layouts.empty()) {
    return std::nullopt;
  }
  return layouts.back().tag;
}

std::uint64_t FrameLog::stored_bytes() const { return log_->stored_bytes(); }

Status FrameLog::close() { return log_->close(); }

}  // namespace sluice::store
