// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/layers.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/extrapolation.h"
#include "solver/fluid/lattice/padded_tile.h"

namespace sluice::fluid::adaptive {

using grid::for_each_tile, grid::local_cell, grid::tile_edge, grid::tile_of, grid::tile_size;

namespace {

// Stands in place of an axis where values are in the middles of cells.
template <int D>
constexpr std::size_t in_middles = D;

template <int D>
constexpr std::size_t child_count = std::size_t{1} << D;

// So deep into solids interpolation from outside may look, in a substep of a few cells: as GasBox.
constexpr int cells_into_solids = 3;

// [cells] Paths end in the layer of cells around the domain at most, and cubic interpolation looks
// two further.
constexpr std::int32_t beyond_sides = 4;

// The tiles that have cells of a box, `begin` to before `end`.
template <int D>
void add_tiles(const Cell<D>& begin, const Cell<D>& end, std::vector<Cell<D>>& out) {
  Cell<D> last = end;
  for (std::int32_t& c : last)
    --c;
  last = tile_of<D>(last);
  for (std::int32_t& c : last)
    ++c;
  grid::for_each_in_box<D>(tile_of<D>(begin), last,
                           [&](const Cell<D>& tile) { out.push_back(tile); });
}

template <int D>
void remove_doubles(std::vector<Cell<D>>& tiles) {
  std::ranges::sort(tiles);
  tiles.erase(std::ranges::unique(tiles).begin(), tiles.end());
}

// The tiles with cells of a level, or with cells within its reach.
template <int D>
std::vector<Cell<D>> tiles_around(const octree::Tree<D>& tree, std::size_t k, std::int32_t reach,
                                  const Cell<D>& counts) {
  const auto& level = tree.level(k);
  std::vector<Cell<D>> out;
  for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
    if (level.cells[tile].empty()) continue;
    Cell<D> begin, end;
    begin.fill(tile_edge<D>);
    end.fill(0);
    level.cells[tile].for_each([&](std::size_t i) {
      const Cell<D> local = local_cell<D>(i);
      for (std::size_t a = 0; a < D; ++a) {
        begin[a] = std::min(begin[a], local[a]);
        end[a] = std::max(end[a], local[a] + 1);
      }
    });
    const Cell<D> first = level.tiles.first_cell(tile);
    for (std::size_t a = 0; a < D; ++a) {
      begin[a] = std::max(begin[a] + first[a] - reach, -beyond_sides);
      // The upper faces too.
      end[a] = std::min(end[a] + first[a] + reach + 1, counts[a] + beyond_sides);
    }
    add_tiles<D>(begin, end, out);
  }
  return out;
}

// The tiles of the next level whose cells give those of these by interpolation.
template <int D>
std::vector<Cell<D>> tiles_above(const std::vector<Cell<D>>& tiles, const Cell<D>& counts) {
  std::vector<Cell<D>> out;
  for (const Cell<D>& tile : tiles) {
    Cell<D> begin, end;
    bool is_inside = true;
    for (std::size_t a = 0; a < D; ++a) {
      begin[a] = std::max(tile[a] * tile_edge<D>, 0);
      // The upper face of the last cell too.
      end[a] = std::min((tile[a] + 1) * tile_edge<D>, counts[a] + 1);
      is_inside = is_inside && begin[a] < end[a];
      begin[a] = (begin[a] >> 1) - 2;
      end[a] = ((end[a] - 1) >> 1) + 3;
    }
    if (is_inside) add_tiles<D>(begin, end, out);
  }
  return out;
}

// Finds the tiles of a layer that solids are in, after its cells and faces with fluid. Forgets
// these where there are none.
template <int D>
void find_tiles_at_solids(Layer<D>& layer) {
  layer.at_solids.clear();
  const auto is_at_solids = [&](std::size_t tile) {
    for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i) {
      if (layer.cells[i] != CellKind::outside && layer.fluid_cells[i] == 0) return true;
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (layer.faces[axis][i] != FaceKind::outside && layer.fluid_faces[axis][i] == 0)
          return true;
      }
    }
    return false;
  };
  for (std::uint32_t tile = 0; tile < layer.tiles.count(); ++tile) {
    if (is_at_solids(tile)) layer.at_solids.push_back(tile);
  }
  if (!layer.at_solids.empty()) return;
  layer.fluid_cells.clear();
  for (auto& faces : layer.fluid_faces)
    faces.clear();
}

}  // namespace

