// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/grid/elastic_boundary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/fluid/grid/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// Part of a face: as in solid_faces.cpp.
constexpr double least_open = 1e-5;

std::array<double, 2> middle_of(const Cell<2>& face, int axis) {
  std::array<double, 2> at{face[0] + 0.5, face[1] + 0.5};
  at[static_cast<std::size_t>(axis)] -= 0.5;
  return at;
}

// On the line along its axis.
bool is_inside(const BoundaryMap& map, const Cell<2>& face, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  return map.is_inside(axis, 2 * face[1 - a] + 1, face[a]);
}

}  // namespace

void ElasticBoundary::set(const ImmersedSolids& solids) {
  outline_.assign(solids.rim.begin(), solids.rim.end());
  sticks_.assign(solids.sticks.begin(), solids.sticks.end());
  positions_.assign(solids.positions.begin(), solids.positions.end());
  velocities_.assign(solids.velocities.begin(), solids.velocities.end());
  impulses_.assign(positions_.size(), Vec3::Zero());
  unanswered_.assign(positions_.size(), Vec3::Zero());
  response_ = solids.response;
  map_.set(frame_, positions_, outline_);
}

void ElasticBoundary::cover(MacGrid<2>& grid) const {
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
      open = left < least_open ? 0.0F : static_cast<float>(left);
    }
  });
}

double ElasticBoundary::covered(const Cell<2>& face, int axis) const {
  const auto a = static_cast<std::size_t>(axis), along = 1 - a;
  return map_.covered(static_cast<int>(along), 2 * face[a], face[along], face[along] + 1);
}

auto ElasticBoundary::find_meeting(const Cell<2>& face, int axis) const -> std::optional<Meeting> {
  const std::array<double, 2> at = middle_of(face, axis);
  const BoundaryMap::Nearest nearest = map_.nearest(at, sticks_);
  if (!(nearest.distance <= 1)) return std::nullopt;
  Meeting meeting;
  meeting.is_inside = is_inside(map_, face, axis);
  meeting.velocity = static_cast<float>(velocity_at(nearest.place)[world_axis<2>(axis)]);
  meeting.covered = static_cast<float>(covered(face, axis));
  meeting.place = nearest.place;
  bool sees_one = false;
  for (std::size_t side = 0; side < side_count<2>; ++side) {
    const std::size_t along = side / 2;
    const auto line = static_cast<std::int32_t>(std::lround(2 * at[1 - along]));
    const BoundaryMap::Sight sight = map_.look(static_cast<int>(along), line, at[along], side % 2);
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

Vec3 ElasticBoundary::place_of(const BoundaryMap::Place& place) const {
  const auto [a, b] = outline_[place.edge];
  return (1 - place.part) * positions_[static_cast<std::size_t>(a)] +
         place.part * positions_[static_cast<std::size_t>(b)];
}

Vec3 ElasticBoundary::velocity_at(const BoundaryMap::Place& place) const {
  const auto [a, b] = outline_[place.edge];
  return (1 - place.part) * velocities_[static_cast<std::size_t>(a)] +
         place.part * velocities_[static_cast<std::size_t>(b)];
}

void ElasticBoundary::give(const BoundaryMap::Place& place, const Vec3& impulse,
                           std::span<Vec3> impulses) const {
  const auto [a, b] = outline_[place.edge];
  impulses[static_cast<std::size_t>(a)] += (1 - place.part) * impulse;
  impulses[static_cast<std::size_t>(b)] += place.part * impulse;
}

void ElasticBoundary::drag(const BoundaryMap::Place& place, int axis, double impulse) {
  give(place, mass_of_cell_ * impulse * Vec3::Unit(world_axis<2>(axis)), unanswered_);
}

void ElasticBoundary::press(const Array<float>& pressure, float part, const Tiles<2>& tiles) {
  for (const BoundaryMap::Piece& piece : map_.pieces()) {
    const double p = static_cast<double>(part * pressure[tiles.find_cell(piece.cell)]);
    give(piece.middle, -mass_of_cell_ * p * Vec3(piece.normal[0], 0, piece.normal[1]), unanswered_);
  }
}

void ElasticBoundary::lift(const Vec3& change, const Vec3& level) {
  for (const BoundaryMap::Piece& piece : map_.pieces()) {
    const Vec3 away = place_of(piece.middle) - level;
    const double p = change.dot(away) / static_cast<double>(frame_.cell_size);
    give(piece.middle, -mass_of_cell_ * p * Vec3(piece.normal[0], 0, piece.normal[1]), unanswered_);
  }
}

void ElasticBoundary::respond() {
  if (is_empty()) return;
  for (std::size_t i = 0; i < impulses_.size(); ++i)
    impulses_[i] += unanswered_[i];
  if (response_ != nullptr) {
    answer_.resize(impulses_.size());
    response_->respond(unanswered_, answer_);
    for (std::size_t i = 0; i < answer_.size(); ++i)
      velocities_[i] += answer_[i];
  }
  std::ranges::fill(unanswered_, Vec3::Zero());
}

void ElasticBoundary::tie(const PoissonSystem<2>& system) {
  struct InCell {
    std::uint32_t cell;
    Entry entry;
  };
  std::vector<InCell> all;
  const std::size_t end = system.tiles().count() * tile_size<2>;
  for (const BoundaryMap::Piece& piece : map_.pieces()) {
    const std::size_t cell = system.tiles().find_cell(piece.cell);
    if (cell >= end || !system.is_unknown(cell / tile_size<2>, cell % tile_size<2>)) continue;
    const double part = piece.middle.part;
    const std::array<double, 2> parts{1 - part, part};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto vertex = static_cast<std::uint32_t>(outline_[piece.middle.edge][i]);
      all.push_back({static_cast<std::uint32_t>(cell),
                     {vertex, {parts[i] * piece.normal[0], parts[i] * piece.normal[1]}}});
    }
  }
  std::ranges::stable_sort(all, [](const InCell& a, const InCell& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.entry.vertex < b.entry.vertex;
  });
  cells_.clear();
  first_entry_.clear();
  entries_.clear();
  for (const InCell& one : all) {
    if (cells_.empty() || one.cell != cells_.back()) {
      cells_.push_back(one.cell);
      first_entry_.push_back(entries_.size());
    } else if (entries_.back().vertex == one.entry.vertex) {
      for (std::size_t axis = 0; axis < 2; ++axis)
        entries_.back().weight[axis] += one.entry.weight[axis];
      continue;
    }
    entries_.push_back(one.entry);
  }
  first_entry_.push_back(entries_.size());
  pressed_.resize(positions_.size());
  answer_.resize(positions_.size());
}

// All together: which bodies hang together is not known here, and what is taken off where they do
// not is at most what closed regions could not hold.
auto ElasticBoundary::tied_cells() const -> std::vector<std::span<const std::uint32_t>> {
  if (response_ == nullptr || cells_.empty()) return {};
  return {cells_};
}

double ElasticBoundary::flow_of(const Entry& entry, std::span<const Vec3> velocities) const {
  const Vec3& velocity = velocities[entry.vertex];
  return entry.weight[0] * velocity[world_axis<2>(0)] +
         entry.weight[1] * velocity[world_axis<2>(1)];
}

void ElasticBoundary::add_inflow(std::span<double> inflow) const {
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      inflow[cells_[n]] += flow_of(entries_[e], velocities_);
  }
}

