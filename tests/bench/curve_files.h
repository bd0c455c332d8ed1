// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "tests/plot/log_plot.h"

namespace sluice::integrator {

/// The state of a run, iterate by iterate: see integrator_scene.h.
struct Curve {
  std::vector<double> seconds, rg, err;

  /// The time of the first iterate whose value is at most `bound`; infinite where there is none.
  [[nodiscard]] double time_to(const std::vector<double>& values, double bound) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] <= bound) return seconds[k];
    }
    return std::numeric_limits<double>::infinity();
  }
};

/// The curves of a benchmark as files: a table with a row an iterate, and beside it a plot of err
/// over time with a panel a scene.
class CurveFiles {
 public:
  /// Begins the table, as `csv`; the plot will have that name with the ending svg. What is not
  /// opened keeps nothing. False where it cannot be written, and says so to stderr.
  [[nodiscard]] bool open(const std::filesystem::path& csv);

  /// Scenes come one after the other.
  void add(const std::string& scene, const std::string& integrator, const Curve& curve);

  /// Writes the plot. False where a file cannot be written, and says so to stderr.
  [[nodiscard]] bool finish();

 private:
  std::filesystem::path csv_path_;
  std::ofstream csv_;
  plot::LogPlot plot_;
};

}  // namespace sluice::integrator