template <int D>
Layers<D>::Layers(const octree::Tree<D>& tree, const Sides<D>& sides,
                  std::span<const std::int32_t> reach)
    : layers_(tree.level_count()), families_(tree.level_count()), outside_(tree.level_count()) {
  assert(reach.size() == tree.level_count() && sides.cells == tree.size());
  assert(std::ranges::none_of(sides.is_periodic, std::identity{}));
  std::vector<Cell<D>> above;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    Layer<D>& layer = layers_[k];
    layer.sides = sides_of_level(sides, k);
    std::vector<Cell<D>> tiles = tiles_around<D>(tree, k, reach[k], layer.sides.cells);
    tiles.insert(tiles.end(), above.begin(), above.end());
    remove_doubles<D>(tiles);
    above = tiles_above<D>(tiles, layer.sides.cells);
    layer.tiles = grid::Tiles<D>(std::move(tiles));
    find_kinds(tree, k);
  }
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    find_family(k);
    outside_[k] = Outside<D>(layers_[k].tiles, layers_[k].sides);
  }
}

template <int D>
void Layers<D>::find_kinds(const octree::Tree<D>& tree, std::size_t k) {
  Layer<D>& layer = layers_[k];
  const auto& level = tree.level(k);
  layer.cells.assign(layer.tiles.array_size(), CellKind::outside);
  layer.in_tree.resize(layer.tiles.count());
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    const std::size_t in_tree = level.tiles.find(layer.tiles.coordinates(tile));
    layer.in_tree[tile] = static_cast<std::uint32_t>(in_tree);
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t index = tile * tile_size<D> + i;
      if (!tree.is_inside(k, layer.tiles.cell(index))) continue;
      if (in_tree == level.tiles.count() || !level.cells[in_tree].contains(i)) {
        layer.cells[index] = CellKind::around;
      } else {
        layer.cells[index] =
            level.divided[in_tree].contains(i) ? CellKind::divided : CellKind::leaf;
      }
    }
  });
  for (std::size_t axis = 0; axis < D; ++axis)
    layer.faces[axis].assign(layer.tiles.array_size(), FaceKind::outside);
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    std::array<CellKind, grid::padded_size<D>> cells;
    grid::Surroundings<D>(layer.tiles, tile).load(layer.cells.data(), cells.data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t here = grid::padded_index<D>(local_cell<D>(i));
      for (std::size_t axis = 0; axis < D; ++axis) {
        const CellKind above = cells[here];
        const CellKind below = cells[here - grid::padded_stride<D>(static_cast<int>(axis))];
        FaceKind& face = layer.faces[axis][tile * tile_size<D> + i];
        const auto is_one = [&](CellKind kind) { return above == kind || below == kind; };
        if (is_one(CellKind::divided)) {
          face = FaceKind::parts;
        } else if (is_one(CellKind::leaf)) {
          face = FaceKind::whole;
        } else if (is_one(CellKind::around)) {
          face = FaceKind::around;
        }
      }
    }
  });
}

