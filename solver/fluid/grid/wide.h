// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/simd.h"

namespace sluice::fluid::grid {

using Double4 = double __attribute__((vector_size(32)));

/// Eight doubles. Not one vector of them: CPUs without such registers pass it around in memory.
struct Wide {
  explicit Wide(Float8 v)
      : low(__builtin_convertvector(low_half(v), Double4)),
        high(__builtin_convertvector(high_half(v), Double4)) {}
  Wide(Double4 l, Double4 h) : low(l), high(h) {}
  Wide() : low{}, high{} {}

  Double4 low, high;
};
inline Wide operator+(const Wide& a, const Wide& b) { return {a.low + b.low, a.high + b.high}; }
inline Wide operator-(const Wide& a, const Wide& b) { return {a.low - b.low, a.high - b.high}; }
inline Wide operator*(const Wide& a, const Wide& b) { return {a.low * b.low, a.high * b.high}; }
inline Wide operator*(double a, const Wide& b) { return {a * b.low, a * b.high}; }

inline double sum(const Wide& v) {
  const Double4 s = v.low + v.high;
  return (s[0] + s[1]) + (s[2] + s[3]);
}

}  // namespace sluice::fluid::grid
