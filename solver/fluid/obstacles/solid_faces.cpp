// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/obstacles/solid_faces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/obstacles/obstacle_velocity.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/obstacles/shape_cover.h"
#include "solver/fluid/obstacles/tent.h"
#include "solver/fluid/obstacles/wet.h"
#include "solver/geometry/shape_chord.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t solid_faces_grain = 2;  // Tiles.

// [cells] An obstacle further from a tile than this is in reach of none of its faces and cells.
constexpr float reach_of_cells = 1;

// Part of a face: less is rounding, and would leave a cell tied to another by next to nothing.
constexpr double least_open_face = 1e-5;

// A part of the thickness from which on a plate covers faces whole: what rounding may make of it.
constexpr double plate_rounding = 1e-6;

}  // namespace

bool are_at_one_place(const scene::Obstacle& a, const scene::Obstacle& b) {
  return a.shape.translation == b.shape.translation && a.shape.rotation == b.shape.rotation;
}

template <int D>
float velocity_of_wall(const Sides<D>& sides, const Cell<D>& face, int axis, std::size_t across) {
  const scene::SideVelocity& side = sides.velocity[across][face[across] > 0 ? 1 : 0];
  double velocity = side.velocity[world_axis<D>(axis)];
  for (std::size_t along = 0; side.is_parabolic && along < D; ++along) {
    if (along == across) continue;
    const double middle = static_cast<int>(along) == axis ? 0 : 0.5;
    const double part = std::clamp((face[along] + middle) / sides.cells[along], 0.0, 1.0);
    velocity *= 4 * part * (1 - part);
  }
  return static_cast<float>(velocity);
}

template <int D>
void SolidFaces<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  const bool are_same = std::ranges::equal(obstacles, obstacles_, are_at_one_place);
  obstacles_.assign(obstacles.begin(), obstacles.end());
  all_.resize(obstacles_.size());
  std::iota(all_.begin(), all_.end(), 0U);
  is_thin_.clear();
  for (const scene::Obstacle& obstacle : obstacles_)
    is_thin_.push_back(is_thin<D>(obstacle.shape, frame_.cell_size) ? 1 : 0);
  has_thin_ = std::ranges::find(is_thin_, 1) != is_thin_.end();
  if (are_same) return;
  block_of_.clear();
  blocks_.clear();
}

template <int D>
auto SolidFaces<D>::obstacles_near(std::size_t tile) const noexcept -> const ObstacleList& {
  if (tile >= block_of_.size()) return all_;
  return block_of_[tile] == nullptr ? none_ : block_of_[tile]->near;
}

template <int D>
void SolidFaces<D>::find(MacGrid<D>& grid) {
  const Tiles<D>& tiles = grid.tiles;
  find_blocks(tiles);
  grid.is_clear.assign(tiles.count() + 1, 0);
  for (std::size_t axis = 0; axis < D; ++axis) {
    grid.open[axis].assign(tiles.array_size(), 0);
    grid.parted[axis].assign(has_thin_ ? tiles.array_size() : 0, 0);
    grid.solid_flow[axis].assign(has_moving() ? tiles.array_size() : 0, 0);
  }
  grid.room.assign(tiles.array_size(), 1);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.count()), 16, [&](std::int64_t begin, std::int64_t end) {
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          const std::size_t first = tile * tile_size<D>;
          const Block* const block = block_of_[tile];
          grid.is_clear[tile] = block == nullptr ? 1 : 0;
          if (block != nullptr) std::ranges::copy(block->room, grid.room.data() + first);
          for (std::size_t axis = 0; axis < D; ++axis) {
            float* const open = grid.open[axis].data() + first;
            if (block == nullptr) {
              std::fill_n(open, tile_size<D>, 1.0F);
              continue;
            }
            std::ranges::copy(block->open[axis], open);
            if (has_thin_) std::ranges::copy(block->parted[axis], grid.parted[axis].data() + first);
            if (grid.solid_flow[axis].empty()) continue;
            for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
              if (!(open[cell] < 1)) continue;
              grid.solid_flow[axis][first + cell] =
                  (1 - open[cell]) *
                  solid_velocity(block->near, tiles.cell(first + cell), static_cast<int>(axis));
            }
          }
        }
      });
}