// After find_kinds() of all levels.
template <int D>
void Layers<D>::find_family(std::size_t k) {
  const Layer<D>& layer = layers_[k];
  Family& family = families_[k];
  const std::size_t count = layer.tiles.count();
  family.parent.resize(count);
  family.children.resize(count);
  family.has_around.assign(count, 0);
  family.has_divided.assign(count, 0);
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    const Cell<D>& at = layer.tiles.coordinates(tile);
    if (k + 1 < layers_.size()) {
      Cell<D> parent = at;
      for (std::int32_t& c : parent)
        c >>= 1;
      family.parent[tile] = static_cast<std::uint32_t>(layers_[k + 1].tiles.find(parent));
    }
    for (std::size_t child = 0; k > 0 && child < child_count<D>; ++child) {
      family.children[tile][child] =
          static_cast<std::uint32_t>(layers_[k - 1].tiles.find(grid::child_of<D>(at, child)));
    }
    for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i) {
      if (layer.cells[i] == CellKind::divided) family.has_divided[tile] = 1;
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (layer.faces[axis][i] == FaceKind::parts) family.has_divided[tile] = 1;
        if (layer.faces[axis][i] == FaceKind::around) family.has_around[tile] = 1;
      }
      if (layer.cells[i] == CellKind::around) family.has_around[tile] = 1;
    }
  });
}

// Calls visit(place, places) for all of a level's places whose kind is `divided`: with the places
// of the next finer level that these are made of, which are the children of a cell, or the parts of
// a face across `own`.
template <int D>
template <typename Kind, typename Visit>
void Layers<D>::for_each_divided(std::size_t k, std::size_t own, Kind divided,
                                 const Array<Kind>& kinds, const Visit& visit) const {
  const std::size_t part_count = child_count<D> >> (own == in_middles<D> ? 0 : 1);
  for_each_tile(layers_[k].tiles, [&](std::size_t tile) {
    if (families_[k].has_divided[tile] == 0) return;
    std::array<std::size_t, child_count<D>> places;
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      if (kinds[tile * tile_size<D> + i] != divided) continue;
      const grid::PlaceOfParts<D> of_parts(local_cell<D>(i));
      const std::size_t corner = families_[k].children[tile][of_parts.child] * tile_size<D>;
      for (std::size_t part = 0; part < part_count; ++part)
        places[part] = corner + of_parts.of_face(own, part);
      visit(tile * tile_size<D> + i, std::span<const std::size_t>(places.data(), part_count));
    }
  });
}

// Sets values of a level where kinds are `divided` to the means of those of the parts that count,
// or to 0 where none does.
template <int D>
template <typename Kind, typename Counts>
void Layers<D>::average(std::size_t k, std::size_t own, Kind divided, const Array<Kind>& kinds,
                        const Counts& counts, const ByLevel& values) const {
  const Array<float>& finer = *values[k - 1];
  for_each_divided(k, own, divided, kinds,
                   [&](std::size_t place, std::span<const std::size_t> parts) {
                     float sum = 0, count = 0;
                     for (const std::size_t part : parts) {
                       if (!counts(part)) continue;
                       sum += finer[part];
                       ++count;
                     }
                     (*values[k])[place] = count > 0 ? sum / count : 0;
                   });
}

template <int D>
void Layers<D>::average_cells(const ByLevel& values) const {
  for (std::size_t k = 1; k < layers_.size(); ++k) {
    const Layer<D>& finer = layers_[k - 1];
    average(
        k, in_middles<D>, CellKind::divided, layers_[k].cells,
        [&](std::size_t cell) { return finer.has_fluid(cell); }, values);
  }
}

template <int D>
void Layers<D>::average_faces(std::size_t axis, const ByLevel& values) const {
  for (std::size_t k = 1; k < layers_.size(); ++k) {
    const Array<FaceKind>& finer = layers_[k - 1].faces[axis];
    // What is outside is beyond the end of the domain.
    average(
        k, axis, FaceKind::parts, layers_[k].faces[axis],
        [&](std::size_t face) { return finer[face] != FaceKind::outside; }, values);
  }
}

