// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/lattice/advection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::fluid::grid {

template <int D>
Corners<D> corners_around(const Tiles<D>& tiles, const float* values, const Vec<D>& X) {
  const Cell<D> low = cell_at<D>(X);
  const std::size_t first = tiles.find_cell(low);
  const std::size_t place = first % tile_size<D>;
  bool is_inside = true;  // Whether all corners are in one tile.
  for (int axis = 0; axis < D; ++axis)
    is_inside = is_inside && place / stride<D>(axis) % tile_edge<D> != tile_edge<D> - 1;
  Corners<D> at;
  for (std::size_t corner = 0; corner < at.size(); ++corner) {
    std::size_t offset = 0;
    Cell<D> cell = low;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const std::size_t step = corner >> axis & 1U;
      offset += step * stride<D>(static_cast<int>(axis));
      cell[axis] += static_cast<std::int32_t>(step);
    }
    at[corner] = values[is_inside ? first + offset : tiles.find_cell(cell)];
  }
  return at;
}

template <int D>
float interpolate(const Tiles<D>& tiles, const float* values, const Vec<D>& X) {
  const Cell<D> low = cell_at<D>(X);
  Corners<D> at = corners_around(tiles, values, X);
  for (int axis = 0; axis < D; ++axis) {
    const float part = X[axis] - static_cast<float>(low[static_cast<std::size_t>(axis)]);
    for (std::size_t i = 0; i < at.size() >> (axis + 1); ++i)
      at[i] = at[2 * i] + part * (at[2 * i + 1] - at[2 * i]);
  }
  return at[0];
}

namespace {

// `X` in cells from the frame's origin on.
template <int D>
Vec<D> velocity_of_grid(const MacGrid<D>& grid, const Vec<D>& X) {
  Vec<D> velocity;
  for (int axis = 0; axis < D; ++axis) {
    Vec<D> of_faces = X - Vec<D>::Constant(0.5F);
    of_faces[axis] = X[axis];
    velocity[axis] =
        interpolate<D>(grid.tiles, grid.velocity[static_cast<std::size_t>(axis)].data(), of_faces);
  }
  return velocity;
}

}  // namespace

template <int D>
Vec<D> velocity_at(const CellFrame<D>& frame, const MacGrid<D>& grid, const Vec3f& x) {
  return velocity_of_grid(grid, frame.coordinates(x));
}

template <int D>
TileTracer<D>::TileTracer(const CellFrame<D>& frame, const MacGrid<D>& grid,
                          scene::PathIntegrator integrator)
    : frame_(frame), grid_(grid), integrator_(integrator) {}

template <int D>
void TileTracer<D>::look_at(std::size_t tile) {
  first_ = grid_.tiles.first_cell(tile);
  for (std::int32_t& c : first_)
    c -= static_cast<std::int32_t>(margin);
  const Surroundings<D> around(grid_.tiles, tile);
  for (std::size_t axis = 0; axis < D; ++axis)
    around.template load<margin>(grid_.velocity[axis].data(), velocity_[axis].data());
}

// Eight at a time. The last ones may be fewer: in lanes that are left over goes the last one again.
template <int D>
void TileTracer<D>::trace(std::span<const std::uint32_t> which, std::span<const Vec3f> from,
                          float h, std::span<Vec3f> to) const {
  std::array<std::array<float, 8>, D> x;
  for (std::size_t begin = 0; begin < which.size(); begin += 8) {
    const std::size_t count = std::min<std::size_t>(8, which.size() - begin);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const Vec3f& place = from[which[begin + std::min(lane, count - 1)]];
      for (std::size_t axis = 0; axis < D; ++axis)
        x[axis][lane] = place[world_axis<D>(static_cast<int>(axis))];
    }
    Places<D> X;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const float origin = frame_.origin[world_axis<D>(static_cast<int>(axis))];
      X[axis] =
          (load8(x[axis].data()) - origin) / frame_.cell_size - static_cast<float>(first_[axis]);
    }
    const Places<D> way = way_from(X, velocity_at(X), h / frame_.cell_size);
    for (std::size_t axis = 0; axis < D; ++axis)
      store8(x[axis].data(), load8(x[axis].data()) + frame_.cell_size * way[axis]);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint32_t i = which[begin + lane];
      to[i] = from[i];
      for (std::size_t axis = 0; axis < D; ++axis)
        to[i][world_axis<D>(static_cast<int>(axis))] = x[axis][lane];
    }
  }
}

template <int D>
Places<D> TileTracer<D>::trace(std::size_t index, int axis, float h) const {
  const Cell<D> first = local_cell<D>(index);
  std::size_t corner = 0;
  Places<D> X;
  for (std::size_t a = D; a-- > 0;) {
    const std::size_t low = static_cast<std::size_t>(first[a]) + margin;
    corner = corner * padded_edge<D, margin> + low;
    X[a] = Float8{} + (static_cast<float>(low) + (static_cast<int>(a) == axis ? 0.0F : 0.5F));
  }
  X[0] += Float8{0, 1, 2, 3, 4, 5, 6, 7};
  const Places<D> way = way_from(X, velocity_on(corner, axis), h / frame_.cell_size);
  for (std::size_t a = 0; a < D; ++a)
    X[a] = X[a] + way[a];
  return X;
}

