// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/smoother.h"

#include <algorithm>

#include "solver/fluid/lattice/chequered.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/eight_doubles.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t smoother_grain = 16;  // Tiles.

// There and back, of the coarsest level, which has a handful of cells.
constexpr int coarsest_sweeps = 4;

template <int D>
Float8 sum_of(const std::array<Float8, side_count<D>>& next) {
  Float8 sum = (next[0] + next[1]) + (next[2] + next[3]);
  if constexpr (D == 3) sum += next[4] + next[5];
  return sum;
}

// A right hand side in a tile, by colour.
template <int D>
struct Source {
  std::array<std::array<Float8, eight_count<D>>, 2> eights;

  explicit Source(const float* tile) {
    for (std::size_t n = 0; n < eight_count<D>; ++n) {
      const float* const from = tile + first_cell_of<D>(n);
      const Float8 first = load8(from), second = load8(from + tile_edge<D>);
      const Int8 first_row = first_row_lanes<D>(n, 0);
      eights[0][n] = first_row ? first : second;
      eights[1][n] = first_row ? second : first;
    }
  }
};

// One tile of a system.
template <int D, bool is_general>
class TileSystem {
 public:
  TileSystem(const PoissonSystem<D>& system, std::size_t tile)
      : general_(system.general(tile)), uniform_(system.uniform()) {}

  // A step of Gauss and Seidel's method for the cells of one colour; those of the other are 0.
  void start(const Source<D>& b, std::size_t colour, ChequeredTile<D>& x) const {
    ChequeredTile<D>::for_each_eight([&](std::size_t n, std::size_t place, Int8) {
      const Float8 inverse_diagonal =
          is_general ? general_->eights[colour][n].inverse_diagonal
                     : Float8{} + 1.0F / (static_cast<float>(side_count<D>) * uniform_);
      store8(x.of_colour(colour) + place, b.eights[colour][n] * inverse_diagonal);
    });
  }

  // The same whatever those of the other are.
  void relax(const Source<D>& b, std::size_t colour, ChequeredTile<D>& x) const {
    constexpr float inverse_sides = 1.0F / static_cast<float>(side_count<D>);
    const float inverse_diagonal = inverse_sides / uniform_;
    ChequeredTile<D>::for_each_eight([&](std::size_t n, std::size_t place, Int8 first_row) {
      const auto next = ChequeredTile<D>::next(x.of_colour(1 - colour), place,
                                               colour == 0 ? first_row : ~first_row);
      Float8 result = b.eights[colour][n];
      if (!is_general || general_->is_uniform(colour, n)) {
        result = sum_of<D>(next) * inverse_sides + result * inverse_diagonal;
      } else {
        const auto& eight = general_->eights[colour][n];
        for (std::size_t side = 0; side < side_count<D>; ++side)
          result += eight.next[side] * next[side];
        result *= eight.inverse_diagonal;
      }
      store8(x.of_colour(colour) + place, result);
    });
  }

  // Two of them for each colour, `first` first.
  void relax_twice(const Source<D>& b, std::size_t first, ChequeredTile<D>& x) const {
    for (const std::size_t colour : {first, 1 - first, first, 1 - first})
      relax(b, colour, x);
  }

  // b - A x of eight cells.
  [[nodiscard]] Float8 residual(const Source<D>& b, std::size_t colour, std::size_t n,
                                std::size_t place, Int8 first_row,
                                const ChequeredTile<D>& x) const {
    const Float8 here = load8(x.of_colour(colour) + place);
    const auto next = ChequeredTile<D>::next(x.of_colour(1 - colour), place, first_row);
    Float8 result = b.eights[colour][n];
    if (!is_general || general_->is_uniform(colour, n))
      return result + uniform_ * (sum_of<D>(next) - static_cast<float>(side_count<D>) * here);
    const auto& eight = general_->eights[colour][n];
    result -= eight.fixed * here;
    for (std::size_t side = 0; side < side_count<D>; ++side)
      result += eight.next[side] * (next[side] - here);
    // A cell that is no unknown has no equation. But where a piece that nothing holds fixed has
    // come down to one cell, its residual has been summed here.
    return eight.inverse_diagonal > 0 ? result : Float8{};
  }

  // Sums the residuals of 2 x 2 (x 2) cells each, for the coarse ones from that of the tile's first
  // cell on. The residuals of colour 1 are 0 where it has been relaxed last, and nothing around has
  // changed since.
  template <bool has_colour_1>
  void restrict_residual(const Source<D>& b, const ChequeredTile<D>& x, float* coarse,
                         Restriction restriction) const {
    std::array<Float8, eight_count<D>> sums;
    ChequeredTile<D>::for_each_eight([&](std::size_t n, std::size_t place, Int8 first_row) {
      sums[n] = residual(b, 0, n, place, first_row, x);
      if constexpr (has_colour_1) sums[n] += residual(b, 1, n, place, ~first_row, x);
    });
    constexpr std::size_t of_plane = eight_count<D> / (D == 3 ? tile_edge<D> : 1);
    for (std::size_t n = 0; n < eight_count<D>; ++n) {
      if (n / of_plane % 2 == 1) continue;
      Float8 sum = sums[n];
      if constexpr (D == 3) sum += sums[n + of_plane];
      float* const to = coarse + ChequeredTile<D>::coarse_cell(first_cell_of<D>(n));
      Float4 total = sums_of_pairs(sum);
      if (restriction == Restriction::added) total += load4(to);
      store4(to, total);
    }
  }

