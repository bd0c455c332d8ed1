// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/outlines_in_liquid.h"

#include <algorithm>
#include <cmath>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

SurfacePlace<2> on_surface(const OutlineMap::Place& place) {
  return {place.edge, {1 - place.part, place.part}};
}

}  // namespace

void OutlinesInLiquid::set(const ImmersedSolids& solids) {
  begin(solids);
  elements_.assign(solids.rim.begin(), solids.rim.end());
  map_.set(frame(), positions(), elements_);
  pieces_.clear();
}

void OutlinesInLiquid::cover(MacGrid<2>& grid) {
  pieces_.clear();
  if (is_empty()) return;
  for (std::uint32_t edge = 0; edge < elements_.size(); ++edge) {
    for (int axis = 0; axis < 2; ++axis)
      add_pieces(edge, axis);
  }
  fill(grid);
}

void OutlinesInLiquid::close_parted(MacGrid<2>& grid) {
  std::vector<Hit> hits;
  for (int axis = 0; axis < 2; ++axis) {
    const auto along = static_cast<std::size_t>(axis), across = 1 - along;
    Cell<2> cell{};
    for (cell[across] = map_.first()[across]; cell[across] < map_.end()[across]; ++cell[across]) {
      hits.clear();
      for (const auto& [at, place] : map_.crossings(axis, 2 * cell[across] + 1))
        hits.push_back({at, on_surface(place), normal(place.edge)[world_axis<2>(axis)] > 0});
      part(axis, cell, hits, grid);
    }
  }
  std::ranges::stable_sort(pieces_, comes_before);
}

// The parts of an edge in the squares around faces across an axis.
void OutlinesInLiquid::add_pieces(std::uint32_t edge, int axis) {
  const std::size_t first = 2 * std::size_t{edge};
  std::array<double, 2> a = map_.ends()[first], b = map_.ends()[first + 1];
  const auto along = static_cast<std::size_t>(axis);
  a[along] += 0.5;  // Then squares are where cells are.
  b[along] += 0.5;
  const std::array<double, 2> way{b[0] - a[0], b[1] - a[1]};
  std::vector<double> cuts;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [low, high] = std::minmax(a[k], b[k]);
    for (int level = static_cast<int>(std::floor(low)) + 1; level < high; ++level)
      cuts.push_back(std::clamp((level - a[k]) / way[k], 0.0, 1.0));
  }
  cuts.push_back(1);
  std::ranges::sort(cuts);
  double from = 0;
  for (const double to : cuts) {
    const double part = to - from, middle = 0.5 * (from + to);
    from = to;
    const double area = part * (axis == 0 ? way[1] : -way[0]);
    if (area == 0) continue;
    Piece piece{{}, axis, driven(edge, axis), {}, on_surface({edge, middle}), {}};
    double s = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const double x = a[k] + middle * way[k];
      piece.face[k] = static_cast<std::int32_t>(std::floor(x));
      if (k == along) s = x - piece.face[k];
    }
    piece.weights = {(1 - s) * area, s * area};
    pieces_.push_back(piece);
  }
}

// Takes what outlines enclose from what is open. They are cut as walls of bodies without ends,
// which lie across no row that their parts are summed along.
void OutlinesInLiquid::fill(MacGrid<2>& grid) const {
  Cell<2> first{}, count{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto [begin, size] = cells_around(map_.first()[axis], map_.end()[axis], axis, grid.tiles);
    first[axis] = begin;
    count[axis] = size;
  }
  if (size_of_block<2>(count) == 0) return;
  const Slab slab;
  std::vector<Vec3> corners;
  std::vector<TriangleIndices> walls;
  for (const EdgeIndices& edge : elements_) {
    const auto at = static_cast<std::int32_t>(corners.size());
    for (const double y : {slab.lower, slab.lower + slab.depth}) {
      for (const std::int32_t end : edge) {
        Vec3 x = positions()[static_cast<std::size_t>(end)];
        x.y() = y;
        corners.push_back(x);
      }
    }
    walls.push_back({at, at + 3, at + 1});
    walls.push_back({at, at + 2, at + 3});
  }
  take(Filling<2>(frame(), slab, corners, walls, first, count), first, count, grid);
}

Vec3 OutlinesInLiquid::normal(std::uint32_t edge) const {
  const std::size_t first = 2 * std::size_t{edge};
  const auto &a = map_.ends()[first], &b = map_.ends()[first + 1];
  return Vec3(b[1] - a[1], 0, a[0] - b[0]).normalized();
}

Vec3 OutlinesInLiquid::driven(std::uint32_t /*edge*/, int axis) const {
  return Vec3::Unit(world_axis<2>(axis));
}

// Whether a slice has anything of a face's square.
bool OutlinesInLiquid::is_at_outline(const Cell<2>& face, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  if (map_.is_inside(axis, 2 * face[1 - a] + 1, face[a])) return true;
  return find_piece(face, axis) != nullptr;
}

Vec3 OutlinesInLiquid::velocity_at(const OutlineMap::Place& place) const {
  const auto [a, b] = elements_[place.edge];
  return (1 - place.part) * velocities()[static_cast<std::size_t>(a)] +
         place.part * velocities()[static_cast<std::size_t>(b)];
}

void OutlinesInLiquid::constrain(MacGrid<2>& grid) const {
  if (is_empty()) return;
  // From the velocities as they were, to others: aside at first.
  struct Change {
    std::size_t axis, face;
    float velocity;
  };
  std::vector<Change> changes;
  const std::size_t end = grid.tiles.count() * tile_size<2>;
  const std::vector<std::uint8_t> all(elements_.size(), 1);
  for_each_in_box<2>(
      {map_.first()[0] - 1, map_.first()[1] - 1}, {map_.end()[0] + 2, map_.end()[1] + 2},
      [&](const Cell<2>& face) {
        const std::size_t index = grid.tiles.find_cell(face);
        if (index >= end) return;
        for (int axis = 0; axis < 2; ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          if (grid.open[a][index] > 0 || !is_at_outline(face, axis)) continue;
          std::array<double, 2> middle{face[0] + 0.5, face[1] + 0.5};
          middle[a] -= 0.5;
          const OutlineMap::Nearest nearest = map_.nearest(middle, all);
          if (!(nearest.distance <= 1)) continue;
          const Vec3 across = normal(nearest.place.edge);
          Vec<2> within = Vec<2>::Constant(0.5F);
          within[axis] = 0;
          const Vec<2> flow =
              grid::velocity_at<2>(frame(), grid, frame().place(face, within, 0).cast<float>());
          const Vec3 of_flow(static_cast<double>(flow[0]), 0, static_cast<double>(flow[1]));
          const double through = across.dot(of_flow - velocity_at(nearest.place));
          const auto along = static_cast<double>(grid.velocity[a][index]);
          changes.push_back(
              {a, index, static_cast<float>(along - through * across[world_axis<2>(axis)])});
        }
      });
  for (const Change& change : changes)
    grid.velocity[change.axis][change.face] = change.velocity;
}

}  // namespace sluice::fluid::grid
