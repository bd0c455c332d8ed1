// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/node_boundary.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/mpm/node_bits.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/vectors.h"

namespace sluice::fluid {

using namespace simd;

namespace {

constexpr std::int64_t node_boundary_grain = 16;
constexpr std::int64_t copies_at_once = 1024;

template <typename Body>
void for_each_block(Grid& grid, Body&& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.block_count()), node_boundary_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto b = first; b < last; ++b) {
                             const auto block = static_cast<std::size_t>(b);
                             body(grid.keys()[block], grid.nodes(block));
                           }
                         });
}

// Turns (momentum, mass) into (velocity, mass).
Float4 with_velocity(Float4 node) {
  const float mass = node[3];
  // A mass that is no number divides too, and shows.
  return mass <= least_mass ? splat(0) : with_lane3(node * splat(1 / mass), mass);
}

// Whether nodes of the block may be images of others that are near an obstacle.
bool has_periodic_images(const Boundary& boundary, std::uint64_t block_key) {
  if (boundary.obstacles().empty()) return false;
  const GridFrame& frame = boundary.frame();
  const auto base = frame.block_base(block_key);
  for (std::size_t a = 0; a < 3; ++a) {
    if (frame.sides[a][0] != scene::Side::periodic) continue;
    if (base[a] < GridFrame::wall_lower || base[a] + block_edge > frame.wall_upper[a]) return true;
  }
  return false;
}

// Where a block's node is, in grid coordinates.
Vec3 place_of(const GridFrame& frame, std::uint64_t key, std::size_t node) {
  const auto base = frame.block_base(key);
  const auto local = node_of_bit(static_cast<int>(node));
  return {static_cast<double>(base[0] + local[0]), static_cast<double>(base[1] + local[1]),
          static_cast<double>(base[2] + local[2])};
}

// The same node in grid coordinates, of the periodic row of domains in this one: both images of a
// node meet the same obstacles.
Vec3 inside_period(const GridFrame& frame, Vec3 X) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (frame.sides[a][0] != scene::Side::periodic) continue;
    const int period = frame.wall_upper[a] - GridFrame::wall_lower;
    if (X[axis] < GridFrame::wall_lower) X[axis] += period;
    if (X[axis] >= frame.wall_upper[a]) X[axis] -= period;
  }
  return X;
}

void stop_at_obstacles(const Boundary& boundary, const ObstacleList& near, const Vec3& X,
                       Float4& node) {
  const Vec3 x = boundary.in_world(inside_period(boundary.frame(), X));
  for (const std::uint32_t o : near) {
    const geometry::SignedDistance surface = boundary.surface_at(o, x);
    if (surface.distance > 0) continue;
    const Vec3f w =
        boundary.stopped_by(o, surface.normal.cast<float>(), Vec3f(node[0], node[1], node[2]));
    node = Float4{w[0], w[1], w[2], node[3]};
  }
}

void find_velocities(const Boundary& boundary, Grid& grid) {
  for_each_block(grid, [&](std::uint64_t key, NodeBlock& nodes) {
    for (Float4& node : nodes)
      node = with_velocity(node);
    // Only the nodes themselves tell which obstacles their images are near.
    ObstacleList near =
        has_periodic_images(boundary, key) ? boundary.all() : boundary.obstacles_near_nodes(key, 0);
    if (boundary.has_smooth_obstacles())
      std::erase_if(near, [&](std::uint32_t o) { return !boundary.is_rough(o); });
    if (near.empty()) return;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      stop_at_obstacles(boundary, near, place_of(boundary.frame(), key, n), nodes[n]);
  });
}

// Copies stand before the walls, where their images have been folded to already.
void find_copies_velocities(const Boundary& boundary, Grid& grid) {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.copies().size()), copies_at_once,
      [&](std::int64_t first, std::int64_t last) {
        for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
          Float4& copy = grid.copies()[c];
          copy = with_velocity(copy);
          // ObstacleNodes does the others.
          if (boundary.obstacles().empty() || grid.is_behind()[c] != 0) continue;
          const std::uint32_t node = grid.copied_nodes()[c];
          const Vec3 place =
              place_of(boundary.frame(), grid.keys()[node / block_nodes], node % block_nodes);
          stop_at_obstacles(boundary, boundary.all(), place, copy);
        }
      });
}

}  // namespace

void solve_nodes(const Substep& step, const Boundary& boundary, const HeldNodes& held,
                 ObstacleNodes& obstacle_nodes, Grid& grid) {
  GridSides sides(boundary.frame(), step.wall, held, grid);
  sides.fold();
  find_velocities(boundary, grid);
  find_copies_velocities(boundary, grid);
  obstacle_nodes.solve(step, boundary, grid);
  sides.draw();
}

void image_masses(const GridFrame& frame, scene::WallCondition wall, Grid& grid) {
  const HeldNodes all_held;
  GridSides sides(frame, wall, all_held, grid);
  sides.fold();
  sides.draw();
}

void leave_obstacles(float h, const Boundary& boundary, const ParticleBlocks& blocks,
                     Particles& particles) {
  if (boundary.obstacles().empty()) return;
  parallel::parallel_for(0, static_cast<std::int64_t>(blocks.blocks.size()), node_boundary_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto b = static_cast<std::size_t>(first);
                                b < static_cast<std::size_t>(last); ++b) {
                             const ParticleBlock& block = blocks.blocks[b];
                             const ObstacleList near = boundary.obstacles_near_particles(block.key);
                             if (near.empty()) continue;
                             for (std::uint32_t o = block.first; o < block.last; ++o)
                               boundary.leave_on_way(h, near, blocks.order[o], particles);
                           }
                         });
}

}  // namespace sluice::fluid
