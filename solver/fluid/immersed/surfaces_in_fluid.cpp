// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/surfaces_in_fluid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/fluid/immersed/cube_filling.h"
#include "solver/fluid/lattice/advection.h"
#include "solver/geometry/cut_polygon.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t surfaces_in_fluid_grain = 256;  // Triangles.

// A piece with less than this part of its triangle's area, as seen along an axis, has no place that
// could be told. A triangle smaller than this [square cells] has none either.
constexpr double least_area = 1e-12;

SurfaceMap::Line line_of(const Cell<3>& face, int face_axis, int axis) {
  SurfaceMap::Line line{};
  for (int k = 0; k < 2; ++k) {
    const int a = (axis + 1 + k) % 3;
    line[static_cast<std::size_t>(k)] =
        2 * face[static_cast<std::size_t>(a)] + (a == face_axis ? 0 : 1);
  }
  return line;
}

// [cells] The place of the middle of a face along an axis.
double middle_along(const Cell<3>& face, int face_axis, int axis) {
  return face[static_cast<std::size_t>(axis)] + (axis == face_axis ? 0.0 : 0.5);
}

}  // namespace

void SurfacesInFluid::set(const ImmersedSolids& solids) {
  begin(solids);
  elements_.clear();
  is_closed_.clear();
  sticks_.clear();
  closed_ones_.clear();
  for (const ImmersedSolids::Surface& surface : solids.surfaces) {
    if (surface.is_closed) closed_ones_.push_back({elements_.size(), surface.triangles.size()});
    elements_.insert(elements_.end(), surface.triangles.begin(), surface.triangles.end());
    is_closed_.resize(elements_.size(), surface.is_closed ? 1 : 0);
    sticks_.resize(elements_.size(), surface.sticks ? 1 : 0);
  }
  map_.set(frame(), positions(), elements_);
  pieces_.clear();
  of_sheets_.clear();
}

void SurfacesInFluid::cover(MacGrid<3>& grid) {
  pieces_.clear();
  of_sheets_.clear();
  if (is_empty()) return;
  const auto count = static_cast<std::int64_t>(elements_.size());
  std::vector<std::vector<Piece>> by_chunk(
      static_cast<std::size_t>((count + surfaces_in_fluid_grain - 1) / surfaces_in_fluid_grain));
  parallel::parallel_for(
      0, static_cast<std::int64_t>(by_chunk.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
          auto& pieces = by_chunk[static_cast<std::size_t>(chunk)];
          const std::int64_t last = std::min(count, (chunk + 1) * surfaces_in_fluid_grain);
          for (auto t = static_cast<std::uint32_t>(chunk * surfaces_in_fluid_grain); t < last;
               ++t) {
            for (int axis = 0; axis < 3; ++axis)
              add_pieces(t, axis, pieces);
          }
        }
      });
  for (const std::vector<Piece>& pieces : by_chunk) {
    for (const Piece& piece : pieces)
      (is_closed_[piece.place.element] != 0 ? pieces_ : of_sheets_).push_back(piece);
  }
  std::ranges::stable_sort(of_sheets_, comes_before);
  for (const auto& [first, size] : closed_ones_)
    fill(std::span(elements_).subspan(first, size), grid);
}

void SurfacesInFluid::close_parted(MacGrid<3>& grid) {
  std::vector<Hit> hits;
  for (int axis = 0; axis < 3; ++axis) {
    for (const SurfaceMap::OnLine& line : map_.lines(axis)) {
      if (line.line[0] % 2 == 0 || line.line[1] % 2 == 0) continue;
      Cell<3> cell{};
      for (std::size_t k = 0; k < 2; ++k)
        cell[(static_cast<std::size_t>(axis) + 1 + k) % 3] = (line.line[k] - 1) / 2;
      hits.clear();
      for (const SurfaceMap::Crossing& crossing : line.crossings)
        hits.push_back({crossing.at, crossing.place, crossing.is_front});
      part(axis, cell, hits, grid);
    }
  }
  std::ranges::stable_sort(pieces_, comes_before);
}

