// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand, where logarithms place points.
#include "tests/plot/log_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

namespace sluice::plot {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double tenth_of_pixel = 0.11;

/// What the pattern's one group holds, wherever the pattern is met.
std::vector<std::string> all(const std::string& svg, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(svg.begin(), svg.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

std::vector<double> numbers(const std::vector<std::string>& words) {
  std::vector<double> values;
  values.reserve(words.size());
  for (const std::string& word : words)
    values.push_back(std::stod(word));
  return values;
}

TEST(LogPlot, equal_ratios_are_equal_distances_on_the_decades_lines) {
  const std::string svg =
      to_svg({"time [ms]", "error", {{"a", {{"b", {{0.01, 10}, {0.1, 1}, {10, 0.01}}}}}}, {}});
  const auto points = all(svg, "<polyline[^>]* points=\"([^\"]*)\"").at(0);
  const auto x = numbers(all(points, "([0-9.]+),"));
  const auto y = numbers(all(points, ",([0-9.]+)"));
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[2] - x[1], 2 * (x[1] - x[0]), tenth_of_pixel);
  EXPECT_NEAR(y[2] - y[1], 2 * (y[1] - y[0]), tenth_of_pixel);
  EXPECT_GT(y[1], y[0]) << "downwards in SVG, where errors get smaller";
  const auto lines = numbers(all(svg, "<line x1=\"([0-9.]+)\" y1=\"[0-9.]+\" x2=\"\\1\""));
  const double decade = x[1] - x[0];
  EXPECT_THAT(lines, ElementsAre(DoubleNear(x[0], tenth_of_pixel), DoubleNear(x[1], tenth_of_pixel),
                                 DoubleNear(x[1] + decade, tenth_of_pixel),
                                 DoubleNear(x[2], tenth_of_pixel)));
}

TEST(LogPlot, a_name_looks_the_same_in_every_panel_and_is_told_once) {
  const std::vector<Point> points{{1, 1}, {10, 10}};
  const std::string svg = to_svg(
      {"x", "y", {{"a", {{"PD", points}, {"ADMM", points}}}, {"b", {{"ADMM", points}}}}, {}});
  const auto colors = all(svg, "<polyline[^>]* stroke=\"(#[0-9a-f]+)\"");
  ASSERT_EQ(colors.size(), 3U);
  EXPECT_NE(colors[0], colors[1]);
  EXPECT_EQ(colors[1], colors[2]);
  EXPECT_EQ(all(svg, ">(ADMM)<").size(), 1U);
}

TEST(LogPlot, leaves_out_what_has_no_logarithm) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Point> good{{1, 2}, {100, 5}};
  std::vector<Point> bad = good;
  bad.insert(bad.begin() + 1, {{0, 1}, {10, -1}, {10, NAN}, {infinity, 1}});
  EXPECT_EQ(to_svg({"x", "y", {{"a", {{"b", bad}}}}, {}}),
            to_svg({"x", "y", {{"a", {{"b", good}}}}, {}}));
  const std::string none = to_svg({"x", "y", {{"a", {{"b", {{0, 0}}}}}}, {}});
  EXPECT_THAT(none, Not(HasSubstr("nan")));
  EXPECT_THAT(none, Not(HasSubstr("inf")));
}

TEST(LogPlot, writes_any_name_as_text) {
  const std::string svg = to_svg({"x", "y", {{"n < 10 & m", {}}}, {}});
  EXPECT_THAT(svg, HasSubstr(">n &lt; 10 &amp; m<"));
}

}  // namespace
}  // namespace sluice::plot
