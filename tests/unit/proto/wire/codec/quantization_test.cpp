// SPDX-License-Identifier: Apache-2.0
// What a viewer would lose: where things are. Oracle: the bound that the header states, evaluated
// in extended precision.
#include "proto/wire/codec/quantization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace sluice::codec {
namespace {

using Long = long double;  // 64 bits of mantissa: differences of near float32 are exact.

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float tiny = std::numeric_limits<float>::denorm_min();
constexpr Box unit_box{.lower = {0, 0, 0}, .upper = {1, 1, 1}};

// The distance of two float32 at `value`, the larger one at powers of two.
Long ulp(float value) {
  const float magnitude = std::abs(value);
  const float above = std::nextafter(magnitude, infinity);
  return std::isfinite(above) ? Long(above) - Long(magnitude)
                              : Long(magnitude) - Long(std::nextafter(magnitude, 0.0F));
}

void expect_within_bound(std::span<const float> values, const Quantization& quantization) {
  const Words words = quantize(values, quantization, {});
  ASSERT_EQ(count(words), values.size());
  std::vector<float> back(values.size());
  dequantize(words, quantization, {}, back);
  const std::size_t components = quantization.origin.size();
  for (std::size_t at = 0; at < values.size(); ++at) {
    const double step = quantization.step[at % components];
    const Long error = Long(back[at]) - Long(values[at]);
    const Long bound = (Long(0.5) + Long(0x1p-26)) * Long(step) + ulp(back[at]) / 2;
    ASSERT_TRUE(std::isfinite(back[at]));
    ASSERT_LE(static_cast<double>(error < 0 ? -error : error), static_cast<double>(bound))
        << "value " << values[at] << " came back as " << back[at] << ", step " << step;
  }
}

std::vector<float> random_floats(int count, double lower, double upper, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(lower, upper);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::ranges::generate(values, [&] { return static_cast<float>(uniform(random)); });
  return values;
}

// Any finite bits.
std::vector<float> any_floats(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values;
  while (std::ssize(values) < count) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value)) {
      values.push_back(value);
    }
  }
  return values;
}

class EveryWidth : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Bits, EveryWidth, testing::Values(8, 9, 12, 15, 16, 17, 20, 23, 24));

TEST_P(EveryWidth, positions_in_the_box_keep_the_bound) {
  const auto values = random_floats(3 * 20'000, 0, 1, 1);
  const auto quantization = quantize_positions(values, unit_box, GetParam());
  ASSERT_TRUE(quantization);
  EXPECT_EQ(quantization->origin, std::vector<double>(3, 0.0));
  EXPECT_EQ(quantization->step, std::vector<double>(3, 1.0 / ((1 << GetParam()) - 1)));
  expect_within_bound(values, *quantization);
}

TEST_P(EveryWidth, corners_of_the_box_are_in_it) {
  // Neither corner is a float32: rounding puts some of these just outside.
  const Box box{.lower = {0.1, -0.7, 1.0 / 3}, .upper = {0.3, 0.9, 2.0 / 3}};
  std::vector<float> values;
  for (int corner = 0; corner < 8; ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_upper = ((corner >> axis) & 1) != 0;
      values.push_back(static_cast<float>(is_upper ? box.upper[axis] : box.lower[axis]));
    }
  }
  const auto quantization = quantize_positions(values, box, GetParam());
  ASSERT_TRUE(quantization);
  EXPECT_EQ(quantization->origin[0], 0.1) << "the box was not doubled";
  expect_within_bound(values, *quantization);
}

TEST_P(EveryWidth, box_doubles_until_all_is_in) {
  for (const float far : {1.01F, -0.01F, 1.5F, 2.F, -7.F, 1e6F, -1e30F, 1e38F}) {
    std::vector<float> values = random_floats(3 * 100, 0, 1, 2);
    values[7] = far;
    const auto quantization = quantize_positions(values, unit_box, GetParam());
    ASSERT_TRUE(quantization) << far;
    const double doublings = std::log2(quantization->step[1] * ((1 << GetParam()) - 1));
    EXPECT_EQ(quantization->step[0], 1.0 / ((1 << GetParam()) - 1)) << "the other axes stay";
    EXPECT_EQ(doublings, std::round(doublings)) << far;
    const double distance = std::abs(static_cast<double>(far) - 0.5) / 0.5;
    EXPECT_NEAR(doublings, std::ceil(std::log2(distance)), 1e-9) << far;
    expect_within_bound(values, *quantization);
  }
}

TEST_P(EveryWidth, domain_far_from_the_origin) {
  for (const double centre : {1e3, -1e5, 1e7, 1e15, -1e30}) {
    const double half = std::max(1.0, std::abs(centre) * 1e-6);
    const Box box{.lower = {centre - half, centre - half, centre - half},
                  .upper = {centre + half, centre + half, centre + half}};
    const auto values = random_floats(3 * 2'000, centre - half, centre + half, 3);
    const auto quantization = quantize_positions(values, box, GetParam());
    ASSERT_TRUE(quantization);
    expect_within_bound(values, *quantization);
  }
}

TEST_P(EveryWidth, boxes_of_any_size_and_place) {
  std::mt19937 random(11);
  int held = 0;
  const auto is_huge = [](float value) { return std::abs(value) > largest / 8; };
  for (unsigned trial = 0; trial < 300; ++trial) {
    const auto shift = static_cast<int>(random() % 40);
    auto corners = any_floats(6, static_cast<unsigned>(random()));
    for (float& corner : corners) {
      corner = std::ldexp(corner, -shift);
    }
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = std::min(corners[2 * axis], corners[2 * axis + 1]);
      box.upper[axis] = std::max(corners[2 * axis], corners[2 * axis + 1]);
      if (box.upper[axis] == box.lower[axis]) {
        box.upper[axis] = box.lower[axis] + 1;
      }
    }
    auto values = any_floats(3 * 50, static_cast<unsigned>(random()));
    for (float& value : values) {
      value = std::ldexp(value, -shift);
    }
    if (const auto quantization = quantize_positions(values, box, GetParam())) {
      expect_within_bound(values, *quantization);
      ++held;
    } else {
      EXPECT_TRUE(std::ranges::any_of(values, is_huge) || std::ranges::any_of(corners, is_huge));
    }
  }
  EXPECT_GT(held, 100);
}

