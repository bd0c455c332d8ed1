// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/geometry/shape.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::adaptive {

using grid::local_cell, grid::padded_index, grid::padded_size, grid::padded_stride, grid::tile_edge,
    grid::tile_size;
using octree::Cells, octree::CellSet;

namespace {

constexpr std::int64_t sizing_grain = 4;  // Tiles.

// The cells of a box around a tile, widened along one axis after the other.
template <int D>
class Window {
 public:
  explicit Window(std::int32_t margin) : edge_(tile_edge<D> + 2 * margin), margin_(margin) {
    std::size_t size = 1;
    for (std::size_t a = 0; a < D; ++a)
      size *= static_cast<std::size_t>(edge_);
    is_in_.assign(size, 0);
  }

  void fill(const CellSet<D>& cells) {
    std::ranges::fill(is_in_, 0);
    cells.for_each([&](std::size_t cell) { is_in_[place(local_cell<D>(cell))] = 1; });
  }

  void widen() {
    std::size_t step = 1;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const auto before = is_in_;
      for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] == 0) continue;
        const auto at = static_cast<std::int32_t>(i / step) % edge_;
        const std::int32_t first = std::max(at - margin_, 0),
                           last = std::min(at + margin_, edge_ - 1);
        for (std::int32_t to = first; to <= last; ++to)
          is_in_[i + static_cast<std::size_t>(to) * step - static_cast<std::size_t>(at) * step] = 1;
      }
      step *= static_cast<std::size_t>(edge_);
    }
  }

  // Calls visit(cell), from the tile's first cell on.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < is_in_.size(); ++i) {
      if (is_in_[i] == 0) continue;
      Cell<D> cell;
      std::size_t rest = i;
      for (std::size_t a = 0; a < D; ++a) {
        cell[a] = static_cast<std::int32_t>(rest % static_cast<std::size_t>(edge_)) - margin_;
        rest /= static_cast<std::size_t>(edge_);
      }
      visit(cell);
    }
  }

 private:
  [[nodiscard]] std::size_t place(const Cell<D>& local) const {
    std::size_t place = 0;
    for (std::size_t a = D; a-- > 0;)
      place =
          place * static_cast<std::size_t>(edge_) + static_cast<std::size_t>(local[a] + margin_);
    return place;
  }

  std::int32_t edge_, margin_;
  std::vector<std::uint8_t> is_in_;
};

// By how much a value differs between two sides of cells, for all of a tile.
template <int D>
class Differences {
 public:
  void find(const grid::Surroundings<D>& around, std::span<const SizedValues> values,
            const SizedVelocity<D>& velocity, std::size_t level) {
    parts_.fill(0);
    for (const SizedValues& of : values) {
      around.load(of.levels[level]->data(), padded_[0].data());
      const float scale = 0.5F / of.tolerance;
      for_each_place([&](std::size_t here, float& part) {
        for (int axis = 0; axis < D; ++axis) {
          const std::size_t step = padded_stride<D>(axis);
          part =
              std::max(part, scale * std::abs(padded_[0][here + step] - padded_[0][here - step]));
        }
      });
    }
    for (std::size_t axis = 0; axis < D; ++axis)
      around.load((*velocity.levels[level])[axis].data(), padded_[axis].data());
    const float scale = 1 / velocity.tolerance;
    // At the edges on the lower sides of cells.
    for_each_place([&](std::size_t here, float& part) {
      for (std::size_t a = 0; a < D; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const float turn =
              padded_[a][here] - padded_[a][here - padded_stride<D>(static_cast<int>(b))] -
              padded_[b][here] + padded_[b][here - padded_stride<D>(static_cast<int>(a))];
          part = std::max(part, scale * std::abs(turn));
        }
      }
    });
  }

  // Over what is tolerated.
  [[nodiscard]] float at(std::size_t cell) const { return parts_[cell]; }

 private:
  template <typename Change>
  void for_each_place(const Change& change) {
    for (std::size_t row = 0; row < tile_size<D>; row += tile_edge<D>) {
      const std::size_t first = padded_index<D>(local_cell<D>(row));
      for (std::size_t i = 0; i < tile_edge<D>; ++i)
        change(first + i, parts_[row + i]);
    }
  }

  std::array<std::array<float, padded_size<D>>, D> padded_;
  std::array<float, tile_size<D>> parts_;
};