// The parts of a triangle in the cubes around faces across an axis. With s the way through a cube
// from the middle of its lower cell on, the mean of s over a piece says how much of it each of the
// two cells gets: s is linear, so that this is exact.
void SurfacesInFluid::add_pieces(std::uint32_t triangle, int axis,
                                 std::vector<Piece>& pieces) const {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto projected = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
  };
  std::array<Vec3, 3> corners;
  for (std::size_t i = 0; i < 3; ++i) {
    corners[i] = map_.vertices()[static_cast<std::size_t>(elements_[triangle][i])];
    corners[i][axis] += 0.5;  // Then cubes are where cells are.
  }
  const double all = projected(corners[0], corners[1], corners[2]);
  if (std::abs(all) < least_area) return;
  geometry::ConvexPolygon whole;
  Cell<3> first{}, count{};
  for (int a = 0; a < 3; ++a) {
    const auto [low, high] = std::minmax({corners[0][a], corners[1][a], corners[2][a]});
    first[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(std::floor(low));
    count[static_cast<std::size_t>(a)] =
        static_cast<std::int32_t>(std::floor(high)) - first[static_cast<std::size_t>(a)] + 1;
  }
  const Vec3 origin(first[0], first[1], first[2]);
  for (const Vec3& corner : corners)
    whole.add(corner - origin);
  const auto add = [&](const Cell<3>& local, const geometry::ConvexPolygon& polygon) {
    double area = 0;
    Vec3 moment = Vec3::Zero();
    const Vec3& a = polygon.corners[0];
    for (std::size_t i = 2; i < polygon.count; ++i) {
      const Vec3 &b = polygon.corners[i - 1], &c = polygon.corners[i];
      const double part = 0.5 * projected(a, b, c);
      area += part;
      moment += part / 3 * (a + b + c);
    }
    if (std::abs(area) < least_area * std::abs(all)) return;
    const Vec3 middle = moment / area;
    const double s = std::clamp(middle[axis] - local[static_cast<std::size_t>(axis)], 0.0, 1.0);
    const Vec3 x = middle + origin;
    Piece piece{{}, axis, Vec3::Unit(axis), {(1 - s) * area, s * area}, {triangle, {}}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      piece.face[k] = first[k] + local[k];
      piece.place.parts[k] =
          std::clamp(projected(corners[(k + 1) % 3], corners[(k + 2) % 3], x) / all, 0.0, 1.0);
    }
    pieces.push_back(piece);
  };
  geometry::slice(whole, 2, count[2], [&](std::int32_t k, const geometry::ConvexPolygon& layer) {
    if (k == count[2] || layer.count < 3) return;
    geometry::slice(layer, 1, count[1], [&](std::int32_t j, const geometry::ConvexPolygon& row) {
      if (j == count[1] || row.count < 3) return;
      geometry::slice(row, 0, count[0], [&](std::int32_t i, const geometry::ConvexPolygon& cell) {
        if (i < count[0] && cell.count >= 3) add({i, j, k}, cell);
      });
    });
  });
}