// [cells] Where that leads which begins with `velocity` at X; `step` is a time over the edge of a
// cell.
template <int D>
Places<D> TileTracer<D>::way_from(const Places<D>& X, const Places<D>& velocity, float step) const {
  const auto after = [&](float part, const Places<D>& direction) {
    Places<D> to;
    for (std::size_t a = 0; a < D; ++a)
      to[a] = X[a] + part * step * direction[a];
    return to;
  };
  const Places<D> k2 = velocity_at(after(0.5F, velocity));
  Places<D> way;
  if (integrator_ == scene::PathIntegrator::rk2) {
    for (std::size_t a = 0; a < D; ++a)
      way[a] = step * k2[a];
    return way;
  }
  const Places<D> k3 = velocity_at(after(0.75F, k2));
  for (std::size_t a = 0; a < D; ++a)
    way[a] = 1.0F / 9 * step * (2 * velocity[a] + 3 * k2[a] + 4 * k3[a]);
  return way;
}

// Where faces or middles of cells are, from the one at `corner` of the padded tile on: halfway
// between values, or on them.
template <int D>
Places<D> TileTracer<D>::velocity_on(std::size_t corner, int axis) const {
  Places<D> velocity;
  for (int of = 0; of < D; ++of) {
    const float* const here = velocity_[static_cast<std::size_t>(of)].data() + corner;
    const auto halfway = [&](const float* from, int along) {
      const Float8 a = load8(from), b = load8(from + padded_stride<D, margin>(along));
      return a + 0.5F * (b - a);
    };
    Float8& component = velocity[static_cast<std::size_t>(of)];
    if (of == axis) {
      component = load8(here);
    } else if (axis == no_axis) {
      component = halfway(here, of);
    } else {
      const float* const from = here - padded_stride<D, margin>(axis);
      const int first = std::min(of, axis), second = std::max(of, axis);
      const Float8 a = halfway(from, first);
      const Float8 b = halfway(from + padded_stride<D, margin>(second), first);
      component = a + 0.5F * (b - a);
    }
  }
  return velocity;
}

template <int D>
Places<D> TileTracer<D>::velocity_at(const Places<D>& X) const {
  Places<D> velocity;
  if (any_of(outside_padded<D, margin>(X))) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      Vec<D> x;
      for (std::size_t axis = 0; axis < D; ++axis)
        x[static_cast<int>(axis)] = X[axis][lane];
      const Vec<D> of_lane = velocity_at(x);
      for (std::size_t axis = 0; axis < D; ++axis)
        velocity[axis][lane] = of_lane[static_cast<int>(axis)];
    }
    return velocity;
  }
  for (std::size_t axis = 0; axis < D; ++axis) {
    Places<D> of_faces = X, part;
    for (std::size_t across = 0; across < D; ++across) {
      if (across != axis) of_faces[across] -= 0.5F;
    }
    const Int8 corner = corner_of<D, margin>(of_faces, part);
    velocity[axis] = look_from<2>(velocity_[axis].data(), corner, [&](const auto& values) {
      return linear<D>(part, [&](std::size_t r) { return values(row_offset<D, margin, 2>(r)); });
    });
  }
  return velocity;
}

// `X` in cells from the padded tile's first one on.
template <int D>
Vec<D> TileTracer<D>::velocity_at(const Vec<D>& X) const {
  constexpr auto edge = static_cast<float>(padded_edge<D, margin>);
  // Faces half a cell before to half a cell after.
  const bool is_inside = (X.array() >= 0.5F).all() && (X.array() < edge - 1).all();
  if (!is_inside) {
    Vec<D> in_grid = X;
    for (int axis = 0; axis < D; ++axis)
      in_grid[axis] += static_cast<float>(first_[static_cast<std::size_t>(axis)]);
    return velocity_of_grid(grid_, in_grid);
  }
  Vec<D> velocity;
  for (int axis = 0; axis < D; ++axis) {
    std::size_t place = 0;
    Vec<D> part;
    for (int a = D - 1; a >= 0; --a) {
      const float shifted = a == axis ? X[a] : X[a] - 0.5F;
      const auto low = static_cast<int>(shifted);
      part[a] = shifted - static_cast<float>(low);
      place = place * padded_edge<D, margin> + static_cast<std::size_t>(low);
    }
    const float* const from = velocity_[static_cast<std::size_t>(axis)].data() + place;
    std::array<float, std::size_t{1} << (D - 1)> rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::size_t offset = 0;
      for (int a = 1; a < D; ++a) {
        if ((row >> (a - 1) & 1U) != 0) offset += padded_stride<D, margin>(a);
      }
      rows[row] = from[offset] + part[0] * (from[offset + 1] - from[offset]);
    }
    for (int a = 1; a < D; ++a) {
      for (std::size_t row = 0; row < rows.size() >> a; ++row)
        rows[row] = rows[2 * row] + part[a] * (rows[2 * row + 1] - rows[2 * row]);
    }
    velocity[axis] = rows[0];
  }
  return velocity;
}

template <int D>
float highest_speed(const MacGrid<D>& grid) {
  float squared = 0;
  for (const Array<float>& of_axis : grid.velocity) {
    float largest = 0;
    for (const float velocity : of_axis)
      largest = std::max(largest, std::abs(velocity));
    squared += largest * largest;
  }
  return std::sqrt(squared);
}

template Corners<2> corners_around<2>(const Tiles<2>&, const float*, const Vec<2>&);
template Corners<3> corners_around<3>(const Tiles<3>&, const float*, const Vec<3>&);
template float interpolate<2>(const Tiles<2>&, const float*, const Vec<2>&);
template float interpolate<3>(const Tiles<3>&, const float*, const Vec<3>&);
template Vec<2> velocity_at<2>(const CellFrame<2>&, const MacGrid<2>&, const Vec3f&);
template Vec<3> velocity_at<3>(const CellFrame<3>&, const MacGrid<3>&, const Vec3f&);
template float highest_speed<2>(const MacGrid<2>&);
template float highest_speed<3>(const MacGrid<3>&);
template class TileTracer<2>;
template class TileTracer<3>;

}  // namespace sluice::fluid::grid
