// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__FMA__)
#include <immintrin.h>
#endif

/// 32 bytes of numbers at a time, by the compiler's vector types.
namespace sluice::simd {

template <typename Scalar>
struct Lanes {
  static constexpr std::int32_t count = 32 / sizeof(Scalar);
  typedef Scalar type __attribute__((vector_size(32)));
};

template <typename Scalar>
[[nodiscard]] inline typename Lanes<Scalar>::type load(const Scalar* from) {
  typename Lanes<Scalar>::type lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

template <typename Scalar>
inline void store(const typename Lanes<Scalar>::type& lanes, Scalar* to) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

/// a b + c, rounded once.
template <typename Vector>
[[nodiscard]] inline Vector multiply_add(const Vector& a, const Vector& b, const Vector& c) {
  Vector result;
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(a[0]); ++i)
    result[i] = std::fma(a[i], b[i], c[i]);
  return result;
}

#if defined(__FMA__)
// The compiler does not always make one instruction of the loop above.
[[nodiscard]] inline Lanes<double>::type multiply_add(const Lanes<double>::type& a,
                                                      const Lanes<double>::type& b,
                                                      const Lanes<double>::type& c) {
  return _mm256_fmadd_pd(a, b, c);
}
[[nodiscard]] inline Lanes<float>::type multiply_add(const Lanes<float>::type& a,
                                                     const Lanes<float>::type& b,
                                                     const Lanes<float>::type& c) {
  return _mm256_fmadd_ps(a, b, c);
}
#endif

}  // namespace sluice::simd
