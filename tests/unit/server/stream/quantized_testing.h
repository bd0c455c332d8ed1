// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proto/wire/codec/array_codec.h"
#include "stream_testing.h"

/// Frames that move, a feed of them, and a decoder that knows what it was sent and nothing else.
namespace sluice::stream {

using Values = std::vector<float>;
using ArrayKey = std::pair<std::string, v1::Field>;

inline constexpr int water_rows = 300;
inline constexpr int cloth_rows = 40;

// Water turns about the middle of the domain [0, 1]^3, the cloth swings.
inline Values positions(const std::string& body, std::int64_t index) {
  Values values;
  const bool is_water = body == "water";
  const double t = static_cast<double>(index) / 60.0;
  for (int row = 0; row < (is_water ? water_rows : cloth_rows); ++row) {
    const double angle = row * 2.4 + (is_water ? t : 0.1 * std::sin(t));
    const double radius = 0.4 * (row * 37 % 101) / 101.0;
    values.push_back(static_cast<float>(0.5 + radius * std::cos(angle)));
    values.push_back(static_cast<float>(0.5 + radius * std::sin(angle)));
    values.push_back(static_cast<float>((row * 53 % 97) / 97.0));
  }
  return values;
}

inline Values velocities(const std::string& body, std::int64_t index) {
  const Values before = positions(body, index);
  Values values = positions(body, index + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (values[i] - before[i]) * 60;
  }
  return values;
}

struct Motion {
  std::map<ArrayKey, Values> arrays;
  std::int64_t epoch = 0;
};

inline Motion motion(std::int64_t index, std::int64_t epoch = 0) {
  Motion frame{.arrays = {}, .epoch = epoch};
  for (const char* body : {"water", "cloth"}) {
    frame.arrays[{body, v1::FIELD_POSITION}] = positions(body, index);
    frame.arrays[{body, v1::FIELD_VELOCITY}] = velocities(body, index);
  }
  return frame;
}

class QuantizedStream : public Feed {
 protected:
  QuantizedStream() { store_layout(0, true); }

  void store_layout(std::int64_t epoch, bool with_domain) {
    v1::Layout layout;
    layout.set_epoch(epoch);
    v1::Body& water = *layout.add_bodies();
    water.set_name("water");
    water.set_kind(v1::BODY_KIND_PARTICLES);
    water.set_count(water_rows);
    v1::Body& cloth = *layout.add_bodies();
    cloth.set_name("cloth");
    cloth.set_kind(v1::BODY_KIND_SURFACE);
    cloth.set_count(cloth_rows);
    for (int axis = 0; with_domain && axis < 3; ++axis) {
      layout.add_domain_lower(0);
      layout.add_domain_upper(1);
    }
    must(feed_->append_layout(layout));
  }

  void store(std::int64_t index, const Motion& frame) {
    FloatFrame floats;
    floats.header.mutable_cursor()->set_epoch(frame.epoch);
    floats.header.mutable_cursor()->set_index(index);
    for (const char* body : {"water", "cloth"}) {
      for (const v1::Field field : {v1::FIELD_POSITION, v1::FIELD_VELOCITY}) {
        FloatArray array{.descriptor = {}, .values = frame.arrays.at({body, field})};
        array.descriptor.set_body(body);
        array.descriptor.set_field(field);
        array.descriptor.set_count(static_cast<std::int64_t>(array.values.size() / 3));
        array.descriptor.set_component_count(3);
        array.descriptor.set_codec(v1::CODEC_F32);
        floats.arrays.push_back(std::move(array));
      }
    }
    std::string record;
    for (const store::SharedBytes& message : write_arrays(std::move(floats))) {
      append_frame_message(parse(message), record);
    }
    must(feed_->append(share(std::move(record))));
    frames_[index] = frame;
  }
  void store(std::int64_t first, std::int64_t end) {
    for (std::int64_t index = first; index < end; ++index) {
      store(index, motion(index));
    }
  }

  std::map<std::int64_t, Motion> frames_;
};

inline SubscribeOptions quantized(v1::Codec codec, std::vector<v1::Field> fields = {},
                                  int bits = 16) {
  fields.push_back(v1::FIELD_ORDER);
  if (fields.size() == 1) {
    fields.push_back(v1::FIELD_UNSPECIFIED);
  }
  SubscribeOptions options;
  options.form = {.selection = select({}, fields),
                  .encoding = {.codec = codec, .bits = bits, .box = {}}};
  return options;
}

// Takes frames one at a time.
class FrameReader {
 public:
  FrameReader(std::shared_ptr<FrameFeed> feed, SubscribeOptions options)
      : subscription_(std::move(feed), std::move(options), [] {}) {}

  // The next whole frame, or nothing where there is none now.
  FrameMessages take() {
    FrameMessages messages;
    while (true) {
      Next next = subscription_.next();
      if (auto* send = std::get_if<Send>(&next)) {
        messages.push_back(send->message);
        if (send->ends_frame) {
          return messages;
        }
      } else if (std::holds_alternative<Load>(next)) {
        subscription_.load();
      } else {
        EXPECT_TRUE(messages.empty());
        return {};
      }
    }
  }
  Subscription& subscription() { return subscription_; }

