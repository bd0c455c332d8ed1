// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/tiles.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice::fluid::grid {
namespace {

// Places of a directory: those that any may have, and those that each tile may have besides.
constexpr double free_places = 1 << 20;
constexpr double places_per_tile = 64;

template <int D>
bool comes_before(const Cell<D>& a, const Cell<D>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

}  // namespace

template <int D>
Tiles<D>::Tiles(std::vector<Cell<D>> coordinates, const Cell<D>& period)
    : coordinates_(std::move(coordinates)), period_(period), has_period_(period != Cell<D>{}) {
  if (coordinates_.empty()) return;
  std::sort(coordinates_.begin(), coordinates_.end(), comes_before<D>);
  assert(std::adjacent_find(coordinates_.begin(), coordinates_.end()) == coordinates_.end());
  lower_ = coordinates_.front();
  Cell<D> upper = lower_;
  for (const Cell<D>& tile : coordinates_) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      lower_[axis] = std::min(lower_[axis], tile[axis]);
      upper[axis] = std::max(upper[axis], tile[axis]);
    }
  }
  double places = 1;
  for (std::size_t axis = 0; axis < D; ++axis) {
    size_[axis] = upper[axis] - lower_[axis] + 1;
    places *= size_[axis];
  }
  if (places <= free_places + places_per_tile * static_cast<double>(count())) {
    directory_.assign(static_cast<std::size_t>(places), static_cast<std::uint32_t>(count()));
    for (std::size_t tile = 0; tile < count(); ++tile)
      directory_[place_of(coordinates_[tile])] = static_cast<std::uint32_t>(tile);
  }
  neighbours_.resize(count());
  for (std::size_t tile = 0; tile < count(); ++tile) {
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      Cell<D> next = coordinates_[tile];
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      neighbours_[tile][side] = static_cast<std::uint32_t>(find(next));
    }
  }
}

template <int D>
Cell<D> Tiles<D>::first_cell(std::size_t tile) const noexcept {
  Cell<D> cell = coordinates_[tile];
  for (std::int32_t& c : cell)
    c *= tile_edge<D>;
  return cell;
}

template <int D>
Cell<D> Tiles<D>::cell(std::size_t index) const noexcept {
  Cell<D> cell = first_cell(index / tile_size<D>);
  const Cell<D> local = local_cell<D>(index % tile_size<D>);
  for (std::size_t axis = 0; axis < D; ++axis)
    cell[axis] += local[axis];
  return cell;
}

template <int D>
std::size_t Tiles<D>::find(const Cell<D>& coordinates) const noexcept {
  return find_within(has_period_ ? within_period<D>(coordinates, period_) : coordinates);
}

template <int D>
std::size_t Tiles<D>::find_within(const Cell<D>& coordinates) const noexcept {
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::int32_t c = coordinates[axis] - lower_[axis];
    if (c < 0 || c >= size_[axis]) return count();
  }
  if (!directory_.empty()) return directory_[place_of(coordinates)];
  const auto found =
      std::lower_bound(coordinates_.begin(), coordinates_.end(), coordinates, comes_before<D>);
  if (found == coordinates_.end() || *found != coordinates) return count();
  return static_cast<std::size_t>(found - coordinates_.begin());
}

template <int D>
std::size_t Tiles<D>::place_of(const Cell<D>& coordinates) const noexcept {
  std::size_t place = 0;
  for (std::size_t axis = D; axis-- > 0;) {
    place = place * static_cast<std::size_t>(size_[axis]) +
            static_cast<std::size_t>(coordinates[axis] - lower_[axis]);
  }
  return place;
}

template <int D>
std::size_t Tiles<D>::find_cell(const Cell<D>& cell) const noexcept {
  const Cell<D> tile = tile_of<D>(cell);
  Cell<D> local = cell;
  for (std::size_t axis = 0; axis < D; ++axis)
    local[axis] -= tile[axis] * tile_edge<D>;
  return find(tile) * tile_size<D> + index_in_tile<D>(local);
}

template class Tiles<2>;
template class Tiles<3>;

}  // namespace sluice::fluid::grid
