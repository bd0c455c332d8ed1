// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sluice::plot {

struct Point {
  double x, y;
};

/// Points joined in their order. What a logarithm cannot place (not positive, not finite) is left
/// out.
struct Curve {
  std::string name;  ///< For the legend: the same name looks the same in every panel.
  std::vector<Point> points;
};

struct Panel {
  std::string title;
  std::vector<Curve> curves;
};

/// Curves over logarithmic axes, which each panel has for itself and which end at whole decades.
struct LogPlot {
  std::string x_label, y_label;  ///< Labels of every panel, with units where there are some.
  std::vector<Panel> panels;
  std::vector<int> orders;  ///< A line of each of these slopes, to hold the curves against.
};

/// The plot as the text of an SVG file: panels in two columns, the legend to their right. A curve
/// of a few points shows each, and of points less than a pixel apart one is drawn.
[[nodiscard]] std::string to_svg(const LogPlot& plot);

}  // namespace sluice::plot
