// SPDX-License-Identifier: Apache-2.0
#include "tests/plot/log_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace sluice::plot {
namespace {

// [px] All lengths here. A panel's origin is its upper left corner, with room for the labels.
constexpr double panel_width = 560, panel_height = 460, legend_width = 430, legend_line = 24,
                 legend_sample = 32;
constexpr double left = 80, right = 530, top = 50, bottom = 390;
constexpr std::array colors{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"};
constexpr std::array dashes{"none", "8 4", "2 3"};  ///< The next when all colours are used.
constexpr std::size_t few_points = 12;

bool is_drawable(const Point& point) {
  const auto has_logarithm = [](double value) { return value > 0 && std::isfinite(value); };
  return has_logarithm(point.x) && has_logarithm(point.y);
}

/// A logarithmic axis over whole decades, at least one.
struct Axis {
  int from, to;       ///< Exponents of 10.
  double start, end;  ///< Where these are drawn.

  [[nodiscard]] double at(double value) const {
    return start + (std::log10(value) - from) / (to - from) * (end - start);
  }
  /// Decades from one label to the next, so that labels do not touch.
  [[nodiscard]] int stride() const { return (to - from + 7) / 8; }
};

Axis axis_over(const std::vector<Curve>& curves, double Point::* coordinate, double start,
               double end) {
  double least = INFINITY, most = 0;
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      if (!is_drawable(point)) continue;
      least = std::min(least, point.*coordinate);
      most = std::max(most, point.*coordinate);
    }
  }
  if (least > most) return {0, 1, start, end};
  const int from = static_cast<int>(std::floor(std::log10(least)));
  return {from, std::max(from + 1, static_cast<int>(std::ceil(std::log10(most)))), start, end};
}

std::string escaped(const std::string& words) {
  std::string text;
  for (const char c : words) {
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else {
      text += c;
    }
  }
  return text;
}

/// How a curve is told from the others.
struct Look {
  const char *color, *dash;
  bool has_full_dots;
};

Look look(std::size_t number) {
  const std::size_t round = number / colors.size();
  return {colors[number % colors.size()], dashes[round % dashes.size()], round == 0};
}

Look look_of_order(int order) {
  return {"#888888", dashes[static_cast<std::size_t>(order) % dashes.size()], false};
}

class Canvas {
 public:
  Canvas(double width, double height) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"sans-serif\" font-size=\"14\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
  }

  /// Everything drawn until `end_group` has its origin there.
  void begin_group(double x, double y) { add("<g transform=\"translate({},{})\">\n", x, y); }
  void end_group() { add("</g>\n"); }

  void text(double x, double y, const char* anchor, const std::string& words) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
        escaped(words));
  }
  void upward_text(double x, double y, const std::string& words) {
    add("<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        x, y, escaped(words));
  }
  void power_of_ten(double x, double y, const char* anchor, int exponent) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">10<tspan dy=\"-6\" "
        "font-size=\"10\">{}</tspan></text>\n",
        x, y, anchor, exponent);
  }

  void line(const Point& a, const Point& b, const Look& look) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>\n",
        a.x, a.y, b.x, b.y, look.color, look.dash);
  }
  void polyline(std::span<const Point> points, const Look& look) {
    add("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{}\" stroke-dasharray=\"{}\" "
        "points=\"",
        look.color, look.dash);
    for (const Point& point : points)
      add("{:.1f},{:.1f} ", point.x, point.y);
    add("\"/>\n");
  }
  void dot(const Point& point, const Look& look) {
    add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"{}\"/>\n", point.x,
        point.y, look.has_full_dots ? look.color : "white", look.color);
  }

  std::string take() {
    add("</svg>\n");
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  std::string text_;
};

void draw_grid(Canvas& canvas, const Axis& x, const Axis& y) {
  const Look grid{"#dddddd", "none", false};
  for (int e = x.from; e <= x.to; e += x.stride()) {
    const double at = x.at(std::pow(10, e));
    canvas.line({at, bottom}, {at, top}, grid);
    canvas.power_of_ten(at, bottom + 22, "middle", e);
  }
  for (int e = y.from; e <= y.to; e += y.stride()) {
    const double at = y.at(std::pow(10, e));
    canvas.line({left, at}, {right, at}, grid);
    canvas.power_of_ten(left - 8, at + 5, "end", e);
  }
}

