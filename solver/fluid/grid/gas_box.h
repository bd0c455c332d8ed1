// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/grid/mac_grid.h"
#include "solver/fluid/grid/solid_faces.h"

namespace sluice::fluid::grid {

/// The cells of the domain as tiles, with a layer around them, and what of them is gas.
template <int D>
class GasBox {
 public:
  explicit GasBox(const Sides<D>& sides);

  [[nodiscard]] const Tiles<D>& tiles() const noexcept { return tiles_; }

  /// Finds live faces and cells, after SolidFaces::find() of `grid`; and where the grid has gas.
  void find_live(MacGrid<D>& grid);

  /// Faces that gas flows through: open, and in the domain or on an open side of it.
  [[nodiscard]] const typename MacGrid<D>::template Faces<std::uint8_t>& live_faces() const {
    return live_faces_;
  }
  /// Cells in the domain that are not all in solids.
  [[nodiscard]] const Array<std::uint8_t>& live_cells() const { return live_cells_; }

  /// Fills cells in solids and around the domain with what is next to them, around sides that gas
  /// comes in by with `ambient`.
  void fill_around(float ambient, Array<float>& values) const;

  /// The same of the velocity, but for its walls': SolidFaces::constrain().
  void fill_around(MacGrid<D>& grid) const;

 private:
  struct Around {
    std::size_t cell, source;
    bool is_ambient;
  };

  Sides<D> sides_;
  Tiles<D> tiles_;
  std::vector<Around> around_;  // In an order in which sources are known.
  typename MacGrid<D>::template Faces<std::uint8_t> live_faces_;
  Array<std::uint8_t> live_cells_;
  bool has_solids_ = false;  // Cells in the domain that are not live.
};

extern template class GasBox<2>;
extern template class GasBox<3>;

}  // namespace sluice::fluid::grid
