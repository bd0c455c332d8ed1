// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/certificate/polynomial.h"

namespace sluice::certificate {

/// A polynomial on an interval, as positive multiples of its Bernstein coefficients there: the
/// first and last have the signs at the ends, and as often as the signs change in between, so many
/// roots, or 2, 4, ... fewer, are inside (Descartes' rule). [Basu2006, 10.2]
class BernsteinForm {
 public:
  /// Takes `p` on the interval from numerator / 2^exponent to (numerator + 1) / 2^exponent.
  explicit BernsteinForm(const Polynomial& p, const Integer& numerator = 0, unsigned exponent = 0);

  [[nodiscard]] int sign_at_start() const { return coefficients_.front().sign(); }
  [[nodiscard]] int sign_at_end() const { return coefficients_.back().sign(); }
  [[nodiscard]] int sign_changes() const;
  /// The sign inside, where `sign_changes` is 0; 0 for the polynomial 0.
  [[nodiscard]] int sign_inside() const;

  /// Becomes the form on the interval's first half; returns the form on the second.
  BernsteinForm halve();

 private:
  BernsteinForm() = default;
  std::vector<Integer> coefficients_;
};

/// A root of a polynomial: numerator / 2^exponent itself if `is_exact`, else the only root between
/// that and (numerator + 1) / 2^exponent, and a simple one.
struct Root {
  Integer numerator;
  unsigned exponent;
  bool is_exact;
};

/// The distinct real roots in [0, 1] of a polynomial that is not 0, and the exact signs of other
/// polynomials there.
class RootsInUnitInterval {
 public:
  explicit RootsInUnitInterval(const Polynomial& p);

  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }

  /// The sign of `q` at the root; 0 exactly if q is 0 there.
  [[nodiscard]] int sign_at_root(const Polynomial& q, const Root& root) const;

 private:
  void isolate(BernsteinForm form, const Integer& numerator, unsigned exponent);

  Polynomial polynomial_;  ///< Its roots inside (0, 1) are simple.
  std::vector<Root> roots_;
};

/// Whether p > 0, or p < 0, throughout [0, 1]. May return false where that is so.
[[nodiscard]] bool is_clearly_not_zero(const Polynomial& p);

}  // namespace sluice::certificate
