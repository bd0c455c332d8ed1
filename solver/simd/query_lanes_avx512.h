// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::simd {

/// Eight queries: the operations of query_lanes.h in AVX-512 (F, DQ and VL).
struct Lanes8 {
  static constexpr std::size_t width = 8;

  struct Mask {
    __mmask8 value;
    friend Mask operator&(Mask a, Mask b) { return {_kand_mask8(a.value, b.value)}; }
    friend Mask operator|(Mask a, Mask b) { return {_kor_mask8(a.value, b.value)}; }
    friend Mask operator!(Mask a) { return {_knot_mask8(a.value)}; }
    friend unsigned bits(Mask a) { return _cvtmask8_u32(a.value); }
    friend bool any(Mask a) { return bits(a) != 0; }
  };

  __m512d value;
  Lanes8() = default;
  Lanes8(double all) : value(_mm512_set1_pd(all)) {}  // NOLINT: constants stand in formulas.
  explicit Lanes8(__m512d all) : value(all) {}

  static Lanes8 load(const double* from) { return Lanes8(_mm512_loadu_pd(from)); }
  void store(double* to) const { _mm512_storeu_pd(to, value); }

  friend Lanes8 operator+(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_add_pd(a.value, b.value)); }
  friend Lanes8 operator-(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_sub_pd(a.value, b.value)); }
  friend Lanes8 operator*(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_mul_pd(a.value, b.value)); }
  friend Lanes8 operator/(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_div_pd(a.value, b.value)); }
  friend Lanes8 operator-(Lanes8 a) { return Lanes8(_mm512_xor_pd(a.value, _mm512_set1_pd(-0.0))); }
  friend Mask operator<(Lanes8 a, Lanes8 b) {
    return {_mm512_cmp_pd_mask(a.value, b.value, _CMP_LT_OQ)};
  }
  friend Mask operator>(Lanes8 a, Lanes8 b) {
    return {_mm512_cmp_pd_mask(a.value, b.value, _CMP_GT_OQ)};
  }
  friend Lanes8 select(Mask mask, Lanes8 a, Lanes8 b) {
    return Lanes8(_mm512_mask_blend_pd(mask.value, b.value, a.value));
  }
  friend Lanes8 min(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_min_pd(a.value, b.value)); }
  friend Lanes8 max(Lanes8 a, Lanes8 b) { return Lanes8(_mm512_max_pd(a.value, b.value)); }
  friend Lanes8 abs(Lanes8 a) { return Lanes8(_mm512_andnot_pd(_mm512_set1_pd(-0.0), a.value)); }
  friend Lanes8 sqrt(Lanes8 a) { return Lanes8(_mm512_sqrt_pd(a.value)); }

  [[gnu::always_inline]] static std::array<Lanes8, 3> load_points(
      const std::array<const double*, width>& points) {
    const __m512d p02 = load_points(points[0], points[2]), p13 = load_points(points[1], points[3]);
    const __m512d p46 = load_points(points[4], points[6]), p57 = load_points(points[5], points[7]);
    // Blocks of two: x01 z01 x23 z23, and x45 z45 x67 z67.
    const __m512d xz03 = _mm512_unpacklo_pd(p02, p13), y03 = _mm512_unpackhi_pd(p02, p13);
    const __m512d xz47 = _mm512_unpacklo_pd(p46, p57), y47 = _mm512_unpackhi_pd(p46, p57);
    constexpr int even_blocks = 0b10001000, odd_blocks = 0b11011101;
    return {Lanes8(_mm512_shuffle_f64x2(xz03, xz47, even_blocks)),
            Lanes8(_mm512_shuffle_f64x2(y03, y47, even_blocks)),
            Lanes8(_mm512_shuffle_f64x2(xz03, xz47, odd_blocks))};
  }

 private:
  [[gnu::always_inline]] static __m512d load_points(const double* low, const double* high) {
    constexpr __mmask8 xyz = 0b0111;  // Behind the last point there may be nothing.
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(xyz, low)),
                              _mm256_maskz_loadu_pd(xyz, high), 1);
  }
};

}  // namespace sluice::simd
