// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/gas/confinement.h"
#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// A leaf's face in a side of the domain; not one that an obstacle closes.
struct SideFace {
  std::uint8_t axis, side;
  bool is_open;
  float velocity;            ///< [m/s] of the wall
  std::uint32_t face, leaf;  ///< In arrays of the level.
};

/// A fluid on a level of a tree. Arrays are those of the level's layer.
template <int D>
struct FluidLevel {
  /// `finest` is the frame of level 0; `sides` have the numbers of this level's cells.
  FluidLevel(const grid::CellFrame<D>& finest, std::size_t level, const Sides<D>& sides,
             scene::PathIntegrator integrator);

  using Velocities = typename grid::MacGrid<D>::template Faces<float>;
  using Flags = typename grid::MacGrid<D>::template Faces<std::uint8_t>;

  grid::CellFrame<D> frame;
  float edge;  ///< [finest cells] of a cell
  grid::MacGrid<D> grid;
  std::vector<Array<float>> values;  ///< By channel.
  Velocities before;                 ///< Velocities a substep ago.
  Velocities carried;                ///< Velocities that are carried.
  Array<float> pressure;             ///< Also in cells around.
  Flags live_faces;                  ///< Faces of leaves that fluid flows through.
  std::vector<SideFace> side_faces;
  Array<std::uint8_t> leaves;  ///< By cell: whether it is a leaf with fluid.
  Array<std::uint8_t> inside;  ///< By cell: whether it is one of the domain, with fluid.
  grid::SemiLagrangian<D> advection;
  grid::Confinement<D> confinement;

  /// The open part of a face that has fluid: 1 but on level 0 beside an obstacle; for walls too.
  [[nodiscard]] float open_part(std::size_t axis, std::size_t face) const noexcept {
    if (grid.open[axis].empty()) return 1;
    const float open = grid.open[axis][face];
    return open > 0 ? open : 1;
  }
};

/// By level of a tree.
template <int D>
using FluidLevels = std::vector<std::unique_ptr<FluidLevel<D>>>;

/// Finds a level's live faces, side faces, leaves and cells inside, after Layers::find_fluid().
template <int D>
void find_live(const Layer<D>& layer, FluidLevel<D>& level);

/// [m/s] The largest velocity along an axis on live faces; NaN if one is not finite.
template <int D>
[[nodiscard]] double fastest_velocity(std::span<const std::unique_ptr<FluidLevel<D>>> levels);

/// The sum over leaves of the mean of `power`-th powers (1 or 2) of velocities on the faces along
/// `axis`, by their open parts, times the volume in finest cells.
template <int D>
[[nodiscard]] double sum_of_velocities(const Layers<D>& layers, const FluidLevels<D>& levels,
                                       std::size_t axis, int power);

extern template struct FluidLevel<2>;
extern template struct FluidLevel<3>;
extern template void find_live<2>(const Layer<2>&, FluidLevel<2>&);
extern template void find_live<3>(const Layer<3>&, FluidLevel<3>&);
extern template double fastest_velocity<2>(std::span<const std::unique_ptr<FluidLevel<2>>>);
extern template double fastest_velocity<3>(std::span<const std::unique_ptr<FluidLevel<3>>>);
extern template double sum_of_velocities<2>(const Layers<2>&, const FluidLevels<2>&, std::size_t,
                                            int);
extern template double sum_of_velocities<3>(const Layers<3>&, const FluidLevels<3>&, std::size_t,
                                            int);

}  // namespace sluice::fluid::adaptive