// The cells of a level that the domain's end cuts, which a tree divides in any case.
template <int D>
Cells<D> cut_cells(const Cell<D>& size, std::size_t level) {
  Cell<D> count;
  for (std::size_t a = 0; a < D; ++a)
    count[a] = static_cast<std::int32_t>(((std::int64_t{size[a]} - 1) >> level) + 1);
  std::vector<Cell<D>> cells;
  for (std::size_t a = 0; a < D; ++a) {
    if (std::int64_t{count[a]} << level == size[a]) continue;
    Cell<D> begin{};
    begin[a] = count[a] - 1;
    grid::for_each_in_box<D>(begin, count, [&](const Cell<D>& cell) { cells.push_back(cell); });
  }
  return octree::gathered<D>(cells);
}

// All cells of a level that are at most `margin` cells away from some.
template <int D>
Cells<D> widened_level(const Cell<D>& size, std::size_t level, const Cells<D>& cells,
                       std::int32_t margin) {
  const auto is_inside = [&](const Cell<D>& cell) {
    for (std::size_t a = 0; a < D; ++a) {
      if (cell[a] < 0 || std::int64_t{cell[a]} << level >= size[a]) return false;
    }
    return true;
  };
  std::vector<std::vector<Cell<D>>> by_tile(cells.size());
  parallel::for_each_index(cells.size(), sizing_grain, [&](std::size_t n) {
    Window<D> window(margin);
    window.fill(cells[n].cells);
    window.widen();
    window.for_each([&](Cell<D> cell) {
      for (std::size_t a = 0; a < D; ++a)
        cell[a] += cells[n].tile[a] * tile_edge<D>;
      if (is_inside(cell)) by_tile[n].push_back(cell);
    });
  });
  std::vector<Cell<D>> all;
  for (const auto& of_tile : by_tile)
    all.insert(all.end(), of_tile.begin(), of_tile.end());
  return octree::gathered<D>(all);
}

}  // namespace

std::vector<std::int32_t> cells_by_level(double finest, std::int32_t more, std::size_t levels) {
  std::vector<std::int32_t> cells(levels);
  for (std::size_t k = 0; k < levels; ++k) {
    const double of_level = std::ldexp(finest, -static_cast<int>(k));
    cells[k] = static_cast<std::int32_t>(std::ceil(of_level)) + more;
  }
  return cells;
}

double distance_to(std::span<const scene::Obstacle> obstacles, const Vec3& x) {
  double least = std::numeric_limits<double>::infinity();
  for (const scene::Obstacle& obstacle : obstacles)
    least = std::min(least, geometry::signed_distance(obstacle.shape, x).distance);
  return least;
}

template <int D>
WantedCells<D> cells_with_detail(const Layers<D>& layers, std::span<const SizedValues> values,
                                 const SizedVelocity<D>& velocity) {
  WantedCells<D> wanted(layers.count());
  for (std::size_t k = 1; k < layers.count(); ++k) {
    const Layer<D>& layer = layers[k];
    std::vector<CellSet<D>> found(layer.tiles.count());
    parallel::for_each_index(layer.tiles.count(), sizing_grain, [&](std::size_t tile) {
      const auto first = layer.cells.begin() + static_cast<std::ptrdiff_t>(tile * tile_size<D>);
      if (std::all_of(first, first + tile_size<D>, [](CellKind kind) {
            return kind == CellKind::outside || kind == CellKind::around;
          }))
        return;
      Differences<D> differences;
      differences.find(grid::Surroundings<D>(layer.tiles, tile), values, velocity, k);
      for (std::size_t i = 0; i < tile_size<D>; ++i) {
        const std::size_t cell = tile * tile_size<D> + i;
        const bool is_own =
            layer.cells[cell] == CellKind::leaf || layer.cells[cell] == CellKind::divided;
        if (is_own && layer.has_fluid(cell) && differences.at(i) > 1) found[tile].insert(i);
      }
    });
    for (std::size_t tile = 0; tile < found.size(); ++tile) {
      if (!found[tile].empty()) wanted[k].push_back({layer.tiles.coordinates(tile), found[tile]});
    }
  }
  return wanted;
}

template <int D>
WantedCells<D> widened(const Cell<D>& size, const WantedCells<D>& cells,
                       std::span<const std::int32_t> margin) {
  WantedCells<D> out(cells.size());
  for (std::size_t k = 1; k < cells.size(); ++k)
    out[k] = widened_level<D>(size, k, cells[k], margin[k]);
  return out;
}

