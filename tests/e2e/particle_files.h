// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/cli_process.h"

// Particles as `sluice` writes them, and what the places of particles tell.
namespace sluice::e2e {

using Point = std::array<float, 3>;

/// The points of a binary PLY file whose properties have four bytes each.
inline std::vector<Point> points_of(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::istringstream header(text.substr(0, text.find("end_header\n")));
  std::size_t count = 0, properties = 0;
  for (std::string line; std::getline(header, line);) {
    if (line.starts_with("element vertex ")) count = std::stoul(line.substr(15));
    properties += line.starts_with("property ") && !line.starts_with("property list") ? 1 : 0;
  }
  std::vector<Point> points(count);
  const char* row = text.data() + text.find("end_header\n") + 11;
  for (Point& point : points) {
    std::memcpy(point.data(), row, sizeof point);
    row += 4 * properties;
  }
  return points;
}

/// How many of the points are in the largest set that holds together: those that are nearer than
/// `reach` to each other are in one set.
inline std::size_t largest_body(const std::vector<Point>& points, float reach) {
  using Cell = std::array<int, 3>;
  const auto cell_of = [&](const Point& x) {
    Cell cell;
    for (std::size_t a = 0; a < 3; ++a)
      cell[a] = static_cast<int>(std::floor(x[a] / reach));
    return cell;
  };
  std::map<Cell, std::vector<std::size_t>> in_cells;
  for (std::size_t i = 0; i < points.size(); ++i)
    in_cells[cell_of(points[i])].push_back(i);
  const auto are_near = [&](const Point& x, const Point& y) {
    float squared = 0;
    for (std::size_t a = 0; a < 3; ++a)
      squared += (x[a] - y[a]) * (x[a] - y[a]);
    return squared < reach * reach;
  };
  std::vector<std::uint8_t> is_seen(points.size(), 0);
  std::size_t largest = 0;
  for (std::size_t start = 0; start < points.size(); ++start) {
    if (is_seen[start] != 0) continue;
    std::vector<std::size_t> body{start};
    is_seen[start] = 1;
    for (std::size_t n = 0; n < body.size(); ++n) {
      const Point x = points[body[n]];
      for (int k = 0; k < 27; ++k) {
        Cell cell = cell_of(x);
        cell[0] += k % 3 - 1;
        cell[1] += k / 3 % 3 - 1;
        cell[2] += k / 9 - 1;
        const auto found = in_cells.find(cell);
        if (found == in_cells.end()) continue;
        for (const std::size_t other : found->second) {
          if (is_seen[other] != 0 || !are_near(x, points[other])) continue;
          is_seen[other] = 1;
          body.push_back(other);
        }
      }
    }
    largest = std::max(largest, body.size());
  }
  return largest;
}

}  // namespace sluice::e2e
