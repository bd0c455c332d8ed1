// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/lattice/cell.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/simd/vectors.h"

/// Tiles by the colours of their cells, like a chess board's: a cell's colour is 0 where the sum of
/// its coordinates is even, 1 where it is odd, and all cells that it is tied to have the other one.
///
/// Each colour has every other cell of the two rows 2k and 2k + 1 along y. These cells are stored
/// as one row of that colour: no lane is idle where only one colour is dealt with.
namespace sluice::fluid::grid {

using namespace simd;

/// The number of eights (eight cells of a colour side by side) that a tile has of each colour.
template <int D>
inline constexpr std::size_t eight_count = tile_size<D> / 16;

template <int D>
[[nodiscard]] constexpr std::size_t colour_of(std::size_t cell) noexcept {
  std::size_t sum = 0;
  for (int axis = 0; axis < D; ++axis)
    sum += cell / stride<D>(axis) % tile_edge<D>;
  return sum % 2;
}

/// The eight of its colour that a cell is in; its lane there is cell % 8.
template <int D>
[[nodiscard]] constexpr std::size_t eight_of(std::size_t cell) noexcept {
  constexpr std::size_t edge = tile_edge<D>;
  return cell / (2 * edge) * (edge / 8) + cell % edge / 8;
}

/// Whether a cell is in the first of the two rows.
template <int D>
[[nodiscard]] constexpr bool is_in_first_row(std::size_t cell) noexcept {
  return cell / tile_edge<D> % 2 == 0;
}

/// The first cell of an eight's columns, in the first of its two rows.
template <int D>
[[nodiscard]] constexpr std::size_t first_cell_of(std::size_t eight) noexcept {
  constexpr std::size_t edge = tile_edge<D>;
  return eight / (edge / 8) * (2 * edge) + eight % (edge / 8) * 8;
}

/// The lanes of an eight of a colour whose cells are in the first row.
template <int D>
[[nodiscard]] inline Int8 first_row_lanes(std::size_t eight, std::size_t colour) noexcept {
  return colour_of<D>(first_cell_of<D>(eight)) == colour ? Int8{-1, 0, -1, 0, -1, 0, -1, 0}
                                                         : Int8{0, -1, 0, -1, 0, -1, 0, -1};
}

/// The place in ChequeredTile::next() of a cell's neighbour on a side: the side's number, but along
/// y it is 2 for the neighbour in the other row of the two, and 3 for the one beyond the two.
template <int D>
[[nodiscard]] constexpr std::size_t chequered_side(std::size_t side, std::size_t cell) noexcept {
  if (side / 2 != 1) return side;
  return (side == 3) == is_in_first_row<D>(cell) ? 2 : 3;
}

/// The places in an array where the tiles on all sides of a tile begin.
template <int D>
[[nodiscard]] inline std::array<const float*, side_count<D>> tiles_around(
    const Tiles<D>& tiles, const float* array, std::size_t tile) noexcept {
  std::array<const float*, side_count<D>> around;
  for (std::size_t side = 0; side < side_count<D>; ++side)
    around[side] = array + tiles.neighbours(tile)[side] * tile_size<D>;
  return around;
}

/// A tile's values and those next to it, by colour.
template <int D>
class ChequeredTile {
 public:
  /// Makes a tile whose values are all 0.
  ChequeredTile() noexcept { clear(); }
  void clear() noexcept { values_ = {}; }
  /// Sets the tile's own cells of a colour to 0.
  void clear_colour(std::size_t colour) noexcept {
    for_each_eight([&](std::size_t, std::size_t place, Int8) {
      store8(values_[colour].data() + place, Float8{});
    });
  }

  /// Loads the tile's own cells. Adds `corrections`, if there are any: those of a lattice of cells
  /// twice as large, from the one that the tile's first cell is in on.
  template <bool is_corrected = false>
  void load(const float* tile, const float* corrections = nullptr) noexcept {
    for_each_eight([&](std::size_t eight, std::size_t place, Int8 first_row) {
      const float* const from = tile + first_cell_of<D>(eight);
      Float8 first = load8(from), second = load8(from + tile_edge<D>);
      if constexpr (is_corrected) {
        const Float8 correction = twice(corrections + coarse_cell(first_cell_of<D>(eight)));
        first += correction;
        second += correction;
      }
      put(place, first, second, first_row);
    });
  }

  void store(float* tile) const noexcept {
    for_each_eight([&](std::size_t eight, std::size_t place, Int8 first_row) {
      const Float8 even = load8(values_[0].data() + place), odd = load8(values_[1].data() + place);
      float* const to = tile + first_cell_of<D>(eight);
      store8(to, first_row ? even : odd);
      store8(to + tile_edge<D>, first_row ? odd : even);
    });
  }

