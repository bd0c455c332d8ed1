// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/poisson.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/simd/eight_doubles.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t poisson_grain = 16;  // Tiles.

template <int D>
bool has_unknowns(const Couplings<D>& couplings) {
  const auto is_weight = [](float weight) { return weight > 0; };
  return std::ranges::any_of(couplings.fixed, is_weight) ||
         std::ranges::any_of(couplings.next, [&](const auto& of_side) {
           return std::ranges::any_of(of_side, is_weight);
         });
}

// The weights of two rows of a tile, from the first one's eight cells on, by colour.
struct ByColour {
  ByColour(const float* in_first_row, const float* in_second_row, Int8 first_row) {
    const Float8 first = load8(in_first_row), second = load8(in_second_row);
    even = first_row ? first : second;
    odd = first_row ? second : first;
  }
  Float8 even, odd;
};

template <int D>
std::shared_ptr<const typename PoissonSystem<D>::General> make_general(
    const Couplings<D>& couplings, float uniform) {
  auto general = std::make_shared_for_overwrite<typename PoissonSystem<D>::General>();
  for (std::size_t n = 0; n < eight_count<D>; ++n) {
    auto& even = general->eights[0][n];
    auto& odd = general->eights[1][n];
    const std::size_t first = first_cell_of<D>(n), second = first + tile_edge<D>;
    const Int8 first_row = first_row_lanes<D>(n, 0);
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      const std::size_t place = chequered_side<D>(side, first);
      const std::size_t in_second_row = side / 2 == 1 ? 5 - side : side;
      const ByColour weights(couplings.next[side].data() + first,
                             couplings.next[in_second_row].data() + second, first_row);
      even.next[place] = weights.even;
      odd.next[place] = weights.odd;
    }
    const ByColour fixed(couplings.fixed.data() + first, couplings.fixed.data() + second,
                         first_row);
    even.fixed = fixed.even;
    odd.fixed = fixed.odd;
  }
  for (std::size_t colour = 0; colour < 2; ++colour) {
    general->uniform[colour] = 0;
    for (std::size_t n = 0; n < eight_count<D>; ++n) {
      auto& eight = general->eights[colour][n];
      // In double: a cell that is hardly tied to anything is a small difference otherwise.
      Double8 diagonal(eight.fixed);
      Int8 is_uniform = eight.fixed == 0;
      for (const Float8& weight : eight.next) {
        diagonal = diagonal + Double8(weight);
        is_uniform &= weight == uniform;
      }
      eight.inverse_diagonal = inverse_or_0(diagonal);
      bool all = true;
      for (std::size_t lane = 0; lane < 8; ++lane)
        all = all && is_uniform[lane] != 0;
      if (all) general->uniform[colour] |= std::uint32_t{1} << n;
    }
  }
  return general;
}

template <int D>
std::vector<Cell<D>> coarse_coordinates(const PoissonSystem<D>& system) {
  std::vector<Cell<D>> coarse;
  for (std::size_t tile = 0; tile < system.tiles().count(); ++tile) {
    if (system.is_empty(tile)) continue;
    Cell<D> half = system.tiles().coordinates(tile);
    for (std::int32_t& c : half)
      c >>= 1;
    coarse.push_back(half);
  }
  std::sort(coarse.begin(), coarse.end());
  coarse.erase(std::unique(coarse.begin(), coarse.end()), coarse.end());
  return coarse;
}

