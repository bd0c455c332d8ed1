// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <utility>

#include "proto/wire/crc32c.h"
#include "sluice/error.h"

namespace sluice::client {
namespace {

bool holds_floats(const v1::ArrayDescriptor& array) {
  return array.field() != v1::FIELD_ORDER && !ArrayDecoder::is_quantized(array);
}

}  // namespace

std::optional<Frame> FrameAssembler::add(const v1::FrameHeader& header) {
  if (frame_) {
    refuse_data(fmt::format("frame {} begins in the middle of frame {}", header.cursor().index(),
                            frame_->index));
  }
  Frame frame{header.cursor().epoch(), header.cursor().index(), header.time_seconds(), {}, {}};
  for (const auto& descriptor : header.arrays()) {
    ArrayDecoder::check(descriptor);
  }
  if (header.has_statistics()) {
    frame.statistics = header.statistics();
  }
  for (const auto& moved : header.obstacle_offsets()) {
    if (moved.offset_size() != 3) {
      refuse_data(
          fmt::format("the offset of '{}' has {} components", moved.body(), moved.offset_size()));
    }
    frame.obstacle_offsets.push_back(
        {moved.body(), {moved.offset(0), moved.offset(1), moved.offset(2)}});
  }
  frame_ = std::move(frame);
  descriptors_.assign(header.arrays().begin(), header.arrays().end());
  array_ = 0;
  begin_array();
  return take_if_whole();
}

std::optional<Frame> FrameAssembler::add(const v1::FrameChunk& chunk) {
  if (!frame_) {
    refuse_data("a piece of a frame came before its header");
  }
  if (chunk.array() < 0 || static_cast<std::size_t>(chunk.array()) != array_ ||
      chunk.offset() != static_cast<std::int64_t>(offset_)) {
    refuse_data(fmt::format("frame {}: piece of array {} at {} came, of array {} at {} was due",
                            frame_->index, chunk.array(), chunk.offset(), array_, offset_));
  }
  const v1::ArrayDescriptor& array = descriptors_[array_];
  const std::size_t room = static_cast<std::size_t>(array.byte_count()) - offset_;
  if (chunk.data().empty() || chunk.data().size() > room) {
    refuse_data(fmt::format("frame {}: piece of {} bytes came where {} are due", frame_->index,
                            chunk.data().size(), room));
  }
  const auto bytes = std::as_bytes(std::span(chunk.data()));
  if (wire::crc32c(bytes) != chunk.crc32c()) {
    refuse_data(fmt::format("frame {}: checksum of a piece is wrong", frame_->index));
  }
  if (holds_floats(array)) {
    std::memcpy(reinterpret_cast<char*>(values_.data()) + offset_, bytes.data(), bytes.size());
  } else {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  offset_ += bytes.size();
  return take_if_whole();
}

void FrameAssembler::begin_array() {
  offset_ = 0;
  bytes_.clear();
  values_.clear();
  if (array_ < descriptors_.size() && holds_floats(descriptors_[array_])) {
    values_.resize(static_cast<std::size_t>(descriptors_[array_].byte_count()) / sizeof(float));
  }
}

// The array that the last piece completed: an order is for the decoder alone.
void FrameAssembler::end_array() {
  const v1::ArrayDescriptor& array = descriptors_[array_];
  if (array.field() == v1::FIELD_ORDER) {
    decoder_.set_order(array, bytes_);
    return;
  }
  frame_->arrays.push_back({array.body(), array.field(), array.count(), array.component_count(),
                            holds_floats(array) ? decoder_.take(array, std::exchange(values_, {}))
                                                : decoder_.decode(array, bytes_)});
}

std::optional<Frame> FrameAssembler::take_if_whole() {
  while (array_ < descriptors_.size() &&
         offset_ == static_cast<std::size_t>(descriptors_[array_].byte_count())) {
    end_array();
    ++array_;
    begin_array();
  }
  if (array_ < descriptors_.size()) {
    return {};
  }
  return std::exchange(frame_, std::nullopt);
}

}  // namespace sluice::client
