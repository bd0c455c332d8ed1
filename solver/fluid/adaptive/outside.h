// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::adaptive {

using grid::Array, grid::Cell, grid::Sides;

/// The places of a lattice that are outside of the domain, which have images of what is inside, as
/// grid::GasBox has them around a box of equal cells.
template <int D>
class Outside {
 public:
  /// None.
  Outside() = default;
  /// `sides` have the number of the lattice's cells in the domain, and no periodic ones.
  Outside(const grid::Tiles<D>& tiles, const Sides<D>& sides);

  /// Sets values of cells to the mirror image of the inside, or, at sides that gas can pass, to
  /// `ambient`.
  void fill(float ambient, Array<float>& values) const;
  /// Does this for a pressure, which is 0 on open sides: images across these change sign.
  void fill_pressure(Array<float>& pressure) const;
  /// Does this for velocities [m/s] along `axis` on its faces: images behind walls give the flow
  /// the wall's velocity there, or let it slip; beyond open sides it goes on.
  void fill_faces(std::size_t axis, Array<float>& velocities) const;

 private:
  struct Image {
    std::uint32_t cell, source;
    bool is_ambient;
    float sign;  // Of a pressure.
  };
  struct FaceImage {
    std::uint32_t face, source;
    float factor, offset;  // The face gets factor * (source's velocity) + offset [m/s].
  };
  struct Places {
    std::vector<Image> cells;
    std::array<std::vector<FaceImage>, D> faces;
  };
  [[nodiscard]] static Places of_tile(const grid::Tiles<D>& tiles, const Sides<D>& sides,
                                      std::size_t tile);

  Places places_;
};

extern template class Outside<2>;
extern template class Outside<3>;

}  // namespace sluice::fluid::adaptive