// Half of the sums of a fine tile's equations, of 2 x 2 (x 2) cells each, for the coarse tile that
// `part` of is made of it. The sums' order is the same seen from both sides of a face.
template <int D>
void add_coarsened(const PoissonSystem<D>& fine, std::size_t tile, const Cell<D>& part,
                   Couplings<D>& coarse) {
  Cell<D> place{};
  for (std::size_t axis = 0; axis < D; ++axis)
    place[axis] = part[axis] * (tile_edge<D> / 2);
  const auto* const general = fine.general(tile);
  const auto put = [](float* to, Float4 sum) { store4(to, 0.5F * sum); };
  constexpr std::size_t of_plane = eight_count<D> / (D == 3 ? tile_edge<D> : 1);
  for (std::size_t n = 0; n < eight_count<D>; ++n) {
    if (n / of_plane % 2 == 1) continue;
    const std::size_t to =
        index_in_tile<D>(place) + ChequeredTile<D>::coarse_cell(first_cell_of<D>(n));
    if (general == nullptr) {
      const Float4 weight = Float4{} + (D == 3 ? 4.0F : 2.0F) * fine.uniform();
      for (auto& of_side : coarse.next)
        put(of_side.data() + to, weight);
      continue;
    }
    std::array<Float8, side_count<D>> next{};
    Float8 fixed{};
    for (std::size_t plane = 0; plane < (D == 3 ? 2 : 1); ++plane) {
      const std::size_t eight = n + plane * of_plane;
      const auto& even = general->eights[0][eight];
      const auto& odd = general->eights[1][eight];
      const Int8 first_row = first_row_lanes<D>(eight, 0);
      next[0] += even.next[0] + odd.next[0];
      next[1] += even.next[1] + odd.next[1];
      next[2] += first_row ? even.next[3] : odd.next[3];
      next[3] += first_row ? odd.next[3] : even.next[3];
      if constexpr (D == 3) {
        const std::size_t side = 4 + plane;
        next[side] += even.next[side] + odd.next[side];
      }
      fixed += even.fixed + odd.fixed;
    }
    put(coarse.next[0].data() + to, __builtin_shufflevector(next[0], next[0], 0, 2, 4, 6));
    put(coarse.next[1].data() + to, __builtin_shufflevector(next[1], next[1], 1, 3, 5, 7));
    for (std::size_t side = 2; side < side_count<D>; ++side)
      put(coarse.next[side].data() + to, sums_of_pairs(next[side]));
    put(coarse.fixed.data() + to, sums_of_pairs(fixed));
  }
}

// Takes away what ties a tile's cells to the tile on its `side`.
template <int D>
void cut_off(std::size_t side, Couplings<D>& couplings) {
  const std::int32_t layer = side % 2 == 0 ? 0 : tile_edge<D> - 1;
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    if (local_cell<D>(cell)[side / 2] == layer) couplings.next[side][cell] = 0;
  }
}

// A x of the eight of a colour at a place.
template <int D, bool is_general>
Double8 product(const ChequeredTile<D>& x, std::size_t colour, std::size_t eight, std::size_t place,
                Int8 first_row, float uniform, const typename PoissonSystem<D>::General* general) {
  const Double8 here(load8(x.of_colour(colour) + place));
  const auto next = ChequeredTile<D>::next(x.of_colour(1 - colour), place, first_row);
  if (!is_general || general->is_uniform(colour, eight)) {
    Double8 result = 2.0 * D * here;
    for (const Float8& value : next)
      result = result - Double8(value);
    return static_cast<double>(uniform) * result;
  }
  const auto& weights = general->eights[colour][eight];
  Double8 result = Double8(weights.fixed) * here;
  for (std::size_t side = 0; side < side_count<D>; ++side)
    result = result + Double8(weights.next[side]) * (here - Double8(next[side]));
  return result;
}

// Sets A x for one tile; returns the tile's part of x . A x.
template <int D, bool is_general>
double apply_tile(const ChequeredTile<D>& x, float uniform,
                  const typename PoissonSystem<D>::General* general, double* image) {
  Double8 sums;
  ChequeredTile<D>::for_each_eight([&](std::size_t eight, std::size_t place, Int8 first_row) {
    const Double8 even = product<D, is_general>(x, 0, eight, place, first_row, uniform, general);
    const Double8 odd = product<D, is_general>(x, 1, eight, place, ~first_row, uniform, general);
    sums = sums + Double8(load8(x.of_colour(0) + place)) * even +
           Double8(load8(x.of_colour(1) + place)) * odd;
    double* const out = image + first_cell_of<D>(eight);
    const Double8 first = choose(first_row, even, odd), second = choose(first_row, odd, even);
    std::memcpy(out, &first, sizeof first);
    std::memcpy(out + tile_edge<D>, &second, sizeof second);
  });
  return sum(sums);
}

}  // namespace