 private:
  Subscription subscription_;
};

// A client's decoder: knows what it was sent, nothing else.
class Decoder {
 public:
  v1::FrameHeader header;                               // The last frame's.
  std::map<ArrayKey, Values> values;                    // In the solver's order.
  std::map<ArrayKey, v1::ArrayDescriptor> descriptors;  // The last frame's.

  void decode(const FrameMessages& messages) {
    const v1::Frame frame = *whole_frame(messages);
    header = frame.header();
    std::vector<std::string> bytes(static_cast<std::size_t>(header.arrays_size()));
    for (const v1::FrameChunk& chunk : frame.chunks()) {
      std::string& array = bytes[static_cast<std::size_t>(chunk.array())];
      ASSERT_EQ(chunk.offset(), static_cast<std::int64_t>(array.size()));
      ASSERT_EQ(chunk.crc32c(), wire::crc32c(std::as_bytes(std::span(chunk.data()))));
      array += chunk.data();
    }
    values.clear();
    descriptors.clear();
    for (int i = 0; i < header.arrays_size(); ++i) {
      const v1::ArrayDescriptor& array = header.arrays(i);
      ASSERT_EQ(array.byte_count(),
                static_cast<std::int64_t>(bytes[static_cast<std::size_t>(i)].size()));
      if (array.field() == v1::FIELD_ORDER) {
        ASSERT_EQ(array.codec(), v1::CODEC_I32);
        orders_[array.body()].resize(static_cast<std::size_t>(array.count()));
        std::memcpy(orders_[array.body()].data(), bytes[static_cast<std::size_t>(i)].data(),
                    bytes[static_cast<std::size_t>(i)].size());
      }
    }
    for (int i = 0; i < header.arrays_size(); ++i) {
      if (header.arrays(i).field() != v1::FIELD_ORDER) {
        decode_array(header.arrays(i), bytes[static_cast<std::size_t>(i)]);
      }
    }
  }
  [[nodiscard]] bool has_order() const {
    return std::ranges::any_of(header.arrays(), [](const v1::ArrayDescriptor& array) {
      return array.field() == v1::FIELD_ORDER;
    });
  }

 private:
  void decode_array(const v1::ArrayDescriptor& array, const std::string& bytes) {
    const ArrayKey key{array.body(), array.field()};
    const std::vector<std::int32_t>& order = orders_[array.body()];
    const auto components = static_cast<std::size_t>(array.component_count());
    Values& out = values[key];
    out.resize(static_cast<std::size_t>(array.count()) * components);
    descriptors[key] = array;
    if (array.codec() == v1::CODEC_F32) {
      Values rows(out.size());
      std::memcpy(rows.data(), bytes.data(), bytes.size());
      for (std::size_t row = 0; row < rows.size() / components; ++row) {
        const std::size_t to = order.empty() ? row : static_cast<std::size_t>(order[row]);
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * components), components,
                    out.begin() + static_cast<std::ptrdiff_t>(to * components));
      }
      history_.erase(key);
      return;
    }
    std::vector<codec::Words>& history = history_[key];
    if (array.predictor() == v1::PREDICTOR_NONE) {
      history.clear();
    }
    const auto words = codec::decode_array(
        std::as_bytes(std::span(bytes)),
        {static_cast<std::size_t>(array.count()), array.component_count(),
         array.quantization().bits()},
        static_cast<codec::ByteCodec>(array.codec()),
        static_cast<codec::Predictor>(array.predictor()),
        {history.empty() ? nullptr : &history[0], history.size() < 2 ? nullptr : &history[1]});
    ASSERT_TRUE(words) << "what the frame builds upon was not sent";
    history.insert(history.begin(), *words);
    history.resize(std::min<std::size_t>(history.size(), 2));
    codec::Quantization quantization{
        .origin = {array.quantization().origin().begin(), array.quantization().origin().end()},
        .step = {array.quantization().step().begin(), array.quantization().step().end()},
        .bits = array.quantization().bits()};
    codec::dequantize(*words, quantization, order, out);
  }

  std::map<std::string, std::vector<std::int32_t>> orders_;
  std::map<ArrayKey, std::vector<codec::Words>> history_;
};

inline void expect_frame(const Decoder& decoder, const Motion& truth) {
  for (const auto& [key, values] : decoder.values) {
    if (key.second == v1::FIELD_SPEED) {
      continue;
    }
    const Values& exact = truth.arrays.at(key);
    ASSERT_EQ(values.size(), exact.size());
    const v1::ArrayDescriptor& array = decoder.descriptors.at(key);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (array.codec() == v1::CODEC_F32) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(exact[i]));
        continue;
      }
      const double step = array.quantization().step(static_cast<int>(i % 3));
      ASSERT_NEAR(values[i], exact[i], step / 2 * 1.0001 + std::abs(exact[i]) * 1e-7);
    }
  }
}

inline std::set<v1::Predictor> predictors(const Decoder& decoder) {
  std::set<v1::Predictor> all;
  for (const auto& [key, array] : decoder.descriptors) {
    all.insert(array.predictor());
  }
  return all;
}

}  // namespace sluice::stream
