// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/semi_lagrangian.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "solver/fluid/lattice/eight_places.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/obstacles/seen_flow.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t semi_lagrangian_grain = 4;  // Tiles.

// Which values of a tile's surroundings are around eight places, `taps` along each axis.
template <int D, std::size_t taps>
struct Around {
  static constexpr std::size_t margin = TileTracer<D>::margin;

  Int8 first;      // The first of them in the padded tile, of places that are inside.
  Places<D> part;  // How far a place is from the lower ones of the nearest.
  std::array<bool, 8> is_outside{};
  bool has_outside;
  std::array<Cell<D>, 8> low;  // The lower one of the nearest, of places outside.

  // `X` in cells from the padded tile's corner, the cell `corner`, on; values as Advected::axis.
  Around(Places<D> X, int axis, const Cell<D>& corner) {
    constexpr int reach = taps / 2;
    const Int8 outside = outside_padded<D, margin, reach>(X);
    has_outside = any_of(outside);
    for (std::size_t a = 0; a < D; ++a) {
      if (static_cast<int>(a) != axis) X[a] -= 0.5F;
    }
    const Places<D> shifted = X;
    for (std::size_t lane = 0; has_outside && lane < 8; ++lane) {
      is_outside[lane] = outside[lane] != 0;
      for (std::size_t a = 0; is_outside[lane] && a < D; ++a)
        X[a][lane] = margin;  // Anywhere.
    }
    first = corner_of<D, margin>(X, part);
    for (int a = 0; a < D; ++a)
      first -= (reach - 1) * static_cast<int>(padded_stride<D, margin>(a));
    for (std::size_t lane = 0; has_outside && lane < 8; ++lane) {
      if (!is_outside[lane]) continue;
      Vec<D> x;
      for (std::size_t a = 0; a < D; ++a)
        x[static_cast<int>(a)] = shifted[a][lane] + static_cast<float>(corner[a]);
      low[lane] = cell_at<D>(x);
      for (std::size_t a = 0; a < D; ++a)
        part[a][lane] = x[static_cast<int>(a)] - static_cast<float>(low[lane][a]);
    }
  }
};

// An array near a tile: in it and around it side by side, elsewhere as it is in the grid.
template <int D>
class TileValues {
 public:
  static constexpr std::size_t margin = TileTracer<D>::margin;

  void look_at(const Tiles<D>& tiles, const Surroundings<D>& around, const Array<float>& array) {
    tiles_ = &tiles;
    array_ = array.data();
    around.template load<margin>(array_, padded_.data());
  }

  // look(row), where row(r) are the values along x of row r of those around the places.
  template <std::size_t taps, typename Look>
  [[nodiscard]] auto look_around(const Around<D, taps>& around, const Look& look) const {
    if (!around.has_outside) {
      return look_from<taps>(padded_.data(), around.first, [&](const auto& values) {
        return look([&](std::size_t r) { return values(row_offset<D, margin, taps>(r)); });
      });
    }
    constexpr std::size_t count = D == 3 ? taps * taps : taps;
    std::array<Taps<taps>, count> rows;
    look_from<taps>(padded_.data(), around.first, [&](const auto& values) {
      for (std::size_t r = 0; r < count; ++r)
        rows[r] = values(row_offset<D, margin, taps>(r));
    });
    for (std::size_t lane = 0; lane < 8; ++lane) {
      if (!around.is_outside[lane]) continue;
      for (std::size_t r = 0; r < count; ++r)
        read_row<taps>(around.low[lane], r, lane, rows[r]);
    }
    return look([&](std::size_t r) { return rows[r]; });
  }

 private:
  template <std::size_t taps>
  void read_row(Cell<D> cell, std::size_t r, std::size_t lane, Taps<taps>& row) const {
    constexpr std::int32_t before = taps / 2 - 1;
    cell[0] -= before;
    cell[1] += static_cast<std::int32_t>(r % taps) - before;
    if constexpr (D == 3) cell[2] += static_cast<std::int32_t>(r / taps) - before;
    const std::size_t first = tiles_->find_cell(cell);
    const bool is_in_one = first % tile_edge<D> + taps <= tile_edge<D>;
    for (std::size_t tap = 0; tap < taps; ++tap) {
      row[tap][lane] = array_[is_in_one ? first + tap : tiles_->find_cell(cell)];
      ++cell[0];
    }
  }

