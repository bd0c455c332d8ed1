// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/obstacles/screens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/obstacles/in_plane.h"
#include "solver/fluid/obstacles/obstacle_velocity.h"
#include "solver/fluid/obstacles/tent.h"
#include "solver/geometry/point_triangle.h"
#include "solver/geometry/shape_chord.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t screens_grain = 2;  // Tiles.

// A part of the thickness from which on a solid covers faces whole: what rounding may make of it.
constexpr double thickness_rounding = 1e-6;

// Cells of a way: one that goes further, as it does where all has blown up, is looked at in larger
// pieces.
constexpr double most_pieces = 1000;

// The part of the way to a solid that a way goes which ends before it.
constexpr double most_of_way = 0.99;

// [cells] How far before a surface a place is that was in the solid: more than rounding.
constexpr double before_surfaces = 1e-3;

// [cells] A way that is nearer than this to an edge of a triangle counts as on both sides of it,
// for rounding.
constexpr double on_plane = 1e-9;

// The cosine between a normal and the way to a facet: a way with less leads to another facet, or to
// a rim.
constexpr double least_across = 0.999;

// The cosine between two normals: two that are more alike are those of one surface.
constexpr double least_alike = 0.7;

// Where a way meets a triangle, in parts of it. Ways that rounding might let through between two
// triangles meet both.
std::optional<double> meet(const std::array<Vec3, 3>& corners, const Vec3& normal, double on_edge,
                           const Vec3& from, const Vec3& to) {
  const double start = normal.dot(from - corners[0]), end = normal.dot(to - corners[0]);
  if ((start >= 0) == (end >= 0)) return std::nullopt;
  const Vec3 along = to - from;
  int before = 0, behind = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 a = corners[i] - from, b = corners[(i + 1) % 3] - from;
    const double side = a.cross(b).dot(along), least = on_edge * along.norm() * (b - a).norm();
    before += side >= -least ? 1 : 0;
    behind += side <= least ? 1 : 0;
  }
  if (before < 3 && behind < 3) return std::nullopt;
  return std::clamp(start / (start - end), 0.0, 1.0);
}

}  // namespace

// A plate with the normal n covers faces whole if it is as thick as |n|_1 cells, in parts() of
// solid_faces.cpp: the square root of D at most.
template <int D>
bool is_thin(const geometry::Shape& shape, double cell_size) {
  return 2 * geometry::smallest_half_extent(shape) <=
         std::sqrt(D) * (1 + thickness_rounding) * cell_size;
}

template <int D>
void Screens<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  obstacles_.clear();
  for (const scene::Obstacle& obstacle : obstacles) {
    if (is_thin<D>(obstacle.shape, cells_ * static_cast<double>(frame_.cell_size)))
      obstacles_.push_back(obstacle);
  }
}

template <int D>
void Screens<D>::set_facets(std::span<const Facet> facets) {
  facets_.clear();
  for (const Facet& facet : facets) {
    const auto& [a, b, c] = facet.corners;
    const Vec3 across = (b - a).cross(c - a);
    const double size = across.norm();
    facets_.push_back({facet, size > 0 ? Vec3(across / size) : Vec3(Vec3::Zero()),
                       a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
}

template <int D>
void Screens<D>::look_around(const Tiles<D>& tiles, float h, double way) {
  h_ = h;
  tiles_ = &tiles;
  in_tiles_.clear();
  facets_in_cells_.clear();
  if (is_empty()) return;
  is_in_way_.assign(tiles.array_size(), 0);
  sort_facets(way);
  in_tiles_.resize(tiles.count());
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), screens_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile)
                             in_tiles_[tile] = find_in_tile(tile, way);
                         });
}

// The cells of the box around a facet, and within reach of it: the first one, and after the last.
template <int D>
auto Screens<D>::cells_around(const Placed& placed, double reach) const -> std::array<Cell<D>, 2> {
  const auto cell_of = [&](const Vec3& x) {
    return cell_at<D>(frame_.coordinates(x.template cast<float>()));
  };
  Cell<D> first = cell_of(placed.lower - Vec3::Constant(reach));
  Cell<D> end = cell_of(placed.upper + Vec3::Constant(reach));
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::int32_t least = tile_edge<D> * tiles_->lower()[axis];
    const std::int32_t most = least + tile_edge<D> * tiles_->size()[axis];
    first[axis] = std::clamp(first[axis], least, most);
    end[axis] = std::clamp(end[axis] + 1, least, most);
  }
  return {first, end};
}

