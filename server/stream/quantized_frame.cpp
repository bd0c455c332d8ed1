// SPDX-License-Identifier: Apache-2.0
#include "server/stream/quantized_frame.h"

#include <algorithm>
#include <span>
#include <utility>

#include "proto/wire/codec/array_codec.h"
#include "proto/wire/codec/hilbert_order.h"

namespace sluice::stream {
namespace {

bool is_position(const v1::ArrayDescriptor& array) {
  return array.field() == v1::FIELD_POSITION && array.component_count() == static_cast<int>(axes);
}

std::optional<codec::Box> domain_of(const v1::Layout& layout) {
  if (layout.domain_lower_size() != static_cast<int>(axes) ||
      layout.domain_upper_size() != static_cast<int>(axes)) {
    return std::nullopt;
  }
  codec::Box box;
  std::ranges::copy(layout.domain_lower(), box.lower.begin());
  std::ranges::copy(layout.domain_upper(), box.upper.begin());
  return box;
}

// Around the positions of all bodies.
codec::Box bounds_of(const FloatFrame& frame) {
  std::vector<float> corners;
  for (const FloatArray& array : frame.arrays) {
    if (is_position(array.descriptor) && !array.values.empty()) {
      const codec::Box box = codec::bounds(array.values);
      std::ranges::transform(box.lower, std::back_inserter(corners),
                             [](double value) { return static_cast<float>(value); });
      std::ranges::transform(box.upper, std::back_inserter(corners),
                             [](double value) { return static_cast<float>(value); });
    }
  }
  return codec::bounds(corners);
}

// Whether an array's rows are those of its body, and its numbers may be rounded.
bool is_by_row(const v1::ArrayDescriptor& array) {
  return array.field() != v1::FIELD_INTERIOR_CELL;
}

std::span<const std::int32_t> order_of(const EpochFrame& epoch, const v1::ArrayDescriptor& array) {
  if (!is_by_row(array)) {
    return {};
  }
  const auto found = epoch.order.find(array.body());
  const bool fits =
      found != epoch.order.end() && found->second.size() == static_cast<std::size_t>(array.count());
  return fits ? std::span<const std::int32_t>(found->second) : std::span<const std::int32_t>();
}

std::vector<float> reorder(const FloatArray& array, std::span<const std::int32_t> order) {
  const auto components = static_cast<std::size_t>(array.descriptor.component_count());
  std::vector<float> values;
  values.reserve(array.values.size());
  for (const std::int32_t row : order) {
    const float* const from = array.values.data() + static_cast<std::size_t>(row) * components;
    values.insert(values.end(), from, from + components);
  }
  return values;
}

// Integers of the same meaning, of the same array a frame earlier; else null.
const codec::Words* words_before(const QuantizedArray& array, const QuantizedFrame* earlier) {
  if (earlier == nullptr || !array.quantization) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(earlier->arrays, [&](const QuantizedArray& other) {
    return other.descriptor.field() == array.descriptor.field() &&
           other.descriptor.body() == array.descriptor.body();
  });
  const bool is_alike = found != earlier->arrays.end() &&
                        found->descriptor.count() == array.descriptor.count() &&
                        found->quantization == array.quantization;
  return is_alike ? &found->words : nullptr;
}

void write_array(const QuantizedArray& array, codec::History history, v1::Codec codec,
                 FrameWriter& writer) {
  v1::ArrayDescriptor descriptor = array.descriptor;
  if (!array.quantization) {
    descriptor.set_codec(v1::CODEC_F32);
    writer.add(std::move(descriptor), std::as_bytes(std::span(array.values)));
    return;
  }
  const int components = descriptor.component_count();
  const codec::Predictor predictor = choose_predictor(array.words, components, history);
  descriptor.set_codec(codec);
  descriptor.set_predictor(static_cast<v1::Predictor>(predictor));
  v1::Quantization& quantization = *descriptor.mutable_quantization();
  for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c) {
    quantization.add_origin(array.quantization->origin[c]);
    quantization.add_step(array.quantization->step[c]);
  }
  quantization.set_bits(array.quantization->bits);
  const auto bytes = encode_array(array.words, components, static_cast<codec::ByteCodec>(codec),
                                  predictor, history);
  writer.add(std::move(descriptor), bytes);
}

}  // namespace

EpochFrame settle_epoch(const FloatFrame& first, const v1::Layout& layout) {
  EpochFrame epoch;
  const auto domain = domain_of(layout);
  epoch.domain = domain ? *domain : bounds_of(first);
  for (const FloatArray& array : first.arrays) {
    const auto body = std::ranges::find_if(layout.bodies(), [&](const v1::Body& each) {
      return each.name() == array.descriptor.body();
    });
    if (is_position(array.descriptor) && body != layout.bodies().end() &&
        body->kind() == v1::BODY_KIND_PARTICLES) {
      epoch.order.emplace(array.descriptor.body(), codec::hilbert_order(array.values));
    }
  }
  return epoch;
}

QuantizedFrame quantize_frame(FloatFrame frame, const EpochFrame& epoch, const Encoding& encoding) {
  QuantizedFrame quantized{.header = std::move(frame.header), .arrays = {}};
  const codec::Box& box = encoding.box ? *encoding.box : epoch.domain;
  for (FloatArray& from : frame.arrays) {
    const auto order = order_of(epoch, from.descriptor);
    QuantizedArray array{
        .descriptor = from.descriptor, .quantization = {}, .words = {}, .values = {}};
    if (is_by_row(from.descriptor)) {
      array.quantization = is_position(from.descriptor)
                               ? codec::quantize_positions(from.values, box, encoding.bits)
                               : codec::quantize_field(
                                     from.values, from.descriptor.component_count(), encoding.bits);
    }
    if (array.quantization) {
      array.words = codec::quantize(from.values, *array.quantization, order);
    } else {
      array.values = order.empty() ? std::move(from.values) : reorder(from, order);
    }
    quantized.arrays.push_back(std::move(array));
  }
  return quantized;
}

std::size_t byte_count(const QuantizedFrame& frame) {
  std::size_t bytes = sizeof frame;
  for (const QuantizedArray& array : frame.arrays) {
    bytes += sizeof array + array.values.size() * sizeof(float);
    bytes +=
        std::visit([](const auto& words) { return words.size() * sizeof words[0]; }, array.words);
  }
  return bytes;
}

FrameMessages encode_frame(const QuantizedFrame& frame, const FrameForm& form,
                           const QuantizedFrame* previous, const QuantizedFrame* before,
                           const EpochFrame* order) {
  FrameWriter writer;
  if (order != nullptr) {
    for (const auto& [body, rows] : order->order) {
      if (!form.selection.has_body(body)) {
        continue;
      }
      v1::ArrayDescriptor descriptor;
      descriptor.set_body(body);
      descriptor.set_field(v1::FIELD_ORDER);
      descriptor.set_count(static_cast<std::int64_t>(rows.size()));
      descriptor.set_component_count(1);
      descriptor.set_codec(v1::CODEC_I32);
      writer.add(std::move(descriptor), std::as_bytes(std::span(rows)));
    }
  }
  for (const QuantizedArray& array : frame.arrays) {
    codec::History history;
    history.previous = words_before(array, previous);
    history.before = history.previous != nullptr ? words_before(array, before) : nullptr;
    write_array(array, history, form.encoding.codec, writer);
  }
  return std::move(writer).finish(frame.header);
}

}  // namespace sluice::stream
