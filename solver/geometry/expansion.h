// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

/// Private to predicates.cpp: exact sums and products of doubles as unevaluated sums of doubles.
///
/// [Shewchuk1997]: components are nonoverlapping and in increasing magnitude, so the last one that
/// is not 0 has the sign of the whole. Exact as long as nothing over- or underflows; needs
/// round-to-nearest and -ffp-contract=off, which the build sets.
namespace sluice::geometry::exact {

template <std::size_t capacity>
struct Expansion {
  std::array<double, capacity> components;
  std::size_t count = 0;  ///< Zeros are left out, so 0 has none.

  void append(double component) {
    if (component != 0) components[count++] = component;
  }
  [[nodiscard]] int sign() const { return count == 0 ? 0 : components[count - 1] > 0 ? 1 : -1; }
};

struct TwoDoubles {
  double high, low;  ///< The exact result is their sum; high is the rounded one.
};

inline TwoDoubles two_sum(double a, double b) {  // [Shewchuk1997, theorem 7]
  const double high = a + b;
  const double virtual_b = high - a;
  return {high, (a - (high - virtual_b)) + (b - virtual_b)};
}

inline TwoDoubles two_product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

/// a - b
inline Expansion<2> difference(double a, double b) {
  const TwoDoubles d = two_sum(a, -b);
  Expansion<2> result;
  result.append(d.low);
  result.append(d.high);
  return result;
}

/// Adds one double to an expansion. [Shewchuk1997, theorem 10: grow-expansion]
template <std::size_t capacity>
void add(Expansion<capacity>& sum, double term) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sum.count; ++i) {
    const TwoDoubles part = two_sum(term, sum.components[i]);
    if (part.low != 0) sum.components[kept++] = part.low;
    term = part.high;
  }
  sum.count = kept;
  sum.append(term);
}

template <std::size_t n, std::size_t m>
Expansion<2 * n * m> product(const Expansion<n>& a, const Expansion<m>& b) {
  Expansion<2 * n * m> result;
  for (std::size_t i = 0; i < a.count; ++i) {
    for (std::size_t j = 0; j < b.count; ++j) {
      const TwoDoubles part = two_product(a.components[i], b.components[j]);
      add(result, part.low);
      add(result, part.high);
    }
  }
  return result;
}

template <std::size_t n, std::size_t m>
Expansion<n + m> sum(const Expansion<n>& a, const Expansion<m>& b) {
  Expansion<n + m> result;
  for (std::size_t i = 0; i < a.count; ++i)
    result.components[i] = a.components[i];
  result.count = a.count;
  for (std::size_t j = 0; j < b.count; ++j)
    add(result, b.components[j]);
  return result;
}

template <std::size_t n>
Expansion<n> negative(Expansion<n> a) {
  for (std::size_t i = 0; i < a.count; ++i)
    a.components[i] = -a.components[i];
  return a;
}

}  // namespace sluice::geometry::exact