 private:
  const typename PoissonSystem<D>::General* general_;
  float uniform_;
};

// Calls body(system of the tile, tile, values) for tiles; `values`, which are 0 at first, are
// handed on from some to the next.
template <int D, typename Body>
void for_each_tile(const PoissonSystem<D>& system, std::span<const std::uint32_t> tiles,
                   const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.size()), smoother_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           ChequeredTile<D> values;
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             const std::size_t tile = tiles[i];
                             if (system.general(tile) == nullptr) {
                               body(TileSystem<D, false>(system, tile), tile, values);
                             } else {
                               body(TileSystem<D, true>(system, tile), tile, values);
                             }
                           }
                         });
}

}  // namespace

template <int D>
Smoother<D>::Smoother(const PoissonSystem<D>& system) : system_(&system) {
  const Tiles<D>& tiles = system.tiles();
  for (const std::uint32_t tile : system.solved_tiles()) {
    unsigned sum = 0;
    for (const std::int32_t c : tiles.coordinates(tile))
      sum += static_cast<unsigned>(c);
    tiles_of_colour_[sum % 2].push_back(tile);
  }
}

template <int D>
void Smoother<D>::connect(const Tiles<D>& coarse, Restriction restriction) {
  restriction_ = restriction;
  const Tiles<D>& tiles = system_->tiles();
  coarse_places_.assign(tiles.count() + 1,
                        static_cast<std::uint32_t>(coarse.count() * tile_size<D>));
  for (const std::uint32_t tile : system_->solved_tiles()) {
    Cell<D> first = tiles.first_cell(tile);
    for (std::int32_t& c : first)
      c >>= 1;
    coarse_places_[tile] = static_cast<std::uint32_t>(coarse.find_cell(first));
  }
}

template <int D>
void Smoother<D>::down(const float* b, float* x, float* coarse) const {
  const PoissonSystem<D>& system = *system_;
  const auto relax = [&](const auto& of_tile, const Source<D>& source, auto& values) {
    of_tile.relax(source, 1, values);
    of_tile.relax(source, 0, values);
    of_tile.relax(source, 1, values);
  };
  for_each_tile(system, tiles_of_colour_[0],
                [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
                  const Source<D> source(b + tile * tile_size<D>);
                  of_tile.start(source, 0, values);
                  relax(of_tile, source, values);
                  values.store(x + tile * tile_size<D>);
                });
  for_each_tile(system, tiles_of_colour_[1],
                [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
                  const Source<D> source(b + tile * tile_size<D>);
                  values.clear_colour(1);
                  values.load_sides(tiles_around(system.tiles(), x, tile));
                  of_tile.relax(source, 0, values);
                  relax(of_tile, source, values);
                  values.store(x + tile * tile_size<D>);
                  of_tile.template restrict_residual<false>(
                      source, values, coarse + coarse_places_[tile], restriction_);
                });
  for_each_tile(system, tiles_of_colour_[0],
                [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
                  values.load(x + tile * tile_size<D>);
                  values.load_sides(tiles_around(system.tiles(), x, tile));
                  of_tile.template restrict_residual<true>(Source<D>(b + tile * tile_size<D>),
                                                           values, coarse + coarse_places_[tile],
                                                           restriction_);
                });
}

template <int D>
void Smoother<D>::up(const float* b, float* x, const float* coarse) const {
  const PoissonSystem<D>& system = *system_;
  for_each_tile(
      system, tiles_of_colour_[1],
      [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
        float* const own = x + tile * tile_size<D>;
        std::array<const float*, side_count<D>> corrections;
        for (std::size_t side = 0; side < side_count<D>; ++side)
          corrections[side] = coarse + coarse_places_[system.tiles().neighbours(tile)[side]];
        values.template load<true>(own, coarse + coarse_places_[tile]);
        values.template load_sides<true>(tiles_around(system.tiles(), x, tile), corrections);
        of_tile.relax_twice(Source<D>(b + tile * tile_size<D>), 1, values);
        values.store(own);
      });
  for_each_tile(system, tiles_of_colour_[0],
                [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
                  float* const own = x + tile * tile_size<D>;
                  values.template load<true>(own, coarse + coarse_places_[tile]);
                  values.load_sides(tiles_around(system.tiles(), x, tile));
                  of_tile.relax_twice(Source<D>(b + tile * tile_size<D>), 1, values);
                  values.store(own);
                });
}

template <int D>
void Smoother<D>::solve_coarsest(const float* b, float* x) const {
  const PoissonSystem<D>& system = *system_;
  std::fill_n(x, system.tiles().array_size(), 0.0F);
  for (int sweep = 0; sweep < 2 * coarsest_sweeps; ++sweep) {
    const std::size_t first = sweep < coarsest_sweeps ? 0 : 1;
    for (const std::size_t tiles : {first, 1 - first}) {
      for_each_tile(system, tiles_of_colour_[tiles],
                    [&](const auto& of_tile, std::size_t tile, ChequeredTile<D>& values) {
                      values.load(x + tile * tile_size<D>);
                      values.load_sides(tiles_around(system.tiles(), x, tile));
                      of_tile.relax_twice(Source<D>(b + tile * tile_size<D>), first, values);
                      values.store(x + tile * tile_size<D>);
                    });
    }
  }
}

template class Smoother<2>;
template class Smoother<3>;

}  // namespace sluice::fluid::grid
