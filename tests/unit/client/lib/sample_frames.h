// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "proto/wire/crc32c.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// A frame of two arrays in three pieces, as a server sends it; its numbers follow from its index.
struct SampleFrame {
  v1::FrameHeader header;
  std::vector<v1::FrameChunk> chunks;
};

inline std::vector<float> sample_values(std::int64_t index) {
  std::vector<float> values(30);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(index) + static_cast<float>(i) / 64;
  }
  return values;
}

inline SampleFrame sample_frame(std::int64_t index) {
  SampleFrame frame;
  frame.header.mutable_cursor()->set_index(index);
  frame.header.set_time_seconds(static_cast<double>(index) / 60);
  const auto add_array = [&](v1::Field field) {
    v1::ArrayDescriptor& array = *frame.header.add_arrays();
    array.set_body("water");
    array.set_field(field);
    array.set_count(10);
    array.set_component_count(3);
    array.set_codec(v1::CODEC_F32);
    array.set_byte_count(120);
  };
  add_array(v1::FIELD_POSITION);
  add_array(v1::FIELD_VELOCITY);
  const std::vector<float> values = sample_values(index);
  std::string bytes(120, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const auto add_chunk = [&](int array, std::int64_t offset, std::size_t size) {
    v1::FrameChunk chunk;
    chunk.set_array(array);
    chunk.set_offset(offset);
    chunk.set_data(bytes.substr(static_cast<std::size_t>(offset), size));
    chunk.set_crc32c(wire::crc32c(std::as_bytes(std::span(chunk.data()))));
    frame.chunks.push_back(chunk);
  };
  add_chunk(0, 0, 100);
  add_chunk(0, 100, 20);
  add_chunk(1, 0, 120);
  return frame;
}

}  // namespace sluice::client
