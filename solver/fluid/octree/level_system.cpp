// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/octree/level_system.h"

#include <array>

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
            const auto& neighbours = level.tiles.neighbours(tile);
            cells[tile].for_each([&](std::size_t i) {
              const Cell<D> local = grid::local_cell<D>(i);
              for (std::size_t side = 0; side < side_count<D>; ++side) {
                const std::size_t axis = side / 2;
                const bool is_lower = side % 2 == 0;
                const std::size_t step = grid::stride<D>(static_cast<int>(axis));
                const bool is_last = local[axis] == (is_lower ? 0 : grid::tile_edge<D> - 1);
                const std::size_t next_tile = is_last ? neighbours[side] : tile;
                if (next_tile == level.tiles.count()) continue;
                const std::size_t far = (static_cast<std::size_t>(grid::tile_edge<D>) - 1) * step;
                const std::size_t place =
                    is_last ? (is_lower ? i + far : i - far) : (is_lower ? i - step : i + step);
                if (!cells[next_tile].contains(place)) continue;
                const std::size_t face =
                    is_lower ? tile * tile_size<D> + i : next_tile * tile_size<D> + place;
                couplings.next[side][i] = weight * open[axis][level.first + face];
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
