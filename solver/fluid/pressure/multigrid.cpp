// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/multigrid.h"

#include <cstddef>
#include <utility>

namespace sluice::fluid::grid {

namespace {

// The whole lattice comes down to the cells around the origin.
template <int D>
bool is_coarsest(const PoissonSystem<D>& system) {
  constexpr std::int64_t corner_cells = 1 << D;
  return system.tiles().count() <= static_cast<std::size_t>(corner_cells) &&
         system.unknown_count() <= corner_cells;
}

}  // namespace

template <int D>
Multigrid<D>::Multigrid(const PoissonSystem<D>& finest, std::span<const RigidTie> ties) {
  coarse_.reserve(32);  // More levels than an int32 has bits there are not: addresses stay.
  for (const PoissonSystem<D>* system = &finest;;) {
    Level level{Smoother<D>(*system), {}, {}};
    const Tiles<D>& tiles = system->tiles();
    if (!levels_.empty()) {
      level.x.resize(tiles.array_size());
      level.b.resize(tiles.array_size());
    }
    levels_.push_back(std::move(level));
    if (tiles.count() == 0 || is_coarsest(*system)) break;
    system = &coarse_.emplace_back(system->coarsened());
    levels_.back().smoother.connect(system->tiles(), Restriction::set);
  }
  if (TiedSurfaces<D>::are_few(ties.size())) surfaces_.emplace(finest, ties);
  tied_level_ = CoarseTies<D>::level_for(ties.size());
  if (tied_level_ == 0 || tied_level_ >= levels_.size()) return;
  ties_.emplace(ties, finest.tiles(), levels_[tied_level_].smoother.system().tiles(), tied_level_,
                [this](const float* b, float* x) { cycle(tied_level_, b, x); });
}

template <int D>
void Multigrid<D>::apply(std::span<const float> r, std::span<float> z) {
  const auto inverse = [this](std::span<const float> b, std::span<float> x) {
    cycle(0, b.data(), x.data());
  };
  if (surfaces_.has_value()) {
    surfaces_->apply(r, z, inverse);
  } else {
    inverse(r, z);
  }
}

template <int D>
void Multigrid<D>::cycle(std::size_t index, const float* b, float* x) {
  if (index + 1 == levels_.size()) {
    levels_[index].smoother.solve_coarsest(b, x);
    return;
  }
  Level& coarse = levels_[index + 1];
  levels_[index].smoother.down(b, x, coarse.b.data());
  cycle(index + 1, coarse.b.data(), coarse.x.data());
  levels_[index].smoother.up(b, x, coarse.x.data());
  if (ties_.has_value() && index == tied_level_) ties_->correct(x);
}

template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace sluice::fluid::grid
