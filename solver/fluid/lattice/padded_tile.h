// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "solver/fluid/lattice/cell.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// A tile with `margin` cells more on each side, stored like a tile.
template <int D, std::size_t margin = 1>
inline constexpr std::size_t padded_edge = tile_edge<D> + 2 * margin;
template <int D, std::size_t margin = 1>
inline constexpr std::size_t padded_size =
    padded_edge<D, margin> * padded_edge<D, margin> * (D == 3 ? padded_edge<D, margin> : 1);

template <int D, std::size_t margin = 1>
[[nodiscard]] constexpr std::size_t padded_stride(int axis) noexcept {
  std::size_t step = 1;
  for (int i = 0; i < axis; ++i)
    step *= padded_edge<D, margin>;
  return step;
}

/// The index of a tile's cell in the tile padded by 1. Coordinates in [-1, tile_edge].
template <int D>
[[nodiscard]] constexpr std::size_t padded_index(const Cell<D>& local) noexcept {
  std::size_t index = 0;
  for (std::size_t axis = D; axis-- > 0;)
    index = index * padded_edge<D> + static_cast<std::size_t>(local[axis] + 1);
  return index;
}

/// A tile and all tiles around it, corners included.
template <int D>
class Surroundings {
 public:
  Surroundings(const Tiles<D>& tiles, std::size_t tile)
      : Surroundings(tiles, tile, [](const Cell<D>& /*offset*/) { return true; }) {}
  /// Only tiles at offsets for which is_seen(offset); others are taken not to be there.
  template <typename IsSeen>
  Surroundings(const Tiles<D>& tiles, std::size_t tile, const IsSeen& is_seen)
      : missing_(tiles.count()) {
    for (std::size_t n = 0; n < tiles_.size(); ++n) {
      Cell<D> coordinates = tiles.coordinates(tile), offset;
      std::size_t rest = n;
      for (std::size_t axis = 0; axis < D; ++axis) {
        offset[axis] = static_cast<std::int32_t>(rest % 3) - 1;
        coordinates[axis] += offset[axis];
        rest /= 3;
      }
      tiles_[n] = is_seen(offset) ? tiles.find(coordinates) : missing_;
    }
  }

  /// Copies a tile's values of `array` and the values around it; 0 where there are no tiles.
  template <std::size_t margin = 1, typename T>
  void load(const T* array, T* padded) const {
    static_assert(margin <= tile_edge<D> && std::is_trivially_copyable_v<T>);
    visit_rows<margin>(
        [&](std::size_t row, const std::array<std::size_t, 3>& tiles, std::size_t from) {
          T* const out = padded + row * padded_edge<D, margin>;
          const auto copy = [from](const T* tile, std::size_t first, std::size_t count, T* to) {
            std::memcpy(to, tile + from + first, count * sizeof(T));
          };
          copy(array + tiles[0] * tile_size<D>, tile_edge<D> - margin, margin, out);
          copy(array + tiles[1] * tile_size<D>, 0, tile_edge<D>, out + margin);
          copy(array + tiles[2] * tile_size<D>, 0, margin, out + margin + tile_edge<D>);
        });
  }

  /// Adds padded values to a tile's values of `array` and to those around it, where there are any.
  template <typename T>
  void add(const T* padded, T* array) const {
    visit_rows<1>([&](std::size_t row, const std::array<std::size_t, 3>& tiles, std::size_t to) {
      const T* const in = padded + row * padded_edge<D>;
      if (tiles[0] != missing_) array[tiles[0] * tile_size<D> + to + tile_edge<D> - 1] += in[0];
      if (tiles[1] != missing_) {
        T* const out = array + tiles[1] * tile_size<D> + to;
        for (std::size_t i = 0; i < tile_edge<D>; ++i)
          out[i] += in[i + 1];
      }
      if (tiles[2] != missing_) array[tiles[2] * tile_size<D> + to] += in[tile_edge<D> + 1];
    });
  }

 private:
  // Calls visit(row of the padded tile, the three tiles along x that it goes through, where the row
  // begins in them).
  template <std::size_t margin, typename Visit>
  void visit_rows(const Visit& visit) const {
    constexpr auto edge = static_cast<std::size_t>(tile_edge<D>);
    // Along an axis: of the lower tile, of the one in the middle, of the upper one.
    constexpr std::array<std::size_t, 3> counts{margin, edge, margin}, firsts{edge - margin, 0, 0};
    std::size_t row = 0;
    const auto visit_plane = [&](std::size_t first_tile, std::size_t first_place) {
      for (std::size_t y = 0; y < 3; ++y) {
        const std::size_t first = first_tile + 3 * y;
        const std::array tiles{tiles_[first], tiles_[first + 1], tiles_[first + 2]};
        for (std::size_t j = 0; j < counts[y]; ++j)
          visit(row++, tiles, first_place + (firsts[y] + j) * edge);
      }
    };
    if constexpr (D == 2) {
      visit_plane(0, 0);
    } else {
      for (std::size_t z = 0; z < 3; ++z) {
        for (std::size_t k = 0; k < counts[z]; ++k)
          visit_plane(9 * z, (firsts[z] + k) * edge * edge);
      }
    }
  }

  std::array<std::size_t, D == 3 ? 27 : 9> tiles_;
  std::size_t missing_;
};

}  // namespace sluice::fluid::grid