  const Tiles<D>* tiles_ = nullptr;
  const float* array_ = nullptr;
  std::array<float, padded_size<D, margin>> padded_;
};

// Brings places back to the middles of the layer of cells around the box, at most.
template <int D>
void keep_near(const Sides<D>& sides, const Cell<D>& first, Places<D>& X) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides.is_periodic[axis]) continue;
    const auto corner = static_cast<float>(first[axis]);
    const float least = -0.5F - corner;
    const float most = static_cast<float>(sides.cells[axis]) + 0.5F - corner;
    X[axis] = max8(min8(X[axis], Float8{} + most), Float8{} + least);
  }
}

// Calls visit(the eight's index in the tile) for each eight of a tile of which one is carried.
template <int D, typename Visit>
void for_each_eight(const std::uint8_t* carried, const Visit& visit) {
  for (std::size_t index = 0; index < tile_size<D>; index += 8) {
    if (any_of(mask8(carried + index))) visit(index);
  }
}

// Values that are not carried stay.
void store_carried(const std::uint8_t* carried, Float8 value, float* to) {
  store8(to, mask8(carried) ? value : load8(to));
}

// By places: those that follow each other and are at the same ones.
std::vector<std::span<const Advected>> by_places(std::span<const Advected> advected) {
  std::vector<std::span<const Advected>> groups;
  for (std::size_t first = 0; first < advected.size();) {
    std::size_t end = first + 1;
    while (end < advected.size() && advected[end].axis == advected[first].axis)
      ++end;
    groups.push_back(advected.subspan(first, end - first));
    first = end;
  }
  return groups;
}

// Eight cells, or faces, that values are carried to.
struct Eight {
  const std::uint8_t* carried;
  std::size_t at;     // In arrays.
  std::size_t first;  // The first item of `advected` that is at these places.
};

// Goes along the ways of all that is `advected`. Calls visit(eight, around, values) where they
// lead, `values` being those near of source(n) for each n at these places; before, out(n) is what
// it was.
template <int D, std::size_t taps, typename Source, typename Out, typename Visit>
void go(const CellFrame<D>& frame, const Sides<D>& sides, scene::PathIntegrator integrator,
        const MacGrid<D>& grid, float h, std::span<const Advected> advected, const Source& source,
        const Out& out, const Visit& visit) {
  const std::vector<std::span<const Advected>> groups = by_places(advected);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.tiles.count()), semi_lagrangian_grain,
      [&](std::int64_t begin, std::int64_t end) {
        TileTracer<D> tracer(frame, grid, integrator);
        std::vector<TileValues<D>> values;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          const std::size_t corner = tile * tile_size<D>;
          for (std::size_t n = 0; n < advected.size(); ++n)
            std::copy_n(advected[n].values->data() + corner, tile_size<D>, out(n).data() + corner);
          const Surroundings<D> surroundings(grid.tiles, tile);
          bool is_near = false;
          std::size_t first = 0;
          for (const std::span<const Advected>& group : groups) {
            const int axis = group.front().axis;
            const std::uint8_t* const carried = group.front().is_carried->data() + corner;
            if (std::find(carried, carried + tile_size<D>, 1) != carried + tile_size<D>) {
              if (!is_near) tracer.look_at(tile);
              is_near = true;
              values.resize(std::max(values.size(), group.size()));
              for (std::size_t i = 0; i < group.size(); ++i)
                values[i].look_at(grid.tiles, surroundings, source(first + i));
              for_each_eight<D>(carried, [&](std::size_t index) {
                Places<D> X = tracer.trace(index, axis, h);
                keep_near<D>(sides, tracer.first_cell(), X);
                visit(Eight{carried + index, corner + index, first},
                      Around<D, taps>(X, axis, tracer.first_cell()),
                      std::span<const TileValues<D>>(values.data(), group.size()));
              });
            }
            first += group.size();
          }
        }
      });
}

}  // namespace

