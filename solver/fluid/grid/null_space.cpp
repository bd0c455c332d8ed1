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

// Which unknowns are tied together, and whether to anything fixed. A uniform tile is one node,
// others have one for each cell.
template <int D>
class Pieces {
 public:
  Pieces(const PoissonSystem<D>& system, Ties ties)
      : system_(system), first_(first_nodes(system)), sets_(first_.back()) {
    for (const std::uint32_t tile : system.solved_tiles()) {
      for (std::size_t axis = 0; axis < D; ++axis)
        unite_along(tile, axis);
    }
    for (const std::span<const std::uint32_t> tied : ties) {
      for (const std::uint32_t cell : tied)
        sets_.unite(node_of(tied.front()), node_of(cell));
    }
    is_fixed_.assign(count(), 0);
    for (const std::uint32_t tile : system.solved_tiles()) {
      const auto* const general = system.general(tile);
      for (std::size_t cell = 0; general != nullptr && cell < tile_size<D>; ++cell) {
        if (general->fixed(cell) > 0) is_fixed_[piece(tile, cell)] = 1;
      }
    }
  }

  /// More than the number of any piece.
  [[nodiscard]] std::size_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t piece(std::size_t tile, std::size_t cell) {
    return sets_.root(node(tile, cell));
  }
  /// Whether it is an unknown of a piece that is tied to nothing fixed.
  [[nodiscard]] bool is_loose(std::size_t tile, std::size_t cell) {
    return system_.is_unknown(tile, cell) && is_fixed_[piece(tile, cell)] == 0;
  }
  [[nodiscard]] bool has_loose(std::size_t tile) {
    const std::size_t nodes = first_[tile + 1] - first_[tile];
    for (std::size_t cell = 0; cell < nodes; ++cell) {
      if (is_loose(tile, cell)) return true;
    }
    return false;
  }

 private:
  static std::vector<std::uint32_t> first_nodes(const PoissonSystem<D>& system) {
    std::vector<std::uint32_t> first(system.tiles().count() + 1, 0);
    for (std::size_t tile = 0; tile < system.tiles().count(); ++tile) {
      const std::uint32_t nodes = system.is_empty(tile)             ? 0
                                  : system.general(tile) == nullptr ? 1
                                                                    : tile_size<D>;
      first[tile + 1] = first[tile] + nodes;
    }
    return first;
  }

  [[nodiscard]] std::uint32_t node(std::size_t tile, std::size_t cell) const {
    return first_[tile] + (system_.general(tile) == nullptr ? 0 : static_cast<std::uint32_t>(cell));
  }

  [[nodiscard]] std::uint32_t node_of(std::uint32_t index) const {
    return node(index / tile_size<D>, index % tile_size<D>);
  }

  // Ties the cells of a tile to those after them along an axis.
  void unite_along(std::size_t tile, std::size_t axis) {
    const auto* const general = system_.general(tile);
    const std::size_t after = system_.tiles().neighbours(tile)[2 * axis + 1];
    const std::size_t step = stride<D>(static_cast<int>(axis));
    if (general == nullptr && system_.general(after) == nullptr) {
      sets_.unite(first_[tile], first_[after]);
      return;
    }
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const bool is_last = cell / step % tile_edge<D> == tile_edge<D> - 1;
      if (general == nullptr && !is_last) continue;
      if (general != nullptr && !(general->next(2 * axis + 1, cell) > 0)) continue;
      sets_.unite(node(tile, cell), is_last ? node(after, cell - (tile_edge<D> - 1) * step)
                                            : node(tile, cell + step));
    }
  }

  const PoissonSystem<D>& system_;
  std::vector<std::uint32_t> first_;  // By tile, its first node.
  Sets sets_;
  std::vector<std::uint8_t> is_fixed_;  // By piece.
};

}  // namespace

template <int D>
void remove_null_space(const PoissonSystem<D>& system, std::span<double> b, Ties ties) {
  Pieces<D> pieces(system, ties);
  std::vector<std::uint32_t> loose;  // Tiles.
  for (const std::uint32_t tile : system.solved_tiles()) {
    if (pieces.has_loose(tile)) loose.push_back(tile);
  }
  if (loose.empty()) return;
  struct Sum {
    double of_b = 0;
    std::int64_t count = 0;
  };
  std::vector<Sum> sums(pieces.count());
  const auto for_each_loose = [&](const auto& body) {
    for (const std::uint32_t tile : loose) {
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        if (pieces.is_loose(tile, cell))
          body(sums[pieces.piece(tile, cell)], b[tile * tile_size<D> + cell]);
      }
    }
  };
  for_each_loose([](Sum& sum, double value) {
    sum.of_b += value;
    ++sum.count;
  });
  for_each_loose(
      [](const Sum& sum, double& value) { value -= sum.of_b / static_cast<double>(sum.count); });
}

template void remove_null_space<2>(const PoissonSystem<2>&, std::span<double>, Ties);
template void remove_null_space<3>(const PoissonSystem<3>&, std::span<double>, Ties);

}  // namespace sluice::fluid::grid
