// SPDX-License-Identifier: Apache-2.0
// Any bytes as a coded array of any shape: a decoder refuses them or gives as many integers as the
// shape says, and integers that come out of a decoder go through the encoder unchanged. Numbers of
// any bits keep the error bound.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "proto/wire/codec/array_codec.h"
#include "proto/wire/codec/hilbert_order.h"

namespace {

using namespace sluice::codec;

// Three bytes of the number of rows, then components, bits, codec and predictor.
constexpr std::size_t head_bytes = 6;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
  }
}

ByteCodec codec_of(unsigned choice) {
  return choice % 2 == 0 ? ByteCodec::planes_zstd : ByteCodec::meshopt;
}

Predictor predictor_of(unsigned choice) { return static_cast<Predictor>(1 + choice / 2 % 3); }

// A history of the right kind, not all zero.
Words make_words(const Shape& shape, std::uint32_t seed) {
  const std::size_t size = shape.row_count * static_cast<std::size_t>(shape.component_count);
  if (bytes_of_word(shape.bits) == 2) {
    std::vector<std::uint16_t> words(size);
    for (auto& word : words)
      word = static_cast<std::uint16_t>(seed = seed * 1664525U + 1013904223U);
    return words;
  }
  std::vector<std::uint32_t> words(size);
  for (auto& word : words)
    word = seed = seed * 1664525U + 1013904223U;
  return words;
}

void decode(std::span<const std::byte> bytes, const Shape& shape, ByteCodec codec,
            Predictor predictor) {
  // A history as large as a shape says is only for shapes that may come.
  const Shape small{.row_count = shape.row_count % 4096,
                    .component_count = shape.component_count,
                    .bits = shape.bits};
  (void)decode_array(bytes, shape, codec, Predictor::none, {});
  const Words previous = make_words(small, 1);
  const Words before = make_words(small, 2);
  const History history{&previous, &before};
  const auto words = decode_array(bytes, small, codec, predictor, history);
  if (!words) return;
  require(count(*words) == small.row_count * static_cast<std::size_t>(small.component_count),
          "a decoder gives what the shape says");
  const auto again = encode_array(*words, small.component_count, codec, predictor, history);
  require(decode_array(again, small, codec, predictor, history) == words,
          "what was decoded can be encoded");
}

void quantize_any(std::span<const std::byte> bytes, int bits) {
  std::vector<float> values(bytes.size() / 12 * 3);
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  }
  require(hilbert_order(values).size() == values.size() / 3, "an order has all rows");
  const Box box = bounds(values);
  for (const auto& quantization :
       {quantize_positions(values, box, bits), quantize_field(values, 3, bits)}) {
    if (!quantization) continue;
    const Words words = quantize(values, *quantization, {});
    std::vector<float> back(values.size());
    dequantize(words, *quantization, {}, back);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float ulp = std::nextafter(std::abs(back[i]), std::numeric_limits<float>::infinity()) -
                        std::abs(back[i]);
      const double bound = (0.5 + 0x1p-26) * quantization->step[i % 3] + 0.500001 * double{ulp};
      require(std::abs(double{back[i]} - double{values[i]}) <= bound, "the error bound holds");
    }
  }
}

// A coded array, in the input's form: mutations of it get further than any bytes.
std::vector<std::uint8_t> make_seed(std::minstd_rand& random) {
  const Shape shape{.row_count = random() % 256,
                    .component_count = 1 + static_cast<int>(random() % 3),
                    .bits = least_bits + static_cast<int>(random() % (most_bits - least_bits + 1))};
  const auto choice = static_cast<std::uint8_t>(random() % 6);
  const Words words = make_words(shape, static_cast<std::uint32_t>(random()));
  const Words previous = make_words(shape, 1);
  const Words before = make_words(shape, 2);
  const auto bytes = encode_array(words, shape.component_count, codec_of(choice),
                                  predictor_of(choice), {&previous, &before});
  std::vector<std::uint8_t> seed{static_cast<std::uint8_t>(shape.row_count),
                                 0,
                                 0,
                                 static_cast<std::uint8_t>(shape.component_count - 1),
                                 static_cast<std::uint8_t>(shape.bits - least_bits),
                                 choice};
  for (const std::byte byte : bytes)
    seed.push_back(std::to_integer<std::uint8_t>(byte));
  return seed;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < head_bytes || random() % 64 == 0) {
    const auto fresh = make_seed(random);
    if (fresh.size() <= max_size) {
      std::memcpy(data, fresh.data(), fresh.size());
      return fresh.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < head_bytes) return 0;
  const Shape shape{
      .row_count = data[0] + (std::size_t{data[1]} << 8U) + (std::size_t{data[2]} << 20U),
      .component_count = 1 + data[3] % most_components,
      .bits = least_bits + data[4] % (most_bits - least_bits + 1)};
  const auto bytes = std::as_bytes(std::span(data, size).subspan(head_bytes));
  decode(bytes, shape, codec_of(data[5]), predictor_of(data[5]));
  quantize_any(bytes, shape.bits);
  return 0;
}
