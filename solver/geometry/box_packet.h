// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "solver/simd/vectors.h"

namespace sluice::geometry {

using simd::Float8;
using simd::Int8;

/// A box whose coordinates went through one non-decreasing function `f` from double to float:
/// lower x, y, z, upper x, lower z, upper x, y, z.
///
/// Such coordinates decide about the doubles without any error bound: f(x) < f(y) implies x < y.
/// Only where f(x) == f(y) the doubles must be asked.
using FloatBox = Float8;
inline constexpr std::size_t upper_lane = 5;  ///< Lane of the upper x; lower x is in lane 0.

/// Eight boxes side by side.
struct alignas(32) BoxPacket {
  static constexpr std::size_t size = 8;

  std::array<Float8, 3> lower, upper;
  Int8 tag;  ///< A number that the user keeps with each box.

  void set(std::size_t lane, const FloatBox& box, std::int32_t lane_tag) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower[axis][lane] = box[axis];
      upper[axis][lane] = box[axis + upper_lane];
    }
    tag[lane] = lane_tag;
  }
};

/// Returns the sign bit of each lane.
template <typename Lanes>
[[nodiscard]] inline std::uint32_t signs(const Lanes& lanes) {
#if defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<const Float8&>(lanes)));
#else
  std::uint32_t bits = 0;
  for (std::size_t lane = 0; lane < BoxPacket::size; ++lane)
    bits |= static_cast<std::uint32_t>(std::signbit(static_cast<float>(lanes[lane]))) << lane;
  return bits;
#endif
}

/// Returns the smaller of each two lanes.
[[nodiscard]] inline Float8 smaller(const Float8& a, const Float8& b) {
#if defined(__AVX2__)
  return _mm256_min_ps(a, b);
#else
  return a < b ? a : b;
#endif
}

namespace detail {
/// By set of lanes, as bits: the lanes in the set, ascending; then zeros.
inline constexpr auto lanes_in_front = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    std::size_t count = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((bits >> lane & 1) != 0) table[bits][count++] = lane;
    }
  }
  return table;
}();
}  // namespace detail

/// Writes the lanes in `bits` next to each other, then anything: eight numbers in all.
inline void store_lanes(const Int8& lanes, std::uint32_t bits, std::int32_t* to) {
#if defined(__AVX2__)
  const auto* const order = reinterpret_cast<const __m128i*>(detail::lanes_in_front[bits].data());
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_permutevar8x32_epi32(reinterpret_cast<const __m256i&>(lanes),
                                                  _mm256_cvtepu8_epi32(_mm_loadl_epi64(order))));
#else
  for (std::size_t i = 0; i < BoxPacket::size; ++i)
    to[i] = lanes[detail::lanes_in_front[bits][i]];
#endif
}

/// A box to test against packets.
class PacketQuery {
 public:
  explicit PacketQuery(const FloatBox& box) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower_[axis] = Float8{} + box[axis];
      upper_[axis] = Float8{} + box[axis + upper_lane];
    }
  }

  /// Takes the box in one lane of a packet.
  PacketQuery(const BoxPacket& packet, std::size_t lane) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower_[axis] = Float8{} + packet.lower[axis][lane];
      upper_[axis] = Float8{} + packet.upper[axis][lane];
    }
  }

  /// Returns how far each box of the packet and this one reach into each other, on the axis where
  /// it is least: negative where they are surely apart, positive where they surely overlap. A
  /// difference of floats is 0 only where they are equal, and has the right sign.
  [[nodiscard]] Float8 depth(const BoxPacket& packet) const {
    return smaller(smaller(smaller(upper_[0] - packet.lower[0], packet.upper[0] - lower_[0]),
                           smaller(upper_[1] - packet.lower[1], packet.upper[1] - lower_[1])),
                   smaller(upper_[2] - packet.lower[2], packet.upper[2] - lower_[2]));
  }

 private:
  std::array<Float8, 3> lower_, upper_;
};

}  // namespace sluice::geometry
