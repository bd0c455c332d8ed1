// SPDX-License-Identifier: Apache-2.0
#include "server/codec/quantization.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace sluice::codec {
namespace {

constexpr std::size_t axes = 3;

// The largest magnitude, or nothing if a value is not finite.
std::optional<float> largest_magnitude(std::span<const float> values) {
  // Bits of a float without its sign grow with its magnitude; so do those of infinity and NaN.
  std::uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7FFF'FFFFU);
  }
  const auto magnitude = std::bit_cast<float>(largest);
  return std::isfinite(magnitude) ? std::optional(magnitude) : std::nullopt;
}

// The smallest box around the rows that are finite; upside down where there is none.
Box range_of(std::span<const float> positions) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box range{.lower = {infinity, infinity, infinity}, .upper = {-infinity, -infinity, -infinity}};
  for (std::size_t at = 0; at < positions.size(); at += axes) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const double value = positions[at + axis];
      range.lower[axis] = std::min(range.lower[axis], std::isfinite(value) ? value : infinity);
      range.upper[axis] = std::max(range.upper[axis], std::isfinite(value) ? value : -infinity);
    }
  }
  return range;
}

double largest_integer(int bits) {
  return static_cast<double>((1U << static_cast<unsigned>(bits)) - 1U);
}

// Whether both ends of a range, and so all that comes back from it, are finite as float32.
bool are_floats(double lower, double upper) {
  constexpr double largest = std::numeric_limits<float>::max();
  return std::abs(lower) <= largest && std::abs(upper) <= largest;
}

// Whether float32 numbers in [lower, upper] are at most half a step outside of what the integers
// stand for, or are its ends, rounded: then the last integers come back as those very numbers.
bool fits(double lower, double upper, double origin, double step, int bits) {
  const double end = origin + step * largest_integer(bits);
  return ((lower - origin) / step >= -0.5 || lower >= static_cast<float>(origin)) &&
         ((upper - origin) / step <= largest_integer(bits) + 0.5 ||
          upper <= static_cast<float>(end));
}

struct Interval {
  double origin;
  double step;
};

// [lower, upper], doubled about its centre until the numbers in [least, most] fit; there are none
// where least > most.
std::optional<Interval> widen(double lower, double upper, double least, double most, int bits) {
  const double given = upper - lower;
  const double centre = lower / 2 + upper / 2;
  for (double extent = given;; extent *= 2) {
    const double origin = extent == given ? lower : centre - extent / 2;
    const double step = extent / largest_integer(bits);
    if (!are_floats(origin, origin + step * largest_integer(bits))) {
      return std::nullopt;
    }
    if (step >= std::numeric_limits<double>::min() &&
        (least > most || fits(least, most, origin, step, bits))) {
      return Interval{origin, step};
    }
  }
}

template <typename Word>
std::vector<Word> quantize_as(std::span<const float> values, const Quantization& quantization,
                              std::span<const std::int32_t> order) {
  const std::size_t components = quantization.origin.size();
  const std::size_t rows = values.size() / components;
  const double most = largest_integer(quantization.bits);
  std::vector<double> per_step(components);
  for (std::size_t c = 0; c < components; ++c) {
    per_step[c] = 1.0 / quantization.step[c];
  }
  std::vector<Word> words(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t from = order.empty() ? row : static_cast<std::size_t>(order[row]);
    for (std::size_t c = 0; c < components; ++c) {
      const double exact =
          (static_cast<double>(values[from * components + c]) - quantization.origin[c]) *
          per_step[c];
      words[row * components + c] = static_cast<Word>(std::clamp(exact + 0.5, 0.0, most));
    }
  }
  return words;
}

}  // namespace

std::size_t count(const Words& words) {
  return std::visit([](const auto& each) { return each.size(); }, words);
}

Box bounds(std::span<const float> positions) {
  Box box = range_of(positions);
  double longest = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    longest = std::max(longest, box.upper[axis] - box.lower[axis]);
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (box.upper[axis] > box.lower[axis]) {
      continue;
    }
    const double centre = box.upper[axis] == box.lower[axis] ? box.lower[axis] : 0.0;
    // So wide that it is not lost beside the centre.
    const double half = std::max(longest > 0 ? longest / 2 : 0.5, std::abs(centre) * 0x1p-24);
    box.lower[axis] = centre - half;
    box.upper[axis] = centre + half;
  }
  return box;
}

std::optional<Quantization> quantize_positions(std::span<const float> positions, const Box& box,
                                               int bits) {
  assert(bits >= least_bits && bits <= most_bits && positions.size() % axes == 0);
  if (!largest_magnitude(positions)) {
    return std::nullopt;
  }
  const Box range = range_of(positions);
  Quantization quantization{.origin = {}, .step = {}, .bits = bits};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto interval =
        widen(box.lower[axis], box.upper[axis], range.lower[axis], range.upper[axis], bits);
    if (!interval) {
      return std::nullopt;
    }
    quantization.origin.push_back(interval->origin);
    quantization.step.push_back(interval->step);
  }
  return quantization;
}

std::optional<Quantization> quantize_field(std::span<const float> values, int component_count,
                                           int bits) {
  assert(bits >= least_bits && bits <= most_bits && component_count >= 1);
  const auto magnitude = largest_magnitude(values);
  if (!magnitude) {
    return std::nullopt;
  }
  const bool has_sign =
      component_count > 1 || std::ranges::any_of(values, [](float value) { return value < 0; });
  // 2^exponent > magnitude >= 2^(exponent - 1).
  int exponent = 0;
  if (*magnitude > 0) {
    (void)std::frexp(*magnitude, &exponent);
  }
  const double largest = *magnitude;
  for (;; ++exponent) {
    const double size = std::ldexp(1.0, exponent);
    const double origin = has_sign ? -size : 0.0;
    const double step = std::ldexp(has_sign ? 2 * size : size, -bits);
    if (!are_floats(origin, size)) {
      return std::nullopt;
    }
    if (fits(has_sign ? -largest : 0.0, largest, origin, step, bits)) {
      const auto components = static_cast<std::size_t>(component_count);
      return Quantization{.origin = std::vector(components, origin),
                          .step = std::vector(components, step),
                          .bits = bits};
    }
  }
}

Words quantize(std::span<const float> values, const Quantization& quantization,
               std::span<const std::int32_t> order) {
  if (bytes_of_word(quantization.bits) == sizeof(std::uint16_t)) {
    return quantize_as<std::uint16_t>(values, quantization, order);
  }
  return quantize_as<std::uint32_t>(values, quantization, order);
}

void dequantize(const Words& words, const Quantization& quantization,
                std::span<const std::int32_t> order, std::span<float> out) {
  assert(out.size() == count(words));
  const std::size_t components = quantization.origin.size();
  const std::size_t rows = out.size() / components;
  std::visit(
      [&](const auto& from) {
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t to = order.empty() ? row : static_cast<std::size_t>(order[row]);
          for (std::size_t c = 0; c < components; ++c) {
            out[to * components + c] = static_cast<float>(
                quantization.origin[c] + quantization.step[c] * from[row * components + c]);
          }
        }
      },
      words);
}

}  // namespace sluice::codec
