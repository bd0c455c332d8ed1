// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "solver/simd/vectors.h"

/// The widths that transfers are compiled for: `width` particles at a time where each has a number
/// of its own, and the same registers as rows of four nodes (momentum or velocity, mass) in z.
/// Templates throughout, so that a function compiled for one instruction set is never linked into
/// code for another.
namespace sluice::simd {

template <int width>
struct LanesOfWidth;

template <>
struct LanesOfWidth<8> {
  using Float = Float8;
  using Int = Int8;
};

template <>
struct LanesOfWidth<16> {
  using Float = Float16;
  using Int = Int16;
};

template <int width>
using FloatLanes = typename LanesOfWidth<width>::Float;
template <int width>
using IntLanes = typename LanesOfWidth<width>::Int;

template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> load_lanes(const float* p) noexcept {
  FloatLanes<width> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <typename Floats>
[[gnu::always_inline]] inline void store_lanes(float* p, Floats v) noexcept {
  std::memcpy(p, &v, sizeof v);
}

#ifdef __AVX512F__
[[nodiscard, gnu::always_inline]] inline Float16 square_root(Float16 a) noexcept {
  return _mm512_sqrt_ps(a);
}
#endif

/// Returns the four floats of `a`, again and again.
template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> repeat(Float4 a) noexcept {
  if constexpr (width == 8) {
    return join(a, a);
  } else {
#ifdef __AVX512F__  // The compiler takes its own vectors through memory here.
    return _mm512_broadcast_f32x4(a);
#endif
  }
}

/// Returns the q-th vector of (w0, w0, w0, w0, w1, w1, w1, w1, w2, ...).
template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> spread(Float4 w, int q) noexcept {
  if constexpr (width == 8) {
    return q == 0 ? join(broadcast<0>(w), broadcast<1>(w)) : join(broadcast<2>(w), broadcast<3>(w));
  } else {
#ifdef __AVX512F__
    return _mm512_permutevar_ps(_mm512_broadcast_f32x4(w),
                                _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0));
#endif
  }
}

/// Transposes 4x4 matrices in place, of which each quarter (or half) of the vectors has a row.
template <int width>
[[gnu::always_inline]] inline void transpose_fours(FloatLanes<width> (&a)[4]) noexcept {
  using F = FloatLanes<width>;
  const auto low = [](F x, F y) {
    if constexpr (width == 8) {
      return __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13);
    } else {
      return __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13,
                                     29);
    }
  };
  const auto high = [](F x, F y) {
    if constexpr (width == 8) {
      return __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
    } else {
      return __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15,
                                     31);
    }
  };
  const auto low_pairs = [](F x, F y) {
    if constexpr (width == 8) {
      return __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
    } else {
      return __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28,
                                     29);
    }
  };
  const auto high_pairs = [](F x, F y) {
    if constexpr (width == 8) {
      return __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    } else {
      return __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30,
                                     31);
    }
  };
  const F low01 = low(a[0], a[1]), high01 = high(a[0], a[1]);
  const F low23 = low(a[2], a[3]), high23 = high(a[2], a[3]);
  a[0] = low_pairs(low01, low23);
  a[1] = high_pairs(low01, low23);
  a[2] = low_pairs(high01, high23);
  a[3] = high_pairs(high01, high23);
}

/// Loads four numbers of each particle: lane n of columns[c] is address(n)[c].
template <int width, typename Address>
[[gnu::always_inline]] inline void load_columns(const Address& address,
                                                FloatLanes<width> (&columns)[4]) noexcept {
  for (int r = 0; r < 4; ++r) {
    if constexpr (width == 8) {
      columns[r] = join(load4(address(r)), load4(address(4 + r)));
    } else {
      const Float8 front = join(load4(address(r)), load4(address(4 + r)));
      const Float8 back = join(load4(address(8 + r)), load4(address(12 + r)));
      columns[r] = __builtin_shufflevector(front, back, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                           13, 14, 15);
    }
  }
  transpose_fours<width>(columns);
}

/// Returns lanes 4 q to 4 q + 3.
template <int q, int width>
[[nodiscard, gnu::always_inline]] inline Float4 four(FloatLanes<width> v) noexcept {
  return __builtin_shufflevector(v, v, 4 * q, 4 * q + 1, 4 * q + 2, 4 * q + 3);
}

/// The reverse of load_columns: calls store(n, row) for the four numbers of each particle n.
template <int width, typename Store>
[[gnu::always_inline]] inline void store_rows(FloatLanes<width> (&columns)[4],
                                              const Store& store) noexcept {
  transpose_fours<width>(columns);
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    store(r, four<0, width>(columns[r]));
    store(4 + r, four<1, width>(columns[r]));
    if constexpr (width == 16) {
      store(8 + r, four<2, width>(columns[r]));
      store(12 + r, four<3, width>(columns[r]));
    }
  }
}

/// Writes the sums over nodes of four vectors of `width / 4` nodes each, one after the other.
template <int width>
[[gnu::always_inline]] inline void store_node_sums(FloatLanes<width> a, FloatLanes<width> b,
                                                   FloatLanes<width> c, FloatLanes<width> d,
                                                   float* sums) noexcept {
  if constexpr (width == 8) {
    const auto halves = [](Float8 x, Float8 y) {
      return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11) +
             __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    };
    const Float8 ab = halves(a, b), cd = halves(c, d);
    std::memcpy(sums, &ab, sizeof ab);
    std::memcpy(sums + 8, &cd, sizeof cd);
  } else {
    const auto halves = [](Float16 x, Float16 y) {
      return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
             __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                     31);
    };
    const Float16 ab = halves(a, b), cd = halves(c, d);
    const Float16 all =
        __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
        __builtin_shufflevector(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    std::memcpy(sums, &all, sizeof all);
  }
}

}  // namespace sluice::simd
