// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// The cells of the domain as tiles, with two layers around them, and what of them is gas.
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

  /// Fills cells in solids with what is next to them, and those around the domain with the mirror
  /// images of what is inside; around sides that gas comes in by with `ambient`.
  void fill_around(float ambient, Array<float>& values) const;

  /// The same of a pressure, which is 0 on open sides.
  void fill_around_pressure(Array<float>& pressure) const;

  /// The same of the velocity: images of the flow behind walls, which make it the wall's there, or
  /// let it slip; and along obstacles.
  void fill_around(const SolidFaces<D>& solids, MacGrid<D>& grid) const;

 private:
  struct Around {
    std::size_t cell, source;
    bool is_ambient, is_open;
  };

  struct FaceAround {
    std::size_t face, source;
    float factor, offset;  // Of the source's velocity; [m/s]
  };

  void fill_solids(Array<float>& values) const;

  Sides<D> sides_;
  Tiles<D> tiles_;
  // In an order in which sources are known.
  std::vector<Around> around_;
  std::array<std::vector<FaceAround>, D> faces_around_;
  typename MacGrid<D>::template Faces<std::uint8_t> live_faces_;
  Array<std::uint8_t> live_cells_;
  bool has_solids_ = false;        // Cells in the domain that are not live.
  bool has_closed_faces_ = false;  // And such faces.
};

extern template class GasBox<2>;
extern template class GasBox<3>;

}  // namespace sluice::fluid::grid
