// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/semi_lagrangian.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/grid/advection.h"
#include "solver/fluid/grid/padded.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t grain = 4;  // Tiles.

Float8 lower_of(Float8 a, Float8 b) { return a < b ? a : b; }
Float8 upper_of(Float8 a, Float8 b) { return a > b ? a : b; }

// An array near a tile: in it and around it side by side, elsewhere as it is in the grid.
template <int D>
class TileValues {
 public:
  static constexpr std::size_t margin = TileTracer<D>::margin;

  void look_at(const Tiles<D>& tiles, std::size_t tile, const Array<float>& array) {
    tiles_ = &tiles;
    array_ = array.data();
    first_ = tiles.first_cell(tile);
    for (std::int32_t& c : first_)
      c -= static_cast<std::int32_t>(margin);
    Surroundings<D>(tiles, tile).template load<margin>(array_, padded_.data());
  }

  // `X` in cells from the padded tile's corner on, as the values are; see Advected::axis.
  [[nodiscard]] Looked linear_at(Places<D> X, int axis) const {
    const bool is_inside = are_inside_padded<D, margin>(X);
    shift(axis, X);
    Places<D> part;
    const Corners8<D> corners =
        is_inside ? corners_in<D, margin>(padded_.data(), X, part) : corners_in_grid(X, part);
    Looked looked{blend<D>(corners, part), corners[0], corners[0]};
    for (std::size_t corner = 1; corner < corners.size(); ++corner) {
      looked.least = lower_of(looked.least, corners[corner]);
      looked.most = upper_of(looked.most, corners[corner]);
    }
    return looked;
  }
  [[nodiscard]] Looked cubic_at(Places<D> X, int axis) const {
    const bool is_inside = are_inside_padded<D, margin, 2>(X);
    shift(axis, X);
    Looked looked = is_inside ? cubic_in<D, margin>(padded_.data(), X) : cubic_in_grid(X);
    looked.value = upper_of(lower_of(looked.value, looked.most), looked.least);
    return looked;
  }

 private:
  static void shift(int axis, Places<D>& X) {
    for (std::size_t a = 0; a < D; ++a) {
      if (static_cast<int>(a) != axis) X[a] -= 0.5F;
    }
  }

  [[nodiscard]] Looked cubic_in_grid(const Places<D>& X) const {
    std::array<Cell<D>, 8> low;
    Places<D> part;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      Vec<D> x;
      for (std::size_t axis = 0; axis < D; ++axis)
        x[static_cast<int>(axis)] = X[axis][lane] + static_cast<float>(first_[axis]);
      low[lane] = cell_at<D>(x);
      for (std::size_t axis = 0; axis < D; ++axis)
        part[axis][lane] = x[static_cast<int>(axis)] - static_cast<float>(low[lane][axis]);
    }
    return cubic<D>(part, [&](std::size_t lane, std::size_t r) {
      Cell<D> cell = low[lane];
      cell[1] += static_cast<std::int32_t>(r % 4) - 1;
      if constexpr (D == 3) cell[2] += static_cast<std::int32_t>(r / 4) - 1;
      Float4 row;
      for (std::int32_t i = 0; i < 4; ++i) {
        cell[0] = low[lane][0] + i - 1;
        row[static_cast<std::size_t>(i)] = array_[tiles_->find_cell(cell)];
      }
      return row;
    });
  }

  [[nodiscard]] Corners8<D> corners_in_grid(const Places<D>& X, Places<D>& part) const {
    Corners8<D> corners;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      Vec<D> x;
      for (std::size_t axis = 0; axis < D; ++axis)
        x[static_cast<int>(axis)] = X[axis][lane] + static_cast<float>(first_[axis]);
      const Cell<D> low = cell_at<D>(x);
      for (std::size_t axis = 0; axis < D; ++axis)
        part[axis][lane] = x[static_cast<int>(axis)] - static_cast<float>(low[axis]);
      const Corners<D> of_lane = corners_around<D>(*tiles_, array_, x);
      for (std::size_t corner = 0; corner < of_lane.size(); ++corner)
        corners[corner][lane] = of_lane[corner];
    }
    return corners;
  }

  const Tiles<D>* tiles_ = nullptr;
  const float* array_ = nullptr;
  Cell<D> first_{};
  std::array<float, padded_size<D, margin>> padded_;
};

// Eight places of a tile, from `index` on, in cells from the padded tile's corner on.
template <int D>
Places<D> places_of(std::size_t index, int axis) {
  const Cell<D> first = local_cell<D>(index);
  Places<D> X;
  for (std::size_t a = 0; a < D; ++a) {
    const float middle = static_cast<int>(a) == axis ? 0.0F : 0.5F;
    X[a] = Float8{} +
           (static_cast<float>(first[a]) + middle + static_cast<float>(TileTracer<D>::margin));
  }
  X[0] += Float8{0, 1, 2, 3, 4, 5, 6, 7};
  return X;
}

// Brings places back to the middles of the layer of cells around the box, at most.
template <int D>
void keep_near(const Sides<D>& sides, const Cell<D>& first, Places<D>& X) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides.is_periodic[axis]) continue;
    const auto corner = static_cast<float>(first[axis]);
    const float least = -0.5F - corner;
    const float most = static_cast<float>(sides.cells[axis]) + 0.5F - corner;
    X[axis] = upper_of(lower_of(X[axis], Float8{} + most), Float8{} + least);
  }
}

