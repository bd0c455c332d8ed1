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

inline constexpr std::size_t axes = 3;  ///< Of a position.

inline constexpr int least_bits = 8;
inline constexpr int most_bits = 24;
inline constexpr int most_components = 16;  ///< Limit of numbers in a row.

/// An axis-aligned box. [m]
struct Box {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};

  friend auto operator<=>(const Box&, const Box&) = default;
};

/// The meaning of quantised integers: component c of a row is origin[c] + step[c] q, with q in
/// [0, 2^bits - 1]. The same as sluice.v1.Quantization.
struct Quantization {
  std::vector<double> origin;  ///< One value for each component, in the field's unit.
  std::vector<double> step;    ///< One value for each component, in the field's unit; above 0.
  int bits = 16;               ///< In [least_bits, most_bits].

  [[nodiscard]] int component_count() const { return static_cast<int>(origin.size()); }
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// Quantised integers, row by row: of 2 bytes each for up to 16 bits, else of 4 bytes.
using Words = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

[[nodiscard]] inline std::size_t bytes_of_word(int bits) { return bits <= 16 ? 2 : 4; }
[[nodiscard]] std::size_t count(const Words& words);

/// Returns the smallest box around `positions` (3 numbers a row); numbers that are not finite are
/// left out. An axis along which the box has no extent, or no number is finite, gets an extent.
[[nodiscard]] Box bounds(std::span<const float> positions);

/// Returns the quantisation of `positions` (3 numbers a row): over `box`, doubled along each axis
/// about its centre until all positions fit. Nothing if a position is not finite, or if the box
/// would leave the range of float32.
///
/// Depends on its arguments only, so a frame is quantised in the same way for every stream.
/// Pre: box.upper > box.lower, finite; bits in range.
[[nodiscard]] std::optional<Quantization> quantize_positions(std::span<const float> positions,
                                                             const Box& box, int bits);

/// Returns the quantisation of a field's `values`: all components over [-s, s), or over [0, s) if
/// there is one component and no value is negative. s is the smallest power of two for which all
/// fit, or 1 if all are 0; so every step is a power of two, and 0 is exact. Nothing if a value is
/// not finite, or if s would leave the range of float32.
[[nodiscard]] std::optional<Quantization> quantize_field(std::span<const float> values,
                                                         int component_count, int bits);

/// Quantises `values`: row i of the result is row order[i] of `values`, or row i if `order` is
/// empty. Pre: one of the functions above returned `quantization` for these values.
///
/// Error: a number comes back as x' with |x' - x| <= (1/2 + 2^-26) step + ulp(x') / 2, where ulp is
/// the distance between two float32 at x': half a step, and the rounding of a float32.
[[nodiscard]] Words quantize(std::span<const float> values, const Quantization& quantization,
                             std::span<const std::int32_t> order);

/// Writes the numbers that `words` stand for into `out`, rounded to the nearest float32: row i into
/// row order[i], or row i if `order` is empty. Pre: sizes agree, `order` is a permutation.
void dequantize(const Words& words, const Quantization& quantization,
                std::span<const std::int32_t> order, std::span<float> out);

}  // namespace sluice::codec
