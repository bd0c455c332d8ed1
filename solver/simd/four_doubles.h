// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "solver/simd/vectors.h"

/// Functions of four doubles at a time.
namespace sluice::simd {

using Bits4 = std::uint64_t __attribute__((vector_size(32)));

[[nodiscard]] inline Double4 splat4(double a) noexcept { return Double4{a, a, a, a}; }

[[nodiscard]] inline Double4 load4(const double* p) noexcept {
  Double4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store4(double* p, Double4 v) noexcept { std::memcpy(p, &v, sizeof v); }

[[nodiscard]] inline Double4 sqrt4(Double4 a) noexcept {
#if defined(__AVX__)
  return _mm256_sqrt_pd(a);
#else
  return Double4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

[[nodiscard]] inline Double4 abs4(Double4 a) noexcept { return a < 0 ? -a : a; }
[[nodiscard]] inline Double4 max4(Double4 a, Double4 b) noexcept { return a > b ? a : b; }

[[nodiscard]] inline bool is_any(Long4 mask) noexcept {
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/// Transposes the matrix with these four rows in place.
inline void transpose4(Double4& a, Double4& b, Double4& c, Double4& d) noexcept {
  const Double4 ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Double4 ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Double4 cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Double4 cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// Natural logarithm to 3 units in the last place. Domain: normal positive
/// numbers; else any number, not a trap.
[[nodiscard]] inline Double4 log4(Double4 a) noexcept {
  // a = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 artanh((m - 1) / (m + 1)).
  // Unsigned, which may wrap around: other lanes may hold any number.
  constexpr std::uint64_t below_one = 0x3fe6a09e667f3bcd;  // bits of sqrt 1/2
  const auto bits = std::bit_cast<Bits4>(a);
  const auto shifted =
      std::bit_cast<Bits4>(std::bit_cast<Long4>(bits - below_one) >> 52);  // The exponent.
  const auto m = std::bit_cast<Double4>(bits - (shifted << 52));
  // A small integer in the low bits of 1.5 * 2^52 reads as that much more.
  constexpr double magic = 6755399441055744.0;
  const Double4 e = std::bit_cast<Double4>(shifted + std::bit_cast<std::uint64_t>(magic)) - magic;
  const Double4 s = (m - 1) / (m + 1);
  // The sum over k = 0 to 10 of t^k / (2 k + 1), by halves so that it is no long chain.
  const Double4 t = s * s, t2 = t * t, t4 = t2 * t2;
  const Double4 low = (1 + t * (1.0 / 3)) + t2 * (1.0 / 5 + t * (1.0 / 7));
  const Double4 middle = (1.0 / 9 + t * (1.0 / 11)) + t2 * (1.0 / 13 + t * (1.0 / 15));
  const Double4 high = (1.0 / 17 + t * (1.0 / 19)) + t2 * (1.0 / 21);
  const Double4 series = low + t4 * (middle + t4 * high);
  constexpr double ln2 = 0.6931471805599453;
  return e * ln2 + 2 * s * series;
}

}  // namespace sluice::simd
