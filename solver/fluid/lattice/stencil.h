// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "solver/fluid/lattice/cell.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid::grid {

using namespace simd;

/// Values of a sparse lattice: see Tiles.
template <typename T>
using Array = std::vector<T, Eigen::aligned_allocator<T>>;

[[nodiscard]] inline Float8 load8(const float* p) noexcept {
  Float8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store8(float* p, Float8 v) noexcept { std::memcpy(p, &v, sizeof v); }
/// A mask of those of eight flags in a row that are set.
[[nodiscard]] inline Int8 mask8(const std::uint8_t* flags) noexcept {
  using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
  Bytes8 bytes;
  std::memcpy(&bytes, flags, sizeof bytes);
  return __builtin_convertvector(bytes, Int8) != 0;
}

/// A tile of an array, and the values next to it. Made once for many looks at all of its cells.
template <int D>
class TileView {
 public:
  TileView(const Tiles<D>& tiles, const float* array, std::size_t tile) noexcept
      : here_(array + tile * tile_size<D>) {
    constexpr std::size_t edge = tile_edge<D>;
    std::array<const float*, side_count<D>> sides;
    for (std::size_t side = 0; side < side_count<D>; ++side)
      sides[side] = array + tiles.neighbours(tile)[side] * tile_size<D>;
    before_ = sides[0] + edge - 8;
    after_ = sides[1] + 8 - edge;
    for (std::size_t row = 0; row < row_count; ++row) {
      for (std::size_t axis = 1; axis < D; ++axis) {
        const std::size_t step = stride<D>(static_cast<int>(axis));
        const std::size_t first = row * edge, place = first / step % edge;
        rows_[row][2 * axis - 2] =
            place == 0 ? sides[2 * axis] + first + (edge - 1) * step : here_ + first - step;
        rows_[row][2 * axis - 1] = place == edge - 1
                                       ? sides[2 * axis + 1] + first - (edge - 1) * step
                                       : here_ + first + step;
      }
    }
  }

  /// The values of eight cells in a row from `index`, a multiple of 8, on.
  [[nodiscard]] Float8 here(std::size_t index) const noexcept { return load8(here_ + index); }

  /// The values next to these eight cells, by side.
  [[nodiscard]] std::array<Float8, side_count<D>> next(std::size_t index) const noexcept {
    constexpr std::size_t edge = tile_edge<D>;
    const std::size_t row = index / edge, within = index % edge;
    const Float8 middle = load8(here_ + index);
    const Float8 before = load8((within == 0 ? before_ : here_ - 8) + index);
    const Float8 after = load8((within == edge - 8 ? after_ : here_ + 8) + index);
    std::array<Float8, side_count<D>> out;
    out[0] = __builtin_shufflevector(before, middle, 7, 8, 9, 10, 11, 12, 13, 14);
    out[1] = __builtin_shufflevector(middle, after, 1, 2, 3, 4, 5, 6, 7, 8);
    for (std::size_t side = 2; side < side_count<D>; ++side)
      out[side] = load8(rows_[row][side - 2] + within);
    return out;
  }

 private:
  static constexpr std::size_t row_count = tile_size<D> / tile_edge<D>;

  const float* here_;
  const float*
      before_;  // The last eight of row 0 in the tile before; after_: the first in the tile after.
  const float* after_;
  std::array<std::array<const float*, 2 * D - 2>, row_count> rows_;  // By row; by side from 2 on.
};

/// A mask of those of eight cells in a row of a tile, from `index` on, whose coordinates' sum is
/// even (`colour` 0) or odd (1).
template <int D>
[[nodiscard]] inline Int8 of_colour(std::size_t index, unsigned colour) noexcept {
  std::size_t sum = 0;
  for (std::size_t axis = 1; axis < D; ++axis)
    sum += index / stride<D>(static_cast<int>(axis)) % tile_edge<D>;
  return (sum + colour) % 2 == 0 ? Int8{-1, 0, -1, 0, -1, 0, -1, 0}
                                 : Int8{0, -1, 0, -1, 0, -1, 0, -1};
}

}  // namespace sluice::fluid::grid
