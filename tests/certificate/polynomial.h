// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmpxx.h>

#include <vector>

namespace sluice::certificate {

/// A polynomial with integer coefficients, lowest power first, no zeros at the top; empty is 0.
struct Polynomial : std::vector<mpz_class> {
  using vector::vector;
};

[[nodiscard]] Polynomial operator+(const Polynomial& p, const Polynomial& q);
[[nodiscard]] Polynomial operator-(const Polynomial& p, const Polynomial& q);
[[nodiscard]] Polynomial operator*(const Polynomial& p, const Polynomial& q);

/// A number numerator / 2^exponent.
struct Dyadic {
  mpz_class numerator;
  unsigned exponent = 0;
};

/// -1, 0 or 1: the sign of p(x).
[[nodiscard]] int sign_at(const Polynomial& p, const Dyadic& x);

/// A greatest common divisor over the rationals, with integer coefficients without a common factor.
[[nodiscard]] Polynomial common_divisor(const Polynomial& p, const Polynomial& q);

/// A root of a polynomial: the point `lower` itself if `is_exact`, else the only root in the open
/// interval (lower, upper), at whose ends the polynomial is not 0.
struct Root {
  Dyadic lower, upper;
  bool is_exact;
};

/// The distinct real roots in [0, 1] of a polynomial that is not 0, and exact signs of others
/// there.
class RootsInUnitInterval {
 public:
  explicit RootsInUnitInterval(const Polynomial& p);

  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }

  /// The sign of `q` at the root; 0 exactly if q is 0 there.
  [[nodiscard]] int sign_at_root(const Polynomial& q, Root root) const;

 private:
  void isolate(const Dyadic& lower, const Dyadic& upper);

  Polynomial square_free_;
  std::vector<Polynomial> sturm_;
  std::vector<Root> roots_;
};

}  // namespace sluice::certificate
