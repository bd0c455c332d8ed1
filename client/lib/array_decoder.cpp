// SPDX-License-Identifier: Apache-2.0
#include "client/lib/array_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "proto/wire/codec/array_codec.h"
#include "sluice/error.h"

namespace sluice::client {
namespace {

// Far above any limit of a server, far below what makes sizes overflow.
constexpr std::int64_t largest_array_bytes = std::int64_t{1} << 36;
constexpr std::int64_t number_bytes = 4;

bool has_float_codec(const v1::ArrayDescriptor& array) {
  return array.codec() == v1::CODEC_F32 || array.codec() == v1::CODEC_UNSPECIFIED;
}

void check_quantization(const v1::ArrayDescriptor& array) {
  const v1::Quantization& quantization = array.quantization();
  const auto finite = [](double value) { return std::isfinite(value); };
  if (quantization.origin_size() != array.component_count() ||
      quantization.step_size() != array.component_count() ||
      !std::ranges::all_of(quantization.origin(), finite) ||
      !std::ranges::all_of(quantization.step(), finite) ||
      quantization.bits() < codec::least_bits || quantization.bits() > codec::most_bits) {
    refuse_data(fmt::format("array of '{}' does not say what its integers mean", array.body()));
  }
  if (array.predictor() != v1::PREDICTOR_NONE && array.predictor() != v1::PREDICTOR_PREVIOUS &&
      array.predictor() != v1::PREDICTOR_LINEAR) {
    refuse_data(fmt::format("array of '{}' has predictor {}", array.body(),
                            static_cast<int>(array.predictor())));
  }
}

}  // namespace

void refuse_data(const std::string& what) { throw Error(ErrorKind::data_loss, what); }

bool ArrayDecoder::is_quantized(const v1::ArrayDescriptor& array) {
  return array.codec() == v1::CODEC_Q16_PLANES_ZSTD || array.codec() == v1::CODEC_Q16_MESHOPT;
}

void ArrayDecoder::check(const v1::ArrayDescriptor& array) {
  const std::int64_t count = array.count();
  const int components = array.component_count();
  const bool is_order = array.field() == v1::FIELD_ORDER;
  if (is_order ? array.codec() != v1::CODEC_I32 : !has_float_codec(array) && !is_quantized(array)) {
    refuse_data(fmt::format("array of '{}' has codec {}, which was not asked for", array.body(),
                            static_cast<int>(array.codec())));
  }
  const bool has_shape = count >= 0 && components >= 1 && components <= codec::most_components &&
                         count <= largest_array_bytes / 64 && array.byte_count() >= 0 &&
                         array.byte_count() <= largest_array_bytes;
  if (!has_shape ||
      (!is_quantized(array) && array.byte_count() != count * components * number_bytes) ||
      (is_order && components != 1)) {
    refuse_data(fmt::format("array of '{}' says {} rows of {} numbers in {} bytes", array.body(),
                            count, components, array.byte_count()));
  }
  if (is_quantized(array)) {
    check_quantization(array);
  }
}

void ArrayDecoder::set_order(const v1::ArrayDescriptor& array, std::span<const std::byte> bytes) {
  const auto rows = static_cast<std::size_t>(array.count());
  std::vector<std::int32_t> order(rows);
  if (rows > 0) {
    std::memcpy(order.data(), bytes.data(), bytes.size());
  }
  std::vector<bool> seen(rows, false);
  for (const std::int32_t row : order) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows || seen[static_cast<std::size_t>(row)]) {
      refuse_data(fmt::format("the order of '{}' does not have each of its {} rows once",
                              array.body(), rows));
    }
    seen[static_cast<std::size_t>(row)] = true;
  }
  orders_[array.body()] = std::move(order);
}

std::span<const std::int32_t> ArrayDecoder::order_of(const v1::ArrayDescriptor& array) const {
  if (array.field() == v1::FIELD_INTERIOR_CELL) {  // Its rows are no particles.
    return {};
  }
  const auto found = orders_.find(array.body());
  if (found == orders_.end()) {
    return {};
  }
  if (found->second.size() != static_cast<std::size_t>(array.count())) {
    refuse_data(fmt::format("array of '{}' has {} rows, its order {}", array.body(), array.count(),
                            found->second.size()));
  }
  return found->second;
}

std::vector<float> ArrayDecoder::take(const v1::ArrayDescriptor& array, std::vector<float> values) {
  past_.erase({array.body(), array.field()});
  const std::span<const std::int32_t> order = order_of(array);
  if (order.empty()) {
    return values;
  }
  const auto components = static_cast<std::size_t>(array.component_count());
  std::vector<float> restored(values.size());
  for (std::size_t row = 0; row < order.size(); ++row) {
    std::copy_n(values.data() + row * components, components,
                restored.data() + static_cast<std::size_t>(order[row]) * components);
  }
  return restored;
}

std::vector<float> ArrayDecoder::decode(const v1::ArrayDescriptor& array,
                                        std::span<const std::byte> bytes) {
  const std::span<const std::int32_t> order = order_of(array);
  Past& past = past_[{array.body(), array.field()}];
  if (array.predictor() == v1::PREDICTOR_NONE) {
    past.clear();
  }
  const v1::Quantization& quantization = array.quantization();
  const codec::Shape shape{.row_count = static_cast<std::size_t>(array.count()),
                           .component_count = array.component_count(),
                           .bits = quantization.bits()};
  auto words = codec::decode_array(bytes, shape, static_cast<codec::ByteCodec>(array.codec()),
                                   static_cast<codec::Predictor>(array.predictor()),
                                   {.previous = past.empty() ? nullptr : past.data(),
                                    .before = past.size() < 2 ? nullptr : &past[1]});
  if (!words) {
    refuse_data(fmt::format("array of '{}' cannot be decoded", array.body()));
  }
  past.insert(past.begin(), *std::move(words));
  past.resize(std::min<std::size_t>(past.size(), 2));
  std::vector<float> values(shape.row_count * static_cast<std::size_t>(shape.component_count));
  codec::dequantize(past.front(),
                    {.origin = {quantization.origin().begin(), quantization.origin().end()},
                     .step = {quantization.step().begin(), quantization.step().end()},
                     .bits = quantization.bits()},
                    order, values);
  return values;
}

}  // namespace sluice::client
