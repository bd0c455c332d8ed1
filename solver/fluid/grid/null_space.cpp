// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/null_space.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sluice::fluid::grid {
namespace {

// Sets of what is tied together, as trees [Tarjan1975].
class Sets {
 public:
  explicit Sets(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }
  [[nodiscard]] std::uint32_t root(std::uint32_t i) {
    while (parents_[i] != i) {
      parents_[i] = parents_[parents_[i]];
      i = parents_[i];
    }
    return i;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a != b) parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parents_;
};

// A uniform tile is one node, others have one for each cell.
template <int D>
std::vector<std::uint32_t> first_nodes(const PoissonSystem<D>& system) {
  std::vector<std::uint32_t> first(system.tiles().count() + 1, 0);
  for (std::size_t tile = 0; tile < system.tiles().count(); ++tile) {
    first[tile + 1] =
        first[tile] + (system.general(tile) == nullptr ? 1U : std::uint32_t{tile_size<D>});
  }
  return first;
}

}  // namespace

template <int D>
void remove_null_space(const PoissonSystem<D>& system, std::span<double> b) {
  const Tiles<D>& tiles = system.tiles();
  const std::vector<std::uint32_t> first = first_nodes(system);
  const auto node = [&](std::size_t tile, std::size_t cell) {
    return first[tile] + (system.general(tile) == nullptr ? 0 : static_cast<std::uint32_t>(cell));
  };
  Sets sets(first.back());
  for (const std::uint32_t tile : system.solved_tiles()) {
    const auto* const general = system.general(tile);
    for (std::size_t axis = 0; axis < D; ++axis) {
      const std::size_t after = tiles.neighbours(tile)[2 * axis + 1];
      const std::size_t step = stride<D>(static_cast<int>(axis));
      if (general == nullptr) {
        // Its cells on that side are all tied to those after them.
        if (system.general(after) == nullptr) {
          sets.unite(first[tile], first[after]);
          continue;
        }
      }
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const bool is_last = cell / step % tile_edge<D> == tile_edge<D> - 1;
        if (general == nullptr && !is_last) continue;
        if (general != nullptr && !(general->next(2 * axis + 1, cell) > 0)) continue;
        if (is_last) {
          sets.unite(node(tile, cell), node(after, cell - (tile_edge<D> - 1) * step));
        } else {
          sets.unite(node(tile, cell), node(tile, cell + step));
        }
      }
    }
  }
  // By root: whether anything of it is fixed.
  std::vector<std::uint8_t> is_fixed(first.back(), 0);
  for (const std::uint32_t tile : system.solved_tiles()) {
    const auto* const general = system.general(tile);
    for (std::size_t cell = 0; general != nullptr && cell < tile_size<D>; ++cell) {
      if (general->fixed(cell) > 0) is_fixed[sets.root(node(tile, cell))] = 1;
    }
  }
  bool has_loose = false;
  for (const std::uint32_t tile : system.solved_tiles()) {
    const auto* const general = system.general(tile);
    for (std::size_t cell = 0; !has_loose && cell < (general == nullptr ? 1 : tile_size<D>); ++cell)
      has_loose = system.is_unknown(tile, cell) && is_fixed[sets.root(node(tile, cell))] == 0;
  }
  if (!has_loose) return;
  const auto is_loose = [&](std::size_t tile, std::size_t cell) {
    return system.is_unknown(tile, cell) && is_fixed[sets.root(node(tile, cell))] == 0;
  };
  struct Sum {
    double of_b = 0;
    std::int64_t count = 0;
  };
  std::vector<Sum> sums;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    if (system.general(tile) == nullptr && is_fixed[sets.root(first[tile])] != 0) continue;
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      if (!is_loose(tile, cell)) continue;
      sums.resize(first.back());
      Sum& sum = sums[sets.root(node(tile, cell))];
      sum.of_b += b[tile * tile_size<D> + cell];
      ++sum.count;
    }
  }
  if (sums.empty()) return;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      if (!is_loose(tile, cell)) continue;
      const Sum& sum = sums[sets.root(node(tile, cell))];
      b[tile * tile_size<D> + cell] -= sum.of_b / static_cast<double>(sum.count);
    }
  }
}

template void remove_null_space<2>(const PoissonSystem<2>&, std::span<double>);
template void remove_null_space<3>(const PoissonSystem<3>&, std::span<double>);

}  // namespace sluice::fluid::grid
