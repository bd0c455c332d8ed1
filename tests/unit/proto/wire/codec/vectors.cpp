// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "proto/wire/codec/array_codec.h"
#include "proto/wire/crc32c.h"

namespace sluice::codec {
namespace {

constexpr Box box{.lower = {-1, 0, 10.5}, .upper = {1, 0.4, 11.5}};

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string hex(const Words& words) {
  return std::visit([](const auto& each) { return hex(std::as_bytes(std::span(each))); }, words);
}

// Three frames of the same rows, newest first.
using Frames = std::array<std::vector<float>, 3>;

// Rows that fall and swing, in the box. Plain arithmetic, for libm may round otherwise elsewhere.
Frames moving_rows(int row_count) {
  Frames frames;
  for (std::size_t age = 0; age < frames.size(); ++age) {
    const double t = 1.0 - 0.02 * static_cast<double>(age);
    for (int row = 0; row < row_count; ++row) {
      const double u = static_cast<double>(row % 64) / 64 - 0.5;
      frames[age].push_back(static_cast<float>(0.9 * (1 - 3 * u * u) * (1 - 0.3 * t)));
      frames[age].push_back(static_cast<float>(0.2 + 0.3 * u * t * t));
      frames[age].push_back(static_cast<float>(11.4 - 0.25 * t * t * (1 + row % 3)));
    }
  }
  return frames;
}

// Any values of the box: residuals of every size.
Frames scattered_rows(int row_count, unsigned seed) {
  std::mt19937 random(seed);
  Frames frames;
  for (std::vector<float>& values : frames) {
    for (int i = 0; i < 3 * row_count; ++i) {
      const auto axis = static_cast<std::size_t>(i % 3);
      const double share = static_cast<double>(random() % 65536U) / 65535;
      values.push_back(
          static_cast<float>(box.lower[axis] + share * (box.upper[axis] - box.lower[axis])));
    }
  }
  return frames;
}

// One number a row: both ends of its range, zeros, the tiniest.
Frames scalars() {
  const float tiny = std::numeric_limits<float>::denorm_min();
  return {{{0, 1, 0.5F, 3.999F, 0, tiny, 2, 2, 2, 2, 2, 0.25F, 3, 1, 0, 0, 0.125F},
           {3.999F, 0, 0.5F, 0, 0, tiny, 2, 2, 2, 2, 2, 0.5F, 1, 2, 0, 0, 0.25F},
           {0, 3.999F, 0, 1, 0, tiny, 2, 2, 2, 2, 2, 0.75F, 2, 1, 0, 0, 0.375F}}};
}

std::string coding(ByteCodec codec, Predictor predictor, std::span<const std::byte> bytes) {
  return fmt::format(R"(      {{"codec": {}, "predictor": {}, "crc32c": {}, "bytes": "{}"}})",
                     static_cast<int>(codec), static_cast<int>(predictor), wire::crc32c(bytes),
                     hex(bytes));
}

std::string vector(const std::string& name, const Frames& frames, int components, int bits) {
  const auto quantization = components == 3 ? quantize_positions(frames[0], box, bits)
                                            : quantize_field(frames[0], components, bits);
  std::array<Words, 3> words;
  for (std::size_t age = 0; age < 3; ++age) {
    words[age] = quantize(frames[age], *quantization, {});
  }
  std::vector<float> values(frames[0].size());
  dequantize(words[0], *quantization, {}, values);
  const History history{&words[1], &words[2]};
  std::vector<std::string> codings;
  for (const ByteCodec codec : {ByteCodec::planes_zstd, ByteCodec::meshopt}) {
    for (const Predictor predictor : {Predictor::none, Predictor::previous, Predictor::linear}) {
      codings.push_back(
          coding(codec, predictor, encode_array(words[0], components, codec, predictor, history)));
    }
  }
  return fmt::format(
      "  {{\"name\": \"{}\", \"count\": {}, \"component_count\": {}, \"bits\": {},\n"
      "    \"origin\": [{}], \"step\": [{}],\n"
      "    \"words\": \"{}\",\n    \"previous\": \"{}\",\n    \"before\": \"{}\",\n"
      "    \"values\": \"{}\",\n    \"codings\": [\n{}\n    ]}}",
      name, frames[0].size() / static_cast<std::size_t>(components), components, bits,
      fmt::join(quantization->origin, ", "), fmt::join(quantization->step, ", "), hex(words[0]),
      hex(words[1]), hex(words[2]), hex(std::as_bytes(std::span(values))),
      fmt::join(codings, ",\n"));
}

}  // namespace

std::string make_vectors() {
  const std::vector<std::string> vectors{
      vector("moving rows", moving_rows(200), 3, 16),
      vector("moving rows, wide", moving_rows(70), 3, 24),
      vector("moving rows, narrow", moving_rows(70), 3, 8),
      vector("scattered rows", scattered_rows(90, 1), 3, 16),
      vector("scattered rows, wide", scattered_rows(40, 2), 3, 17),
      vector("one row", moving_rows(1), 3, 16),
      vector("no rows", {}, 3, 16),
      vector("scalars", scalars(), 1, 16),
      vector("scalars, wide", scalars(), 1, 20),
  };
  return fmt::format("[\n{}\n]\n", fmt::join(vectors, ",\n"));
}

}  // namespace sluice::codec
