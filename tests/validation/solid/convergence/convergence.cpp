// SPDX-License-Identifier: Apache-2.0
// Measures how the errors of deformable solids fall with the step and with the mesh.
//
//   validation.solid.convergence FOLDER    prints a table, writes orders.csv, time.svg and
//   space.svg
//
// Exit codes: 0 done, 1 a file cannot be written, 2 wrong usage.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/plot/log_plot.h"
#include "tests/validation/solid/convergence/studies.h"

namespace {

using sluice::solid::Study;

void print(const Study& study, std::string& csv) {
  std::printf("%s (expected order %.0f)\n", study.name.c_str(), study.expected_order);
  for (std::size_t n = 0; n < study.samples.size(); ++n) {
    const auto& [size, error] = study.samples[n];
    std::string order = n == 0 ? "" : std::to_string(study.order(n));
    std::printf("  %-12.4g error %-10.3e %s\n", size, error, order.c_str());
    csv +=
        study.name + "," + std::to_string(size) + "," + std::to_string(error) + "," + order + "\n";
  }
}

/// Errors over sizes. The legend tells the order between the two finest.
std::string plot(const std::string& title, const std::string& size_label,
                 const std::vector<Study>& studies) {
  sluice::plot::Panel panel{title, {}};
  for (const Study& study : studies) {
    const double order = study.order(study.samples.size() - 1);
    sluice::plot::Curve curve{fmt::format("{}: {:.2f}", study.name, order), {}};
    for (const auto& [size, error] : study.samples)
      curve.points.push_back({size, error});
    panel.curves.push_back(curve);
  }
  return sluice::plot::to_svg({size_label, "relative error", {panel}, {1, 2}});
}

bool write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: validation.solid.convergence FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::error_code ignored;  // The files cannot be written either, and that says where.
  std::filesystem::create_directories(folder, ignored);
  const std::vector<Study> time = sluice::solid::time_studies();
  const std::vector<Study> space = sluice::solid::space_studies();
  std::string csv = "study,size,relative error,order\n";
  for (const auto* studies : {&time, &space}) {
    for (const Study& study : *studies)
      print(study, csv);
  }
  const bool all_written =
      write(folder / "orders.csv", csv) &&
      write(folder / "time.svg", plot("Error over the step", "step over the period", time)) &&
      write(folder / "space.svg",
            plot("Error over the mesh", "element's length over the body's", space));
  return all_written ? 0 : 1;
}
