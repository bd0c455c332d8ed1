// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::simd {

/// Four queries: the operations of query_lanes.h in AVX2.
struct Lanes4 {
  static constexpr std::size_t width = 4;

  struct Mask {
    __m256d value;
    friend Mask operator&(Mask a, Mask b) { return {_mm256_and_pd(a.value, b.value)}; }
    friend Mask operator|(Mask a, Mask b) { return {_mm256_or_pd(a.value, b.value)}; }
    friend Mask operator!(Mask a) {
      return {_mm256_xor_pd(a.value, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))};
    }
    friend unsigned bits(Mask a) { return static_cast<unsigned>(_mm256_movemask_pd(a.value)); }
    friend bool any(Mask a) { return bits(a) != 0; }
  };

  __m256d value;
  Lanes4() = default;
  Lanes4(double all) : value(_mm256_set1_pd(all)) {}  // NOLINT: constants stand in formulas.
  explicit Lanes4(__m256d all) : value(all) {}

  static Lanes4 load(const double* from) { return Lanes4(_mm256_loadu_pd(from)); }
  void store(double* to) const { _mm256_storeu_pd(to, value); }

  friend Lanes4 operator+(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_add_pd(a.value, b.value)); }
  friend Lanes4 operator-(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_sub_pd(a.value, b.value)); }
  friend Lanes4 operator*(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_mul_pd(a.value, b.value)); }
  friend Lanes4 operator/(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_div_pd(a.value, b.value)); }
  friend Lanes4 operator-(Lanes4 a) { return Lanes4(_mm256_xor_pd(a.value, _mm256_set1_pd(-0.0))); }
  friend Mask operator<(Lanes4 a, Lanes4 b) {
    return {_mm256_cmp_pd(a.value, b.value, _CMP_LT_OQ)};
  }
  friend Mask operator>(Lanes4 a, Lanes4 b) {
    return {_mm256_cmp_pd(a.value, b.value, _CMP_GT_OQ)};
  }
  friend Lanes4 select(Mask mask, Lanes4 a, Lanes4 b) {
    return Lanes4(_mm256_blendv_pd(b.value, a.value, mask.value));
  }
  friend Lanes4 min(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_min_pd(a.value, b.value)); }
  friend Lanes4 max(Lanes4 a, Lanes4 b) { return Lanes4(_mm256_max_pd(a.value, b.value)); }
  friend Lanes4 abs(Lanes4 a) { return Lanes4(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.value)); }
  friend Lanes4 sqrt(Lanes4 a) { return Lanes4(_mm256_sqrt_pd(a.value)); }

  [[gnu::always_inline]] static std::array<Lanes4, 3> load_points(
      const std::array<const double*, width>& points) {
    // Three doubles and no more: behind the last point there may be nothing.
    const __m256i xyz = _mm256_setr_epi64x(-1, -1, -1, 0);
    const __m256d p0 = _mm256_maskload_pd(points[0], xyz), p1 = _mm256_maskload_pd(points[1], xyz);
    const __m256d p2 = _mm256_maskload_pd(points[2], xyz), p3 = _mm256_maskload_pd(points[3], xyz);
    const __m256d xz01 = _mm256_unpacklo_pd(p0, p1), y01 = _mm256_unpackhi_pd(p0, p1);
    const __m256d xz23 = _mm256_unpacklo_pd(p2, p3), y23 = _mm256_unpackhi_pd(p2, p3);
    return {Lanes4(_mm256_permute2f128_pd(xz01, xz23, 0x20)),
            Lanes4(_mm256_permute2f128_pd(y01, y23, 0x20)),
            Lanes4(_mm256_permute2f128_pd(xz01, xz23, 0x31))};
  }
};

}  // namespace sluice::simd
