// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/lattice/chequered.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"

namespace sluice::fluid::grid {

/// The weights of a tile's cells in the system.
template <int D>
struct Couplings {
  /// By side and cell: the weight, >= 0, of the difference to the cell on that side. It is the same
  /// seen from both cells, to the last bit.
  std::array<std::array<float, tile_size<D>>, side_count<D>> next;
  /// By cell: the weight, >= 0, of the difference to a given value, 0.
  std::array<float, tile_size<D>> fixed;
};

/// The kinds of tiles that a system has.
enum class TileKind : std::uint8_t {
  uniform,  ///< All of its cells have the same weight on all sides, and nothing fixed.
  general,
  empty,  ///< It has no unknowns.
};

/// A symmetric, positive (semi)definite system over cells,
///
///     (A x)_i = sum_j w_ij (x_i - x_j) + d_i x_i = b_i,
///
/// j the cells next to i. A cell without weights is no unknown: its x is 0. Without a matrix: a
/// tile in which all weights are one number and nothing is fixed is that number.
template <int D>
class PoissonSystem {
 public:
  static constexpr std::size_t components = 1;  ///< Number of arrays of tiles() in a vector.

  PoissonSystem() = default;

  /// `describe(tile, couplings)` is asked for each tile, in any order and from many threads. For a
  /// general one it fills in `couplings`, which are 0 before; a uniform one's weights are
  /// `uniform`.
  using Describe = std::function<TileKind(std::size_t tile, Couplings<D>& couplings)>;
  PoissonSystem(const Tiles<D>& tiles, float uniform, const Describe& describe);

  /// The system of cells that are each 2 x 2 (x 2) of this one's: the sums of their equations,
  /// halved, as piecewise constant corrections of a smooth error come out half as large as they
  /// should [Braess1995], [Shao2022]. A period that halved is odd or 1 ends there: what was tied
  /// across it no longer is.
  [[nodiscard]] PoissonSystem coarsened() const;

  [[nodiscard]] const Tiles<D>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] float uniform() const noexcept { return uniform_; }

  /// The weights of a tile in which they are not all the same: by eights, eight cells of a colour
  /// side by side, as they are used (chequered.h).
  struct alignas(64) General {
    struct Eight {
      std::array<Float8, side_count<D>> next;  ///< Couplings::next, by chequered_side().
      Float8 fixed;                            ///< Couplings::fixed
      Float8 inverse_diagonal;                 ///< 0 where there is no unknown.
    };
    std::array<std::array<Eight, eight_count<D>>, 2> eights;  ///< By colour.
    /// By colour; bit n: whether the cells of eight n are all as in a uniform tile.
    std::array<std::uint32_t, 2> uniform;

    [[nodiscard]] const Eight& of(std::size_t cell) const noexcept {
      return eights[colour_of<D>(cell)][eight_of<D>(cell)];
    }
    [[nodiscard]] bool is_uniform(std::size_t colour, std::size_t eight) const noexcept {
      return (uniform[colour] >> eight & 1U) != 0;
    }
    [[nodiscard]] float next(std::size_t side, std::size_t cell) const noexcept {
      return of(cell).next[chequered_side<D>(side, cell)][cell % 8];
    }
    /// The weights to the cells on a side, by cell.
    [[nodiscard]] std::array<float, tile_size<D>> next(std::size_t side) const noexcept {
      std::array<float, tile_size<D>> out;
      for (std::size_t n = 0; n < eight_count<D>; ++n) {
        const std::size_t first = first_cell_of<D>(n), second = first + tile_edge<D>;
        const Int8 first_row = first_row_lanes<D>(n, 0);
        const std::size_t in_first = chequered_side<D>(side, first);
        const std::size_t in_second = chequered_side<D>(side, second);
        const auto &even = eights[0][n].next, &odd = eights[1][n].next;
        store8(out.data() + first, first_row ? even[in_first] : odd[in_first]);
        store8(out.data() + second, first_row ? odd[in_second] : even[in_second]);
      }
      return out;
    }
    [[nodiscard]] float fixed(std::size_t cell) const noexcept { return of(cell).fixed[cell % 8]; }
    [[nodiscard]] float inverse_diagonal(std::size_t cell) const noexcept {
      return of(cell).inverse_diagonal[cell % 8];
    }
  };
  /// The weights of a tile: null for a uniform one; all 0 for an empty one.
  [[nodiscard]] const General* general(std::size_t tile) const noexcept {
    return general_[tile].get();
  }
  [[nodiscard]] bool is_empty(std::size_t tile) const noexcept {
    return general_[tile] == nothing_;
  }

  [[nodiscard]] bool is_unknown(std::size_t tile, std::size_t cell) const noexcept {
    const General* const weights = general(tile);
    return weights == nullptr || weights->inverse_diagonal(cell) > 0;
  }
  [[nodiscard]] std::int64_t unknown_count() const;
  /// The tiles that are not empty, ascending.
  [[nodiscard]] std::span<const std::uint32_t> solved_tiles() const noexcept { return solved_; }

  /// Sets `image` to A x, both arrays of `tiles()`; only in solved_tiles(). In double, so that
  /// residuals are those of x. Returns x . A x.
  double apply(std::span<const float> x, std::span<double> image) const;

 private:
  Tiles<D> tiles_;
  float uniform_ = 1;
  std::vector<std::uint32_t> solved_;
  std::shared_ptr<const General> nothing_;               // The weights of all empty tiles.
  std::vector<std::shared_ptr<const General>> general_;  // By tile.
};

extern template class PoissonSystem<2>;
extern template class PoissonSystem<3>;

}  // namespace sluice::fluid::grid
