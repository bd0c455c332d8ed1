// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/level_system.h"

#include <array>

#include "solver/fluid/octree/next_cell.h"

namespace sluice::fluid::octree {

using grid::side_count, grid::tile_size;

template <int D>
grid::PoissonSystem<D> system_of_level(const Tree<D>& tree, std::size_t k,
                                       const std::vector<CellSet<D>>& cells,
                                       const Faces<D, float>& open, std::span<const float> fixed) {
  const auto& level = tree.level(k);
  const float weight = even_weight<D>(k);
  return {level.tiles, weight, [&](std::size_t tile, grid::Couplings<D>& couplings) {
            if (cells[tile].empty()) return grid::TileKind::empty;
            cells[tile].for_each([&](std::size_t i) {
              for (std::size_t side = 0; side < side_count<D>; ++side) {
                const InTile next = next_cell<D>(level.tiles, tile, i, side);
                if (next.tile == level.tiles.count() || !cells[next.tile].contains(next.place))
                  continue;
                const bool is_lower = side % 2 == 0;
                const std::size_t face =
                    is_lower ? tile * tile_size<D> + i : next.tile * tile_size<D> + next.place;
                couplings.next[side][i] = weight * open[side / 2][level.first + face];
              }
              couplings.fixed[i] = fixed[tile * tile_size<D> + i];
            });
            return grid::TileKind::general;
          }};
}

template grid::PoissonSystem<2> system_of_level<2>(const Tree<2>&, std::size_t,
                                                   const std::vector<CellSet<2>>&,
                                                   const Faces<2, float>&, std::span<const float>);
template grid::PoissonSystem<3> system_of_level<3>(const Tree<3>&, std::size_t,
                                                   const std::vector<CellSet<3>>&,
                                                   const Faces<3, float>&, std::span<const float>);

}  // namespace sluice::fluid::octree
