// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// The domain's cells as tiles, with two layers of cells around them, and which of them are gas.
template <int D>
class GasBox {
 public:
  explicit GasBox(const Sides<D>& sides);

  [[nodiscard]] const Tiles<D>& tiles() const noexcept { return tiles_; }

  /// Finds live faces and cells, after SolidFaces::find(), and sets `grid`'s distance and is_full.
  void find_live(MacGrid<D>& grid);

  /// Faces that gas flows through: open, and in the domain or on an open side of it.
  [[nodiscard]] const typename MacGrid<D>::template Faces<std::uint8_t>& live_faces() const {
    return live_faces_;
  }
  /// Cells in the domain that are not wholly in solids.
  [[nodiscard]] const Array<std::uint8_t>& live_cells() const { return live_cells_; }

  /// Fills cells in solids from live cells next to them, and the layers around the domain with the
  /// mirror image of the inside, or, at sides that gas can pass, with `ambient`.
  void fill_around(float ambient, Array<float>& values) const;

  /// Does this for a pressure; across open sides images change sign, as it is 0 there.
  void fill_around_pressure(Array<float>& pressure) const;

  /// Does this for the velocity: images behind walls give the flow the wall's velocity there, or
  /// let it slip; beyond open sides it goes on; along obstacles `solids` constrain it.
  void fill_around(const SolidFaces<D>& solids, MacGrid<D>& grid) const;

 private:
  struct Around {
    std::size_t cell, source;
    bool is_ambient, is_open;
  };

  struct FaceAround {
    std::size_t face, source;
    float factor, offset;  // The face gets factor * (source's velocity) + offset [m/s].
  };

  void fill_solids(Array<float>& values) const;

  Sides<D> sides_;
  Tiles<D> tiles_;
  // In an order in which each source is known before it is used.
  std::vector<Around> around_;
  std::array<std::vector<FaceAround>, D> faces_around_;
  typename MacGrid<D>::template Faces<std::uint8_t> live_faces_;
  Array<std::uint8_t> live_cells_;
  bool has_solids_ = false;        // Whether some cells in the domain are not live.
  bool has_closed_faces_ = false;  // Whether some faces in it or on open sides are not.
};

extern template class GasBox<2>;
extern template class GasBox<3>;

}  // namespace sluice::fluid::grid