template <int D>
WantedCells<D> graded(const Cell<D>& size, WantedCells<D> cells) {
  for (std::size_t k = 1; k < cells.size(); ++k) {
    cells[k] = octree::united<D>(cells[k], cut_cells<D>(size, k));
    if (k + 1 == cells.size()) break;
    cells[k + 1] = octree::united<D>(
        cells[k + 1], widened_level<D>(size, k + 1, octree::parents_of<D>(cells[k]), 1));
  }
  return cells;
}

template <int D>
WantedCells<D> cells_in(const std::function<double(const Vec3& x)>& distance,
                        const grid::CellFrame<D>& finest, double depth, const Cell<D>& size,
                        std::size_t level_count) {
  WantedCells<D> wanted(level_count);
  const std::size_t top = level_count - 1;
  Cell<D> begin{}, end;
  for (std::size_t a = 0; a < D; ++a)
    end[a] = static_cast<std::int32_t>(((std::int64_t{size[a]} - 1) >> top) + 1);
  std::vector<Cell<D>> cells, children;
  grid::for_each_in_box<D>(begin, end, [&](const Cell<D>& cell) { cells.push_back(cell); });
  for (std::size_t k = top; k > 0; --k) {
    grid::CellFrame<D> frame = finest;
    frame.cell_size *= static_cast<float>(std::size_t{1} << k);
    const double to_corner = 0.5 * std::sqrt(D) * static_cast<double>(frame.cell_size);
    std::erase_if(cells, [&](const Cell<D>& cell) {
      const Vec3 middle = frame.place(cell, grid::Vec<D>::Constant(0.5F), depth);
      return distance(middle) > to_corner;
    });
    wanted[k] = octree::gathered<D>(cells);
    children.clear();
    for (const Cell<D>& cell : cells) {
      for (std::size_t child = 0; child < std::size_t{1} << D; ++child)
        children.push_back(grid::child_of<D>(cell, child));
    }
    cells.swap(children);
  }
  return wanted;
}

template <int D>
WantedCells<D> united(const WantedCells<D>& a, const WantedCells<D>& b) {
  WantedCells<D> out(a.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    out[k] = octree::united<D>(a[k], b[k]);
  return out;
}

template <int D>
WantedCells<D> divided_cells(const octree::Tree<D>& tree) {
  WantedCells<D> cells(tree.level_count());
  for (std::size_t k = 1; k < cells.size(); ++k) {
    const auto& level = tree.level(k);
    for (std::size_t tile = 0; tile < level.tiles.count(); ++tile) {
      if (!level.divided[tile].empty())
        cells[k].push_back({level.tiles.coordinates(tile), level.divided[tile]});
    }
  }
  return cells;
}

template <int D>
bool divides(const octree::Tree<D>& tree, const WantedCells<D>& cells) {
  for (std::size_t k = 1; k < cells.size(); ++k) {
    const auto& level = tree.level(k);
    for (const auto& part : cells[k]) {
      const std::size_t tile = level.tiles.find(part.tile);
      if (tile == level.tiles.count() || !(part.cells - level.divided[tile]).empty()) return false;
    }
  }
  return true;
}

template WantedCells<2> cells_with_detail<2>(const Layers<2>&, std::span<const SizedValues>,
                                             const SizedVelocity<2>&);
template WantedCells<2> widened<2>(const Cell<2>&, const WantedCells<2>&,
                                   std::span<const std::int32_t>);
template WantedCells<2> graded<2>(const Cell<2>&, WantedCells<2>);
template WantedCells<2> cells_in<2>(const std::function<double(const Vec3&)>&,
                                    const grid::CellFrame<2>&, double, const Cell<2>&, std::size_t);
template WantedCells<2> united<2>(const WantedCells<2>&, const WantedCells<2>&);
template WantedCells<2> divided_cells<2>(const octree::Tree<2>&);
template bool divides<2>(const octree::Tree<2>&, const WantedCells<2>&);
template WantedCells<3> cells_with_detail<3>(const Layers<3>&, std::span<const SizedValues>,
                                             const SizedVelocity<3>&);
template WantedCells<3> widened<3>(const Cell<3>&, const WantedCells<3>&,
                                   std::span<const std::int32_t>);
template WantedCells<3> graded<3>(const Cell<3>&, WantedCells<3>);
template WantedCells<3> cells_in<3>(const std::function<double(const Vec3&)>&,
                                    const grid::CellFrame<3>&, double, const Cell<3>&, std::size_t);
template WantedCells<3> united<3>(const WantedCells<3>&, const WantedCells<3>&);
template WantedCells<3> divided_cells<3>(const octree::Tree<3>&);
template bool divides<3>(const octree::Tree<3>&, const WantedCells<3>&);

}  // namespace sluice::fluid::adaptive