/// A line of that order over the last decade of x or to the top, in the corner below right, which
/// errors that fall to the left leave free.
void draw_order(Canvas& canvas, const Axis& x, const Axis& y, int order) {
  const double rise = std::min(order, y.to - y.from);
  const double foot = x.to - 1, head = foot + rise / order;
  canvas.line({x.at(std::pow(10, foot)), y.start},
              {x.at(std::pow(10, head)), y.at(std::pow(10, y.from + rise))}, look_of_order(order));
}

void draw_curve(Canvas& canvas, const Axis& x, const Axis& y, const Curve& curve,
                const Look& look) {
  std::vector<Point> drawn;
  for (const Point& point : curve.points) {
    if (!is_drawable(point)) continue;
    const Point next{x.at(point.x), y.at(point.y)};
    if (drawn.empty() || std::hypot(next.x - drawn.back().x, next.y - drawn.back().y) >= 1)
      drawn.push_back(next);
  }
  canvas.polyline(drawn, look);
  if (drawn.size() > few_points) return;
  for (const Point& point : drawn)
    canvas.dot(point, look);
}

std::vector<std::string> names_of(const LogPlot& plot) {
  std::vector<std::string> names;
  for (const Panel& panel : plot.panels) {
    for (const Curve& curve : panel.curves) {
      if (std::ranges::find(names, curve.name) == names.end()) names.push_back(curve.name);
    }
  }
  return names;
}

void draw_panel(Canvas& canvas, const LogPlot& plot, const Panel& panel,
                const std::vector<std::string>& names) {
  const Axis x = axis_over(panel.curves, &Point::x, left, right);
  const Axis y = axis_over(panel.curves, &Point::y, bottom, top);
  canvas.text((left + right) / 2, top - 20, "middle", panel.title);
  canvas.text((left + right) / 2, bottom + 50, "middle", plot.x_label);
  canvas.upward_text(left - 52, (top + bottom) / 2, plot.y_label);
  draw_grid(canvas, x, y);
  for (const int order : plot.orders)
    draw_order(canvas, x, y, order);
  for (const Curve& curve : panel.curves) {
    const auto number = std::ranges::find(names, curve.name) - names.begin();
    draw_curve(canvas, x, y, curve, look(static_cast<std::size_t>(number)));
  }
}

void draw_legend(Canvas& canvas, const std::vector<std::string>& names,
                 const std::vector<int>& orders) {
  double y = 0;
  const auto entry = [&](const std::string& name, const Look& look) {
    canvas.line({0, y}, {legend_sample, y}, look);
    canvas.text(legend_sample + 10, y + 5, "start", name);
    y += legend_line;
  };
  for (std::size_t n = 0; n < names.size(); ++n) {
    entry(names[n], look(n));
    canvas.dot({legend_sample / 2, y - legend_line}, look(n));
  }
  for (const int order : orders)
    entry(fmt::format("order {}", order), look_of_order(order));
}

}  // namespace

std::string to_svg(const LogPlot& plot) {
  const std::vector<std::string> names = names_of(plot);
  const std::size_t columns = std::min<std::size_t>(2, plot.panels.size());
  const std::size_t rows = (plot.panels.size() + 1) / 2;
  const double width = static_cast<double>(columns) * panel_width;
  const double legend_height = legend_line * static_cast<double>(names.size() + plot.orders.size());
  Canvas canvas(width + legend_width,
                std::max(static_cast<double>(rows) * panel_height, top + legend_height));
  for (std::size_t n = 0; n < plot.panels.size(); ++n) {
    const std::size_t column = n % 2, row = n / 2;
    canvas.begin_group(static_cast<double>(column) * panel_width,
                       static_cast<double>(row) * panel_height);
    draw_panel(canvas, plot, plot.panels[n], names);
    canvas.end_group();
  }
  canvas.begin_group(width, top);
  draw_legend(canvas, names, plot.orders);
  canvas.end_group();
  return canvas.take();
}

}  // namespace sluice::plot