// Calls visit(index in the tile, index in arrays) for each eight of which one is carried, and
// prepare() before if there are any.
template <int D, typename Prepare, typename Visit>
void for_each_eight(const Array<std::uint8_t>& is_carried, std::size_t tile, const Prepare& prepare,
                    const Visit& visit) {
  const std::uint8_t* const carried = is_carried.data() + tile * tile_size<D>;
  if (std::find(carried, carried + tile_size<D>, 1) == carried + tile_size<D>) return;
  prepare();
  for (std::size_t index = 0; index < tile_size<D>; index += 8) {
    if (std::find(carried + index, carried + index + 8, 1) == carried + index + 8) continue;
    visit(index, tile * tile_size<D> + index);
  }
}

}  // namespace

template <int D>
void SemiLagrangian<D>::carry(const MacGrid<D>& grid, scene::Advection method, float h,
                              std::span<const Advected> advected) {
  results_.resize(advected.size());
  for (std::size_t first = 0; first < advected.size();) {
    std::size_t end = first + 1;
    while (end < advected.size() && advected[end].axis == advected[first].axis)
      ++end;
    const std::span<const Advected> at_same_places = advected.subspan(first, end - first);
    carry_back(grid, method, h, at_same_places);
    if (method == scene::Advection::maccormack) {
      correct(grid, h, at_same_places, first);
    } else {
      for (std::size_t i = first; i < end; ++i)
        results_[i].swap(carried_[i - first]);
    }
    first = end;
  }
  for (std::size_t i = 0; i < advected.size(); ++i)
    advected[i].values->swap(results_[i]);
}

// Into carried_, and what is to be corrected also into least_ and most_.
template <int D>
void SemiLagrangian<D>::carry_back(const MacGrid<D>& grid, scene::Advection method, float h,
                                   std::span<const Advected> at_same_places) {
  const std::size_t count = at_same_places.size();
  const bool is_corrected = method == scene::Advection::maccormack;
  carried_.resize(std::max(carried_.size(), count));
  least_.resize(carried_.size());
  most_.resize(carried_.size());
  for (std::size_t i = 0; i < count; ++i) {
    carried_[i] = *at_same_places[i].values;
    if (!is_corrected) continue;
    least_[i].resize(carried_[i].size());
    most_[i].resize(carried_[i].size());
  }
  const int axis = at_same_places.front().axis;
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.tiles.count()), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           TileTracer<D> tracer(frame_, grid);
                           std::vector<TileValues<D>> values(count);
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             for_each_eight<D>(
                                 *at_same_places.front().is_carried, tile,
                                 [&] {
                                   tracer.look_at(tile);
                                   for (std::size_t i = 0; i < count; ++i)
                                     values[i].look_at(grid.tiles, tile, *at_same_places[i].values);
                                 },
                                 [&](std::size_t index, std::size_t at) {
                                   Places<D> from = tracer.trace(places_of<D>(index, axis), -h);
                                   keep_near<D>(sides_, tracer.first_cell(), from);
                                   for (std::size_t i = 0; i < count; ++i) {
                                     const Looked looked = method == scene::Advection::cubic
                                                               ? values[i].cubic_at(from, axis)
                                                               : values[i].linear_at(from, axis);
                                     for (std::size_t lane = 0; lane < 8; ++lane) {
                                       if ((*at_same_places[i].is_carried)[at + lane] != 0)
                                         carried_[i][at + lane] = looked.value[lane];
                                     }
                                     if (!is_corrected) continue;
                                     store8(least_[i].data() + at, looked.least);
                                     store8(most_[i].data() + at, looked.most);
                                   }
                                 });
                           }
                         });
}

template <int D>
void SemiLagrangian<D>::correct(const MacGrid<D>& grid, float h,
                                std::span<const Advected> at_same_places, std::size_t first) {
  const std::size_t count = at_same_places.size();
  for (std::size_t i = 0; i < count; ++i)
    results_[first + i] = *at_same_places[i].values;
  const int axis = at_same_places.front().axis;
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), grain,
      [&](std::int64_t begin, std::int64_t end) {
        TileTracer<D> tracer(frame_, grid);
        std::vector<TileValues<D>> carried(count);
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          for_each_eight<D>(
              *at_same_places.front().is_carried, tile,
              [&] {
                tracer.look_at(tile);
                for (std::size_t i = 0; i < count; ++i)
                  carried[i].look_at(grid.tiles, tile, carried_[i]);
              },
              [&](std::size_t index, std::size_t at) {
                Places<D> to = tracer.trace(places_of<D>(index, axis), h);
                keep_near<D>(sides_, tracer.first_cell(), to);
                for (std::size_t i = 0; i < count; ++i) {
                  float* const value = results_[first + i].data() + at;
                  const Float8 there_and_back = carried[i].linear_at(to, axis).value;
                  const Float8 corrected =
                      load8(carried_[i].data() + at) + 0.5F * (load8(value) - there_and_back);
                  const Float8 result = upper_of(lower_of(corrected, load8(most_[i].data() + at)),
                                                 load8(least_[i].data() + at));
                  for (std::size_t lane = 0; lane < 8; ++lane) {
                    if ((*at_same_places[i].is_carried)[at + lane] != 0) value[lane] = result[lane];
                  }
                }
              });
        }
      });
}

template class SemiLagrangian<2>;
template class SemiLagrangian<3>;

}  // namespace sluice::fluid::grid
