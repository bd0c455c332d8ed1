// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/multigrid.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grain = 16;  // Tiles.

// There and back, of the coarsest level, which has a handful of cells.
constexpr int coarsest_sweeps = 4;

// The whole lattice comes down to the cells around the origin.
template <int D>
bool is_coarsest(const PoissonSystem<D>& system) {
  constexpr std::int64_t corner_cells = 1 << D;
  return system.tiles().count() <= static_cast<std::size_t>(corner_cells) &&
         system.unknown_count() <= corner_cells;
}

template <int D>
Float8 sum_of(const std::array<Float8, side_count<D>>& next) {
  Float8 sum = next[0] + next[1];
  for (std::size_t side = 2; side < side_count<D>; ++side)
    sum += next[side];
  return sum;
}

// A step of Gauss and Seidel's method for the cells of one colour.
template <int D, bool is_general>
void relax(const TileView<D>& around, const PoissonSystem<D>& system,
           const typename PoissonSystem<D>::General* general, unsigned colour, const float* b,
           float* x) {
  const float inverse_sides = 1.0F / static_cast<float>(side_count<D>);
  const float inverse_diagonal = inverse_sides / system.uniform();
  for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
    const auto next = around.next(cell);
    Float8 result;
    if (!is_general || general->is_uniform(cell)) {
      result = sum_of<D>(next) * inverse_sides + load8(b + cell) * inverse_diagonal;
    } else {
      const auto& eight = general->of(cell);
      result = load8(b + cell);
      for (std::size_t side = 0; side < side_count<D>; ++side)
        result += eight.next[side] * next[side];
      result *= eight.inverse_diagonal;
    }
    store8(x + cell, of_colour<D>(cell, colour) ? result : around.here(cell));
  }
}

// Two of them for each colour, `first` first.
template <int D>
void relax_tile(const PoissonSystem<D>& system, std::size_t tile, const float* b, float* x,
                unsigned first) {
  const TileView<D> around(system.tiles(), x, tile);
  const auto* const general = system.general(tile);
  const float* const b_here = b + tile * tile_size<D>;
  float* const x_here = x + tile * tile_size<D>;
  for (const unsigned colour : {first, 1 - first, first, 1 - first}) {
    if (general == nullptr) {
      relax<D, false>(around, system, nullptr, colour, b_here, x_here);
    } else {
      relax<D, true>(around, system, general, colour, b_here, x_here);
    }
  }
}

// b - A x of eight cells.
template <int D>
Float8 residual(const TileView<D>& around, Float8 b,
                const typename PoissonSystem<D>::General* general, std::size_t cell,
                float uniform) {
  const Float8 here = around.here(cell);
  const auto next = around.next(cell);
  if (general == nullptr || general->is_uniform(cell))
    return b + uniform * (sum_of<D>(next) - static_cast<float>(side_count<D>) * here);
  const auto& eight = general->of(cell);
  Float8 result = b - eight.fixed * here;
  for (std::size_t side = 0; side < side_count<D>; ++side)
    result += eight.next[side] * (next[side] - here);
  // What is no unknown has no equation; but where a piece that nothing is fixed of has come down to
  // one cell, its residual has been summed here.
  return eight.inverse_diagonal > 0 ? result : Float8{};
}

// Where in a coarse tile the first cell of a child goes.
template <int D>
std::size_t place_of_child(std::size_t child) {
  std::size_t place = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    if ((child >> axis & 1U) != 0) place += tile_edge<D> / 2 * stride<D>(static_cast<int>(axis));
  }
  return place;
}

// The coarse cell, from that of the tile's first cell on, that a fine one is a part of.
template <int D>
std::size_t coarse_cell(std::size_t cell) {
  std::size_t coarse = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::size_t step = stride<D>(static_cast<int>(axis));
    coarse += cell / step % tile_edge<D> / 2 * step;
  }
  return coarse;
}

}  // namespace

template <int D>
Multigrid<D>::Multigrid(const PoissonSystem<D>& finest, std::span<const RigidTie> ties) {
  coarse_.reserve(32);  // More levels than an int32 has bits there are not: addresses stay.
  for (const PoissonSystem<D>* system = &finest;;) {
    Level level{system, {}, {}, {}, {}};
    const Tiles<D>& tiles = system->tiles();
    for (std::uint32_t tile = 0; tile < tiles.count(); ++tile) {
      if (system->is_empty(tile)) continue;
      unsigned sum = 0;
      for (const std::int32_t c : tiles.coordinates(tile))
        sum += static_cast<unsigned>(c);
      level.tiles_of_colour[sum % 2].push_back(tile);
    }
    if (!levels_.empty()) {
      level.x.resize(tiles.array_size());
      level.b.resize(tiles.array_size());
      const Tiles<D>& fine = levels_.back().system->tiles();
      for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
        auto& children = level.children.emplace_back();
        for (std::size_t child = 0; child < children.size(); ++child) {
          Cell<D> coordinates = tiles.coordinates(tile);
          for (std::size_t axis = 0; axis < D; ++axis) {
            coordinates[axis] =
                2 * coordinates[axis] + static_cast<std::int32_t>(child >> axis & 1U);
          }
          const std::size_t found = fine.find(coordinates);
          const bool is_there = found != fine.count() && !levels_.back().system->is_empty(found);
          children[child] = static_cast<std::uint32_t>(is_there ? found : fine.count());
        }
      }
    }
    levels_.push_back(std::move(level));
    if (tiles.count() == 0 || is_coarsest(*system)) break;
    system = &coarse_.emplace_back(system->coarsened());
  }
  tied_level_ = CoarseTies<D>::level_for(ties.size());
  if (tied_level_ == 0 || tied_level_ >= levels_.size()) return;
  ties_.emplace(ties, finest.tiles(), levels_[tied_level_].system->tiles(), tied_level_,
                [this](const float* b, float* x) { cycle(tied_level_, b, x); });
}

