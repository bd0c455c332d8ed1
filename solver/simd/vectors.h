// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

/// Vectors of numbers, by the compiler's vector types: arithmetic and comparisons are the
/// operators, `mask ? a : b` chooses by lane, and the code stays plain for any CPU. Four floats are
/// one point (x, y, z) or one node (momentum, mass) of a fluid; eight or sixteen are the same
/// number of as many particles, nodes or boxes. Every operation is one IEEE operation in each lane,
/// so that all CPUs have the same bits.
namespace sluice::simd {

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));
using Float16 = float __attribute__((vector_size(64)));
using Int4 = std::int32_t __attribute__((vector_size(16)));
using Int8 = std::int32_t __attribute__((vector_size(32)));
using Int16 = std::int32_t __attribute__((vector_size(64)));
using Double4 = double __attribute__((vector_size(32)));
using Long4 = std::int64_t __attribute__((vector_size(32)));  ///< Double4's masks: lanes 0 or -1.

[[nodiscard]] inline Float4 splat(float a) noexcept { return Float4{a, a, a, a}; }

/// Reads 16 bytes from any address: of a Vec3f, lane 3 is whatever follows it, which must be
/// readable.
[[nodiscard]] inline Float4 load4(const float* p) noexcept {
  Float4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store4(float* p, Float4 v) noexcept { std::memcpy(p, &v, sizeof v); }
/// Writes lanes 0 to 2 only: what follows may belong to another thread.
inline void store3(float* p, Float4 v) noexcept {
  std::memcpy(p, &v, 2 * sizeof(float));
  p[2] = v[2];
}

template <int lane>
[[nodiscard]] inline Float4 broadcast(Float4 v) noexcept {
  return __builtin_shufflevector(v, v, lane, lane, lane, lane);
}
/// (a0, a1, a2, b).
[[nodiscard]] inline Float4 with_lane3(Float4 a, float b) noexcept {
  return __builtin_shufflevector(a, splat(b), 0, 1, 2, 7);
}
template <int lane>
[[nodiscard]] inline Float8 broadcast(Float8 v) noexcept {  // In each half.
  return __builtin_shufflevector(v, v, lane, lane, lane, lane, lane + 4, lane + 4, lane + 4,
                                 lane + 4);
}
[[nodiscard]] inline Float8 join(Float4 low, Float4 high) noexcept {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[nodiscard]] inline Float4 low_half(Float8 v) noexcept {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
[[nodiscard]] inline Float4 high_half(Float8 v) noexcept {
  return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
[[nodiscard]] inline Float4 min4(Float4 a, Float4 b) noexcept { return a < b ? a : b; }
[[nodiscard]] inline Float4 max4(Float4 a, Float4 b) noexcept { return a > b ? a : b; }
[[nodiscard]] inline Float8 min8(Float8 a, Float8 b) noexcept { return a < b ? a : b; }
[[nodiscard]] inline Float8 max8(Float8 a, Float8 b) noexcept { return a > b ? a : b; }

/// Whether any lane of a mask is set.
[[nodiscard]] inline bool any_of(Int8 mask) noexcept {
#ifdef __AVX__
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#else
  std::int32_t any = 0;
  for (int lane = 0; lane < 8; ++lane)
    any |= mask[lane];
  return any != 0;
#endif
}

[[nodiscard, gnu::always_inline]] inline Float8 square_root(Float8 a) noexcept {
#ifdef __AVX__
  return _mm256_sqrt_ps(a);
#else
  for (int n = 0; n < 8; ++n)
    a[n] = std::sqrt(a[n]);
  return a;
#endif
}

/// The matrix with columns a, b, c, transposed in place; lanes 3 end up unspecified.
inline void transpose3(Float4& a, Float4& b, Float4& c) noexcept {
  const Float4 ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Float4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab01, c, 0, 1, 4, 4);
  b = __builtin_shufflevector(ab01, c, 2, 3, 5, 5);
  c = __builtin_shufflevector(ab2, c, 0, 1, 6, 6);
}

}  // namespace sluice::simd
