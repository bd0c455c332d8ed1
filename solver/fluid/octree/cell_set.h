// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/cell.h"

namespace sluice::fluid::octree {

using grid::Cell;

/// Some of a tile's cells, by index_in_tile(): a bit each.
template <int D>
class CellSet {
 public:
  [[nodiscard]] constexpr bool contains(std::size_t cell) const noexcept {
    return (words_[cell / 64] >> cell % 64 & 1U) != 0;
  }
  constexpr void insert(std::size_t cell) noexcept {
    words_[cell / 64] |= std::uint64_t{1} << cell % 64;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return *this == CellSet{}; }
  [[nodiscard]] constexpr std::size_t count() const noexcept {
    std::size_t count = 0;
    for (const std::uint64_t word : words_)
      count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

  /// Calls visit(cell) for each, ascending.
  template <typename Visit>
  constexpr void for_each(const Visit& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }

  constexpr CellSet& operator|=(const CellSet& other) noexcept {
    for (std::size_t w = 0; w < words_.size(); ++w)
      words_[w] |= other.words_[w];
    return *this;
  }
  /// Takes the cells of `other` out.
  constexpr CellSet& operator-=(const CellSet& other) noexcept {
    for (std::size_t w = 0; w < words_.size(); ++w)
      words_[w] &= ~other.words_[w];
    return *this;
  }
  [[nodiscard]] friend constexpr CellSet operator-(CellSet a, const CellSet& b) noexcept {
    return a -= b;
  }
  friend constexpr bool operator==(const CellSet&, const CellSet&) = default;

 private:
  std::array<std::uint64_t, grid::tile_size<D> / 64> words_{};
};

/// Cells of one level, tile by tile: those of a tile at most once, by ascending coordinates of the
/// tiles, and none without cells.
template <int D>
struct TileCells {
  Cell<D> tile;
  CellSet<D> cells;
};
template <int D>
using Cells = std::vector<TileCells<D>>;

/// Makes such a list of cells in any order, which may name some more than once.
template <int D>
[[nodiscard]] Cells<D> gathered(const std::vector<Cell<D>>& cells);

/// The cells of both lists.
template <int D>
[[nodiscard]] Cells<D> united(const Cells<D>& a, const Cells<D>& b);

/// The cells, of twice the edge, that these are children of.
template <int D>
[[nodiscard]] Cells<D> parents_of(const Cells<D>& cells);

/// The cells, of half the edge, that these have as children: 2^D each.
template <int D>
[[nodiscard]] Cells<D> children_of(const Cells<D>& cells);

}  // namespace sluice::fluid::octree