template <int D>
void Layers<D>::average_open_faces(std::size_t axis, const ByLevel& velocities) const {
  for (std::size_t k = 1; k < layers_.size(); ++k) {
    const Layer<D>& finer = layers_[k - 1];
    average(
        k, axis, FaceKind::parts, layers_[k].faces[axis],
        [&](std::size_t face) { return finer.has_fluid(axis, face); }, velocities);
  }
}

// In the order of levels: whether a divided cell or face has fluid is known from its parts.
template <int D>
void Layers<D>::find_fluid(const std::array<Array<float>, D>& open,
                           const std::function<bool(std::size_t, const Cell<D>&)>& is_solid) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    Layer<D>& layer = layers_[k];
    find_fluid_in_leaves(k, open, is_solid);
    if (k > 0) {
      const Layer<D>& finer = layers_[k - 1];
      for_each_divided(k, in_middles<D>, CellKind::divided, layer.cells,
                       [&](std::size_t cell, std::span<const std::size_t> parts) {
                         const bool has_fluid = std::ranges::any_of(
                             parts, [&](std::size_t part) { return finer.has_fluid(part); });
                         layer.fluid_cells[cell] = has_fluid ? 1 : 0;
                       });
      for (std::size_t axis = 0; axis < D; ++axis) {
        for_each_divided(k, axis, FaceKind::parts, layer.faces[axis],
                         [&](std::size_t face, std::span<const std::size_t> parts) {
                           const bool has_fluid = std::ranges::any_of(parts, [&](std::size_t part) {
                             return finer.has_fluid(axis, part);
                           });
                           layer.fluid_faces[axis][face] = has_fluid ? 1 : 0;
                         });
      }
    }
    find_tiles_at_solids(layer);
  }
}

template <int D>
void Layers<D>::find_fluid(const std::function<bool(std::size_t, const Cell<D>&)>& is_solid) {
  const Layer<D>& finest = layers_.front();
  std::array<Array<float>, D> open;
  for (std::size_t axis = 0; axis < D; ++axis) {
    open[axis].assign(finest.tiles.array_size(), 0);
    for_each_tile(finest.tiles, [&](std::size_t tile) {
      for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i)
        open[axis][i] = finest.is_in_wall(axis, i) ? 0 : 1;
    });
  }
  find_fluid(open, is_solid);
}

template <int D>
bool Layers<D>::are_cells_cut() const noexcept {
  const Sides<D>& finest = layers_.front().sides;
  return std::ranges::any_of(finest.cells, [&](std::int32_t cells) {
    return cells % (std::int32_t{1} << (layers_.size() - 1)) != 0;
  });
}

// Sets what a level's leaves and whole faces have; cells around are taken to have fluid.
template <int D>
void Layers<D>::find_fluid_in_leaves(
    std::size_t k, const std::array<Array<float>, D>& open,
    const std::function<bool(std::size_t, const Cell<D>&)>& is_solid) {
  Layer<D>& layer = layers_[k];
  layer.fluid_cells.assign(layer.tiles.array_size(), 0);
  for (auto& faces : layer.fluid_faces)
    faces.assign(layer.tiles.array_size(), 0);
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    std::array<std::array<float, grid::padded_size<D>>, D> of_faces;
    for (std::size_t axis = 0; k == 0 && axis < D; ++axis)
      grid::Surroundings<D>(layer.tiles, tile).load(open[axis].data(), of_faces[axis].data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t index = tile * tile_size<D> + i;
      const CellKind kind = layer.cells[index];
      bool has_fluid = kind == CellKind::around;
      if (kind == CellKind::leaf && k > 0) has_fluid = !is_solid(k, layer.tiles.cell(index));
      for (int axis = 0; kind == CellKind::leaf && k == 0 && axis < D; ++axis) {
        const std::size_t here = grid::padded_index<D>(local_cell<D>(i));
        const auto& of_axis = of_faces[static_cast<std::size_t>(axis)];
        has_fluid =
            has_fluid || of_axis[here] > 0 || of_axis[here + grid::padded_stride<D>(axis)] > 0;
      }
      layer.fluid_cells[index] = has_fluid ? 1 : 0;
    }
  });
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    std::array<std::uint8_t, grid::padded_size<D>> fluid;
    std::array<CellKind, grid::padded_size<D>> kinds;
    const grid::Surroundings<D> around(layer.tiles, tile);
    around.load(layer.fluid_cells.data(), fluid.data());
    around.load(layer.cells.data(), kinds.data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t face = tile * tile_size<D> + i;
      const std::size_t here = grid::padded_index<D>(local_cell<D>(i));
      for (std::size_t axis = 0; axis < D; ++axis) {
        const std::size_t below = here - grid::padded_stride<D>(static_cast<int>(axis));
        const auto is_fluid_leaf = [&](std::size_t cell) {
          return kinds[cell] == CellKind::leaf && fluid[cell] != 0;
        };
        const FaceKind kind = layer.faces[axis][face];
        bool has_fluid = kind == FaceKind::around;
        if (kind == FaceKind::whole) {
          has_fluid = k == 0 ? open[axis][face] > 0 || layer.is_in_wall(axis, face)
                             : is_fluid_leaf(here) || is_fluid_leaf(below);
        }
        layer.fluid_faces[axis][face] = has_fluid ? 1 : 0;
      }
    }
  });
}

