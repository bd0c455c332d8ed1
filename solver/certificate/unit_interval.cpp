// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/unit_interval.h"

#include <algorithm>
#include <utility>

namespace sluice::certificate {

BernsteinForm::BernsteinForm(const Polynomial& p, const Integer& numerator, unsigned exponent)
    : coefficients_(p) {
  if (coefficients_.empty()) coefficients_.emplace_back(0);
  std::vector<Integer>& b = coefficients_;
  const std::size_t degree = b.size() - 1;
  // p as a polynomial of s in [0, 1]: 2^(exponent degree) p((numerator + s) / 2^exponent).
  if (exponent > 0 || numerator != 0) {
    for (std::size_t k = 0; k < degree; ++k)
      b[k] <<= static_cast<unsigned>(degree - k) * exponent;
    for (std::size_t last = 0; last < degree; ++last) {
      for (std::size_t k = degree; k-- > last;)
        b[k] += numerator * b[k + 1];
    }
  }
  // Times degree!: coefficient i is the sum of i! / (i - k)! (degree - k)! times that of s^k.
  unsigned factorial = 1;
  for (std::size_t k = degree; k-- > 0;) {
    factorial *= static_cast<unsigned>(degree - k);
    b[k] *= factorial;
  }
  for (std::size_t k = 1; k <= degree; ++k) {
    unsigned product = 1;
    for (std::size_t j = 2; j <= k; ++j)
      product *= static_cast<unsigned>(j);
    b[k] *= product;
  }
  // b[k] is now degree! / binomial(degree, k) times the coefficient of s^k, and what is wanted is
  // the sum of binomial(i, k) b[k]: Pascal's triangle.
  for (std::size_t row = 0; row < degree; ++row) {
    for (std::size_t k = degree; k > row; --k)
      b[k] += b[k - 1];
  }
}

int BernsteinForm::sign_changes() const {
  int changes = 0, last = 0;
  for (const Integer& coefficient : coefficients_) {
    const int sign = coefficient.sign();
    if (sign == 0) continue;
    changes += last != 0 && sign != last;
    last = sign;
  }
  return changes;
}

int BernsteinForm::sign_inside() const {
  const auto other =
      std::ranges::find_if(coefficients_, [](const Integer& value) { return value != 0; });
  return other == coefficients_.end() ? 0 : other->sign();
}

BernsteinForm BernsteinForm::halve() {
  // de Casteljau's scheme with sums in place of means, all scaled by 2^degree.
  const std::size_t degree = coefficients_.size() - 1;
  BernsteinForm second;
  std::vector<Integer>& sums = second.coefficients_;
  sums = coefficients_;
  for (std::size_t row = 0; row <= degree; ++row) {
    const unsigned scale = 1U << (degree - row);
    coefficients_[row] = sums[0] * scale;
    const Integer last = sums[degree - row];
    for (std::size_t i = 0; i + row < degree; ++i)
      sums[i] += sums[i + 1];
    sums[degree - row] = last * scale;
  }
  return second;
}

RootsInUnitInterval::RootsInUnitInterval(const Polynomial& p) : polynomial_(p) {
  BernsteinForm form(p);
  if (form.sign_changes() > 1) {
    polynomial_ = square_free_part(p);
    form = BernsteinForm(polynomial_);
  }
  if (form.sign_at_start() == 0) roots_.push_back({0, 0, true});
  if (form.sign_at_end() == 0) roots_.push_back({1, 0, true});
  isolate(std::move(form), 0, 0);
}

void RootsInUnitInterval::isolate(BernsteinForm form, const Integer& numerator, unsigned exponent) {
  const int most = form.sign_changes();
  if (most == 0) return;
  if (most == 1) {
    roots_.push_back({numerator, exponent, false});
    return;
  }
  BernsteinForm second = form.halve();
  const Integer middle = 2 * numerator + 1;
  if (second.sign_at_start() == 0) roots_.push_back({middle, exponent + 1, true});
  isolate(std::move(form), 2 * numerator, exponent + 1);
  isolate(std::move(second), middle, exponent + 1);
}

int RootsInUnitInterval::sign_at_root(const Polynomial& q, const Root& root) const {
  BernsteinForm of_q(q, root.numerator, root.exponent);
  if (root.is_exact) return of_q.sign_at_start();
  if (of_q.sign_changes() == 0) return of_q.sign_inside();
  // A common divisor has no other root in there than ours, and that at most once: it has it if the
  // number is odd.
  const Polynomial common = common_divisor(polynomial_, q);
  if (common.size() > 1 &&
      BernsteinForm(common, root.numerator, root.exponent).sign_changes() % 2 != 0) {
    return 0;
  }
  BernsteinForm ours(polynomial_, root.numerator, root.exponent);
  while (of_q.sign_changes() > 0) {
    BernsteinForm second = ours.halve(), second_of_q = of_q.halve();
    if (second.sign_at_start() == 0) return second_of_q.sign_at_start();
    if (ours.sign_changes() == 0) {
      ours = std::move(second);
      of_q = std::move(second_of_q);
    }
  }
  return of_q.sign_inside();
}

bool is_clearly_not_zero(const Polynomial& p) {
  const BernsteinForm form(p);
  return form.sign_changes() == 0 && form.sign_at_start() != 0 && form.sign_at_end() != 0;
}

}  // namespace sluice::certificate
