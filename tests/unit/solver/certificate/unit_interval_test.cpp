// SPDX-License-Identifier: Apache-2.0
// Oracle: polynomials made from their roots.
#include "solver/certificate/unit_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sluice::certificate {
namespace {

/// The root n / 2^e, as a factor 2^e x - n.
Polynomial factor(std::int64_t n, unsigned e) { return {-Integer(n), Integer(1) << e}; }

/// Above it, x^2 + 2^-2e.
Polynomial no_root(unsigned e) { return {1, 0, Integer(1) << (2 * e)}; }

double place_of(const Root& root) {
  return (static_cast<double>(root.numerator) + (root.is_exact ? 0 : 0.5)) /
         std::ldexp(1.0, static_cast<int>(root.exponent));
}

std::vector<double> places(const Polynomial& p) {
  std::vector<double> found;
  const RootsInUnitInterval times(p);
  for (const Root& root : times.roots())
    found.push_back(place_of(root));
  std::ranges::sort(found);
  return found;
}

TEST(RootsInUnitInterval, are_all_of_them_and_each_once) {
  EXPECT_TRUE(places({5}).empty());
  EXPECT_TRUE(places(no_root(300)).empty()) << "2^-300 off is off";
  EXPECT_TRUE(places(factor(-1, 60)).empty());
  EXPECT_TRUE(places(factor((std::int64_t{1} << 60) + 1, 60)).empty()) << "just behind 1";
  EXPECT_EQ(places(factor(0, 0) * factor(0, 0)), std::vector<double>{0});
  EXPECT_EQ(places(factor(1, 0)), std::vector<double>{1});
  EXPECT_EQ(places(factor(1, 1) * factor(1, 1) * factor(1, 0)), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(places(factor(0, 0) * factor(3, 2) * factor(7, 2)).size(), 2U);
  // Two that are 2^-60 apart, between dyadic numbers.
  const Polynomial close = Polynomial{-((Integer(1) << 60) / 3), Integer(1) << 60} *
                           Polynomial{-((Integer(1) << 60) / 3 + 1), Integer(1) << 60};
  EXPECT_EQ(places(close).size(), 2U);
  EXPECT_EQ(places(close * close).size(), 2U);
}

TEST(RootsInUnitInterval, know_the_signs_of_others_there) {
  std::mt19937_64 random{1};
  constexpr unsigned bits = 50;
  const auto draw = [&] { return static_cast<std::int64_t>(random() >> (64 - bits)); };
  for (int i = 0; i < 2000; ++i) {
    // Three roots, perhaps equal ones, and a polynomial that has one of them, or is off by 2^-50.
    std::array<std::int64_t, 3> roots{draw(), draw(), draw()};
    if (i % 3 == 0) roots[1] = roots[0];
    const std::int64_t other = roots[0] + i % 4 - 2;
    const Polynomial p = factor(roots[0], bits) * factor(roots[1], bits) * factor(roots[2], bits);
    const Polynomial q = factor(other, bits) * no_root(3) * Polynomial{i % 2 == 0 ? 3 : -3};
    const RootsInUnitInterval times(p);
    ASSERT_EQ(times.roots().size(), i % 3 == 0 ? 2U : 3U);
    int zeros = 0, below = 0;
    for (const Root& root : times.roots()) {
      const int sign = (i % 2 == 0 ? 1 : -1) * times.sign_at_root(q, root);
      zeros += sign == 0;
      below += sign < 0;
    }
    std::ranges::sort(roots);
    const auto different = std::ranges::unique(roots).begin();
    EXPECT_EQ(zeros, std::count(roots.begin(), different, other));
    EXPECT_EQ(below, std::count_if(roots.begin(), different, [&](auto r) { return r < other; }));
  }
}

TEST(RootsInUnitInterval, know_the_signs_at_the_ends) {
  const RootsInUnitInterval times(factor(0, 0) * factor(1, 0));
  for (const Root& root : times.roots()) {
    const int expected = place_of(root) == 0 ? -1 : 1;
    EXPECT_EQ(times.sign_at_root(factor(1, 1), root), expected);
    EXPECT_EQ(times.sign_at_root({}, root), 0);
  }
}

TEST(CommonDivisor, has_the_common_roots_alone) {
  const Polynomial a = factor(1, 3), b = factor(3, 3), c = factor(5, 3);
  EXPECT_EQ(common_divisor(a * b, b * c * Polynomial{7}).size(), 2U);
  const RootsInUnitInterval of_b(b);
  EXPECT_EQ(of_b.sign_at_root(common_divisor(a * b, b * c * Polynomial{7}), of_b.roots()[0]), 0);
  EXPECT_EQ(common_divisor(a * b, c).size(), 1U);
  EXPECT_EQ(common_divisor({}, c).size(), 2U);
  // Coprime, but not modulo the prime of the quick answer.
  const Polynomial d{2147483647, 1}, e{0, 1};
  EXPECT_EQ(common_divisor(d, e).size(), 1U);
  EXPECT_EQ(common_divisor(d * a, e * a).size(), 2U);
}

}  // namespace
}  // namespace sluice::certificate
