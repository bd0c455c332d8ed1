// SPDX-License-Identifier: Apache-2.0
#include "server/session/frame_assembler.h"

#include <fmt/format.h>

#include "proto/wire/crc32c.h"
#include "server/stream/frame_record.h"

namespace sluice::session {
namespace {

Error broken(std::string what) { return internal_error("the worker sent " + std::move(what)); }

}  // namespace

Result<std::optional<AssembledFrame>> FrameAssembler::begin(v1::FrameHeader header) {
  if (begun_) {
    return broken(fmt::format("frame {} before frame {} was whole", header.cursor().index(),
                              header_.cursor().index()));
  }
  std::int64_t total = 0;
  for (const v1::ArrayDescriptor& array : header.arrays()) {
    if (array.byte_count() < 0 || array.byte_count() > max_frame_bytes_ - total) {
      return broken(fmt::format("frame {} with more than {} bytes", header.cursor().index(),
                                max_frame_bytes_));
    }
    total += array.byte_count();
  }
  header_ = std::move(header);
  begun_ = true;
  array_ = 0;
  offset_ = 0;
  record_.clear();
  record_.reserve(static_cast<std::size_t>(total + total / 1024 + 4096));
  v1::StreamFramesResponse message;
  *message.mutable_header() = header_;
  stream::append_frame_message(message, record_);
  return finish_if_whole();
}

Result<std::optional<AssembledFrame>> FrameAssembler::add(v1::FrameChunk chunk) {
  if (!begun_) {
    return broken("a piece of a frame that was not begun");
  }
  const std::int64_t index = header_.cursor().index();
  if (chunk.array() != array_ || chunk.offset() != offset_ || chunk.data().empty() ||
      static_cast<std::int64_t>(chunk.data().size()) >
          header_.arrays(array_).byte_count() - offset_) {
    return broken(
        fmt::format("a piece of frame {} out of order: array {} offset {} size {}, not "
                    "array {} offset {}",
                    index, chunk.array(), chunk.offset(), chunk.data().size(), array_, offset_));
  }
  if (wire::crc32c(std::as_bytes(std::span(chunk.data()))) != chunk.crc32c()) {
    return broken(fmt::format("a piece of frame {} with a wrong checksum", index));
  }
  offset_ += static_cast<std::int64_t>(chunk.data().size());
  v1::StreamFramesResponse message;
  *message.mutable_chunk() = std::move(chunk);
  stream::append_frame_message(message, record_);
  return finish_if_whole();
}

std::optional<AssembledFrame> FrameAssembler::finish_if_whole() {
  while (array_ < header_.arrays_size() && offset_ == header_.arrays(array_).byte_count()) {
    ++array_;
    offset_ = 0;
  }
  if (array_ < header_.arrays_size()) {
    return std::nullopt;
  }
  begun_ = false;
  return AssembledFrame{std::move(header_), stream::share(std::exchange(record_, {}))};
}

Result<std::optional<CheckpointAssembler::Whole>> CheckpointAssembler::add(const Piece& piece,
                                                                           std::string_view data) {
  if (bytes_.empty() && piece.offset == 0) {
    if (piece.byte_count <= 0 || piece.byte_count > max_bytes_) {
      return broken(
          fmt::format("a checkpoint of {} bytes; 1 to {} are taken", piece.byte_count, max_bytes_));
    }
    frame_index_ = piece.frame_index;
    byte_count_ = piece.byte_count;
    bytes_.reserve(static_cast<std::size_t>(byte_count_));
  }
  const auto have = static_cast<std::int64_t>(bytes_.size());
  if (piece.frame_index != frame_index_ || piece.byte_count != byte_count_ ||
      piece.offset != have || data.empty() ||
      static_cast<std::int64_t>(data.size()) > byte_count_ - have) {
    return broken(
        fmt::format("a piece of the checkpoint of frame {} out of order", piece.frame_index));
  }
  bytes_.append(data);
  if (static_cast<std::int64_t>(bytes_.size()) < byte_count_) {
    return std::optional<Whole>();
  }
  return std::optional<Whole>(Whole{frame_index_, std::exchange(bytes_, {})});
}

}  // namespace sluice::session
