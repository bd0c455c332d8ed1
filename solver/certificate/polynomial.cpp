// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/polynomial.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sluice::certificate {
namespace {

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0)
    p.pop_back();
}

// Divides out the common factor of all coefficients, which is positive, so signs stay.
void make_primitive(Polynomial& p) {
  Integer common = 0;
  for (const Integer& coefficient : p)
    common = gcd(common, coefficient);
  if (common > 1) {
    for (Integer& coefficient : p)
      coefficient /= common;
  }
}

// Pseudo-division of p by q: a positive multiple of p is quotient q + remainder.
struct Division {
  Polynomial quotient, remainder;
};

Division divide(Polynomial p, const Polynomial& q) {
  Polynomial quotient;
  const Integer& lead = q.back();
  const Integer scale = abs(lead);
  while (p.size() >= q.size()) {
    const std::size_t shift = p.size() - q.size();
    const Integer top = lead > 0 ? p.back() : Integer(-p.back());
    for (Integer& coefficient : p)
      coefficient *= scale;
    for (Integer& coefficient : quotient)
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
    result.push_back(p[i] * static_cast<unsigned>(i));
  return result;
}

constexpr std::uint64_t prime = 2147483647;

std::uint64_t inverse(std::uint64_t x) {
  std::uint64_t result = 1;
  for (std::uint64_t power = prime - 2; power > 0; power >>= 1) {
    if ((power & 1) != 0) result = result * x % prime;
    x = x * x % prime;
  }
  return result;
}

std::vector<std::uint64_t> modulo_prime(const Polynomial& p) {
  std::vector<std::uint64_t> result;
  for (const Integer& coefficient : p) {
    const auto rest = static_cast<std::uint64_t>(integer_modulus(coefficient, prime));
    result.push_back(coefficient < 0 && rest != 0 ? prime - rest : rest);
  }
  return result;
}

/// True only if constants alone divide both: a common divisor stays one modulo a prime, and keeps
/// its degree where the prime does not divide the highest coefficients. [Geddes1992, 7.4]
bool are_surely_coprime(const Polynomial& p, const Polynomial& q) {
  std::vector<std::uint64_t> a = modulo_prime(p), b = modulo_prime(q);
  if (a.empty() || b.empty() || a.back() == 0 || b.back() == 0) return false;
  while (!b.empty()) {
    const std::uint64_t scale = inverse(b.back());
    while (a.size() >= b.size()) {
      const std::uint64_t factor = a.back() * scale % prime;
      const std::size_t shift = a.size() - b.size();
      for (std::size_t i = 0; i < b.size(); ++i)
        a[i + shift] = (a[i + shift] + prime - factor * b[i] % prime) % prime;
      while (!a.empty() && a.back() == 0)
        a.pop_back();
    }
    std::swap(a, b);
  }
  return a.size() == 1;
}

}  // namespace

Polynomial operator+(const Polynomial& p, const Polynomial& q) {
  Polynomial result(std::max(p.size(), q.size()));
  for (std::size_t i = 0; i < p.size(); ++i)
    result[i] = p[i];
  for (std::size_t i = 0; i < q.size(); ++i)
    result[i] += q[i];
  trim(result);
  return result;
}

Polynomial operator-(const Polynomial& p, const Polynomial& q) {
  Polynomial result(std::max(p.size(), q.size()));
  for (std::size_t i = 0; i < p.size(); ++i)
    result[i] = p[i];
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

Polynomial common_divisor(const Polynomial& p, const Polynomial& q) {
  if (are_surely_coprime(p, q)) return {1};
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

Polynomial square_free_part(const Polynomial& p) {
  const Polynomial repeated = common_divisor(p, derivative(p));
  if (repeated.size() <= 1) return p;
  Polynomial result = divide(p, repeated).quotient;
  make_primitive(result);
  return result;
}

}  // namespace sluice::certificate
