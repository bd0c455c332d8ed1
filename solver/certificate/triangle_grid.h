// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/types.h"

namespace sluice::certificate {

using Box = Eigen::AlignedBox3d;

/// A plain uniform grid over boxes of about one size: each cell lists the boxes that overlap it.
class TriangleGrid {
 public:
  void build(std::span<const Box> boxes);

  /// Calls `visit(index)` once for each box that overlaps `query`; touching counts.
  template <typename Visit>
  void for_each_overlap(const Box& query, Visit&& visit) const {
    if (boxes_.empty() || !query.intersects(bounds_)) return;
    const Cell first = cell_of(query.min()), last = cell_of(query.max());
    Cell cell;
    for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
      for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1]) {
        for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0]) {
          const std::size_t place = index_of(cell);
          for (std::size_t i = starts_[place]; i < starts_[place + 1]; ++i) {
            const Box& box = boxes_[entries_[i]];
            if (!query.intersects(box)) continue;
            // Both may be in several cells: counted in the one with their common lower corner.
            if (cell_of(query.min().cwiseMax(box.min())) == cell) visit(std::size_t{entries_[i]});
          }
        }
      }
    }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  [[nodiscard]] Cell cell_of(const Vec3& point) const {
    Cell cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const double place = (point[axis] - bounds_.min()[axis]) / edge_;
      const auto last = static_cast<double>(counts_[k] - 1);
      cell[k] = static_cast<std::int64_t>(place < 0 ? 0 : place > last ? last : place);
    }
    return cell;
  }
  [[nodiscard]] std::size_t index_of(const Cell& cell) const {
    return static_cast<std::size_t>((cell[2] * counts_[1] + cell[1]) * counts_[0] + cell[0]);
  }
  template <typename Visit>
  void for_each_cell(const Box& box, Visit&& visit) const;

  std::vector<Box> boxes_;
  Box bounds_;
  double edge_ = 1;
  Cell counts_{1, 1, 1};
  std::vector<std::uint32_t> starts_, entries_;
};

}  // namespace sluice::certificate