// A tile's values by interpolation between those of the next level, which are `coarser`.
template <int D>
void Layers<D>::refine(std::size_t k, std::size_t tile, std::size_t own,
                       const Array<float>& coarser,
                       std::array<float, grid::tile_size<D>>& values) const {
  const grid::Tiles<D>& tiles = layers_[k + 1].tiles;
  const std::size_t parent = families_[k].parent[tile];
  assert(parent < tiles.count());
  const grid::Surroundings<D> around(tiles, parent);
  std::size_t child = 0;
  for (std::size_t a = 0; a < D; ++a)
    child |= static_cast<std::size_t>(layers_[k].tiles.coordinates(tile)[a] & 1) << a;
  if (own == in_middles<D>) {  // Nothing may be more than all around.
    std::array<float, grid::padded_size<D>> padded;
    around.load(coarser.data(), padded.data());
    grid::interpolate<D>(padded.data(), grid::place_of_child<D>(child), own, values);
  } else {
    std::array<float, grid::padded_size<D, 2>> padded;
    around.template load<2>(coarser.data(), padded.data());
    grid::interpolate_cubic<D>(padded.data(), grid::place_of_child<D>(child), own, values);
  }
}

template <int D>
template <typename Kind>
void Layers<D>::refine_around(std::size_t k, std::size_t own, const Array<Kind>& kinds,
                              const ByLevel& values) const {
  for_each_tile(layers_[k].tiles, [&](std::size_t tile) {
    if (families_[k].has_around[tile] == 0) return;
    std::array<float, grid::tile_size<D>> of_tile;
    refine(k, tile, own, *values[k + 1], of_tile);
    const Kind* const kind = kinds.data() + tile * tile_size<D>;
    float* const out = values[k]->data() + tile * tile_size<D>;
    for (std::size_t i = 0; i < tile_size<D>; ++i)
      out[i] = kind[i] == Kind::around ? of_tile[i] : out[i];
  });
}

// From the next coarser level, and into solids.
template <int D>
void Layers<D>::fill_cells(std::size_t k, const ByLevel& values) const {
  if (k + 1 < layers_.size()) refine_around(k, in_middles<D>, layers_[k].cells, values);
  if (layers_[k].fluid_cells.empty()) return;
  Array<std::uint8_t> known = layers_[k].fluid_cells;
  grid::extrapolate<D>(layers_[k].tiles, layers_[k].at_solids, cells_into_solids, *values[k],
                       known);
}

template <int D>
void Layers<D>::fill(float ambient, const ByLevel& values) const {
  average_cells(values);
  for (std::size_t k = layers_.size(); k-- > 0;) {
    fill_cells(k, values);
    outside_[k].fill(ambient, *values[k]);
  }
}

