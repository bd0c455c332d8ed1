// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::adaptive {

/// Which cells of twice the finest edge have liquid, by a grid of the finest cells.
template <int D>
class HalvedGrid {
 public:
  enum class Filling : std::uint8_t { empty, partly, full };

  /// `sides` are those of the finest cells. Cells of the interior count as full; `is_interior`
  /// tells whether one of the finest cells is, where `grid` does not have it. All must outlive
  /// this.
  HalvedGrid(const grid::MacGrid<D>& grid, const Sides<D>& sides,
             const std::function<bool(const Cell<D>&)>& is_interior);

  /// How much liquid a cell has that has something of the domain in it.
  [[nodiscard]] Filling filling(const Cell<D>& cell) const;

  /// The cells with liquid that are at most `margin` cells away from the surface: from cells that
  /// are not full, or are beyond an open side.
  [[nodiscard]] octree::Cells<D> near_surface(std::int32_t margin) const;
  /// All cells with liquid that the grid has.
  [[nodiscard]] octree::Cells<D> with_liquid() const;

 private:
  [[nodiscard]] bool is_inside(const Cell<D>& cell) const;
  [[nodiscard]] bool is_at_surface(const Cell<D>& cell, Filling own) const;
  template <typename Condition>
  [[nodiscard]] octree::Cells<D> chosen(const Condition& condition) const;

  const grid::MacGrid<D>& grid_;
  const Sides<D>& sides_;
  const std::function<bool(const Cell<D>&)>& is_interior_;
  Array<Filling> filling_;  // By tile of the grid, and cell in it.
};

extern template class HalvedGrid<2>;
extern template class HalvedGrid<3>;

}  // namespace sluice::fluid::adaptive