// Looks up what was made before, and makes what is new.
template <int D>
void SolidFaces<D>::find_blocks(const Tiles<D>& tiles) {
  block_of_.assign(tiles.count(), nullptr);
  std::vector<std::size_t> missing;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    const auto found = blocks_.find(tiles.coordinates(tile));
    if (found == blocks_.end()) {
      missing.push_back(tile);
    } else {
      block_of_[tile] = found->second.get();
    }
  }
  std::vector<std::unique_ptr<Block>> made(missing.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(made.size()), solid_faces_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             made[i] = make_block(tiles.first_cell(missing[i]));
                         });
  for (std::size_t i = 0; i < made.size(); ++i) {
    block_of_[missing[i]] = made[i].get();
    blocks_.emplace(tiles.coordinates(missing[i]), std::move(made[i]));
  }
}

template <int D>
void SolidFaces<D>::find_grip(MacGrid<D>& grid) const {
  const Tiles<D>& tiles = grid.tiles;
  for (Array<float>& edges : grid.grip)
    edges.assign(tiles.array_size(), 1);
  const bool clings = sides_.wall == scene::WallCondition::no_slip;
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.count()), solid_faces_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<std::array<float, padded_size<D>>, D> open;
        for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
             ++tile) {
          if (block_of_[tile] == nullptr) continue;
          const Surroundings<D> around(tiles, tile);
          for (std::size_t axis = 0; axis < D; ++axis)
            around.load(grid.open[axis].data(), open[axis].data());
          for (std::size_t i = 0; i < tile_size<D>; ++i) {
            const Cell<D> edge = tiles.cell(tile * tile_size<D> + i);
            const std::size_t here = padded_index<D>(local_cell<D>(i));
            for (std::size_t a = 0; a < D; ++a) {
              for (std::size_t b = a + 1; b < D; ++b) {
                float& grip = grid.grip[plane_of<D>(a, b)][tile * tile_size<D> + i];
                if (is_on_wall(edge, a) || is_on_wall(edge, b)) {
                  grip = clings ? 2.0F : 0.0F;
                  continue;
                }
                const bool is_open = open[a][here] > 0 && open[b][here] > 0 &&
                                     open[a][here - padded_stride<D>(static_cast<int>(b))] > 0 &&
                                     open[b][here - padded_stride<D>(static_cast<int>(a))] > 0;
                if (is_open) continue;
                const auto condition = condition_at(block_of_[tile]->near, edge, a, b);
                if (condition != scene::WallCondition::no_slip) grip = 0;
              }
            }
          }
        }
      });
}

template <int D>
void SolidFaces<D>::constrain(MacGrid<D>& grid) const {
  const Tiles<D>& tiles = grid.tiles;
  std::vector<std::size_t> near;
  for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
    if (block_of_[tile] != nullptr) near.push_back(tile);
  }
  // From the velocities as they were, to others: aside at first.
  using Values = std::array<std::array<float, tile_size<D>>, D>;
  std::vector<Values> values(near.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(near.size()), solid_faces_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          for (std::size_t axis = 0; axis < D; ++axis) {
            for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
              const std::size_t face = near[i] * tile_size<D> + cell;
              float velocity = grid.velocity[axis][face];
              if (!(grid.open[axis][face] > 0)) {
                velocity = along_solid(grid, block_of_[near[i]]->near, tiles.cell(face),
                                       static_cast<int>(axis), velocity);
              }
              values[i][axis][cell] = velocity;
            }
          }
        }
      });
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      std::copy(values[i][axis].begin(), values[i][axis].end(),
                grid.velocity[axis].begin() + static_cast<std::ptrdiff_t>(near[i] * tile_size<D>));
    }
  }
}