TEST_P(EveryWidth, fields_keep_the_bound_and_their_zeros) {
  std::vector<std::vector<float>> fields{
      random_floats(3 * 5'000, -3, 3, 4),
      {0, 0, 0, 1, -1, 0.5F},
      {tiny, -tiny, 3 * tiny},
      {largest / 4, -largest / 4, 0},
      std::vector<float>(300, 0.0F),
      std::vector<float>(300, -0.37F),
      {std::nextafter(4.0F, 0.0F), 4.0F, std::nextafter(4.0F, 5.0F)},
      {}};
  for (std::vector<float>& field : fields) {
    field.insert(field.end(), 3, 0.0F);
    for (const int components : {1, 3}) {
      const auto quantization = quantize_field(field, components, GetParam());
      ASSERT_TRUE(quantization);
      ASSERT_EQ(quantization->component_count(), components);
      expect_within_bound(field, *quantization);
      const Words words = quantize(field, *quantization, {});
      std::vector<float> back(field.size());
      dequantize(words, *quantization, {}, back);
      EXPECT_EQ(back.back(), 0.0F) << "what rests, rests";
      int exponent = 0;
      EXPECT_EQ(std::frexp(quantization->step[0], &exponent), 0.5) << "a power of two";
    }
  }
}

TEST(Quantization, range_of_a_field_is_the_smallest_power_of_two) {
  const auto step_of = [](std::vector<float> values, int components) {
    return quantize_field(values, components, 16)->step[0];
  };
  EXPECT_EQ(step_of({0, 3, 1}, 3), 8.0 / 65536) << "[-4, 4)";
  EXPECT_EQ(step_of({0, 3, 1}, 1), 4.0 / 65536) << "[0, 4)";
  EXPECT_EQ(step_of({0, -3, 1}, 1), 8.0 / 65536) << "[-4, 4)";
  EXPECT_EQ(step_of({0, 4, 1}, 1), 8.0 / 65536) << "4 is not in [0, 4)";
  EXPECT_EQ(step_of({0, 0, 0}, 1), 1.0 / 65536);
}

TEST(Quantization, refuses_what_is_not_finite_or_might_not_come_back_so) {
  for (const float bad : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    const std::vector<float> values{0, 0.5F, 1, 0, bad, 1};
    EXPECT_FALSE(quantize_positions(values, unit_box, 16));
    EXPECT_FALSE(quantize_field(values, 3, 16));
  }
  const double far = std::numeric_limits<double>::max();
  const Box everything{.lower = {-far, -far, -far}, .upper = {far, far, far}};
  EXPECT_FALSE(quantize_positions(std::vector<float>{1, 2, 3}, everything, 16));
  EXPECT_FALSE(quantize_positions(std::vector<float>{1, 2, largest}, unit_box, 16));
  EXPECT_FALSE(quantize_field(std::vector<float>{1, 2, -largest}, 3, 16));
}

TEST(Quantization, takes_arrays_of_none_and_of_one) {
  EXPECT_TRUE(quantize_positions({}, unit_box, 16));
  EXPECT_TRUE(quantize_field({}, 1, 16));
  const std::vector<float> one{0.25F, 0.5F, 0.75F};
  expect_within_bound(one, *quantize_positions(one, bounds(one), 16));
  expect_within_bound(one, *quantize_positions(one, unit_box, 16));
}

TEST(Quantization, bounds_are_a_box_for_any_positions) {
  const std::vector<std::vector<float>> cases{{},
                                              {1, 2, 3},
                                              {1, 2, 3, 1, 5, 3},
                                              {1e30F, 1e30F, 1e30F},
                                              {infinity, 1, 2, 0, 1, 2},
                                              {largest, largest, largest, -largest, 0, 0}};
  for (const std::vector<float>& positions : cases) {
    const Box box = bounds(positions);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_LT(box.lower[axis], box.upper[axis]);
      for (std::size_t at = axis; at < positions.size(); at += 3) {
        EXPECT_TRUE(!std::isfinite(positions[at]) ||
                    (positions[at] >= box.lower[axis] && positions[at] <= box.upper[axis]));
      }
    }
  }
}

TEST(Quantization, order_says_which_row_comes_where) {
  const std::vector<float> values{0, 0, 0, 0.25F, 0.25F, 0.25F, 1, 1, 1};
  const auto quantization = *quantize_positions(values, unit_box, 16);
  const std::vector<std::int32_t> order{2, 0, 1};
  const Words words = quantize(values, quantization, order);
  EXPECT_EQ(std::get<0>(words)[0], 65535);
  EXPECT_EQ(std::get<0>(words)[3], 0);
  std::vector<float> back(values.size());
  dequantize(words, quantization, order, back);
  EXPECT_EQ(back[0], 0.0F);
  EXPECT_EQ(back[8], 1.0F);
}

}  // namespace
}  // namespace sluice::codec
