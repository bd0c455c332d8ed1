// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "client/lib/crc32c.h"
#include "sluice/error.h"

namespace sluice::client {
namespace {

// Far above any limit of a server, far below what makes sizes overflow.
constexpr std::int64_t largest_array_bytes = std::int64_t{1} << 36;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::data_loss, what); }

FrameArray make_array(const v1::ArrayDescriptor& descriptor) {
  if (descriptor.codec() != v1::CODEC_F32 && descriptor.codec() != v1::CODEC_UNSPECIFIED) {
    refuse(fmt::format("array of '{}' has codec {}, which was not asked for", descriptor.body(),
                       static_cast<int>(descriptor.codec())));
  }
  const std::int64_t count = descriptor.count();
  const int components = descriptor.component_count();
  if (count < 0 || components < 1 || components > 16 || count > largest_array_bytes / 64 ||
      descriptor.byte_count() != count * components * 4) {
    refuse(fmt::format("array of '{}' says {} rows of {} numbers in {} bytes", descriptor.body(),
                       count, components, descriptor.byte_count()));
  }
  return {
      descriptor.body(), descriptor.field(), count, components,
      std::vector<float>(static_cast<std::size_t>(count) * static_cast<std::size_t>(components))};
}

}  // namespace

std::optional<Frame> FrameAssembler::add(const v1::FrameHeader& header) {
  if (frame_) {
    refuse(fmt::format("frame {} begins in the middle of frame {}", header.cursor().index(),
                       frame_->index));
  }
  Frame frame{header.cursor().epoch(), header.cursor().index(), header.time_seconds(), {}, {}};
  for (const auto& descriptor : header.arrays()) {
    frame.arrays.push_back(make_array(descriptor));
  }
  if (header.has_statistics()) {
    frame.statistics = header.statistics();
  }
  frame_ = std::move(frame);
  array_ = 0;
  offset_ = 0;
  return take_if_whole();
}

std::optional<Frame> FrameAssembler::add(const v1::FrameChunk& chunk) {
  if (!frame_) {
    refuse("a piece of a frame came before its header");
  }
  if (chunk.array() < 0 || static_cast<std::size_t>(chunk.array()) != array_ ||
      chunk.offset() != static_cast<std::int64_t>(offset_)) {
    refuse(fmt::format("frame {}: piece of array {} at {} came, of array {} at {} was due",
                       frame_->index, chunk.array(), chunk.offset(), array_, offset_));
  }
  std::vector<float>& values = frame_->arrays[array_].values;
  const std::size_t room = values.size() * sizeof(float) - offset_;
  if (chunk.data().empty() || chunk.data().size() > room) {
    refuse(fmt::format("frame {}: piece of {} bytes came where {} are due", frame_->index,
                       chunk.data().size(), room));
  }
  if (crc32c(chunk.data()) != chunk.crc32c()) {
    refuse(fmt::format("frame {}: checksum of a piece is wrong", frame_->index));
  }
  std::memcpy(reinterpret_cast<char*>(values.data()) + offset_, chunk.data().data(),
              chunk.data().size());
  offset_ += chunk.data().size();
  return take_if_whole();
}

std::optional<Frame> FrameAssembler::take_if_whole() {
  while (array_ < frame_->arrays.size() &&
         offset_ == frame_->arrays[array_].values.size() * sizeof(float)) {
    ++array_;
    offset_ = 0;
  }
  if (array_ < frame_->arrays.size()) {
    return {};
  }
  return std::exchange(frame_, std::nullopt);
}

}  // namespace sluice::client
