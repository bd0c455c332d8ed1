// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/simd/vectors.h"

namespace sluice::simd {

/// Eight doubles. Not one vector of them: CPUs without such registers pass it around in memory.
struct Double8 {
  explicit Double8(Float8 v)
      : low(__builtin_convertvector(low_half(v), Double4)),
        high(__builtin_convertvector(high_half(v), Double4)) {}
  Double8(Double4 l, Double4 h) : low(l), high(h) {}
  Double8() : low{}, high{} {}

  Double4 low, high;
};
inline Double8 operator+(const Double8& a, const Double8& b) {
  return {a.low + b.low, a.high + b.high};
}
inline Double8 operator-(const Double8& a, const Double8& b) {
  return {a.low - b.low, a.high - b.high};
}
inline Double8 operator*(const Double8& a, const Double8& b) {
  return {a.low * b.low, a.high * b.high};
}
inline Double8 operator*(double a, const Double8& b) { return {a * b.low, a * b.high}; }

/// Returns the sums of each two neighbouring lanes.
inline Float4 sums_of_pairs(Float8 v) {
  return __builtin_shufflevector(v, v, 0, 2, 4, 6) + __builtin_shufflevector(v, v, 1, 3, 5, 7);
}

/// Returns `a` in the lanes of a mask, `b` in others.
inline Double8 choose(Int8 lanes, const Double8& a, const Double8& b) {
  const auto is_low =
      __builtin_convertvector(__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3), Long4);
  const auto is_high =
      __builtin_convertvector(__builtin_shufflevector(lanes, lanes, 4, 5, 6, 7), Long4);
  return {is_low ? a.low : b.low, is_high ? a.high : b.high};
}

/// 1 / v where v > 0, else 0.
inline Float8 inverse_or_0(const Double8& v) {
  const Double4 low = v.low > 0 ? 1 / v.low : Double4{}, high = v.high > 0 ? 1 / v.high : Double4{};
  return join(__builtin_convertvector(low, Float4), __builtin_convertvector(high, Float4));
}

inline double sum(const Double8& v) {
  const Double4 s = v.low + v.high;
  return (s[0] + s[1]) + (s[2] + s[3]);
}

}  // namespace sluice::simd