double ElasticBoundary::apply(std::span<const float> x, std::span<double> image) const {
  if (response_ == nullptr) return 0;
  std::ranges::fill(pressed_, Vec3::Zero());
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    const double p = mass_of_cell_ * static_cast<double>(x[cells_[n]]);
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e) {
      const Entry& entry = entries_[e];
      pressed_[entry.vertex][world_axis<2>(0)] += p * entry.weight[0];
      pressed_[entry.vertex][world_axis<2>(1)] += p * entry.weight[1];
    }
  }
  response_->respond(pressed_, answer_);
  double energy = 0;
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    double flow = 0;
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e)
      flow += flow_of(entries_[e], answer_);
    image[cells_[n]] += flow;
    energy += static_cast<double>(x[cells_[n]]) * flow;
  }
  return energy;
}

void ElasticBoundary::accelerate(std::span<const double> pressure, MacGrid<2>& /*grid*/) {
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    const double p = -mass_of_cell_ * pressure[cells_[n]];
    for (std::size_t e = first_entry_[n]; e < first_entry_[n + 1]; ++e) {
      const Entry& entry = entries_[e];
      unanswered_[entry.vertex][world_axis<2>(0)] += p * entry.weight[0];
      unanswered_[entry.vertex][world_axis<2>(1)] += p * entry.weight[1];
    }
  }
  respond();
}

void ElasticBoundary::constrain(MacGrid<2>& grid) const {
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
          const BoundaryMap::Nearest nearest = map_.nearest(middle_of(face, axis), all);
          if (!(nearest.distance <= 1)) continue;
          const Vec3 velocity = velocity_at(nearest.place);
          grid.velocity[a][index] = static_cast<float>(velocity[world_axis<2>(axis)]);
        }
      });
}

void ElasticBoundary::save(ByteWriter& out) const {
  out.put_array(std::span<const Vec3>(positions_));
}

bool ElasticBoundary::restore(ByteReader& in) {
  if (!in.get_array(std::span<Vec3>(positions_))) return false;
  map_.set(frame_, positions_, outline_);
  return true;
}

}  // namespace sluice::fluid::grid
