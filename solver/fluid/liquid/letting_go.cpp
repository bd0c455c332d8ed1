// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/letting_go.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "solver/fluid/obstacles/wet.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t letting_go_grain = 8;  // Tiles.

// [cells] A drop of two cells, wherever it lies between them, and one more.
constexpr std::size_t most_layers = 4;

// [cells] Where the surface is taken to be from the middle of what is let go of: halfway to the
// next cell.
constexpr float beyond_surface = 0.5F;

// Liquid that is slower than this part of what gravity adds to velocities in a substep does not
// leave: that is next to nothing, and its sign a matter of rounding where liquid rests at a wall
// that stands upright.
constexpr float least_leaving = 0.1F;

// [of sqrt(g dx)] Liquid that leaves a solid aside or upwards more slowly than this gets no farther
// than some hundredths of a cell, and nobody sees that it is held. Nor does water at rest leave the
// slopes at its edge, which took up to 9 mm/s in RandomRest.
constexpr float least_leap = 0.3F;

// The part of the way straight off a solid's side that is downwards, from which on liquid falls off
// that side whatever its speed.
constexpr float hanging = 0.5F;

// The speed at which liquid flows together in a cell, over the speed that it leaves with: beyond,
// the layer leaves because it is pressed from aside, as where a jet meets a floor, and pressure is
// what drives it.
constexpr float most_pressed = 0.5F;

// The cells of the layer next to a solid's cell, from that on; none if it does not leave.
template <int D>
class Layer {
 public:
  // `solid` is the solid's cell, and `side` of it is where the liquid is. Liquid that is not faster
  // than `least` [m/s] does not leave.
  Layer(const MacGrid<D>& grid, const Cell<D>& solid, std::size_t side, float least) {
    const std::size_t axis = side / 2, end = grid.tiles.count() * tile_size<D>;
    const float away = side % 2 == 0 ? -1.0F : 1.0F;
    Cell<D> cell = solid;
    float of_solid = 0, before = 0;  // [m/s]
    for (std::size_t n = 0; n <= most_layers; ++n) {
      // The face on the solid's side belongs to the cell on its upper side.
      const Cell<D> last = cell;
      Cell<D> face = cell;
      if (side % 2 == 1) ++face[axis];
      cell[axis] += side % 2 == 0 ? -1 : 1;
      const std::size_t at = grid.tiles.find_cell(face), here = grid.tiles.find_cell(cell);
      if (at >= end || here >= end) return;
      const float open = grid.open[axis][at];
      if (n == 0) {
        if (open < 1 && !grid.solid_flow[axis].empty())
          of_solid = grid.solid_flow[axis][at] / (1 - open);
      } else {
        const float leaving = (grid.velocity[axis][at] - of_solid) * away;
        if (!(open > 0) || !(leaving > least)) return;
        const float stretch = n == 1 ? 0 : leaving - before;
        if (stretch + outflow_aside(grid, last, axis) < -most_pressed * leaving) return;
        before = leaving;
      }
      if (!(grid.distance[here] < 0)) {
        is_leaving_ = grid.room[here] >= room_at_face;
        return;
      }
      if (n < most_layers) cells_[count_++] = here;
    }
  }

  [[nodiscard]] bool is_leaving() const { return is_leaving_; }
  [[nodiscard]] const std::size_t* begin() const { return cells_.data(); }
  [[nodiscard]] const std::size_t* end() const { return cells_.data() + count_; }

 private:
  // [m/s] Out of a cell, but for what goes along an axis.
  static float outflow_aside(const MacGrid<D>& grid, const Cell<D>& cell, std::size_t axis) {
    float outflow = 0;
    const auto flow = [&](const Cell<D>& face, std::size_t a) {
      const std::size_t at = grid.tiles.find_cell(face);
      return grid.open[a][at] * grid.velocity[a][at];
    };
    for (std::size_t a = 0; a < D; ++a) {
      if (a == axis) continue;
      Cell<D> above = cell;
      ++above[a];
      outflow += flow(above, a) - flow(cell, a);
    }
    return outflow;
  }

  std::array<std::size_t, most_layers> cells_{};
  std::size_t count_ = 0;
  bool is_leaving_ = false;
};

}  // namespace

template <int D>
void LettingGo<D>::find_layers(const Inlets<D>& inlets,
                               const std::array<float, side_count<D>>& least,
                               const MacGrid<D>& grid) {
  collector_.collect(
      static_cast<std::int64_t>(grid.tiles.count()), letting_go_grain,
      [&](std::int64_t begin, std::int64_t end, std::vector<std::size_t>& found) {
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          if (grid.is_clear[tile] != 0) continue;
          for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i) {
            if (!(room_[i] < room_at_face) || inlets.has_part_of(i)) continue;
            const Cell<D> solid = grid.tiles.cell(i);
            for (std::size_t side = 0; side < side_count<D>; ++side) {
              Cell<D> next = solid;
              next[side / 2] += side % 2 == 0 ? -1 : 1;
              if (!is_wet_cell(grid, grid.tiles.find_cell(next))) continue;
              const Layer<D> layer(grid, solid, side, least[side]);
              if (layer.is_leaving()) found.insert(found.end(), layer.begin(), layer.end());
            }
          }
        }
      },
      cells_);
}

// Solids' cells around those that were let go of, without any other liquid next to them.
template <int D>
void LettingGo<D>::find_dried(const MacGrid<D>& grid) {
  dried_.clear();
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  const auto visit_around = [&](const Cell<D>& cell, const auto& visit) {
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      Cell<D> next = cell;
      next[side / 2] += side % 2 == 0 ? -1 : 1;
      visit(grid.tiles.find_cell(next));
    }
  };
  for (const std::size_t cell : cells_) {
    visit_around(grid.tiles.cell(cell), [&](std::size_t solid) {
      if (solid >= end || !(room_[solid] < room_at_face) || !(grid.distance[solid] < 0)) return;
      bool is_wet = false;
      visit_around(grid.tiles.cell(solid),
                   [&](std::size_t next) { is_wet = is_wet || is_wet_cell(grid, next); });
      if (!is_wet) dried_.push_back(solid);
    });
  }
}

template <int D>
void LettingGo<D>::apply(const Inlets<D>& inlets, const Vec<D>& gravity, float h, float cell_size,
                         MacGrid<D>& grid) {
  const Vec<D> down = gravity.normalized();
  std::array<float, side_count<D>> least{};
  for (std::size_t side = 0; side < side_count<D>; ++side) {
    const float of_side = down[static_cast<int>(side / 2)] * (side % 2 == 0 ? -1.0F : 1.0F);
    least[side] = least_leaving * h * gravity.norm();
    if (of_side < hanging)
      least[side] = std::max(least[side], least_leap * std::sqrt(gravity.norm() * cell_size));
  }
  find_layers(inlets, least, grid);
  const auto take_off = [&](std::size_t cell) {
    grid.distance[cell] = beyond_surface;
    grid.is_full[cell / tile_size<D>] = 0;
  };
  std::ranges::for_each(cells_, take_off);
  find_dried(grid);
  std::ranges::for_each(dried_, take_off);
}

template class LettingGo<2>;
template class LettingGo<3>;

}  // namespace sluice::fluid::grid
