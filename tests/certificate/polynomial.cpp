// SPDX-License-Identifier: Apache-2.0
// Sturm's theorem over the integers. [Basu2006, 2.2]
#include "tests/certificate/polynomial.h"

#include <algorithm>

namespace sluice::certificate {
namespace {

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0)
    p.pop_back();
}

// Divides out the common factor of all coefficients, which is positive, so signs stay.
void make_primitive(Polynomial& p) {
  mpz_class common = 0;
  for (const mpz_class& coefficient : p)
    common = gcd(common, coefficient);
  if (common > 1) {
    for (mpz_class& coefficient : p)
      mpz_divexact(coefficient.get_mpz_t(), coefficient.get_mpz_t(), common.get_mpz_t());
  }
}

// Pseudo-division of p by q: a positive multiple of p is quotient q + remainder.
struct Division {
  Polynomial quotient, remainder;
};

Division divide(Polynomial p, const Polynomial& q) {
  Polynomial quotient;
  const mpz_class& lead = q.back();
  const mpz_class scale = abs(lead);
  while (p.size() >= q.size()) {
    const std::size_t shift = p.size() - q.size();
    const mpz_class top = lead > 0 ? p.back() : mpz_class(-p.back());
    for (mpz_class& coefficient : p)
      coefficient *= scale;
    for (mpz_class& coefficient : quotient)
      coefficient *= scale;
    if (quotient.size() < shift + 1) quotient.resize(shift + 1);
    quotient[shift] += top;
    for (std::size_t i = 0; i < q.size(); ++i)
      p[i + shift] -= top * q[i];
    trim(p);
  }
  return {std::move(quotient), std::move(p)};
}

Polynomial derivative(const Polynomial& p) {
  Polynomial result;
  for (std::size_t i = 1; i < p.size(); ++i)
    result.push_back(p[i] * static_cast<unsigned long>(i));
  return result;
}

Polynomial square_free_part(const Polynomial& p) {
  const Polynomial repeated = common_divisor(p, derivative(p));
  if (repeated.size() <= 1) return p;
  Polynomial result = divide(p, repeated).quotient;
  make_primitive(result);
  return result;
}

std::vector<Polynomial> sturm_chain(const Polynomial& square_free) {
  std::vector<Polynomial> chain{square_free, derivative(square_free)};
  while (!chain.back().empty()) {
    Polynomial next = divide(chain[chain.size() - 2], chain.back()).remainder;
    for (mpz_class& coefficient : next)
      coefficient = -coefficient;
    make_primitive(next);
    chain.push_back(std::move(next));
  }
  chain.pop_back();
  return chain;
}

int sign_changes(const std::vector<Polynomial>& chain, const Dyadic& x) {
  int changes = 0, last = 0;
  for (const Polynomial& p : chain) {
    const int sign = sign_at(p, x);
    if (sign == 0) continue;
    if (last != 0 && sign != last) ++changes;
    last = sign;
  }
  return changes;
}

// Distinct roots in (lower, upper]; sound where the chain's first polynomial is not 0 at `lower`.
int count_roots(const std::vector<Polynomial>& chain, const Dyadic& lower, const Dyadic& upper) {
  return sign_changes(chain, lower) - sign_changes(chain, upper);
}

Dyadic middle(const Dyadic& x, const Dyadic& y) {
  const unsigned exponent = std::max(x.exponent, y.exponent);
  return {(x.numerator << (exponent - x.exponent)) + (y.numerator << (exponent - y.exponent)),
          exponent + 1};
}

}  // namespace

Polynomial operator+(const Polynomial& p, const Polynomial& q) {
  Polynomial result(std::max(p.size(), q.size()));
  for (std::size_t i = 0; i < p.size(); ++i)
    result[i] += p[i];
  for (std::size_t i = 0; i < q.size(); ++i)
    result[i] += q[i];
  trim(result);
  return result;
}

Polynomial operator-(const Polynomial& p, const Polynomial& q) {
  Polynomial result(std::max(p.size(), q.size()));
  for (std::size_t i = 0; i < p.size(); ++i)
    result[i] += p[i];
  for (std::size_t i = 0; i < q.size(); ++i)
    result[i] -= q[i];
  trim(result);
  return result;
}

Polynomial operator*(const Polynomial& p, const Polynomial& q) {
  if (p.empty() || q.empty()) return {};
  Polynomial result(p.size() + q.size() - 1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < q.size(); ++j)
      result[i + j] += p[i] * q[j];
  }
  trim(result);
  return result;
}

int sign_at(const Polynomial& p, const Dyadic& x) {
  // Horner, scaled by 2^(exponent degree).
  mpz_class value = 0;
  unsigned scale = 0;
  for (std::size_t i = p.size(); i-- > 0;) {
    value = value * x.numerator + (p[i] << scale);
    scale += x.exponent;
  }
  return sgn(value);
}

Polynomial common_divisor(const Polynomial& p, const Polynomial& q) {
  Polynomial a = p, b = q;
  make_primitive(a);
  make_primitive(b);
  while (!b.empty()) {
    if (a.size() < b.size()) std::swap(a, b);
    if (b.empty()) break;
    Polynomial remainder = divide(std::move(a), b).remainder;
    make_primitive(remainder);
    a = std::exchange(b, std::move(remainder));
  }
  return a;
}

RootsInUnitInterval::RootsInUnitInterval(const Polynomial& p)
    : square_free_(square_free_part(p)), sturm_(sturm_chain(square_free_)) {
  const Dyadic zero{0, 0}, one{1, 0};
  // Divided out, so that it does not disturb the count on (0, 1].
  if (sign_at(square_free_, zero) == 0) {
    roots_.push_back({zero, zero, true});
    square_free_.erase(square_free_.begin());
    sturm_ = sturm_chain(square_free_);
  }
  isolate(zero, one);
}

void RootsInUnitInterval::isolate(const Dyadic& lower, const Dyadic& upper) {
  // Invariant: not 0 at `lower`.
  const int count = count_roots(sturm_, lower, upper);
  if (count == 0) return;
  if (count == 1) {
    const bool is_exact = sign_at(square_free_, upper) == 0;
    roots_.push_back({is_exact ? upper : lower, upper, is_exact});
    return;
  }
  Dyadic split = middle(lower, upper);
  while (sign_at(square_free_, split) == 0)
    split = middle(lower, split);
  isolate(lower, split);
  isolate(split, upper);
}

int RootsInUnitInterval::sign_at_root(const Polynomial& q, Root root) const {
  if (q.empty()) return 0;
  if (root.is_exact) return sign_at(q, root.lower);
  // A common root changes the sign of the common divisor, which is square-free as a divisor of
  // ours.
  const Polynomial common = common_divisor(square_free_, q);
  if (common.size() > 1 && sign_at(common, root.lower) != sign_at(common, root.upper)) return 0;
  const std::vector<Polynomial> chain = sturm_chain(square_free_part(q));
  while (sign_at(q, root.lower) == 0 || count_roots(chain, root.lower, root.upper) != 0) {
    const Dyadic split = middle(root.lower, root.upper);
    const int sign = sign_at(square_free_, split);
    if (sign == 0) return sign_at(q, split);
    (sign == sign_at(square_free_, root.lower) ? root.lower : root.upper) = split;
  }
  return sign_at(q, root.lower);
}

}  // namespace sluice::certificate