// By the boxes around them.
template <int D>
void Screens<D>::sort_facets(double way) {
  const std::size_t end_of_cells = tiles_->count() * tile_size<D>;
  const double edge = frame_.cell_size;
  for (std::size_t n = 0; n < facets_.size(); ++n) {
    const Placed& placed = facets_[n];
    const double own_way = placed.facet.is_at_end ? h_ * placed.facet.velocity.norm() : 0;
    const auto for_each_within = [&](double reach, const auto& visit) {
      const auto [first, end] = cells_around(placed, reach);
      // The box around a large one that leans has many cells that are far from it.
      const double across = (reach + 0.5 * edge) * placed.normal.template lpNorm<1>();
      for_each_in_box<D>(first, end, [&](const Cell<D>& cell) {
        const Vec3 middle = place(cell, Vec<D>::Constant(0.5F));
        if (std::abs(placed.normal.dot(middle - placed.facet.corners[0])) > across) return;
        const std::size_t index = tiles_->find_cell(cell);
        if (index < end_of_cells) visit(static_cast<std::uint32_t>(index));
      });
    };
    for_each_within(edge + own_way, [&](std::uint32_t cell) {
      facets_in_cells_.push_back({cell, static_cast<std::uint32_t>(obstacles_.size() + n)});
    });
    for_each_within(edge + own_way + way, [&](std::uint32_t cell) { is_in_way_[cell] = 1; });
  }
  std::ranges::stable_sort(facets_in_cells_, {}, &InCell::cell);
}

template <int D>
auto Screens<D>::find_in_tile(std::size_t tile, double way) -> std::unique_ptr<InTile> {
  // Places of a cell look at what is less than a cell away along each axis.
  const double edge = frame_.cell_size, of_cell = 0.5 * std::sqrt(D), of_look = std::sqrt(D);
  const auto reach = [&](std::uint32_t name, double half_diagonal) {
    return edge * (half_diagonal + of_look) + h_ * obstacles_[name].velocity.norm();
  };
  const auto distance = [&](std::uint32_t name, const Vec3& x) {
    return geometry::signed_distance(obstacles_[name].shape, x).distance;
  };
  std::vector<std::uint32_t> of_tile;
  const Vec3 middle = place(tiles_->first_cell(tile), Vec<D>::Constant(0.5F * tile_edge<D>));
  for (std::uint32_t name = 0; name < obstacles_.size(); ++name) {
    if (distance(name, middle) <= reach(name, of_cell * tile_edge<D>) + way)
      of_tile.push_back(name);
  }
  const auto first_of = [&](std::size_t cell) {
    return std::ranges::lower_bound(facets_in_cells_, cell, {}, &InCell::cell);
  };
  auto facet = first_of(tile * tile_size<D>);
  const auto end = first_of((tile + 1) * tile_size<D>);
  if (of_tile.empty() && facet == end) return nullptr;
  auto in_tile = std::make_unique<InTile>();
  for (std::size_t i = 0; i < tile_size<D>; ++i) {
    in_tile->first[i] = static_cast<std::uint32_t>(in_tile->names.size());
    const std::size_t index = tile * tile_size<D> + i;
    const Vec3 x = place(tiles_->cell(index), Vec<D>::Constant(0.5F));
    for (const std::uint32_t name : of_tile) {
      const double beyond = distance(name, x) - reach(name, of_cell);
      if (beyond <= 0) in_tile->names.push_back(name);
      if (beyond <= way) is_in_way_[index] = 1;
    }
    for (; facet != end && facet->cell == index; ++facet)
      in_tile->names.push_back(facet->facet);
  }
  in_tile->first[tile_size<D>] = static_cast<std::uint32_t>(in_tile->names.size());
  if (in_tile->names.empty()) return nullptr;
  return in_tile;
}