// Null where all faces around the tile's cells are open.
template <int D>
auto SolidFaces<D>::make_block(const Cell<D>& first) const -> std::unique_ptr<Block> {
  const Vec3 middle = place(first, Vec<D>::Constant(0.5F * tile_edge<D>));
  const double reach =
      frame_.cell_size * (0.5 * std::sqrt(static_cast<double>(D)) * tile_edge<D> + reach_of_cells);
  ObstacleList near;
  for (const std::uint32_t o : all_) {
    if (geometry::signed_distance(obstacles_[o].shape, middle).distance <= reach) near.push_back(o);
  }
  if (near.empty() && is_clear_of_walls(first)) return nullptr;
  auto block = std::make_unique<Block>();
  block->near = std::move(near);
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    Cell<D> at = local_cell<D>(cell);
    for (std::size_t axis = 0; axis < D; ++axis)
      at[axis] += first[axis];
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      block->open[a][cell] = open_part(block->near, at, axis);
      const bool is_parted =
          std::ranges::any_of(block->near, [&](std::uint32_t o) { return parts(o, at, axis); });
      block->parted[a][cell] = is_parted ? 1 : 0;
    }
    block->room[cell] = room_at(block->near, at);
  }
  return block;
}

// Whether walls leave all faces around the cells of a tile open.
template <int D>
bool SolidFaces<D>::is_clear_of_walls(const Cell<D>& first) const noexcept {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides_.is_wall[axis][0] && first[axis] < 1) return false;
    if (sides_.is_wall[axis][1] && first[axis] + tile_edge<D> >= sides_.cells[axis]) return false;
  }
  return true;
}

// Whether an axis's face is in or behind one of the two walls across another axis, or the same.
template <int D>
bool SolidFaces<D>::is_behind_wall(const Cell<D>& cell, int axis, std::size_t across) const {
  const std::int32_t first_before = static_cast<int>(across) == axis ? 1 : 0;
  return (sides_.is_wall[across][0] && cell[across] < first_before) ||
         (sides_.is_wall[across][1] && cell[across] >= sides_.cells[across]);
}

// Whether an edge on the lower side of a cell is on or behind one of the walls across an axis.
template <int D>
bool SolidFaces<D>::is_on_wall(const Cell<D>& cell, std::size_t across) const {
  return (sides_.is_wall[across][0] && cell[across] < 1) ||
         (sides_.is_wall[across][1] && cell[across] >= sides_.cells[across]);
}

// The condition of the obstacle nearest to the middle of an edge.
template <int D>
scene::WallCondition SolidFaces<D>::condition_at(const ObstacleList& near, const Cell<D>& edge,
                                                 std::size_t a, std::size_t b) const {
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[static_cast<int>(a)] = within[static_cast<int>(b)] = 0;
  const Vec3 x = place(edge, within);
  double least = std::numeric_limits<double>::infinity();
  auto condition = scene::WallCondition::no_slip;
  for (const std::uint32_t o : near) {
    const double distance = geometry::signed_distance(obstacles_[o].shape, x).distance;
    if (!(distance < least)) continue;
    least = distance;
    condition = obstacles_[o].wall;
  }
  return condition;
}

// Exact for walls; for obstacles as if they were half-spaces along the cells.
template <int D>
float SolidFaces<D>::room_at(const ObstacleList& near, const Cell<D>& cell) const {
  double room = 1;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const double middle = cell[axis] + 0.5;
    if (sides_.is_wall[axis][0]) room *= 1 - tent_beyond(middle);
    if (sides_.is_wall[axis][1]) room *= 1 - tent_beyond(sides_.cells[axis] - middle);
  }
  const Vec3 x = place(cell, Vec<D>::Constant(0.5F));
  for (const std::uint32_t o : near) {
    const double distance = geometry::signed_distance(obstacles_[o].shape, x).distance;
    room *= 1 - tent_beyond(distance / static_cast<double>(frame_.cell_size));
  }
  return static_cast<float>(room);
}

template <int D>
float SolidFaces<D>::open_part(const ObstacleList& near, const Cell<D>& cell, int axis) const {
  for (std::size_t across = 0; across < D; ++across) {
    if (is_behind_wall(cell, axis, across)) return 0;
  }
  double open = 1;
  for (const std::uint32_t o : near)
    open -= covered(o, cell, axis);
  return open < least_open_face ? 0.0F : static_cast<float>(open);
}

