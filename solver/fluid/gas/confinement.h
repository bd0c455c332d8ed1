// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/mac_grid.h"

namespace sluice::fluid::grid {

/// Vorticity confinement [Fedkiw2001]: turns the flow where it turns already, against what the grid
/// smooths away,
///
///     f = strength dx (N x omega),   N = grad |omega| / |grad |omega||.
template <int D>
class Confinement {
 public:
  /// Adds `h` times f to the velocities of live faces.
  void apply(float strength, float h,
             const typename MacGrid<D>::template Faces<std::uint8_t>& live_faces,
             const Array<std::uint8_t>& live_cells, MacGrid<D>& grid);

 private:
  static constexpr std::size_t turns = D == 3 ? 3 : 1;  // Components of omega.

  void find_vorticity(const Array<std::uint8_t>& live_cells, const MacGrid<D>& grid);
  void find_force(float factor, const Array<std::uint8_t>& live_cells, const Tiles<D>& tiles);

  std::array<Array<float>, turns> vorticity_;  // By cell. [m/s] per cell
  Array<float> magnitude_;
  std::array<Array<float>, D> force_;  // By cell: f times h. [m/s]
};

extern template class Confinement<2>;
extern template class Confinement<3>;

}  // namespace sluice::fluid::grid
