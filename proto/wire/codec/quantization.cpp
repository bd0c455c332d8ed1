// SPDX-License-Identifier: Apache-2.0
#include "proto/wire/codec/quantization.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

#include "proto/wire/codec/component_count.h"

namespace sluice::codec {
namespace {

// Numbers are looked at side by side, some rows at a time: a lane has every so many of them, all of
// one component.
constexpr std::size_t usual_lanes = 12;  // Whole rows of 1, 2, 3 and 4, and whole registers.
constexpr std::size_t most_lanes = std::max<std::size_t>(usual_lanes, most_components);

// Calls visit(place, lane) for each of `size` numbers.
template <typename Visit>
void for_each_number(std::size_t size, std::size_t component_count, const Visit& visit) {
  const auto in_lanes = [&](auto lane_count) {
    std::size_t at = 0;
    for (; at + lane_count <= size; at += lane_count) {
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        visit(at + lane, lane);
      }
    }
    for (std::size_t lane = 0; at < size; ++at, ++lane) {
      visit(at, lane);
    }
  };
  if (usual_lanes % component_count == 0) {
    in_lanes(std::integral_constant<std::size_t, usual_lanes>());
  } else {
    in_lanes(component_count);
  }
}

// The values of a row, for each lane.
std::array<double, most_lanes> repeat(const std::vector<double>& row) {
  std::array<double, most_lanes> lanes{};
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane] = row[lane % row.size()];
  }
  return lanes;
}

// An integer that grows with a number, from the negative NaN over -infinity and infinity to the
// positive NaN: of integers the machine finds the smallest side by side, and NaN is no exception.
std::int32_t rank_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7FFF'FFFF);
}

