// SPDX-License-Identifier: Apache-2.0
// What a viewer would lose: a number. Every codec, predictor, width and shape gives back the very
// integers, and bytes that are not of a codec are refused.
#include "proto/wire/codec/array_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sluice::codec {
namespace {

struct Case {
  std::size_t rows;
  int components;
  int bits;
};

Words make_words(const Case& shape, unsigned seed, bool smooth) {
  std::mt19937 random(seed);
  const std::size_t size = shape.rows * static_cast<std::size_t>(shape.components);
  const std::uint32_t mask = (1U << static_cast<unsigned>(shape.bits)) - 1U;
  std::vector<std::uint32_t> values(size);
  std::uint32_t walk = static_cast<std::uint32_t>(random());
  std::ranges::generate(values, [&] {
    walk += static_cast<std::uint32_t>(random() % 200U);
    return (smooth ? walk : static_cast<std::uint32_t>(random())) & mask;
  });
  if (bytes_of_word(shape.bits) == 2) {
    return std::vector<std::uint16_t>(values.begin(), values.end());
  }
  return values;
}

constexpr ByteCodec codecs[] = {ByteCodec::planes_zstd, ByteCodec::meshopt};
constexpr Predictor predictors[] = {Predictor::none, Predictor::previous, Predictor::linear};

TEST(ArrayCodec, gives_back_the_integers) {
  for (const std::size_t rows : {0UL, 1UL, 2UL, 15UL, 16UL, 17UL, 255UL, 256UL, 257UL, 5000UL}) {
    for (const int components : {1, 2, 3, 4, 9}) {
      for (const int bits : {8, 16, 17, 24}) {
        for (const bool smooth : {false, true}) {
          const Case shape{rows, components, bits};
          const Words words = make_words(shape, 1, smooth);
          const Words previous = make_words(shape, 2, smooth);
          const Words before = make_words(shape, 3, smooth);
          const History history{&previous, &before};
          for (const ByteCodec codec : codecs) {
            for (const Predictor predictor : predictors) {
              const auto bytes = encode_array(words, components, codec, predictor, history);
              const auto back =
                  decode_array(bytes, {rows, components, bits}, codec, predictor, history);
              ASSERT_TRUE(back);
              ASSERT_EQ(*back, words);
              ASSERT_EQ(rows == 0, bytes.empty());
            }
          }
        }
      }
    }
  }
}

// 2 000 rows that move evenly: a parabola in time, which LINEAR leaves a constant of.
TEST(ArrayCodec, predicts_what_moves_evenly) {
  const auto at = [](std::uint16_t time) {
    std::mt19937 random(7);
    std::vector<std::uint16_t> words(std::size_t{3} * 2000);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t moved = time * (i % 97 + time);
      words[i] = static_cast<std::uint16_t>(random() + moved);
    }
    return Words(words);
  };
  const Words words = at(9);
  const Words previous = at(8);
  const Words before = at(7);
  EXPECT_EQ(choose_predictor(words, 3, {}), Predictor::none);
  EXPECT_EQ(choose_predictor(words, 3, {&previous, nullptr}), Predictor::previous);
  EXPECT_EQ(choose_predictor(words, 3, {&previous, &before}), Predictor::linear);
  EXPECT_EQ(choose_predictor(words, 3, {&words, &words}), Predictor::previous) << "it rests";
  for (const ByteCodec codec : codecs) {
    const History history{&previous, &before};
    EXPECT_LT(encode_array(words, 3, codec, Predictor::linear, history).size(), 400U);
    EXPECT_GT(encode_array(words, 3, codec, Predictor::none, history).size(), 6000U);
  }
}

TEST(ArrayCodec, is_the_same_every_time) {
  const Words words = make_words({5000, 3, 16}, 1, true);
  for (const ByteCodec codec : codecs) {
    EXPECT_EQ(encode_array(words, 3, codec, Predictor::none, {}),
              encode_array(words, 3, codec, Predictor::none, {}));
  }
}

TEST(ArrayCodec, refuses_a_history_that_does_not_fit) {
  const Case shape{100, 3, 16};
  const Words words = make_words(shape, 1, true);
  const Words wider = make_words({100, 3, 20}, 2, true);
  const Words shorter = make_words({99, 3, 16}, 2, true);
  for (const ByteCodec codec : codecs) {
    const auto bytes = encode_array(words, 3, codec, Predictor::previous, {&words, nullptr});
    const auto decode = [&](Predictor predictor, History history) {
      return decode_array(bytes, {100, 3, 16}, codec, predictor, history).has_value();
    };
    EXPECT_TRUE(decode(Predictor::previous, {&words, nullptr}));
    EXPECT_FALSE(decode(Predictor::previous, {}));
    EXPECT_FALSE(decode(Predictor::previous, {&wider, nullptr}));
    EXPECT_FALSE(decode(Predictor::previous, {&shorter, nullptr}));
    EXPECT_FALSE(decode(Predictor::linear, {&words, nullptr}));
    EXPECT_FALSE(decode(Predictor::linear, {&words, &wider}));
  }
}

// Cut anywhere, or of another shape: refused. A flipped bit may go unnoticed (the chunks' CRC32C is
// there for that) and must do no harm.
TEST(ArrayCodec, refuses_other_bytes) {
  std::mt19937 random(5);
  const Words words = make_words({1000, 3, 16}, 1, true);
  for (const ByteCodec codec : codecs) {
    const auto bytes = encode_array(words, 3, codec, Predictor::none, {});
    const auto decode = [&](std::span<const std::byte> some, const Shape& shape) {
      return decode_array(some, shape, codec, Predictor::none, {}).has_value();
    };
    const Shape shape{1000, 3, 16};
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
      EXPECT_FALSE(decode(std::span(bytes).first(size), shape)) << size;
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode(longer, shape));
    for (const Shape& other : {Shape{900, 3, 16}, Shape{1100, 3, 16}, Shape{1000, 3, 24},
                               Shape{0, 3, 16}, Shape{std::size_t{1} << 40, 3, 16}}) {
      EXPECT_FALSE(decode(bytes, other)) << other.row_count;
    }
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<std::byte> flipped = bytes;
      flipped[random() % flipped.size()] ^= static_cast<std::byte>(1U << random() % 8);
      (void)decode(flipped, shape);
    }
  }
}

}  // namespace
}  // namespace sluice::codec
