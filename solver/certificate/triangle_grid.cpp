// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/triangle_grid.h"

#include <algorithm>
#include <cmath>

namespace sluice::certificate {

template <typename Visit>
void TriangleGrid::for_each_cell(const Box& box, Visit&& visit) const {
  const Cell first = cell_of(box.min()), last = cell_of(box.max());
  Cell cell;
  for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
    for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1]) {
      for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0])
        visit(index_of(cell));
    }
  }
}

void TriangleGrid::build(std::span<const Box> boxes) {
  boxes_.assign(boxes.begin(), boxes.end());
  if (boxes_.empty()) return;
  bounds_ = Box();
  double extents = 0;
  for (const Box& box : boxes_) {
    bounds_.extend(box);
    extents += box.sizes().maxCoeff();
  }
  // Cells as large as the mean box, and not so many that clearing them costs more than the rest.
  constexpr double most_cells = 1 << 20;
  edge_ = std::max(extents / static_cast<double>(boxes_.size()), 1e-12);
  const auto cells = [&] {
    double product = 1;
    for (const double size : bounds_.sizes())
      product *= std::floor(size / edge_) + 1;
    return product;
  };
  while (cells() > most_cells)
    edge_ *= 1.5;
  for (std::size_t k = 0; k < 3; ++k) {
    counts_[k] =
        static_cast<std::int64_t>(bounds_.sizes()[static_cast<Eigen::Index>(k)] / edge_) + 1;
  }
  starts_.assign(static_cast<std::size_t>(counts_[0] * counts_[1] * counts_[2]) + 1, 0);
  for (const Box& box : boxes_) {
    for_each_cell(box, [&](std::size_t cell) { ++starts_[cell + 1]; });
  }
  for (std::size_t i = 1; i < starts_.size(); ++i)
    starts_[i] += starts_[i - 1];
  entries_.resize(starts_.back());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    for_each_cell(boxes_[i], [&](std::size_t cell) {
      entries_[next[cell]++] = static_cast<std::uint32_t>(i);
    });
  }
}

}  // namespace sluice::certificate