float with_rank(std::int32_t rank) {
  return std::bit_cast<float>(rank ^ ((rank >> 31) & 0x7FFF'FFFF));
}

// The smallest and the largest number of each component.
struct Extremes {
  std::vector<float> least;
  std::vector<float> most;
};

// Nothing if a number is not finite. Pre: there are numbers.
std::optional<Extremes> extremes_of(std::span<const float> values, std::size_t component_count) {
  std::array<std::int32_t, most_lanes> least{};
  std::array<std::int32_t, most_lanes> most{};
  least.fill(std::numeric_limits<std::int32_t>::max());
  most.fill(std::numeric_limits<std::int32_t>::min());
  for_each_number(values.size(), component_count, [&](std::size_t at, std::size_t lane) {
    const std::int32_t rank = rank_of(values[at]);
    least[lane] = std::min(least[lane], rank);
    most[lane] = std::max(most[lane], rank);
  });
  Extremes extremes;
  for (std::size_t component = 0; component < component_count; ++component) {
    for (std::size_t lane = component + component_count; lane < most_lanes;
         lane += component_count) {
      least[component] = std::min(least[component], least[lane]);
      most[component] = std::max(most[component], most[lane]);
    }
    extremes.least.push_back(with_rank(least[component]));
    extremes.most.push_back(with_rank(most[component]));
    if (!std::isfinite(extremes.least.back()) || !std::isfinite(extremes.most.back())) {
      return std::nullopt;
    }
  }
  return extremes;
}

double largest_integer(int bits) {
  return static_cast<double>((1U << static_cast<unsigned>(bits)) - 1U);
}

// Whether both ends of a range, and so all that comes back from it, are finite as float32.
bool are_floats(double lower, double upper) {
  constexpr double largest = std::numeric_limits<float>::max();
  return std::abs(lower) <= largest && std::abs(upper) <= largest;
}

// Whether numbers in [least, most] are at most half a step outside of what the integers stand for,
// or are its ends, rounded: then the last integers come back as those very numbers.
bool fits(float least, float most, double origin, double step, int bits) {
  const double end = origin + step * largest_integer(bits);
  return ((least - origin) / step >= -0.5 || least >= static_cast<float>(origin)) &&
         ((most - origin) / step <= largest_integer(bits) + 0.5 || most <= static_cast<float>(end));
}

struct Interval {
  double origin;
  double step;
};

// [lower, upper], doubled about its centre until the numbers in [least, most] fit.
std::optional<Interval> widen(double lower, double upper, float least, float most, int bits) {
  const double given = upper - lower;
  const double centre = lower / 2 + upper / 2;
  for (double extent = given;; extent *= 2) {
    const double origin = extent == given ? lower : centre - extent / 2;
    const double step = extent / largest_integer(bits);
    if (!are_floats(origin, origin + step * largest_integer(bits))) {
      return std::nullopt;
    }
    if (step >= std::numeric_limits<double>::min() && fits(least, most, origin, step, bits)) {
      return Interval{origin, step};
    }
  }
}

template <typename Word>
std::vector<Word> quantize_as(std::span<const float> values, const Quantization& quantization) {
  const double most = largest_integer(quantization.bits);
  const auto origin = repeat(quantization.origin);
  auto per_step = repeat(quantization.step);
  for (double& lane : per_step) {
    lane = 1.0 / lane;
  }
  std::vector<Word> words(values.size());
  for_each_number(values.size(), quantization.origin.size(), [&](std::size_t at, std::size_t lane) {
    const double exact = (static_cast<double>(values[at]) - origin[lane]) * per_step[lane];
    // By way of int: there is an instruction for that.
    words[at] = static_cast<Word>(static_cast<std::int32_t>(std::clamp(exact + 0.5, 0.0, most)));
  });
  return words;
}

// Row i of the answer is row order[i].
template <typename Word>
std::vector<Word> reorder(const std::vector<Word>& words, std::span<const std::int32_t> order,
                          int component_count) {
  std::vector<Word> reordered(words.size());
  with_component_count(component_count, [&](auto components) {
    for (std::size_t row = 0; row < order.size(); ++row) {
      std::copy_n(words.data() + static_cast<std::size_t>(order[row]) * components,
                  std::size_t{components}, reordered.data() + row * components);
    }
  });
  return reordered;
}

}  // namespace

std::size_t count(const Words& words) {
  return std::visit([](const auto& each) { return each.size(); }, words);
}

Box bounds(std::span<const float> positions) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box box{.lower = {infinity, infinity, infinity}, .upper = {-infinity, -infinity, -infinity}};
  for (std::size_t at = 0; at < positions.size(); ++at) {
    const double value = positions[at];
    if (std::isfinite(value)) {
      box.lower[at % axes] = std::min(box.lower[at % axes], value);
      box.upper[at % axes] = std::max(box.upper[at % axes], value);
    }
  }
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
  std::optional<Extremes> extremes;
  if (positions.empty()) {
    // One row at a corner asks for nothing that an empty array does not.
    extremes.emplace();
    std::ranges::transform(box.lower, std::back_inserter(extremes->least),
                           [](double value) { return static_cast<float>(value); });
    extremes->most = extremes->least;
  } else {
    extremes = extremes_of(positions, axes);
  }
  if (!extremes) {
    return std::nullopt;
  }
  Quantization quantization{.origin = {}, .step = {}, .bits = bits};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto interval =
        widen(box.lower[axis], box.upper[axis], extremes->least[axis], extremes->most[axis], bits);
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
  float least = 0;
  float most = 0;
  if (!values.empty()) {
    const auto extremes = extremes_of(values, static_cast<std::size_t>(component_count));
    if (!extremes) {
      return std::nullopt;
    }
    least = std::min(least, std::ranges::min(extremes->least));
    most = std::max(most, std::ranges::max(extremes->most));
  }
  const bool has_sign = component_count > 1 || least < 0;
  const float largest = std::max(most, -least);
  // 2^exponent > largest >= 2^(exponent - 1).
  int exponent = 0;
  if (largest > 0) {
    (void)std::frexp(largest, &exponent);
  }
  for (;; ++exponent) {
    const double size = std::ldexp(1.0, exponent);
    const double origin = has_sign ? -size : 0.0;
    const double step = std::ldexp(has_sign ? 2 * size : size, -bits);
    if (!are_floats(origin, size)) {
      return std::nullopt;
    }
    if (fits(has_sign ? -largest : 0.0F, largest, origin, step, bits)) {
      const auto components = static_cast<std::size_t>(component_count);
      return Quantization{.origin = std::vector(components, origin),
                          .step = std::vector(components, step),
                          .bits = bits};
    }
  }
}

Words quantize(std::span<const float> values, const Quantization& quantization,
               std::span<const std::int32_t> order) {
  const auto quantize_to = [&]<typename Word>(Word /*kind*/) -> Words {
    std::vector<Word> words = quantize_as<Word>(values, quantization);
    return order.empty() ? std::move(words) : reorder(words, order, quantization.component_count());
  };
  return bytes_of_word(quantization.bits) == sizeof(std::uint16_t) ? quantize_to(std::uint16_t{})
                                                                   : quantize_to(std::uint32_t{});
}

void dequantize(const Words& words, const Quantization& quantization,
                std::span<const std::int32_t> order, std::span<float> out) {
  assert(out.size() == count(words));
  const auto origin = repeat(quantization.origin);
  const auto step = repeat(quantization.step);
  std::visit(
      [&](const auto& from) {
        with_component_count(quantization.component_count(), [&](auto components) {
          const std::size_t rows = out.size() / components;
          for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t to = order.empty() ? row : static_cast<std::size_t>(order[row]);
            for (std::size_t c = 0; c < components; ++c) {
              out[to * components + c] =
                  static_cast<float>(origin[c] + step[c] * from[row * components + c]);
            }
          }
        });
      },
      words);
}

}  // namespace sluice::codec
