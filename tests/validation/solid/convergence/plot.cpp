// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/solid/convergence/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace sluice::solid {
namespace {

constexpr double width = 1040, height = 540;  // [px] All lengths here.
constexpr double left = 80, right = 600, top = 50, bottom = 480;
constexpr std::array colors{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"};

/// A logarithmic axis over whole decades.
struct Axis {
  int from, to;       ///< Exponents of 10.
  double start, end;  ///< Where these are drawn.

  [[nodiscard]] double at(double value) const {
    return start + (std::log10(value) - from) / (to - from) * (end - start);
  }
};

template <typename Value>
Axis axis_over(const std::vector<Study>& studies, double start, double end, const Value& value) {
  double least = INFINITY, most = 0;
  for (const Study& study : studies) {
    for (const Sample& sample : study.samples) {
      least = std::min(least, value(sample));
      most = std::max(most, value(sample));
    }
  }
  return {static_cast<int>(std::floor(std::log10(least))),
          static_cast<int>(std::ceil(std::log10(most))), start, end};
}

class Drawing {
 public:
  Drawing(const Axis& x, const Axis& y) : x_(x), y_(y) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
        "font-family=\"sans-serif\" font-size=\"14\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
  }

  void text(double x, double y, const char* anchor, const std::string& words) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  }

  void decades() {
    for (int e = x_.from; e <= x_.to; ++e) {
      const double x = x_.at(std::pow(10, e));
      line(x, bottom, x, top, "#dddddd", "");
      text(x, bottom + 20, "middle", fmt::format("1e{}", e));
    }
    for (int e = y_.from; e <= y_.to; ++e) {
      const double y = y_.at(std::pow(10, e));
      line(left, y, right, y, "#dddddd", "");
      text(left - 8, y + 5, "end", fmt::format("1e{}", e));
    }
  }

  void curve(const Study& study, std::size_t number) {
    const char* color = colors[number % colors.size()];
    add("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{}\" points=\"", color);
    for (const Sample& sample : study.samples)
      add("{:.1f},{:.1f} ", x_.at(sample.size), y_.at(sample.error));
    add("\"/>\n");
    for (const Sample& sample : study.samples) {
      add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x_.at(sample.size),
          y_.at(sample.error), color);
    }
    const double y = top + 24 * static_cast<double>(number + 1);
    line(right + 20, y - 5, right + 44, y - 5, color, "");
    text(right + 52, y, "start",
         fmt::format("{}: {:.2f}", study.name, study.order(study.samples.size() - 1)));
  }

  /// A line of that order over the lowest decade of errors, from the lower left.
  void slope(double order) {
    const double size = std::pow(10, x_.from), error = std::pow(10, y_.from);
    const double reach = std::min(1, x_.to - x_.from);
    const double x = x_.at(size * std::pow(10, reach));
    const double y = y_.at(error * std::pow(10, order * reach));
    line(x_.at(size), y_.at(error), x, y, "#888888", "6 4");
    text(x + 4, y, "start", fmt::format("order {:.0f}", order));
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

  void line(double x_1, double y_1, double x_2, double y_2, const char* color, const char* dashes) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>\n",
        x_1, y_1, x_2, y_2, color, dashes);
  }

  Axis x_, y_;
  std::string text_;
};

}  // namespace

std::string plot(const std::string& title, const std::string& size_label,
                 const std::vector<Study>& studies) {
  const auto x = axis_over(studies, left, right, [](const Sample& sample) { return sample.size; });
  const auto y = axis_over(studies, bottom, top, [](const Sample& sample) { return sample.error; });
  Drawing drawing(x, y);
  drawing.text((left + right) / 2, top - 20, "middle", title);
  drawing.text((left + right) / 2, bottom + 45, "middle", size_label);
  drawing.text(left, top - 20, "middle", "relative error");
  drawing.decades();
  for (const double order : {1, 2})
    drawing.slope(order);
  for (std::size_t n = 0; n < studies.size(); ++n)
    drawing.curve(studies[n], n);
  return drawing.take();
}

}  // namespace sluice::solid
