// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell.h"

namespace sluice::fluid::grid {

/// Brings coordinates into [0, period) along each axis that has a period; leaves others as given.
template <int D>
[[nodiscard]] constexpr Cell<D> within_period(Cell<D> coordinates, const Cell<D>& period) noexcept {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (period[axis] == 0) continue;
    coordinates[axis] %= period[axis];
    if (coordinates[axis] < 0) coordinates[axis] += period[axis];
  }
  return coordinates;
}

/// The set of tiles that a sparse lattice has.
///
/// Values of a lattice are arrays of `array_size()` numbers: tile after tile, in the order of their
/// coordinates (x fastest), each as in cell.h; and behind them one tile of zeros, which stands for
/// all that are not there, so that code that looks at a neighbour need not ask if it is there.
///
/// Along an axis with a period, tiles have coordinates in [0, period), and coordinates that differ
/// by it name the same tile: code that looks across one end looks in at the other.
template <int D>
class Tiles {
 public:
  Tiles() = default;
  /// `coordinates` in any order; each at most once.
  /// `period` [tiles] by axis: 0 where there is none, else even.
  explicit Tiles(std::vector<Cell<D>> coordinates, const Cell<D>& period = {});

  [[nodiscard]] std::size_t count() const noexcept { return coordinates_.size(); }
  [[nodiscard]] std::size_t array_size() const noexcept { return (count() + 1) * tile_size<D>; }
  [[nodiscard]] const Cell<D>& coordinates(std::size_t tile) const noexcept {
    return coordinates_[tile];
  }
  /// The cell of a tile with the smallest coordinates.
  [[nodiscard]] Cell<D> first_cell(std::size_t tile) const noexcept;
  /// The cell that an array has at `index`, which is not in the tile of zeros.
  [[nodiscard]] Cell<D> cell(std::size_t index) const noexcept;

  /// The box around all tiles: its first tile, and the number of tiles along each axis.
  [[nodiscard]] const Cell<D>& lower() const noexcept { return lower_; }
  [[nodiscard]] const Cell<D>& size() const noexcept { return size_; }

  [[nodiscard]] const Cell<D>& period() const noexcept { return period_; }

  /// The tile at `coordinates`, or count() if there is none.
  [[nodiscard]] std::size_t find(const Cell<D>& coordinates) const noexcept;
  /// The index of a cell in arrays; somewhere in the tile of zeros where it has no tile.
  [[nodiscard]] std::size_t find_cell(const Cell<D>& cell) const noexcept;

  /// The tiles next to a tile, by side; count() where there is none.
  [[nodiscard]] const std::array<std::uint32_t, side_count<D>>& neighbours(
      std::size_t tile) const noexcept {
    return neighbours_[tile];
  }

  friend bool operator==(const Tiles& a, const Tiles& b) {
    return a.coordinates_ == b.coordinates_ && a.period_ == b.period_;
  }

 private:
  [[nodiscard]] std::size_t find_within(const Cell<D>& coordinates) const noexcept;
  [[nodiscard]] std::size_t place_of(const Cell<D>& coordinates) const noexcept;

  std::vector<Cell<D>> coordinates_;
  std::vector<std::array<std::uint32_t, side_count<D>>> neighbours_;
  Cell<D> lower_{}, size_{};  // The box around all tiles.
  Cell<D> period_{};
  bool has_period_ = false;
  // By place in the box: the tile there, or count(). Empty where the box is far too large for its
  // tiles, as for two drops that fly apart: then tiles are found by a search.
  std::vector<std::uint32_t> directory_;
};

extern template class Tiles<2>;
extern template class Tiles<3>;

}  // namespace sluice::fluid::grid