template <int D>
void Layers<D>::fill_pressure(const ByLevel& pressure) const {
  average_cells(pressure);
  for (std::size_t k = layers_.size(); k-- > 0;) {
    fill_cells(k, pressure);
    outside_[k].fill_pressure(*pressure[k]);
  }
}

template <int D>
void Layers<D>::fill_faces(std::size_t axis, const ByLevel& velocities) const {
  average_open_faces(axis, velocities);
  for (std::size_t k = layers_.size(); k-- > 0;) {
    if (k + 1 < layers_.size()) refine_around(k, axis, layers_[k].faces[axis], velocities);
    if (!layers_[k].fluid_faces[axis].empty()) {
      Array<std::uint8_t> known = layers_[k].fluid_faces[axis];
      grid::extrapolate<D>(layers_[k].tiles, layers_[k].at_solids, cells_into_solids,
                           *velocities[k], known);
    }
    outside_[k].fill_faces(axis, *velocities[k]);
    if (k > 0) sharpen(k, axis, *velocities[k]);
  }
}

// The mean over a face whose parts' middles are a quarter of its edge h from its own is larger than
// the velocity in its middle by h^2 / 32 times the second derivatives along it.
template <int D>
void Layers<D>::sharpen(std::size_t k, std::size_t axis, Array<float>& velocities) const {
  constexpr float part = 1.0F / 32;
  const Layer<D>& layer = layers_[k];
  Array<float> sharp = velocities;
  for_each_tile(layer.tiles, [&](std::size_t tile) {
    if (families_[k].has_divided[tile] == 0) return;
    std::array<float, grid::padded_size<D>> padded;
    grid::Surroundings<D>(layer.tiles, tile).load(velocities.data(), padded.data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      if (layer.faces[axis][tile * tile_size<D> + i] != FaceKind::parts) continue;
      const std::size_t here = grid::padded_index<D>(local_cell<D>(i));
      for (std::size_t a = 0; a < D; ++a) {
        if (a == axis) continue;
        const std::size_t step = grid::padded_stride<D>(static_cast<int>(a));
        sharp[tile * tile_size<D> + i] -=
            part * (padded[here - step] - 2 * padded[here] + padded[here + step]);
      }
    }
  });
  velocities.swap(sharp);
}

template <int D>
void Layers<D>::move(const Layers& to, std::size_t own, const ByLevel& values) const {
  assert(to.count() == count());
  std::vector<Array<float>> moved(count());
  for (std::size_t k = count(); k-- > 0;) {
    const grid::Tiles<D>& tiles = to.layers_[k].tiles;
    moved[k].assign(tiles.array_size(), 0);
    for_each_tile(tiles, [&](std::size_t tile) {
      float* const out = moved[k].data() + tile * tile_size<D>;
      const std::size_t before = layers_[k].tiles.find(tiles.coordinates(tile));
      if (before < layers_[k].tiles.count()) {
        std::copy_n(values[k]->data() + before * tile_size<D>, tile_size<D>, out);
      } else if (k + 1 < count() &&
                 to.families_[k].parent[tile] < to.layers_[k + 1].tiles.count()) {
        std::array<float, grid::tile_size<D>> of_tile;
        to.refine(k, tile, own, moved[k + 1], of_tile);
        std::ranges::copy(of_tile, out);
      }
    });
  }
  for (std::size_t k = 0; k < count(); ++k)
    values[k]->swap(moved[k]);
}

template <int D>
void Layers<D>::move_cells(const Layers& to, const ByLevel& values) const {
  move(to, in_middles<D>, values);
}

template <int D>
void Layers<D>::move_faces(const Layers& to, std::size_t axis, const ByLevel& values) const {
  move(to, axis, values);
}

template class Layers<2>;
template class Layers<3>;

}  // namespace sluice::fluid::adaptive