  /// Loads the cells around, from the tiles on all sides, by side; with their corrections likewise.
  template <bool is_corrected = false>
  void load_sides(const std::array<const float*, side_count<D>>& tiles,
                  const std::array<const float*, side_count<D>>& corrections = {}) noexcept {
    load_ends<is_corrected>(tiles[0], corrections[0], edge - 1, -1);
    load_ends<is_corrected>(tiles[1], corrections[1], 0, static_cast<std::ptrdiff_t>(edge));
    for (std::size_t line = 0; line < plane_count * edge / 8; ++line) {
      const std::size_t z = line / (edge / 8), x = line % (edge / 8) * 8;
      for (std::size_t upper = 0; upper < 2; ++upper) {
        const std::size_t cell = z * edge * edge + (upper == 1 ? 0 : edge - 1) * edge + x;
        Float8 value = load8(tiles[2 + upper] + cell);
        if constexpr (is_corrected) value += twice(corrections[2 + upper] + coarse_cell(cell));
        const std::size_t place =
            place_of(z, upper == 1 ? edge / 2 : 0, x) - (upper == 1 ? 0 : row);
        for (auto& of_colour : values_)
          store8(of_colour.data() + place, value);
      }
    }
    if constexpr (D == 3) {
      for (std::size_t upper = 0; upper < 2; ++upper) {
        for (std::size_t k = 0; k < edge / 2; ++k) {
          const std::size_t cell = ((upper == 1 ? 0 : edge - 1) * edge + 2 * k) * edge;
          Float8 first = load8(tiles[4 + upper] + cell);
          Float8 second = load8(tiles[4 + upper] + cell + edge);
          if constexpr (is_corrected) {
            const Float8 correction = twice(corrections[4 + upper] + coarse_cell(cell));
            first += correction;
            second += correction;
          }
          const std::size_t place = upper == 1 ? place_of(edge, k, 0) : place_of(0, k, 0) - plane;
          put(place, first, second, upper == 1 ? even_lanes : odd_lanes);
        }
      }
    }
  }

  /// Calls body(eight, place, lanes of colour 0 that are in the first row) for all eights.
  template <typename Body>
  static void for_each_eight(const Body& body) noexcept {
    for (std::size_t z = 0; z < plane_count; ++z) {
      const Int8 first_row = z % 2 == 0 ? even_lanes : odd_lanes;
      for (std::size_t k = 0; k < edge / 2; ++k) {
        for (std::size_t h = 0; h < edge / 8; ++h)
          body((z * edge / 2 + k) * (edge / 8) + h, place_of(z, k, 8 * h), first_row);
      }
    }
  }

  [[nodiscard]] const float* of_colour(std::size_t colour) const noexcept {
    return values_[colour].data();
  }
  [[nodiscard]] float* of_colour(std::size_t colour) noexcept { return values_[colour].data(); }

  /// The neighbours of an eight, all of the other colour, in the order of chequered_side().
  /// `first_row`: the lanes of the eight's own colour that are in the first row.
  [[nodiscard]] static std::array<Float8, side_count<D>> next(const float* other, std::size_t place,
                                                              Int8 first_row) noexcept {
    const float* const here = other + place;
    std::array<Float8, side_count<D>> out;
    out[0] = load8(here - 1);
    out[1] = load8(here + 1);
    out[2] = load8(here);
    out[3] = first_row ? load8(here - row) : load8(here + row);
    if constexpr (D == 3) {
      out[4] = load8(here - plane);
      out[5] = load8(here + plane);
    }
    return out;
  }

  /// The cell twice as large that a tile's cell is in, from that of the tile's first cell on.
  [[nodiscard]] static constexpr std::size_t coarse_cell(std::size_t cell) noexcept {
    std::size_t coarse = 0;
    for (int axis = 0; axis < D; ++axis)
      coarse += cell / stride<D>(axis) % edge / 2 * stride<D>(axis);
    return coarse;
  }

 private:
  static constexpr std::size_t edge = tile_edge<D>, plane_count = D == 3 ? edge : 1;
  // Rows have four more cells at each end, so that eights never lie across a cache line in 3D.
  static constexpr std::size_t row = edge + 8, plane = (edge / 2 + 2) * row;
  static constexpr std::size_t size = (D == 3 ? edge + 2 : 1) * plane;
  static constexpr Int8 even_lanes{-1, 0, -1, 0, -1, 0, -1, 0};
  static constexpr Int8 odd_lanes{0, -1, 0, -1, 0, -1, 0, -1};

  // The place of cells x in the two rows from 2k on.
  static constexpr std::size_t place_of(std::size_t z, std::size_t k, std::size_t x) noexcept {
    return (D == 3 ? z + 1 : 0) * plane + (k + 1) * row + 4 + x;
  }

  static Float8 twice(const float* coarse) noexcept {
    const Float4 v = load4(coarse);
    return __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
  }

  void put(std::size_t place, Float8 first, Float8 second, Int8 first_row) noexcept {
    store8(values_[0].data() + place, first_row ? first : second);
    store8(values_[1].data() + place, first_row ? second : first);
  }

  // Loads the cells `x` of the rows of a tile before or after along x to the place `to` of ours.
  template <bool is_corrected>
  void load_ends(const float* tile, const float* corrections, std::size_t x,
                 std::ptrdiff_t to) noexcept {
    for (std::size_t z = 0; z < plane_count; ++z) {
      for (std::size_t k = 0; k < edge / 2; ++k) {
        const std::size_t cell = (z * edge + 2 * k) * edge + x;
        float first = tile[cell], second = tile[cell + edge];
        if constexpr (is_corrected) {
          const float correction = corrections[coarse_cell(cell)];
          first += correction;
          second += correction;
        }
        const std::size_t colour = (static_cast<std::size_t>(to & 1) + z) % 2;
        const auto place =
            static_cast<std::size_t>(static_cast<std::ptrdiff_t>(place_of(z, k, 0)) + to);
        values_[colour][place] = first;
        values_[1 - colour][place] = second;
      }
    }
  }

  alignas(64) std::array<std::array<float, size>, 2> values_;
};

}  // namespace sluice::fluid::grid
