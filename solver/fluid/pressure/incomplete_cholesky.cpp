// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/incomplete_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sluice::fluid::grid {
namespace {

// [Bridson2015]: how much of what is left out goes to the diagonal; and the part of it below which
// that is not done, as it would lead to a factor that is none.
constexpr double modification = 0.97, safety = 0.25;

template <int D>
float coupling_of(const PoissonSystem<D>& system, std::size_t index, std::size_t side) {
  const auto* const general = system.general(index / tile_size<D>);
  return general == nullptr ? system.uniform() : general->next(side, index % tile_size<D>);
}

template <int D>
double diagonal_of(const PoissonSystem<D>& system, std::size_t index) {
  const auto* const general = system.general(index / tile_size<D>);
  double diagonal =
      general == nullptr ? 0 : static_cast<double>(general->fixed(index % tile_size<D>));
  for (std::size_t side = 0; side < side_count<D>; ++side)
    diagonal += static_cast<double>(coupling_of(system, index, side));
  return diagonal;
}

}  // namespace

template <int D>
IncompleteCholesky<D>::IncompleteCholesky(const PoissonSystem<D>& system) {
  const Tiles<D>& tiles = system.tiles();
  struct Placed {
    Cell<D> cell;
    std::uint32_t index;
  };
  std::vector<Placed> placed;
  for (std::size_t index = 0; index < tiles.count() * tile_size<D>; ++index) {
    if (!system.is_unknown(index / tile_size<D>, index % tile_size<D>)) continue;
    placed.push_back({tiles.cell(index), static_cast<std::uint32_t>(index)});
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::lexicographical_compare(a.cell.rbegin(), a.cell.rend(), b.cell.rbegin(),
                                        b.cell.rend());
  });
  std::vector<std::uint32_t> place_of(tiles.array_size());
  for (std::size_t i = 0; i < placed.size(); ++i)
    place_of[placed[i].index] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const std::size_t index = placed[i].index;
    Unknown unknown{placed[i].index, {}, {}, 0};
    const double diagonal = diagonal_of(system, index);
    double rest = diagonal;
    for (std::size_t axis = 0; axis < D; ++axis) {
      unknown.lower[axis] = static_cast<std::uint32_t>(i);
      unknown.coupling[axis] = coupling_of(system, index, 2 * axis);
      if (!(unknown.coupling[axis] > 0)) continue;
      Cell<D> before = placed[i].cell;
      --before[axis];
      const std::size_t other = tiles.find_cell(before);
      if (place_of[other] >= i) {  // Across a periodic side: left out.
        unknown.coupling[axis] = 0;
        continue;
      }
      unknown.lower[axis] = place_of[other];
      // The other one's ties on its upper sides are left out, but for that to this one.
      double left_out = 0;
      for (std::size_t a = 0; a < D; ++a) {
        if (a != axis) left_out += static_cast<double>(coupling_of(system, other, 2 * a + 1));
      }
      const auto w = static_cast<double>(unknown.coupling[axis]);
      const auto p = static_cast<double>(unknowns_[unknown.lower[axis]].inverse_root);
      rest -= w * p * w * p + modification * w * left_out * p * p;
    }
    if (rest < safety * diagonal) rest = diagonal;
    unknown.inverse_root = static_cast<float>(1 / std::sqrt(rest));
    unknowns_.push_back(unknown);
  }
  values_.resize(unknowns_.size());
  sums_.resize(unknowns_.size());
}

template <int D>
void IncompleteCholesky<D>::apply(std::span<const float> r, std::span<float> z) {
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Unknown& unknown = unknowns_[i];
    float sum = r[unknown.index];
    for (std::size_t axis = 0; axis < D; ++axis) {
      const std::uint32_t other = unknown.lower[axis];
      if (other != i)
        sum += unknown.coupling[axis] * unknowns_[other].inverse_root * values_[other];
    }
    values_[i] = sum * unknown.inverse_root;
  }
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  for (std::size_t i = unknowns_.size(); i-- > 0;) {
    const Unknown& unknown = unknowns_[i];
    const float value = (values_[i] + unknown.inverse_root * sums_[i]) * unknown.inverse_root;
    z[unknown.index] = value;
    for (std::size_t axis = 0; axis < D; ++axis)
      sums_[unknown.lower[axis]] += unknown.coupling[axis] * value;
  }
}

template class IncompleteCholesky<2>;
template class IncompleteCholesky<3>;

}  // namespace sluice::fluid::grid
