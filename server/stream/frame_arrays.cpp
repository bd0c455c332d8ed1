// SPDX-License-Identifier: Apache-2.0
#include "server/stream/frame_arrays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "proto/wire/crc32c.h"

namespace sluice::stream {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian on the wire");

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;  // frames.proto, FrameChunk

// Whether the sizes that a descriptor gives agree.
bool is_sound(const v1::ArrayDescriptor& array) {
  const std::int64_t row_bytes = std::int64_t{array.component_count()} * 4;
  return array.codec() == v1::CODEC_F32 && array.component_count() > 0 && array.count() >= 0 &&
         array.byte_count() % row_bytes == 0 && array.byte_count() / row_bytes == array.count();
}

// An array on its way out of chunks.
struct Reading {
  FloatArray array;
  bool is_wanted;  // Else its chunks are passed over.
  std::size_t bytes_taken = 0;

  [[nodiscard]] std::size_t byte_count() const {
    return static_cast<std::size_t>(array.descriptor.byte_count());
  }
  [[nodiscard]] bool is_whole() const { return bytes_taken == byte_count(); }

  // Whether the chunk is the next one.
  bool take(const v1::FrameChunk& chunk) {
    if (!is_wanted) {
      return true;
    }
    const std::string& data = chunk.data();
    if (chunk.offset() != static_cast<std::int64_t>(bytes_taken) ||
        data.size() > byte_count() - bytes_taken) {
      return false;
    }
    array.values.resize(byte_count() / sizeof(float));
    std::memcpy(reinterpret_cast<char*>(array.values.data()) + bytes_taken, data.data(),
                data.size());
    bytes_taken += data.size();
    return true;
  }
};

FloatArray speed_of(const FloatArray& velocity) {
  FloatArray speed{.descriptor = velocity.descriptor, .values = {}};
  speed.descriptor.set_field(v1::FIELD_SPEED);
  speed.descriptor.set_component_count(1);
  speed.values.reserve(velocity.values.size() / axes);
  for (std::size_t at = 0; at + axes <= velocity.values.size(); at += axes) {
    const double x = velocity.values[at];
    const double y = velocity.values[at + 1];
    const double z = velocity.values[at + 2];
    speed.values.push_back(static_cast<float>(std::sqrt(x * x + y * y + z * z)));
  }
  return speed;
}

}  // namespace

store::Error damaged_frame() {
  return {store::ErrorCode::corrupt, "a stored frame does not consist of a header and chunks"};
}

store::Result<FloatFrame> read_arrays(const FrameMessages& messages,
                                      const FrameSelection& selection) {
  auto header = read_frame_header(messages);
  if (!header) {
    return damaged_frame();
  }
  const bool wants_speed = selection.names(v1::FIELD_SPEED);
  const auto is_source = [&](const v1::ArrayDescriptor& array) {
    return wants_speed && array.field() == v1::FIELD_VELOCITY &&
           array.component_count() == static_cast<int>(axes) && selection.has_body(array.body());
  };
  std::vector<Reading> readings;
  for (const v1::ArrayDescriptor& array : header->arrays()) {
    const bool is_wanted = selection.has(array) || is_source(array);
    if (is_wanted && !is_sound(array)) {
      return damaged_frame();
    }
    readings.push_back({.array = {.descriptor = array, .values = {}}, .is_wanted = is_wanted});
  }
  v1::StreamFramesResponse message;
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (!message.ParseFromArray(messages[i].data(), static_cast<int>(messages[i].size())) ||
        !message.has_chunk()) {
      return damaged_frame();
    }
    const auto number = static_cast<std::size_t>(message.chunk().array());
    if (number >= readings.size() || !readings[number].take(message.chunk())) {
      return damaged_frame();
    }
  }
  FloatFrame frame;
  std::vector<FloatArray> derived;
  for (Reading& reading : readings) {
    if (!reading.is_wanted) {
      continue;
    }
    if (!reading.is_whole()) {
      return damaged_frame();
    }
    if (is_source(reading.array.descriptor)) {
      derived.push_back(speed_of(reading.array));
    }
    if (selection.has(reading.array.descriptor)) {
      frame.arrays.push_back(std::move(reading.array));
    }
  }
  std::ranges::move(derived, std::back_inserter(frame.arrays));
  header->clear_arrays();
  frame.header = *std::move(header);
  return frame;
}

FrameMessages write_arrays(FloatFrame frame) {
  FrameWriter writer;
  for (FloatArray& array : frame.arrays) {
    writer.add(std::move(array.descriptor), std::as_bytes(std::span(array.values)));
  }
  return std::move(writer).finish(std::move(frame.header));
}

void FrameWriter::add(v1::ArrayDescriptor descriptor, std::span<const std::byte> bytes) {
  const int number = header_.arrays_size();
  descriptor.set_byte_count(static_cast<std::int64_t>(bytes.size()));
  *header_.add_arrays() = std::move(descriptor);
  v1::StreamFramesResponse message;
  for (std::size_t offset = 0; offset < bytes.size(); offset += chunk_bytes) {
    const auto piece = bytes.subspan(offset, std::min(chunk_bytes, bytes.size() - offset));
    v1::FrameChunk& chunk = *message.mutable_chunk();
    chunk.set_array(number);
    chunk.set_offset(static_cast<std::int64_t>(offset));
    chunk.set_data(piece.data(), piece.size());
    chunk.set_crc32c(wire::crc32c(piece));
    chunks_.push_back(share(message.SerializeAsString()));
  }
}

FrameMessages FrameWriter::finish(v1::FrameHeader header) && {
  v1::StreamFramesResponse message;
  *header.mutable_arrays() = std::move(*header_.mutable_arrays());
  *message.mutable_header() = std::move(header);
  FrameMessages messages{share(message.SerializeAsString())};
  std::ranges::move(chunks_, std::back_inserter(messages));
  return messages;
}

}  // namespace sluice::stream