template <int D>
auto Screens<D>::near(const Vec3& x) const noexcept -> Near {
  return near(tiles_->find_cell(cell_at<D>(frame_.coordinates(x.template cast<float>()))));
}

template <int D>
auto Screens<D>::near(std::size_t cell) const noexcept -> Near {
  const std::size_t tile = cell / tile_size<D>, local = cell % tile_size<D>;
  if (!has_near(tile)) return {};
  const InTile& in_tile = *in_tiles_[tile];
  return Near(in_tile.names)
      .subspan(in_tile.first[local], in_tile.first[local + 1] - in_tile.first[local]);
}

template <int D>
Vec3 Screens<D>::way(std::uint32_t name) const {
  if (is_obstacle(name)) return h_ * obstacles_[name].velocity;
  const Facet& it = facet(name).facet;
  return it.is_at_end ? Vec3(h_ * it.velocity) : Vec3(Vec3::Zero());
}

// Where it would be at the end, had it gone along.
template <int D>
Vec3 Screens<D>::in_frame(std::uint32_t name, const Event& event) const {
  return event.x + event.before * way(name);
}

// Where a way meets a solid, in its frame and in parts of the way.
template <int D>
std::optional<double> Screens<D>::first_part(std::uint32_t name, const Vec3& from,
                                             const Vec3& to) const {
  if (is_obstacle(name)) {
    const auto chord = geometry::chord_in(obstacles_[name].shape, from, to);
    if (!chord || chord->first > 1 || chord->last < 0) return std::nullopt;
    return std::max(chord->first, 0.0);
  }
  const Placed& placed = facet(name);
  return meet(placed.facet.corners, placed.normal, on_plane * static_cast<double>(frame_.cell_size),
              from, to);
}

// Piece by piece, none longer than a cell, so that what is near where it begins is all there is.
template <int D>
Vec3 Screens<D>::end_of_way(const Event& from, const Event& to) const {
  const Vec3 all = to.x - from.x;
  const int pieces = 1 + static_cast<int>(std::min(
                             all.norm() / static_cast<double>(frame_.cell_size), most_pieces));
  const auto after = [&](int piece) {
    const double part = static_cast<double>(piece) / pieces;
    return Event{from.x + part * all, from.before + part * (to.before - from.before)};
  };
  for (int piece = 0; piece < pieces; ++piece) {
    const Event first = after(piece), last = after(piece + 1);
    double part = 1;
    Vec3 end = last.x;
    for (const std::uint32_t name : near(first.x)) {
      const Vec3 start = in_frame(name, first), whole = in_frame(name, last) - start;
      const auto met = first_part(name, start, start + whole);
      if (!met || !(*met < part)) continue;
      part = *met;
      end = start + most_of_way * part * whole -
            to.before * way(name);  // From there on along with it.
    }
    if (part < 1) return end;
  }
  return to.x;
}

template <int D>
Vec3 Screens<D>::before_surface(Near near, const Event& at) const {
  Event moved = at;
  for (const std::uint32_t name : near) {
    if (!is_obstacle(name)) break;
    const geometry::SignedDistance surface =
        geometry::signed_distance(obstacles_[name].shape, in_frame(name, moved));
    if (surface.distance > 0) continue;
    Vec3 out = (before_surfaces * frame_.cell_size - surface.distance) * surface.normal;
    if constexpr (D == 2) out.y() = 0;
    moved.x += out;
  }
  return moved.x;
}

template <int D>
std::vector<std::uint32_t> Screens<D>::close_to(Near near, const Event& at) const {
  const double edge = frame_.cell_size;
  std::vector<std::uint32_t> close;
  for (const std::uint32_t name : near) {
    const Vec3 x = in_frame(name, at);
    if (is_obstacle(name)) {
      if (geometry::signed_distance(obstacles_[name].shape, x).distance <= std::sqrt(D) * edge)
        close.push_back(name);
      continue;
    }
    const Placed& placed = facet(name);
    const bool is_near = (x.array() >= placed.lower.array() - edge).all() &&
                         (x.array() <= placed.upper.array() + edge).all() &&
                         std::abs(placed.normal.dot(x - placed.facet.corners[0])) <=
                             edge * placed.normal.template lpNorm<1>();
    if (is_near) close.push_back(name);
  }
  return close;
}