template <int D>
PoissonSystem<D>::PoissonSystem(const Tiles<D>& tiles, float uniform, const Describe& describe)
    : tiles_(tiles),
      uniform_(uniform),
      nothing_(std::make_shared<General>(General{})),
      general_(tiles.count()) {
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles_.count()), poisson_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           auto couplings = std::make_unique<Couplings<D>>();
                           for (auto tile = static_cast<std::size_t>(first);
                                tile < static_cast<std::size_t>(last); ++tile) {
                             const TileKind kind = describe(tile, *couplings);
                             if (kind == TileKind::empty) general_[tile] = nothing_;
                             if (kind != TileKind::general) continue;
                             general_[tile] = has_unknowns(*couplings)
                                                  ? make_general<D>(*couplings, uniform_)
                                                  : nothing_;
                             *couplings = {};
                           }
                         });
  for (std::uint32_t tile = 0; tile < tiles_.count(); ++tile) {
    if (!is_empty(tile)) solved_.push_back(tile);
  }
}

template <int D>
PoissonSystem<D> PoissonSystem<D>::coarsened() const {
  Cell<D> period{}, cut{};
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::int32_t half = tiles_.period()[axis] / 2;
    (half % 2 == 0 ? period : cut)[axis] = half;
  }
  const Tiles<D> coarse(coarse_coordinates(*this), period);
  // The area of a face is 2^(D-1) times as large, all halved.
  const float uniform = uniform_ * (D == 3 ? 2.0F : 1.0F);
  return PoissonSystem(coarse, uniform, [&](std::size_t tile, Couplings<D>& couplings) {
    std::array<std::pair<std::size_t, Cell<D>>, std::size_t{1} << D> children;
    bool is_uniform = true;
    for (std::size_t child = 0; child < children.size(); ++child) {
      Cell<D> part{};
      Cell<D> coordinates = coarse.coordinates(tile);
      for (std::size_t axis = 0; axis < D; ++axis) {
        part[axis] = static_cast<std::int32_t>(child >> axis & 1U);
        coordinates[axis] = 2 * coordinates[axis] + part[axis];
      }
      const std::size_t fine = tiles_.find(coordinates);
      children[child] = {fine, part};
      is_uniform = is_uniform && fine != tiles_.count() && general(fine) == nullptr;
    }
    const Cell<D>& at = coarse.coordinates(tile);
    for (std::size_t axis = 0; axis < D; ++axis)
      is_uniform = is_uniform && (cut[axis] == 0 || (at[axis] > 0 && at[axis] < cut[axis] - 1));
    if (is_uniform) return TileKind::uniform;
    for (const auto& [fine, part] : children) {
      if (fine != tiles_.count() && !is_empty(fine)) add_coarsened<D>(*this, fine, part, couplings);
    }
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (cut[axis] == 0) continue;
      if (at[axis] == 0) cut_off<D>(2 * axis, couplings);
      if (at[axis] == cut[axis] - 1) cut_off<D>(2 * axis + 1, couplings);
    }
    return TileKind::general;
  });
}

template <int D>
std::int64_t PoissonSystem<D>::unknown_count() const {
  std::int64_t count = 0;
  for (const std::uint32_t tile : solved_) {
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell)
      count += is_unknown(tile, cell) ? 1 : 0;
  }
  return count;
}

template <int D>
double PoissonSystem<D>::apply(std::span<const float> x, std::span<double> image) const {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(solved_.size()), poisson_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double total = 0;
        ChequeredTile<D> values;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const std::size_t tile = solved_[i];
          values.load(x.data() + tile * tile_size<D>);
          values.load_sides(tiles_around(tiles_, x.data(), tile));
          double* const out = image.data() + tile * tile_size<D>;
          total += general(tile) == nullptr
                       ? apply_tile<D, false>(values, uniform_, nullptr, out)
                       : apply_tile<D, true>(values, uniform_, general(tile), out);
        }
        return total;
      },
      [](double a, double b) { return a + b; });
}

template class PoissonSystem<2>;
template class PoissonSystem<3>;

}  // namespace sluice::fluid::grid
