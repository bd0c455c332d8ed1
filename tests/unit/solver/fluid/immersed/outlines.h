// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Closed outlines in the plane of x and z, solid on the left.
struct Outline {
  std::vector<Vec3> positions;
  std::vector<EdgeIndices> rim;

  /// Adds one through `points`, in cells.
  void add(const CellFrame<2>& frame, const std::vector<std::array<double, 2>>& points) {
    const auto first = static_cast<std::int32_t>(positions.size());
    const auto count = static_cast<std::int32_t>(points.size());
    for (std::int32_t i = 0; i < count; ++i) {
      const auto& [x, z] = points[static_cast<std::size_t>(i)];
      const double edge = frame.cell_size;
      positions.push_back(frame.origin.cast<double>() + Vec3(edge * x, 0, edge * z));
      rim.push_back({first + i, first + (i + 1) % count});
    }
  }

  [[nodiscard]] std::array<double, 2> in_cells(const CellFrame<2>& frame,
                                               std::int32_t vertex) const {
    const Vec3 away = positions[static_cast<std::size_t>(vertex)] - frame.origin.cast<double>();
    const double edge = frame.cell_size;
    return {away.x() / edge, away.z() / edge};
  }
};

/// Two stars with random rays, some 6 cells wide, next to each other.
inline Outline two_stars(unsigned seed, const CellFrame<2>& frame) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> radius(0.8, 3.4), shift(0, 1);
  Outline outline;
  for (const double x : {5.0, 13.0}) {
    const double x0 = x + shift(random), z0 = 8 + shift(random);
    std::vector<std::array<double, 2>> points;
    constexpr int count = 9;
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * (i + 0.4 * shift(random)) / count;
      const double r = radius(random);
      points.push_back({x0 + r * std::cos(angle), z0 + r * std::sin(angle)});
    }
    outline.add(frame, points);
  }
  return outline;
}

inline Outline rectangle(const CellFrame<2>& frame, const std::array<double, 2>& lower,
                         const std::array<double, 2>& upper) {
  Outline outline;
  outline.add(frame, {lower, {upper[0], lower[1]}, upper, {lower[0], upper[1]}});
  return outline;
}

}  // namespace sluice::fluid::grid