template <int D>
double SolidFaces<D>::covered(std::uint32_t obstacle, const Cell<D>& cell, int axis) const {
  if (parts(obstacle, cell, axis)) return 1;
  return covered_part<D>(obstacles_[obstacle].shape, frame_, depth_, cell, axis);
}

// With t the thickness of a plate and n its normal, all in cells: a way between cells' middles that
// leads through the plate goes through a face that is no further than (|n|_1 - |n_axis|) / 2 across
// from where it is in the middle of the plate, and |n_axis| / 2 along. The plate covers that face
// whole if t >= |n|_1. A thinner one closes all faces that the line goes through in it. Where a
// line grazes something round, or cuts a corner, the normals at its ends are much the same, and it
// is no plate there.
template <int D>
bool SolidFaces<D>::parts(std::uint32_t obstacle, const Cell<D>& face, int axis) const {
  if (is_thin_[obstacle] == 0) return false;
  const geometry::Shape& shape = obstacles_[obstacle].shape;
  Cell<D> lower = face;
  --lower[static_cast<std::size_t>(axis)];
  const Vec3 from = place(lower, Vec<D>::Constant(0.5F)), to = place(face, Vec<D>::Constant(0.5F));
  const auto chord = geometry::chord_in(shape, from, to);
  if (!chord || chord->last < 0 || chord->first > 1) return false;
  if (chord->first <= 0 && chord->last >= 1) return true;
  const auto normal_at = [&](double part) {
    return geometry::signed_distance(shape, from + part * (to - from)).normal;
  };
  const Vec3 in = normal_at(chord->first), out = normal_at(chord->last);
  if (!(in.dot(out) < 0)) return false;
  const Vec3 across = (out - in).normalized();
  const double thickness = (chord->last - chord->first) * std::abs(across[world_axis<D>(axis)]);
  double most = 0;
  for (int a = 0; a < D; ++a)
    most += std::abs(across[world_axis<D>(a)]);
  return thickness <= most * (1 + plate_rounding);
}

template <int D>
bool SolidFaces<D>::sticks_to_wall(const Cell<D>& face, std::size_t across) const {
  return sides_.wall == scene::WallCondition::no_slip ||
         has_flow_through<D>(sides_, across, face[across] > 0 ? 1 : 0);
}

template <int D>
Drag SolidFaces<D>::drag_of_wall(const Cell<D>& face, int axis, std::size_t side) const {
  const std::size_t across = side / 2;
  Cell<D> next = face;
  next[across] += side % 2 == 0 ? -1 : 1;
  if (!is_behind_wall(next, axis, across)) return {};
  if (static_cast<int>(across) == axis) return {1, velocity_of_wall<D>(sides_, next, axis, across)};
  if (!sticks_to_wall(next, across)) return {};
  return {2, velocity_of_wall<D>(sides_, next, axis, across)};
}

template <int D>
float SolidFaces<D>::distance_to_sticky(std::size_t tile, const Cell<D>& face, int axis,
                                        float& velocity) const {
  float distance = std::numeric_limits<float>::infinity();
  if (block_of_[tile] == nullptr) return distance;
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[axis] = 0;
  const Vec3 x = place(face, within);
  for (const std::uint32_t o : block_of_[tile]->near) {
    const scene::Obstacle& obstacle = obstacles_[o];
    if (obstacle.wall != scene::WallCondition::no_slip) continue;
    const double away = geometry::signed_distance(obstacle.shape, x).distance;
    const auto in_cells = static_cast<float>(away / static_cast<double>(frame_.cell_size));
    if (!(in_cells < distance)) continue;
    distance = in_cells;
    velocity = static_cast<float>(obstacle.velocity[world_axis<D>(axis)]);
  }
  return distance;
}

// The velocity of the wall, or of the obstacle that covers most of the face.
template <int D>
float SolidFaces<D>::solid_velocity(const ObstacleList& near, const Cell<D>& cell, int axis) const {
  for (std::size_t across = 0; across < D; ++across) {
    if (is_behind_wall(cell, axis, across)) return velocity_of_wall<D>(sides_, cell, axis, across);
  }
  double most = 0;
  float velocity = 0;
  for (const std::uint32_t o : near) {
    const scene::Obstacle& obstacle = obstacles_[o];
    const double part = covered(o, cell, axis);
    if (!(part > most)) continue;
    most = part;
    velocity = static_cast<float>(obstacle.velocity[world_axis<D>(axis)]);
  }
  return velocity;
}

