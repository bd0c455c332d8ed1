// SPDX-License-Identifier: Apache-2.0
#include "client/cli/suggestion.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(DidYouMean, finds_what_is_near) {
  const std::vector<std::string> known{"run", "submit", "list", "render", "renew"};
  EXPECT_EQ(did_you_mean("sumbit", known), " (did you mean 'submit'?)");
  EXPECT_EQ(did_you_mean("lsit", known), " (did you mean 'list'?)");
  EXPECT_EQ(did_you_mean("rn", known), " (did you mean 'run'?)");
  EXPECT_EQ(did_you_mean("rander", known), " (did you mean 'render'?)");
  EXPECT_EQ(did_you_mean("re", known), " (did you mean 'render'?)") << "ties: the first";
  EXPECT_EQ(did_you_mean("frobnicate", known), "");
  EXPECT_EQ(did_you_mean("", known), "");
  EXPECT_EQ(did_you_mean("run", {}), "");
  EXPECT_EQ(did_you_mean(std::string(10'000, 'r'), known), "");
}

}  // namespace
}  // namespace sluice::cli