template <int D>
void SemiLagrangian<D>::carry(const MacGrid<D>& grid, scene::Advection method, float h,
                              std::span<const Advected> advected, const Screens<D>* screens) {
  const bool is_corrected = method == scene::Advection::maccormack;
  const auto make_room = [&](std::vector<Array<float>>& arrays) {
    arrays.resize(std::max(arrays.size(), advected.size()));
    for (std::size_t n = 0; n < advected.size(); ++n)
      arrays[n].resize(grid.tiles.array_size(), 0);
  };
  make_room(carried_);
  if (is_corrected) {
    make_room(least_);
    make_room(most_);
    make_room(corrected_);
  }
  carry_back(grid, method, h, advected);
  if (screens != nullptr) carry_screened(grid, *screens, is_corrected, h, advected);
  if (is_corrected) correct(grid, h, advected);
  for (std::size_t n = 0; n < advected.size(); ++n)
    advected[n].values->swap(is_corrected ? corrected_[n] : carried_[n]);
}

// Into carried_, and what is to be corrected also into least_ and most_.
template <int D>
void SemiLagrangian<D>::carry_back(const MacGrid<D>& grid, scene::Advection method, float h,
                                   std::span<const Advected> advected) {
  const auto source = [&](std::size_t n) -> const Array<float>& { return *advected[n].values; };
  const auto out = [&](std::size_t n) -> Array<float>& { return carried_[n]; };
  switch (method) {
    case scene::Advection::cubic:
      return go<D, 4>(frame_, sides_, integrator_, grid, -h, advected, source, out,
                      [&](const Eight& eight, const Around<D, 4>& around, const auto& values) {
                        const CubicWeights<D> weights = cubic_weights<D>(around.part);
                        for (std::size_t i = 0; i < values.size(); ++i) {
                          const Float8 value = values[i].look_around(
                              around, [&](const auto& row) { return cubic<D>(weights, row); });
                          store_carried(eight.carried, value,
                                        carried_[eight.first + i].data() + eight.at);
                        }
                      });
    case scene::Advection::semi_lagrangian:
      return go<D, 2>(frame_, sides_, integrator_, grid, -h, advected, source, out,
                      [&](const Eight& eight, const Around<D, 2>& around, const auto& values) {
                        for (std::size_t i = 0; i < values.size(); ++i) {
                          const Float8 value = values[i].look_around(
                              around, [&](const auto& row) { return linear<D>(around.part, row); });
                          store_carried(eight.carried, value,
                                        carried_[eight.first + i].data() + eight.at);
                        }
                      });
    case scene::Advection::maccormack:
      return go<D, 2>(frame_, sides_, integrator_, grid, -h, advected, source, out,
                      [&](const Eight& eight, const Around<D, 2>& around, const auto& values) {
                        for (std::size_t i = 0; i < values.size(); ++i) {
                          const Looked looked = values[i].look_around(around, [&](const auto& row) {
                            return linear_between<D>(around.part, row);
                          });
                          const std::size_t n = eight.first + i;
                          store_carried(eight.carried, looked.value, carried_[n].data() + eight.at);
                          store8(least_[n].data() + eight.at, looked.least);
                          store8(most_[n].data() + eight.at, looked.most);
                        }
                      });
  }
}

// [m] At most in the middles of the layer of cells around the box.
template <int D>
Vec3 SemiLagrangian<D>::keep_near(const Vec3& x) const {
  Vec3 kept = x;
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides_.is_periodic[axis]) continue;
    const int a = world_axis<D>(static_cast<int>(axis));
    const double edge = frame_.cell_size, lower = static_cast<double>(frame_.origin[a]);
    kept[a] = std::clamp(kept[a], lower - 0.5 * edge, lower + (sides_.cells[axis] + 0.5) * edge);
  }
  return kept;
}

