// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/types.h"

namespace sluice::solid {

/// nx x ny x nz boxes of five tets, mirrored from box to box so that their faces match.
struct TetBar {
  std::array<int, 3> counts;
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 4>> tets;

  TetBar(std::array<int, 3> boxes, const Vec3& size) : counts(boxes) {
    const auto [nx, ny, nz] = boxes;
    for (int k = 0; k <= nz; ++k) {
      for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i)
          vertices.emplace_back(size.x() * i / nx, size.y() * j / ny, size.z() * k / nz);
      }
    }
    constexpr std::array<std::array<int, 4>, 5> five{
        {{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}}};
    for (int k = 0; k < nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
          for (const auto& tet : five) {
            std::array<std::int32_t, 4> corners{};
            for (std::size_t c = 0; c < 4; ++c) {
              const int at = (i + j + k) % 2 == 0 ? tet[c] : tet[c] ^ 1;
              corners[c] = index(i + (at & 1), j + (at >> 1 & 1), k + (at >> 2 & 1));
            }
            tets.push_back(corners);
          }
        }
      }
    }
  }

  [[nodiscard]] int index(int i, int j, int k) const {
    return i + (counts[0] + 1) * (j + (counts[1] + 1) * k);
  }
  [[nodiscard]] double volume_of(const std::array<std::int32_t, 4>& tet) const {
    const auto at = [&](std::size_t i) { return vertices[static_cast<std::size_t>(tet[i])]; };
    return std::abs((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0))) / 6;
  }

  /// [kg] By vertex: a quarter of each tet's to each of its corners.
  [[nodiscard]] std::vector<double> masses(double density) const {
    std::vector<double> mass(vertices.size(), 0);
    for (const auto& tet : tets) {
      for (const std::int32_t vertex : tet)
        mass[static_cast<std::size_t>(vertex)] += density * volume_of(tet) / 4;
    }
    return mass;
  }
};

}  // namespace sluice::solid
