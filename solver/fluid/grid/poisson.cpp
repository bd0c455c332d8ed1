// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/poisson.h"

#include <algorithm>
#include <utility>

#include "solver/fluid/grid/wide.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grain = 16;  // Tiles.

template <int D>
bool has_unknowns(const Couplings<D>& couplings) {
  const auto is_weight = [](float weight) { return weight > 0; };
  return std::ranges::any_of(couplings.fixed, is_weight) ||
         std::ranges::any_of(couplings.next, [&](const auto& of_side) {
           return std::ranges::any_of(of_side, is_weight);
         });
}

template <int D>
std::shared_ptr<const typename PoissonSystem<D>::General> make_general(
    const Couplings<D>& couplings, float uniform) {
  auto general = std::make_shared<typename PoissonSystem<D>::General>();
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    auto& eight = general->eights[cell / 8];
    const std::size_t lane = cell % 8;
    // In double: a cell that is hardly tied to anything is a small difference otherwise.
    double diagonal = static_cast<double>(couplings.fixed[cell]);
    bool is_uniform = couplings.fixed[cell] == 0;
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      const float weight = couplings.next[side][cell];
      eight.next[side][lane] = weight;
      diagonal += static_cast<double>(weight);
      is_uniform = is_uniform && weight == uniform;
    }
    eight.fixed[lane] = couplings.fixed[cell];
    eight.inverse_diagonal[lane] = diagonal > 0 ? static_cast<float>(1 / diagonal) : 0.0F;
    if (lane == 0) general->uniform |= std::uint64_t{1} << (cell / 8);
    if (!is_uniform) general->uniform &= ~(std::uint64_t{1} << (cell / 8));
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

// Adds half of the equations of a fine tile to those of a part of the tile that it is coarsened to.
template <int D>
void add_coarsened(const PoissonSystem<D>& fine, std::size_t tile, const Cell<D>& part,
                   Couplings<D>& coarse) {
  const auto* const general = fine.general(tile);
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    const Cell<D> local = local_cell<D>(cell);
    Cell<D> place{};
    for (std::size_t axis = 0; axis < D; ++axis)
      place[axis] = part[axis] * (tile_edge<D> / 2) + local[axis] / 2;
    const std::size_t to = index_in_tile<D>(place);
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      const bool is_outer = local[side / 2] % 2 == static_cast<std::int32_t>(side % 2);
      if (!is_outer) continue;
      const float weight = general != nullptr ? general->next(side, cell) : fine.uniform();
      coarse.next[side][to] += 0.5F * weight;
    }
    if (general != nullptr) coarse.fixed[to] += 0.5F * general->fixed(cell);
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

}  // namespace

template <int D>
PoissonSystem<D>::PoissonSystem(const Tiles<D>& tiles, float uniform, const Describe& describe)
    : tiles_(tiles),
      uniform_(uniform),
      nothing_(std::make_shared<General>()),
      general_(tiles.count()) {
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles_.count()), grain,
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
      0, static_cast<std::int64_t>(solved_.size()), grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double total = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const std::size_t tile = solved_[i];
          const TileView<D> around(tiles_, x.data(), tile);
          const General* const weights = general(tile);
          double* const out = image.data() + tile * tile_size<D>;
          Wide product;
          for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
            const Wide here(around.here(cell));
            const auto next = around.next(cell);
            Wide result;
            if (weights == nullptr || weights->is_uniform(cell)) {
              result = 2.0 * D * here;
              for (std::size_t side = 0; side < side_count<D>; ++side)
                result = result - Wide(next[side]);
              result = static_cast<double>(uniform_) * result;
            } else {
              const auto& eight = weights->of(cell);
              result = Wide(eight.fixed) * here;
              for (std::size_t side = 0; side < side_count<D>; ++side)
                result = result + Wide(eight.next[side]) * (here - Wide(next[side]));
            }
            std::memcpy(out + cell, &result, sizeof result);
            product = product + here * result;
          }
          total += sum(product);
        }
        return total;
      },
      [](double a, double b) { return a + b; });
}

template class PoissonSystem<2>;
template class PoissonSystem<3>;

}  // namespace sluice::fluid::grid
