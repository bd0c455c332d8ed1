// SPDX-License-Identifier: Apache-2.0
// What a program would lose that reads quantised frames: rows in their places, and a word where a
// server sends what cannot be right.
#include "client/lib/array_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>

#include "proto/wire/codec/array_codec.h"
#include "sluice/error.h"

namespace sluice::client {
namespace {

constexpr std::size_t rows = 50;

std::vector<float> values_at(int time) {
  std::vector<float> values(3 * rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(0.01 * static_cast<double>(i * 37 % 100) + 0.001 * time);
  }
  return values;
}

// Every row somewhere else.
std::vector<std::int32_t> order() {
  std::vector<std::int32_t> permutation(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    permutation[i] = static_cast<std::int32_t>(i * 7 % rows);
  }
  return permutation;
}

struct Coded {
  v1::ArrayDescriptor descriptor;
  std::vector<std::byte> bytes;
};

// The third of three frames, or the key of the first.
Coded coded(v1::Codec codec, int time) {
  const codec::Box box{.lower = {0, 0, 0}, .upper = {2, 2, 2}};
  const auto quantization = *codec::quantize_positions(values_at(0), box, 16);
  const auto words = [&](int t) { return codec::quantize(values_at(t), quantization, order()); };
  const codec::Words now = words(time);
  const codec::Words previous = words(time - 1);
  const auto predictor = time == 0 ? codec::Predictor::none : codec::Predictor::previous;
  Coded array;
  array.descriptor.set_body("water");
  array.descriptor.set_field(v1::FIELD_POSITION);
  array.descriptor.set_count(rows);
  array.descriptor.set_component_count(3);
  array.descriptor.set_codec(codec);
  array.descriptor.set_predictor(static_cast<v1::Predictor>(predictor));
  for (int axis = 0; axis < 3; ++axis) {
    array.descriptor.mutable_quantization()->add_origin(0);
    array.descriptor.mutable_quantization()->add_step(2.0 / 65535);
  }
  array.descriptor.mutable_quantization()->set_bits(16);
  array.bytes = codec::encode_array(now, 3, static_cast<codec::ByteCodec>(codec), predictor,
                                    {&previous, nullptr});
  array.descriptor.set_byte_count(static_cast<std::int64_t>(array.bytes.size()));
  return array;
}

Coded order_array() {
  const std::vector<std::int32_t> permutation = order();
  const auto bytes = std::as_bytes(std::span(permutation));
  Coded array{.descriptor = {}, .bytes = {bytes.begin(), bytes.end()}};
  array.descriptor.set_body("water");
  array.descriptor.set_field(v1::FIELD_ORDER);
  array.descriptor.set_count(rows);
  array.descriptor.set_component_count(1);
  array.descriptor.set_codec(v1::CODEC_I32);
  array.descriptor.set_byte_count(static_cast<std::int64_t>(bytes.size()));
  return array;
}

TEST(ArrayDecoder, puts_rows_back_to_their_places) {
  for (const v1::Codec codec : {v1::CODEC_Q16_PLANES_ZSTD, v1::CODEC_Q16_MESHOPT}) {
    ArrayDecoder decoder;
    decoder.set_order(order_array().descriptor, order_array().bytes);
    for (int time = 0; time < 5; ++time) {
      const Coded array = coded(codec, time);
      ArrayDecoder::check(array.descriptor);
      const std::vector<float> values = decoder.decode(array.descriptor, array.bytes);
      const std::vector<float> exact = values_at(time);
      ASSERT_EQ(values.size(), exact.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(values[i], exact[i], 1.001 / 65535) << time;
      }
    }
  }
}

// An array that no codec holds comes as float32, in the order of the others.
TEST(ArrayDecoder, puts_rows_of_floats_back_too) {
  ArrayDecoder decoder;
  decoder.set_order(order_array().descriptor, order_array().bytes);
  v1::ArrayDescriptor descriptor = coded(v1::CODEC_Q16_MESHOPT, 0).descriptor;
  descriptor.set_codec(v1::CODEC_F32);
  std::vector<float> sent(3 * rows);
  const std::vector<float> exact = values_at(0);
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(exact.begin() + std::ptrdiff_t{3} * order()[row], 3,
                sent.begin() + static_cast<std::ptrdiff_t>(3 * row));
  }
  EXPECT_EQ(decoder.take(descriptor, sent), exact);
  EXPECT_EQ(ArrayDecoder().take(descriptor, sent), sent) << "nobody said another order";
}

void expect_refused(const std::function<void()>& what) {
  try {
    what();
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data_loss);
  }
}

TEST(ArrayDecoder, refuses_descriptors_that_cannot_be_right) {
  using Damage = std::function<void(v1::ArrayDescriptor&)>;
  const std::vector<Damage> damages{
      [](auto& array) { array.set_codec(v1::CODEC_I32); },
      [](auto& array) { array.set_codec(static_cast<v1::Codec>(9)); },
      [](auto& array) { array.set_predictor(v1::PREDICTOR_UNSPECIFIED); },
      [](auto& array) { array.set_predictor(static_cast<v1::Predictor>(7)); },
      [](auto& array) { array.clear_quantization(); },
      [](auto& array) { array.mutable_quantization()->set_bits(25); },
      [](auto& array) { array.mutable_quantization()->set_bits(0); },
      [](auto& array) { array.mutable_quantization()->add_step(1); },
      [](auto& array) { array.mutable_quantization()->set_step(0, INFINITY); },
      [](auto& array) { array.set_component_count(0); },
      [](auto& array) { array.set_component_count(17); },
      [](auto& array) { array.set_count(-1); },
      [](auto& array) { array.set_count(std::int64_t{1} << 40); },
      [](auto& array) { array.set_byte_count(-1); }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    v1::ArrayDescriptor descriptor = coded(v1::CODEC_Q16_MESHOPT, 0).descriptor;
    damages[i](descriptor);
    expect_refused([&] { ArrayDecoder::check(descriptor); });
  }
}

TEST(ArrayDecoder, refuses_what_it_cannot_build_upon) {
  const Coded next = coded(v1::CODEC_Q16_PLANES_ZSTD, 1);
  expect_refused([&] { (void)ArrayDecoder().decode(next.descriptor, next.bytes); });
  ArrayDecoder decoder;
  const Coded key = coded(v1::CODEC_Q16_PLANES_ZSTD, 0);
  (void)decoder.decode(key.descriptor, key.bytes);
  v1::ArrayDescriptor linear = next.descriptor;
  linear.set_predictor(v1::PREDICTOR_LINEAR);
  expect_refused([&] { (void)decoder.decode(linear, next.bytes); });
}

TEST(ArrayDecoder, refuses_bytes_and_orders_that_cannot_be_right) {
  const Coded key = coded(v1::CODEC_Q16_MESHOPT, 0);
  expect_refused([&] {
    (void)ArrayDecoder().decode(key.descriptor, std::span(key.bytes).first(key.bytes.size() / 2));
  });
  const Coded good = order_array();
  for (const int bad : {-1, 50, 1 << 30, 7}) {  // Row 7 is there already.
    Coded array = good;
    std::memcpy(array.bytes.data(), &bad, sizeof bad);
    expect_refused([&] { ArrayDecoder().set_order(array.descriptor, array.bytes); });
  }
  ArrayDecoder decoder;
  decoder.set_order(good.descriptor, good.bytes);
  v1::ArrayDescriptor shorter = key.descriptor;
  shorter.set_count(49);
  expect_refused([&] { (void)decoder.decode(shorter, key.bytes); });
}

}  // namespace
}  // namespace sluice::client
