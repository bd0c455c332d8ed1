// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/outlines_in_gas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// Part of a face: as in solid_faces.cpp.
constexpr double least_open_in_gas = 1e-5;

std::array<double, 2> middle_of(const Cell<2>& face, int axis) {
  std::array<double, 2> at{face[0] + 0.5, face[1] + 0.5};
  at[static_cast<std::size_t>(axis)] -= 0.5;
  return at;
}

// On the line along its axis.
bool is_inside(const OutlineMap& map, const Cell<2>& face, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  return map.is_inside(axis, 2 * face[1 - a] + 1, face[a]);
}

}  // namespace

void OutlinesInGas::set(const ImmersedSolids& solids) {
  begin(solids);
  outline_.assign(solids.rim.begin(), solids.rim.end());
  sticks_.assign(solids.sticks.begin(), solids.sticks.end());
  map_.set(frame(), positions(), outline_);
}

void OutlinesInGas::cover(MacGrid<2>& grid) const {
  if (is_empty()) return;
  const std::size_t end = grid.tiles.count() * tile_size<2>;
  // Also the cells that end with the first faces, and the faces that end the last cells.
  const Cell<2> before{map_.first()[0] - 1, map_.first()[1] - 1};
  const Cell<2> after{map_.end()[0] + 1, map_.end()[1] + 1};
  for_each_in_box<2>(before, after, [&](const Cell<2>& cell) {
    const std::size_t index = grid.tiles.find_cell(cell);
    if (index >= end) return;
    grid.is_clear[index / tile_size<2>] = 0;
    for (int axis = 0; axis < 2; ++axis) {
      float& open = grid.open[static_cast<std::size_t>(axis)][index];
      const double left = static_cast<double>(open) - covered(cell, axis);
      open = left < least_open_in_gas ? 0.0F : static_cast<float>(left);
    }
  });
}

double OutlinesInGas::covered(const Cell<2>& face, int axis) const {
  const auto a = static_cast<std::size_t>(axis), along = 1 - a;
  return map_.covered(static_cast<int>(along), 2 * face[a], face[along], face[along] + 1);
}

std::vector<Cell<2>> OutlinesInGas::faces_near(int /*axis*/) const {
  std::vector<Cell<2>> faces;
  if (is_empty()) return faces;
  for_each_in_box<2>({map_.first()[0] - 1, map_.first()[1] - 1},
                     {map_.end()[0] + 2, map_.end()[1] + 2},
                     [&](const Cell<2>& face) { faces.push_back(face); });
  return faces;
}

auto OutlinesInGas::find_meeting(const Cell<2>& face, int axis) const -> std::optional<Meeting> {
  const std::array<double, 2> at = middle_of(face, axis);
  const OutlineMap::Nearest nearest = map_.nearest(at, sticks_);
  if (!(nearest.distance <= 1)) return std::nullopt;
  Meeting meeting;
  meeting.is_inside = is_inside(map_, face, axis);
  meeting.velocity = static_cast<float>(velocity_at(nearest.place)[world_axis<2>(axis)]);
  meeting.place = nearest.place;
  bool sees_one = false;
  for (std::size_t side = 0; side < side_count<2>; ++side) {
    const std::size_t along = side / 2;
    const auto line = static_cast<std::int32_t>(std::lround(2 * at[1 - along]));
    const OutlineMap::Sight sight = map_.look(static_cast<int>(along), line, at[along], side % 2);
    const bool is_near = sight.way <= 1 && sticks_[sight.place.edge] != 0;
    sees_one = sees_one || is_near;
    meeting.ways[side] =
        is_near ? static_cast<float>(sight.way) : std::numeric_limits<float>::infinity();
  }
  if (!sees_one && nearest.distance > 0) {
    meeting.of_corner =
        static_cast<float>(std::min(1.0, nearest.sharpness) * (1 / nearest.distance - 1));
  }
  return meeting;
}

Vec3 OutlinesInGas::place_of(const Place& place) const {
  const auto [a, b] = outline_[place.edge];
  return (1 - place.part) * positions()[static_cast<std::size_t>(a)] +
         place.part * positions()[static_cast<std::size_t>(b)];
}

Vec3 OutlinesInGas::velocity_at(const Place& place) const {
  const auto [a, b] = outline_[place.edge];
  return (1 - place.part) * velocities()[static_cast<std::size_t>(a)] +
         place.part * velocities()[static_cast<std::size_t>(b)];
}

void OutlinesInGas::give(const Place& place, const Vec3& impulse) {
  const auto [a, b] = outline_[place.edge];
  add_impulse(static_cast<std::size_t>(a), (1 - place.part) * impulse);
  add_impulse(static_cast<std::size_t>(b), place.part * impulse);
}

void OutlinesInGas::drag(const Place& place, int axis, double impulse) {
  give(place, mass_of_cell() * impulse * Vec3::Unit(world_axis<2>(axis)));
}

void OutlinesInGas::lift(const Vec3& change, const Vec3& level) {
  for (const OutlineMap::Piece& piece : map_.pieces()) {
    const Vec3 away = place_of(piece.middle) - level;
    const double p = change.dot(away) / static_cast<double>(frame().cell_size);
    give(piece.middle, -mass_of_cell() * p * Vec3(piece.normal[0], 0, piece.normal[1]));
  }
}

auto OutlinesInGas::entries(const Tiles<2>& tiles) const -> std::vector<InCell> {
  std::vector<InCell> all;
  for (const OutlineMap::Piece& piece : map_.pieces()) {
    const auto cell = static_cast<std::uint32_t>(tiles.find_cell(piece.cell));
    const double part = piece.middle.part;
    const std::array<double, 2> parts{1 - part, part};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto vertex = static_cast<std::uint32_t>(outline_[piece.middle.edge][i]);
      all.push_back({cell, {vertex, {parts[i] * piece.normal[0], parts[i] * piece.normal[1]}}});
    }
  }
  return all;
}

void OutlinesInGas::constrain(MacGrid<2>& grid) const {
  if (is_empty()) return;
  const std::size_t end = grid.tiles.count() * tile_size<2>;
  const std::vector<std::uint8_t> all(outline_.size(), 1);
  for_each_in_box<2>(
      map_.first(), {map_.end()[0] + 1, map_.end()[1] + 1}, [&](const Cell<2>& face) {
        const std::size_t index = grid.tiles.find_cell(face);
        if (index >= end) return;
        for (int axis = 0; axis < 2; ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          if (grid.open[a][index] > 0 || !is_inside(map_, face, axis)) continue;
          const OutlineMap::Nearest nearest = map_.nearest(middle_of(face, axis), all);
          if (!(nearest.distance <= 1)) continue;
          const Vec3 velocity = velocity_at(nearest.place);
          grid.velocity[a][index] = static_cast<float>(velocity[world_axis<2>(axis)]);
        }
      });
}

void OutlinesInGas::save(ByteWriter& out) const { save_positions(out); }

bool OutlinesInGas::restore(ByteReader& in) {
  if (!restore_positions(in)) return false;
  map_.set(frame(), positions(), outline_);
  return true;
}

}  // namespace sluice::fluid::grid
