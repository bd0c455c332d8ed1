// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/null_space.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "solver/fluid/pressure/disjoint_sets.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t null_space_grain = 16;  // Tiles.

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

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
  /// Whether a piece is tied to nothing fixed.
  [[nodiscard]] bool is_loose(std::uint32_t piece) const { return is_fixed_[piece] == 0; }

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
  DisjointSets sets_;
  std::vector<std::uint8_t> is_fixed_;  // By piece.
};

}  // namespace

template <int D>
NullSpace<D>::NullSpace(const PoissonSystem<D>& system, Ties ties) : system_(&system) {
  Pieces<D> pieces(system, ties);
  std::vector<std::uint32_t> number(pieces.count(), none);
  const auto add = [&](std::uint32_t piece, std::int64_t cells) {
    if (number[piece] == none) {
      number[piece] = static_cast<std::uint32_t>(counts_.size());
      counts_.push_back(0);
    }
    counts_[number[piece]] += cells;
    return number[piece];
  };
  std::vector<InPiece> loose;  // The cells of a tile that are in loose pieces.
  for (const std::uint32_t tile : system.solved_tiles()) {
    if (system.general(tile) == nullptr) {
      const std::uint32_t piece = pieces.piece(tile, 0);
      if (pieces.is_loose(piece)) tiles_.push_back({tile, add(piece, tile_size<D>)});
      continue;
    }
    loose.clear();
    bool are_all_loose = true;
    for (std::uint32_t cell = 0; cell < tile_size<D>; ++cell) {
      if (!system.is_unknown(tile, cell)) continue;
      const std::uint32_t piece = pieces.piece(tile, cell);
      if (pieces.is_loose(piece)) {
        loose.push_back({static_cast<std::uint32_t>(tile * tile_size<D>) + cell, add(piece, 1)});
      } else {
        are_all_loose = false;
      }
    }
    const bool are_one =
        are_all_loose && !loose.empty() && std::ranges::all_of(loose, [&](const InPiece& cell) {
          return cell.piece == loose.front().piece;
        });
    if (are_one) {
      tiles_.push_back({tile, loose.front().piece});
    } else {
      cells_.insert(cells_.end(), loose.begin(), loose.end());
    }
  }
}

// By piece, over its unknowns.
template <int D>
template <typename T>
std::vector<double> NullSpace<D>::sums(std::span<const T> values) const {
  std::vector<double> of_tiles(tiles_.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles_.size()), null_space_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto t = static_cast<std::size_t>(begin);
                                t < static_cast<std::size_t>(end); ++t) {
                             // Eight sums side by side, for the compiler to make vectors of.
                             std::array<double, 8> lanes{};
                             const T* const first = &values[tiles_[t].index * tile_size<D>];
                             for (std::size_t cell = 0; cell < tile_size<D>; cell += lanes.size()) {
                               for (std::size_t lane = 0; lane < lanes.size(); ++lane)
                                 lanes[lane] += static_cast<double>(first[cell + lane]);
                             }
                             of_tiles[t] = std::accumulate(lanes.begin(), lanes.end(), 0.0);
                           }
                         });
  std::vector<double> sums(counts_.size(), 0);
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    sums[tiles_[t].piece] += of_tiles[t];
  for (const InPiece& cell : cells_)
    sums[cell.piece] += static_cast<double>(values[cell.index]);
  return sums;
}

// Calls change(index in arrays, piece).
template <int D>
template <typename Change>
void NullSpace<D>::for_each_unknown(const Change& change) const {
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles_.size()), null_space_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto t = static_cast<std::size_t>(begin);
                                t < static_cast<std::size_t>(end); ++t) {
                             const std::size_t tile = tiles_[t].index;
                             const bool is_uniform = system_->general(tile) == nullptr;
                             for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
                               if (is_uniform || system_->is_unknown(tile, cell))
                                 change(tile * tile_size<D> + cell, tiles_[t].piece);
                             }
                           }
                         });
  for (const InPiece& cell : cells_)
    change(cell.index, cell.piece);
}

template <int D>
void NullSpace<D>::remove(std::span<double> b) const {
  if (counts_.empty()) return;
  std::vector<double> means = sums<double>(b);
  for (std::size_t piece = 0; piece < means.size(); ++piece)
    means[piece] /= static_cast<double>(counts_[piece]);
  for_each_unknown([&](std::size_t index, std::uint32_t piece) { b[index] -= means[piece]; });
}

template <int D>
void NullSpace<D>::fit(std::span<const double> b, std::span<float> inflow) const {
  if (counts_.empty()) return;
  const std::vector<double> rest = sums<double>(b), all = sums<float>(inflow);
  std::vector<float> part(counts_.size(), 1);
  for (std::size_t piece = 0; piece < part.size(); ++piece) {
    if (all[piece] > 0)
      part[piece] = static_cast<float>(std::clamp(-rest[piece] / all[piece], 0.0, 1.0));
  }
  for_each_unknown([&](std::size_t index, std::uint32_t piece) { inflow[index] *= part[piece]; });
}

template class NullSpace<2>;
template class NullSpace<3>;

}  // namespace sluice::fluid::grid