// The same of what has something thin near it: from its own side, and to be left uncorrected.
template <int D>
void SemiLagrangian<D>::carry_screened(const MacGrid<D>& grid, const Screens<D>& screens,
                                       bool is_corrected, float h,
                                       std::span<const Advected> advected) {
  constexpr double at_start = 1, at_end = 0;  // Parts of the substep before its end.
  const SeenFlow<D> flow(grid, screens, at_start);
  // Values behind a wall are images of those before it, maybe of ones beyond a thin solid that ends
  // at the wall.
  const auto is_around = [&](std::size_t index, bool are_images_known) {
    if (index >= grid.tiles.count() * tile_size<D>) return false;
    const Cell<D> cell = grid.tiles.cell(index);
    bool is_outside = false;
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (sides_.is_periodic[axis]) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        if (side == 0 ? cell[axis] >= 0 : cell[axis] < sides_.cells[axis]) continue;
        is_outside = true;
        const bool is_image = sides_.is_wall[axis][side] && !has_flow_through(sides_, axis, side);
        if (is_image && !are_images_known) return false;
      }
    }
    return is_outside;
  };
  const auto carry_to = [&](std::size_t index, std::span<const Advected> group, std::size_t first) {
    const int axis = group.front().axis;
    const Array<std::uint8_t>& carried = *group.front().is_carried;
    Vec<D> within = Vec<D>::Constant(0.5F);
    if (axis != no_axis) within[axis] = 0;
    const typename Screens<D>::Near near = screens.near(index);
    Event to{screens.place(grid.tiles.cell(index), within), at_end};
    to.x = screens.before_surface(near, to);
    Event from{keep_near(flow.trace(to, -static_cast<double>(h), integrator_)), at_start};
    const Vec3 end = screens.end_of_way(to, from);
    if (near.empty() && end == from.x && screens.near(from.x).empty()) return;
    from.x = end;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Array<float>& values = *group[i].values;
      const auto is_known = [&](std::size_t at) {
        return carried[at] != 0 || is_around(at, axis != no_axis);
      };
      std::optional<float> seen = flow.value(from, axis, values, is_known);
      if (!seen) seen = flow.mean_around(from, grid.tiles.cell(index), axis, values, is_known);
      const float value = seen.value_or(values[index]);
      carried_[first + i][index] = value;
      if (is_corrected) least_[first + i][index] = most_[first + i][index] = value;
    }
  };
  const std::vector<std::span<const Advected>> groups = by_places(advected);
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.tiles.count()), semi_lagrangian_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             for (std::size_t i = tile * tile_size<D>;
                                  i < (tile + 1) * tile_size<D>; ++i) {
                               if (!screens.is_in_way(i)) continue;
                               std::size_t first = 0;
                               for (const std::span<const Advected>& group : groups) {
                                 if ((*group.front().is_carried)[i] != 0) carry_to(i, group, first);
                                 first += group.size();
                               }
                             }
                           }
                         });
}

// Into corrected_.
template <int D>
void SemiLagrangian<D>::correct(const MacGrid<D>& grid, float h,
                                std::span<const Advected> advected) {
  go<D, 2>(
      frame_, sides_, integrator_, grid, h, advected,
      [&](std::size_t n) -> const Array<float>& { return carried_[n]; },
      [&](std::size_t n) -> Array<float>& { return corrected_[n]; },
      [&](const Eight& eight, const Around<D, 2>& around, const auto& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const Float8 there_and_back = values[i].look_around(
              around, [&](const auto& row) { return linear<D>(around.part, row); });
          const std::size_t n = eight.first + i;
          const Float8 before = load8(advected[n].values->data() + eight.at);
          const Float8 corrected =
              load8(carried_[n].data() + eight.at) + 0.5F * (before - there_and_back);
          const Float8 within = max8(min8(corrected, load8(most_[n].data() + eight.at)),
                                     load8(least_[n].data() + eight.at));
          store_carried(eight.carried, within, corrected_[n].data() + eight.at);
        }
      });
}

template class SemiLagrangian<2>;
template class SemiLagrangian<3>;

}  // namespace sluice::fluid::grid