template <int D>
void Multigrid<D>::apply(std::span<const float> r, std::span<float> z) {
  cycle(0, r.data(), z.data());
}

template <int D>
void Multigrid<D>::cycle(std::size_t index, const float* b, float* x) {
  const Level& level = levels_[index];
  std::fill_n(x, level.system->tiles().array_size(), 0.0F);
  if (index + 1 == levels_.size()) {
    for (int sweep = 0; sweep < coarsest_sweeps; ++sweep)
      smooth(level, b, x, Order::forward);
    for (int sweep = 0; sweep < coarsest_sweeps; ++sweep)
      smooth(level, b, x, Order::backward);
    return;
  }
  smooth(level, b, x, Order::forward);
  restrict_residual(index, b, x);
  cycle(index + 1, levels_[index + 1].b.data(), levels_[index + 1].x.data());
  add_correction(index, x);
  smooth(level, b, x, Order::backward);
  if (ties_.has_value() && index == tied_level_) ties_->correct(x);
}

template <int D>
void Multigrid<D>::smooth(const Level& level, const float* b, float* x, Order order) {
  const bool is_forward = order == Order::forward;
  for (const std::size_t tiles : {is_forward ? 0U : 1U, is_forward ? 1U : 0U}) {
    const std::vector<std::uint32_t>& of_colour = level.tiles_of_colour[tiles];
    parallel::parallel_for(0, static_cast<std::int64_t>(of_colour.size()), grain,
                           [&](std::int64_t first, std::int64_t last) {
                             for (auto i = static_cast<std::size_t>(first);
                                  i < static_cast<std::size_t>(last); ++i) {
                               relax_tile(*level.system, of_colour[i], b, x, is_forward ? 0 : 1);
                             }
                           });
  }
}

template <int D>
void Multigrid<D>::restrict_residual(std::size_t index, const float* b, const float* x) {
  const PoissonSystem<D>& fine = *levels_[index].system;
  Level& coarse = levels_[index + 1];
  parallel::parallel_for(
      0, static_cast<std::int64_t>(coarse.children.size()), grain / 8,
      [&](std::int64_t first, std::int64_t last) {
        for (auto tile = static_cast<std::size_t>(first); tile < static_cast<std::size_t>(last);
             ++tile) {
          float* const sums = coarse.b.data() + tile * tile_size<D>;
          std::fill_n(sums, tile_size<D>, 0.0F);
          for (std::size_t child = 0; child < coarse.children[tile].size(); ++child) {
            const std::size_t from = coarse.children[tile][child];
            if (from == fine.tiles().count()) continue;
            const TileView<D> around(fine.tiles(), x, from);
            const auto* const general = fine.general(from);
            float* const part = sums + place_of_child<D>(child);
            for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
              const Float8 r = residual<D>(around, load8(b + from * tile_size<D> + cell), general,
                                           cell, fine.uniform());
              float* const to = part + coarse_cell<D>(cell);
              for (std::size_t i = 0; i < 4; ++i)
                to[i] += r[2 * i] + r[2 * i + 1];
            }
          }
        }
      });
}

template <int D>
void Multigrid<D>::add_correction(std::size_t index, float* x) {
  const PoissonSystem<D>& fine = *levels_[index].system;
  const Level& coarse = levels_[index + 1];
  parallel::parallel_for(0, static_cast<std::int64_t>(coarse.children.size()), grain / 8,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto tile = static_cast<std::size_t>(first);
                                tile < static_cast<std::size_t>(last); ++tile) {
                             for (std::size_t child = 0; child < coarse.children[tile].size();
                                  ++child) {
                               const std::size_t to = coarse.children[tile][child];
                               if (to == fine.tiles().count()) continue;
                               const float* const part =
                                   coarse.x.data() + tile * tile_size<D> + place_of_child<D>(child);
                               // Also to cells that are no unknowns: nothing is tied to them, and
                               // the next sweep sets them back to 0.
                               for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
                                 const float* const from = part + coarse_cell<D>(cell);
                                 const Float8 correction{from[0], from[0], from[1], from[1],
                                                         from[2], from[2], from[3], from[3]};
                                 float* const value = x + to * tile_size<D> + cell;
                                 store8(value, load8(value) + correction);
                               }
                             }
                           }
                         });
}

template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace sluice::fluid::grid
