// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace sluice::codec {

inline constexpr int least_bits = 8;
inline constexpr int most_bits = 24;
inline constexpr int most_components = 16;  ///< Numbers a row.

/// An axis-aligned box. [m]
struct Box {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};

  friend auto operator<=>(const Box&, const Box&) = default;
};

/// What quantised integers mean: component c of a row is origin[c] + step[c] q, with q in
/// [0, 2^bits - 1]. The same as sluice.v1.Quantization.
struct Quantization {
  std::vector<double> origin;  ///< One value a component, in the field's unit.
  std::vector<double> step;    ///< Likewise; above 0.
  int bits = 16;               ///< In [least_bits, most_bits].

  [[nodiscard]] int component_count() const { return static_cast<int>(origin.size()); }
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// Quantised integers, row by row: 2 bytes each up to 16 bits, 4 above.
using Words = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

[[nodiscard]] inline std::size_t bytes_of_word(int bits) { return bits <= 16 ? 2 : 4; }
[[nodiscard]] std::size_t count(const Words& words);

/// The smallest box around `positions` (3 a row), those that are not finite left out. Where it has
/// no extent along an axis, or there is no position, it is given one.
[[nodiscard]] Box bounds(std::span<const float> positions);

/// How to quantise `positions` (3 a row): in `box`, doubled along each axis about its centre as
/// often as it takes for all to fit. Nothing if a position is not finite, or the box were then not
/// in float32.
///
/// A function of its arguments alone, so the same frame is quantised the same way by whichever
/// stream asks first. Pre: box.upper > box.lower, finite; bits in range.
[[nodiscard]] std::optional<Quantization> quantize_positions(std::span<const float> positions,
                                                             const Box& box, int bits);

/// How to quantise `values` of a field: all components in [-s, s), or [0, s) where there is one
/// component and no value is negative, with s the smallest power of two for which all fit; 1 where
/// all are 0. Then every step is a power of two, and 0 is exact. Nothing if a value is not finite,
/// or s were not in float32.
[[nodiscard]] std::optional<Quantization> quantize_field(std::span<const float> values,
                                                         int component_count, int bits);

/// The integers of `values`: row i of the answer is row order[i] of `values`, or i if `order` is
/// empty. `quantization` is of these values, from one of the functions above.
///
/// Error: a number comes back as x' with |x' - x| <= (1/2 + 2^-26) step + ulp(x') / 2, where ulp is
/// the distance of two float32 at x': half a step, and the rounding of a float32.
[[nodiscard]] Words quantize(std::span<const float> values, const Quantization& quantization,
                             std::span<const std::int32_t> order);

/// The numbers that `words` stand for, rounded to the nearest float32; into row order[i] where
/// `order` is not empty. Pre: out.size() == count(words), order a permutation of the rows.
void dequantize(const Words& words, const Quantization& quantization,
                std::span<const std::int32_t> order, std::span<float> out);

}  // namespace sluice::codec
