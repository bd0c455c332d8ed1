// SPDX-License-Identifier: Apache-2.0
// Oracle: theory of each study, and the order at which its methods converge to it.
#include <gtest/gtest.h>

#include "tests/validation/solid/convergence/studies.h"

namespace sluice::solid {
namespace {

void expect_orders(const std::vector<Study>& studies) {
  for (const Study& study : studies) {
    const std::size_t last = study.samples.size() - 1;
    EXPECT_NEAR(study.order(last), study.expected_order, 0.05) << study.name;
    EXPECT_NEAR(study.order(last - 1), study.expected_order, 0.1) << study.name;
  }
}

TEST(Convergence, in_time_is_of_the_rules_order) { expect_orders(time_studies()); }

TEST(Convergence, in_space_is_of_second_order_with_linear_elements) {
  expect_orders(space_studies());
}

}  // namespace
}  // namespace sluice::solid
