// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

namespace sluice::certificate {

/// An integer of any size; up to 512 bits, which is most, it needs no memory of its own.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<512>,
                                              boost::multiprecision::et_off>;

/// A polynomial with integer coefficients, lowest power first, no zeros at the top; empty is 0.
struct Polynomial : std::vector<Integer> {
  using vector::vector;
};

[[nodiscard]] Polynomial operator+(const Polynomial& p, const Polynomial& q);
[[nodiscard]] Polynomial operator-(const Polynomial& p, const Polynomial& q);
[[nodiscard]] Polynomial operator*(const Polynomial& p, const Polynomial& q);

/// A greatest common divisor over the rationals, with integer coefficients; a constant if nothing
/// but constants divides both.
[[nodiscard]] Polynomial common_divisor(const Polynomial& p, const Polynomial& q);

/// A polynomial with the same roots as p, which is not 0, but each of them once.
[[nodiscard]] Polynomial square_free_part(const Polynomial& p);

}  // namespace sluice::certificate
