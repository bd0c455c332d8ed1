// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/curve_files.h"

#include <cstddef>
#include <cstdio>
#include <utility>

namespace sluice::integrator {
namespace {

bool is_written(const std::ofstream& file, const std::filesystem::path& path) {
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

}  // namespace

bool CurveFiles::open(const std::filesystem::path& csv) {
  csv_path_ = csv;
  csv_.open(csv);
  csv_ << "scene,integrator,iteration,milliseconds,rg,err\n";
  plot_ = {"time of the step [ms]", "distance to the converged state, predictor's = 1", {}, {}};
  return is_written(csv_, csv_path_);
}

void CurveFiles::add(const std::string& scene, const std::string& integrator, const Curve& curve) {
  if (!csv_.is_open()) return;
  if (plot_.panels.empty() || plot_.panels.back().title != scene)
    plot_.panels.push_back({scene, {}});
  plot::Curve drawn{integrator, {}};
  for (std::size_t k = 0; k < curve.seconds.size(); ++k) {
    const double milliseconds = 1e3 * curve.seconds[k];
    csv_ << '"' << scene << "\",\"" << integrator << "\"," << k << ',' << milliseconds << ','
         << curve.rg[k] << ',' << curve.err[k] << '\n';
    drawn.points.push_back({milliseconds, curve.err[k]});
  }
  plot_.panels.back().curves.push_back(std::move(drawn));
}

bool CurveFiles::finish() {
  if (!csv_.is_open()) return true;
  csv_.close();
  const std::filesystem::path svg_path = std::filesystem::path(csv_path_).replace_extension("svg");
  std::ofstream svg(svg_path);
  svg << plot::to_svg(plot_);
  svg.close();
  const bool is_table_written = is_written(csv_, csv_path_);
  return is_written(svg, svg_path) && is_table_written;
}

}  // namespace sluice::integrator
