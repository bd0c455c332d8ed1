// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/outside.h"

#include <algorithm>

#include "solver/fluid/lattice/each_tile.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::adaptive {

using grid::tile_edge, grid::tile_size;

namespace {

constexpr std::int64_t outside_grain = 4096;  // Cells or faces.

// Where a place is seen in a mirror at the ends of [0, count), or for faces across the axis of
// [0, count]; within it.
std::int32_t image(std::int32_t place, std::int32_t count, bool is_face) {
  const std::int32_t shift = is_face ? 0 : 1, last = is_face ? count : count - 1;
  const std::int32_t image = place < 0      ? -shift - place
                             : place > last ? 2 * last + shift - place
                                            : place;
  return std::clamp(image, 0, last);
}

}  // namespace

template <int D>
Outside<D>::Outside(const grid::Tiles<D>& tiles, const Sides<D>& sides) {
  std::vector<Places> by_tile(tiles.count());
  grid::for_each_tile(tiles, [&](std::size_t tile) {
    const Cell<D> first = tiles.first_cell(tile);
    bool is_whole_inside = true;
    for (std::size_t axis = 0; axis < D; ++axis) {
      is_whole_inside =
          is_whole_inside && first[axis] >= 0 && first[axis] + tile_edge<D> <= sides.cells[axis];
    }
    if (!is_whole_inside) by_tile[tile] = of_tile(tiles, sides, tile);
  });
  for (const Places& of_tile : by_tile) {
    places_.cells.insert(places_.cells.end(), of_tile.cells.begin(), of_tile.cells.end());
    for (std::size_t axis = 0; axis < D; ++axis) {
      std::vector<FaceImage>& faces = places_.faces[axis];
      faces.insert(faces.end(), of_tile.faces[axis].begin(), of_tile.faces[axis].end());
    }
  }
}

// What a tile has outside of the domain.
template <int D>
auto Outside<D>::of_tile(const grid::Tiles<D>& tiles, const Sides<D>& sides, std::size_t tile)
    -> Places {
  Places out;
  const std::size_t end = tiles.count() * tile_size<D>;
  // By which side a place is outside along an axis; -1 for none.
  const auto side_of = [&](const Cell<D>& place, std::size_t axis, bool is_face) {
    if (place[axis] < 0) return 0;
    return place[axis] >= sides.cells[axis] + (is_face ? 1 : 0) ? 1 : -1;
  };
  const auto is_outside = [&](const Cell<D>& place, std::size_t of) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (side_of(place, axis, axis == of) >= 0) return true;
    }
    return false;
  };
  for (std::size_t index = tile * tile_size<D>; index < (tile + 1) * tile_size<D>; ++index) {
    const Cell<D> place = tiles.cell(index);
    if (is_outside(place, D)) {
      Cell<D> source = place;
      Image of_cell{static_cast<std::uint32_t>(index), 0, false, 1};
      for (std::size_t axis = 0; axis < D; ++axis) {
        const int side = side_of(source, axis, false);
        if (side < 0) continue;
        const auto s = static_cast<std::size_t>(side);
        const bool is_open = !sides.is_wall[axis][s];
        of_cell.is_ambient =
            of_cell.is_ambient || is_open || grid::has_flow_through(sides, axis, s);
        if (is_open) of_cell.sign = -of_cell.sign;
        source[axis] = image(source[axis], sides.cells[axis], false);
      }
      const std::size_t from = tiles.find_cell(source);
      of_cell.source = static_cast<std::uint32_t>(from);
      if (from < end) out.cells.push_back(of_cell);
    }
    for (std::size_t of = 0; of < D; ++of) {
      if (!is_outside(place, of)) continue;
      Cell<D> source = place;
      float factor = 1, offset = 0;
      for (std::size_t axis = 0; axis < D; ++axis) {
        const int side = side_of(place, axis, axis == of);
        if (side < 0) continue;
        const auto s = static_cast<std::size_t>(side);
        if (!sides.is_wall[axis][s]) {
          source[axis] = std::clamp(place[axis], 0, sides.cells[axis] - (axis == of ? 0 : 1));
          continue;
        }
        source[axis] = image(place[axis], sides.cells[axis], axis == of);
        const bool slips = axis != of && sides.wall != scene::WallCondition::no_slip &&
                           !grid::has_flow_through(sides, axis, s);
        if (slips) continue;
        // The image differs from the wall's velocity by as much, the other way.
        factor = -factor;
        offset = 2 * grid::velocity_of_wall<D>(sides, place, static_cast<int>(of), axis) - offset;
      }
      const std::size_t from = tiles.find_cell(source);
      if (from < end) {
        out.faces[of].push_back(
            {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(from), factor, offset});
      }
    }
  }
  return out;
}

// Sources are inside, so that no image waits for another.
template <int D>
void Outside<D>::fill(float ambient, Array<float>& values) const {
  parallel::for_each_index(places_.cells.size(), outside_grain, [&](std::size_t n) {
    const Image& image = places_.cells[n];
    values[image.cell] = image.is_ambient ? ambient : values[image.source];
  });
}

template <int D>
void Outside<D>::fill_pressure(Array<float>& pressure) const {
  parallel::for_each_index(places_.cells.size(), outside_grain, [&](std::size_t n) {
    const Image& image = places_.cells[n];
    pressure[image.cell] = image.sign * pressure[image.source];
  });
}

template <int D>
void Outside<D>::fill_faces(std::size_t axis, Array<float>& velocities) const {
  const std::vector<FaceImage>& faces = places_.faces[axis];
  parallel::for_each_index(faces.size(), outside_grain, [&](std::size_t n) {
    const FaceImage& image = faces[n];
    velocities[image.face] = image.factor * velocities[image.source] + image.offset;
  });
}

template class Outside<2>;
template class Outside<3>;

}  // namespace sluice::fluid::adaptive