template <int D>
bool Screens<D>::hides(Near near, const Event& from, const Event& to) const {
  return std::ranges::any_of(near, [&](std::uint32_t name) {
    return first_part(name, in_frame(name, from), in_frame(name, to)).has_value();
  });
}

// The facets within a cell of a place that are across from it, and the nearest one: one of each
// surface.
template <int D>
auto Screens<D>::surfaces_at(Near near, const Event& at) const -> std::vector<Surface> {
  std::vector<std::pair<double, Surface>> found;  // By the distance without its sign.
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t name : near) {
    if (is_obstacle(name)) continue;
    const Placed& placed = facet(name);
    const auto& [a, b, c] = placed.facet.corners;
    const Vec3 x = in_frame(name, at);
    const double height = placed.normal.dot(x - a);
    if (std::abs(height) > static_cast<double>(frame_.cell_size)) continue;
    const Vec3 to = x - geometry::nearest_point({a, b, c}, x).position;
    const double distance = to.norm();
    if (distance > static_cast<double>(frame_.cell_size)) continue;
    const bool is_across = std::abs(height) >= least_across * distance;
    if (!is_across && !(distance < nearest)) continue;
    nearest = std::min(nearest, distance);
    found.push_back({distance, {height, placed.normal, &placed.facet}});
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<Surface> surfaces;
  for (const auto& [distance, surface] : found) {
    const bool is_new = std::ranges::none_of(surfaces, [&](const Surface& other) {
      return std::abs(other.normal.dot(surface.normal)) > least_alike;
    });
    const bool is_across = std::abs(surface.distance) >= least_across * distance;
    if (is_new && (is_across || surfaces.empty())) surfaces.push_back(surface);
  }
  return surfaces;
}

template <int D>
Vec3 Screens<D>::leave(Near near, const Event& at, const Vec3& velocity) const {
  Vec3f left = velocity.cast<float>();
  for (const std::uint32_t name : near) {
    if (!is_obstacle(name)) break;
    geometry::SignedDistance surface =
        geometry::signed_distance(obstacles_[name].shape, in_frame(name, at));
    if (surface.distance > static_cast<double>(frame_.cell_size)) continue;
    if constexpr (D == 2) {
      surface.normal.y() = 0;
      const double in_plane = surface.normal.norm();
      if (in_plane < least_in_plane) continue;
      surface.normal /= in_plane;
    }
    left = resolve(left, surface.normal.cast<float>(), obstacles_[name]);
  }
  Vec3 of_facets = left.cast<double>();
  for (const Surface& surface : surfaces_at(near, at)) {
    if (surface.facet->sticks) return surface.facet->velocity;
    // Towards the place, whichever side that is on.
    const Vec3 out = surface.distance < 0 ? Vec3(-surface.normal) : surface.normal;
    of_facets -= std::min(0.0, out.dot(of_facets - surface.facet->velocity)) * out;
  }
  return of_facets;
}

template <int D>
std::optional<float> Screens<D>::room(Near near, const Vec3& x) const {
  const std::vector<Surface> surfaces = surfaces_at(near, {x, 0});
  if (surfaces.empty()) return std::nullopt;
  double room = 1;
  for (const Surface& surface : surfaces)
    room *= 1 - tent_beyond(surface.distance / static_cast<double>(frame_.cell_size));
  return static_cast<float>(room);
}

template <int D>
void Screens<D>::take_room(const Tiles<D>& tiles, Array<float>& room) const {
  parallel::parallel_for(0, static_cast<std::int64_t>(in_tiles_.size()), screens_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             if (in_tiles_[tile] == nullptr) continue;
                             for (std::size_t i = tile * tile_size<D>;
                                  i < (tile + 1) * tile_size<D>; ++i) {
                               const Vec3 middle = place(tiles.cell(i), Vec<D>::Constant(0.5F));
                               if (const auto left = this->room(near(i), middle)) room[i] *= *left;
                             }
                           }
                         });
}

template bool is_thin<2>(const geometry::Shape&, double);
template bool is_thin<3>(const geometry::Shape&, double);
template class Screens<2>;
template class Screens<3>;

}  // namespace sluice::fluid::grid