template <int D>
float SolidFaces<D>::along_solid(const MacGrid<D>& grid, const ObstacleList& near,
                                 const Cell<D>& cell, int axis, float velocity) const {
  for (std::size_t across = 0; across < D; ++across) {
    if (!is_behind_wall(cell, axis, across)) continue;
    if (static_cast<int>(across) == axis) return across_wall(grid, cell, axis, velocity);
    // The mirror image of what is before the wall, or its opposite, with the wall's between them.
    return sticks_to_wall(cell, across)
               ? 2 * velocity_of_wall<D>(sides_, cell, axis, across) - velocity
               : velocity;
  }
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[axis] = 0;
  const Vec3 x = place(cell, within);
  const scene::Obstacle* nearest = nullptr;
  geometry::SignedDistance surface{std::numeric_limits<double>::infinity(), Vec3::Zero()};
  for (const std::uint32_t o : near) {
    const geometry::SignedDistance other = geometry::signed_distance(obstacles_[o].shape, x);
    if (!(other.distance < surface.distance)) continue;
    surface = other;
    nearest = &obstacles_[o];
  }
  if (nearest == nullptr) return velocity;
  const Vec<D> flow = velocity_at(frame_, grid, x.cast<float>());
  Vec3f around = Vec3f::Zero();
  for (int a = 0; a < D; ++a)
    around[world_axis<D>(a)] = flow[a];
  around[world_axis<D>(axis)] = velocity;
  const Vec3f normal = surface.normal.cast<float>();
  Vec3f along = resolve(around, normal, *nearest);
  if (is_wet<D>(grid, cell, static_cast<std::size_t>(axis))) {
    // Liquid that is pressed to it goes neither in nor out. If it kept what leads out, the noise of
    // particles near it would be rectified, and drive still water about.
    const Vec3f own = nearest->velocity.template cast<float>();
    along -= std::max(0.0F, (along - own).dot(normal)) * normal;
  } else if (nearest->wall == scene::WallCondition::no_slip) {
    along += std::max(0.0F, (around - along).dot(normal)) * normal;  // Clinging fluid may leave.
  }
  return along[world_axis<D>(axis)];
}

// The wall's, but where nothing but air, or what flies in it, is next to it: that may leave.
template <int D>
float SolidFaces<D>::across_wall(const MacGrid<D>& grid, const Cell<D>& face, int axis,
                                 float velocity) const {
  const auto across = static_cast<std::size_t>(axis);
  const float of_wall = velocity_of_wall<D>(sides_, face, axis, across);
  const bool is_lower = face[across] <= 0;
  const bool is_leaving = is_lower ? velocity > of_wall : velocity < of_wall;
  Cell<D> on_wall = face;
  on_wall[across] = is_lower ? 0 : sides_.cells[across];
  return is_leaving && !is_wet<D>(grid, on_wall, across) ? velocity : of_wall;
}

template <int D>
Vec3 SolidFaces<D>::place(const Cell<D>& cell, const Vec<D>& within) const {
  return frame_.place(cell, within, depth_);
}

template <int D>
bool SolidFaces<D>::has_moving() const noexcept {
  for (const auto& sides : sides_.velocity) {
    for (const scene::SideVelocity& side : sides) {
      if (!side.velocity.isZero(0)) return true;
    }
  }
  return std::ranges::any_of(
      obstacles_, [](const scene::Obstacle& obstacle) { return !obstacle.velocity.isZero(0); });
}

template float velocity_of_wall<2>(const Sides<2>&, const Cell<2>&, int, std::size_t);
template float velocity_of_wall<3>(const Sides<3>&, const Cell<3>&, int, std::size_t);
template class SolidFaces<2>;
template class SolidFaces<3>;

}  // namespace sluice::fluid::grid