// Takes what a closed surface encloses from what is open.
void SurfacesInFluid::fill(std::span<const TriangleIndices> triangles, MacGrid<3>& grid) const {
  Cell<3> first{}, count{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const TriangleIndices& triangle : triangles) {
      for (const std::int32_t corner : triangle) {
        const double x = map_.vertices()[static_cast<std::size_t>(corner)][axis];
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    const auto [begin, size] = cells_around(low, high, a, grid.tiles);
    first[a] = begin;
    count[a] = size;
  }
  if (size_of_block<3>(count) == 0) return;
  take(Filling<3>(frame(), {}, positions(), triangles, first, count), first, count, grid);
}

Vec3 SurfacesInFluid::normal(std::uint32_t triangle) const {
  const auto& [i, j, k] = elements_[triangle];
  const auto x = map_.vertices();
  const Vec3 &a = x[static_cast<std::size_t>(i)], &b = x[static_cast<std::size_t>(j)],
             &c = x[static_cast<std::size_t>(k)];
  return (b - a).cross(c - a).normalized();
}

// The vector whose product with a triangle's velocity is that of a face across an axis that the
// triangle closes.
Vec3 SurfacesInFluid::driven(std::uint32_t triangle, int axis) const {
  if (sticks_[triangle] != 0) return Vec3::Unit(axis);
  const Vec3 across = normal(triangle);
  return across[axis] * across;
}

// All of a sheet that is in the cube around a face moves the face: if the crossing alone did, the
// parts of a light sheet between the lines would have no fluid to heave, and would be thrown about.
auto SurfacesInFluid::movers(const Cell<3>& face, int axis, const Parting& first,
                             const Parting& last) const -> std::vector<Mover> {
  const auto there = std::ranges::equal_range(
      of_sheets_, Piece{.face = face, .axis = axis, .direction = Vec3::Zero()}, comes_before);
  double area = 0;
  for (const Piece& piece : there)
    area += std::abs(piece.weights[0] + piece.weights[1]);
  if (!(area > 0) || encloses(first.place.element) || encloses(last.place.element))
    return SurfacePieces::movers(face, axis, first, last);
  std::vector<Mover> movers;
  for (const Piece& piece : there)
    movers.push_back({piece.place, 2 * std::abs(piece.weights[0] + piece.weights[1]) / area});
  return movers;
}

bool SurfacesInFluid::is_inside(const Cell<3>& face, int axis) const {
  const double at = middle_along(face, axis, axis);
  int depth = 0;
  for (const SurfaceMap::Crossing& crossing : map_.crossings(axis, line_of(face, axis, axis))) {
    if (!(crossing.at <= at)) break;
    if (is_closed_[crossing.place.element] != 0) depth += crossing.is_front ? -1 : 1;
  }
  return depth > 0;
}

// By side of the middle of a face, what surface is within a cell.
auto SurfacesInFluid::look_around(const Cell<3>& face, int axis) const
    -> std::array<std::optional<Sight>, side_count<3>> {
  std::array<std::optional<Sight>, side_count<3>> sights;
  for (int along = 0; along < 3; ++along) {
    const auto all = map_.crossings(along, line_of(face, axis, along));
    const double from = middle_along(face, axis, along);
    const auto next = std::ranges::upper_bound(all, from, {}, &SurfaceMap::Crossing::at);
    const auto see = [&](std::size_t side, const SurfaceMap::Crossing& crossing) {
      const double way = std::abs(crossing.at - from);
      if (way <= 1)
        sights[2 * static_cast<std::size_t>(along) + side] = {static_cast<float>(way),
                                                              crossing.place};
    };
    if (next != all.begin()) see(0, *(next - 1));
    if (next != all.end()) see(1, *next);
  }
  return sights;
}

std::vector<Cell<3>> SurfacesInFluid::faces_near(int axis) const {
  std::vector<Cell<3>> faces;
  for (int along = 0; along < 3; ++along) {
    for (const SurfaceMap::OnLine& line : map_.lines(along)) {
      Cell<3> face{};
      bool has_middles = true;
      for (std::size_t k = 0; k < 2; ++k) {
        const int a = (along + 1 + static_cast<int>(k)) % 3;
        const std::int32_t offset = a == axis ? 0 : 1, twice = line.line[k] - offset;
        has_middles = has_middles && twice % 2 == 0;
        face[static_cast<std::size_t>(a)] = twice / 2;
      }
      if (!has_middles) continue;
      for (const SurfaceMap::Crossing& crossing : line.crossings) {
        const auto below =
            static_cast<std::int32_t>(std::floor(crossing.at - (along == axis ? 0.0 : 0.5)));
        for (const std::int32_t at : {below, below + 1}) {
          face[static_cast<std::size_t>(along)] = at;
          faces.push_back(face);
        }
      }
    }
  }
  for (const Piece& piece : pieces_) {
    if (piece.axis == axis) faces.push_back(piece.face);
  }
  std::ranges::sort(faces);
  const auto rest = std::ranges::unique(faces);
  faces.erase(rest.begin(), rest.end());
  return faces;
}

auto SurfacesInFluid::find_meeting(const Cell<3>& face, int axis) const -> std::optional<Meeting> {
  const auto sights = look_around(face, axis);
  Meeting meeting;
  float nearest = std::numeric_limits<float>::infinity();
  for (std::size_t side = 0; side < side_count<3>; ++side) {
    meeting.ways[side] = std::numeric_limits<float>::infinity();
    const auto& sight = sights[side];
    if (!sight || sticks_[sight->place.element] == 0) continue;
    meeting.ways[side] = sight->way;
    if (!(sight->way < nearest)) continue;
    nearest = sight->way;
    meeting.place = sight->place;
  }
  if (!(nearest <= 1)) {
    const Piece* const piece = find_piece(face, axis);
    if (piece == nullptr || sticks_[piece->place.element] == 0) return std::nullopt;
    meeting.place = piece->place;
  }
  meeting.is_inside = is_inside(face, axis);
  meeting.velocity = static_cast<float>(at(meeting.place, velocities())[axis]);
  return meeting;
}

Vec3 SurfacesInFluid::at(const Place& place, std::span<const Vec3> of_vertices) const {
  Vec3 value = Vec3::Zero();
  for (std::size_t corner = 0; corner < 3; ++corner) {
    value += place.parts[corner] *
             of_vertices[static_cast<std::size_t>(elements_[place.element][corner])];
  }
  return value;
}

void SurfacesInFluid::give(const Place& place, const Vec3& impulse) {
  for (std::size_t corner = 0; corner < 3; ++corner) {
    add_impulse(static_cast<std::size_t>(elements_[place.element][corner]),
                place.parts[corner] * impulse);
  }
}

void SurfacesInFluid::drag(const Place& place, int axis, double impulse) {
  give(place, mass_of_cell() * impulse * Vec3::Unit(axis));
}

void SurfacesInFluid::lift(const Vec3& change, const Vec3& level) {
  for (const Piece& piece : pieces_) {
    const Vec3 away = at(piece.place, positions()) - level;
    const double p = change.dot(away) / static_cast<double>(frame().cell_size);
    give(piece.place,
         -mass_of_cell() * p * (piece.weights[0] + piece.weights[1]) * piece.direction);
  }
}

void SurfacesInFluid::constrain(MacGrid<3>& grid) const {
  // From the velocities as they were, to others: aside at first.
  struct Change {
    std::size_t axis, face;
    float velocity;
  };
  std::vector<Change> changes;
  const std::size_t end = grid.tiles.count() * tile_size<3>;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (const Cell<3>& face : faces_near(axis)) {
      const std::size_t index = grid.tiles.find_cell(face);
      if (index >= end || grid.open[a][index] > 0) continue;
      const Sight* nearest = nullptr;
      const auto sights = look_around(face, axis);
      for (const std::optional<Sight>& sight : sights) {
        if (sight && (nearest == nullptr || sight->way < nearest->way)) nearest = &*sight;
      }
      if (nearest == nullptr) continue;
      const Vec3f of_solid = at(nearest->place, velocities()).cast<float>();
      float velocity = of_solid[axis];
      if (sticks_[nearest->place.element] == 0) {
        const Vec3f across = normal(nearest->place.element).cast<float>();
        Vec<3> within = Vec<3>::Constant(0.5F);
        within[axis] = 0;
        const Vec<3> flow =
            grid::velocity_at<3>(frame(), grid, frame().place(face, within, 0).cast<float>());
        velocity = grid.velocity[a][index] - across.dot(flow - of_solid) * across[axis];
      }
      changes.push_back({a, index, velocity});
    }
  }
  for (const Change& change : changes)
    grid.velocity[change.axis][change.face] = change.velocity;
}

void SurfacesInFluid::save(ByteWriter& out) const { save_positions(out); }

bool SurfacesInFluid::restore(ByteReader& in) {
  if (!restore_positions(in)) return false;
  map_.set(frame(), positions(), elements_);
  return true;
}

}  // namespace sluice::fluid::grid
