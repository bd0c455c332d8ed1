// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/boundary.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/obstacle_nodes.h"
#include "solver/fluid/obstacle_velocity.h"
#include "solver/geometry/endless_shape.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 16;
constexpr std::int64_t copies_at_once = 1024;

// [kg] Nodes lighter than this have weights so small that their momentum is a few denormals: they
// stand still.
constexpr float least_mass = 1e-30F;

// Cells that particles are kept outside an obstacle, as from the walls (grid_frame.cpp).
constexpr double obstacle_margin = 1e-3;

// Of a unit normal: what has less in the plane has its surface across it.
constexpr double least_in_plane = 1e-3;

template <typename Body>
void for_each_block(Grid& grid, Body&& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.block_count()), blocks_at_once,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto b = first; b < last; ++b) {
                             const auto block = static_cast<std::size_t>(b);
                             body(grid.keys()[block], grid.nodes(block));
                           }
                         });
}

// Of (momentum, mass), (velocity, mass).
Float4 velocity_of(Float4 node) {
  const float mass = node[3];
  // A mass that is no number divides too, and shows.
  return mass <= least_mass ? splat(0) : with_lane3(node * splat(1 / mass), mass);
}

// The walls of the domain where they have friction.
std::vector<scene::Obstacle> rough_sides_of(const scene::Scene& scene) {
  std::vector<scene::Obstacle> rough;
  if (scene.grid.wall != scene::WallCondition::friction) return rough;
  const GridFrame frame(scene);
  for (int axis = 0; axis < 3; ++axis) {
    if (frame.is_across(axis)) continue;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      if (scene.grid.sides[static_cast<std::size_t>(axis)][side] != scene::Side::wall) continue;
      const Vec3 inwards = (side == 0 ? 1 : -1) * Vec3::Unit(axis);
      scene::Obstacle wall;
      wall.shape.form = geometry::HalfSpace{};
      wall.shape.rotation =
          Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), inwards).toRotationMatrix();
      wall.shape.translation = (side == 0 ? frame.lower : frame.upper).cast<double>();
      wall.wall = scene::WallCondition::friction;
      wall.friction = scene.grid.wall_friction;
      rough.push_back(wall);
    }
  }
  return rough;
}

// What an obstacle leaves of the velocity of something that may leave it: what is out of it.
Vec3f stopped(const Vec3f& velocity, const Vec3f& normal, const scene::Obstacle& obstacle) {
  const Vec3f left = resolve(velocity, normal, obstacle);
  if (obstacle.wall != scene::WallCondition::no_slip) return left;
  const float across = normal.dot(velocity - left);
  return across > 0 ? Vec3f(left + across * normal) : left;
}

}  // namespace

Boundary::Boundary(const scene::Scene& scene, const GridFrame& frame)
    : frame_(frame),
      origin_(scene.domain_lower - Vec3::Constant(GridFrame::wall_lower * scene.grid.cell_size)),
      cell_size_(scene.grid.cell_size),
      wall_(scene.grid.wall),
      rough_sides_(rough_sides_of(scene)),
      all_(scene.obstacles.size() + rough_sides_.size()) {
  std::iota(all_.begin(), all_.end(), 0U);
  set_obstacles(scene.obstacles);
}

void Boundary::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  obstacles_.assign(obstacles.begin(), obstacles.end());
  obstacles_.insert(obstacles_.end(), rough_sides_.begin(), rough_sides_.end());
  if (frame_.is_flat) {
    const Vec3 plane(0, static_cast<double>(frame_.plane), 0);
    for (scene::Obstacle& obstacle : obstacles_)
      obstacle.shape = geometry::endless_along(obstacle.shape, Vec3::UnitY(), plane);
  }
  ways_.set(obstacles_);
  const auto is_periodic = [](const auto& of_axis) { return of_axis[0] == scene::Side::periodic; };
  has_smooth_ = std::ranges::none_of(frame_.sides, is_periodic) &&
                std::ranges::any_of(all_, [this](std::uint32_t o) { return !is_rough(o); });
}

void Boundary::solve_nodes(float h, const HeldNodes& held, ObstacleNodes& obstacle_nodes,
                           Grid& grid) const {
  GridSides sides(frame_, wall_, held, grid);
  sides.fold();
  find_velocities(grid);
  find_copies_velocities(grid);
  obstacle_nodes.solve(h, *this, grid);
  sides.draw();
}

void Boundary::image_masses(Grid& grid) const {
  const HeldNodes all_held;
  GridSides sides(frame_, wall_, all_held, grid);
  sides.fold();
  sides.draw();
}

void Boundary::find_velocities(Grid& grid) const {
  for_each_block(grid, [&](std::uint64_t key, NodeBlock& nodes) {
    for (Float4& node : nodes)
      node = velocity_of(node);
    // What images are near, only the nodes themselves tell.
    ObstacleList near = has_periodic_images(key) ? all_ : obstacles_near_nodes(key, 0);
    if (has_smooth_) std::erase_if(near, [this](std::uint32_t o) { return !is_rough(o); });
    if (near.empty()) return;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      stop_at_obstacles(near, place_of(key, n), nodes[n]);
  });
}

// Copies stand before the walls, where their images have been folded to already.
void Boundary::find_copies_velocities(Grid& grid) const {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(grid.copies().size()), copies_at_once,
      [&](std::int64_t first, std::int64_t last) {
        for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
          Float4& copy = grid.copies()[c];
          copy = velocity_of(copy);
          const std::uint32_t node = grid.copied_nodes()[c];
          if (!obstacles_.empty())
            stop_at_obstacles(all_, place_of(grid.keys()[node / block_nodes], node % block_nodes),
                              copy);
        }
      });
}

// Whether nodes of the block may be images of others that are near an obstacle.
bool Boundary::has_periodic_images(std::uint64_t block_key) const noexcept {
  if (obstacles_.empty()) return false;
  const auto base = frame_.block_base(block_key);
  for (std::size_t a = 0; a < 3; ++a) {
    if (frame_.sides[a][0] != scene::Side::periodic) continue;
    if (base[a] < GridFrame::wall_lower || base[a] + block_edge > frame_.wall_upper[a]) return true;
  }
  return false;
}

// Of a block's node, in grid coordinates.
Vec3 Boundary::place_of(std::uint64_t key, std::size_t node) const noexcept {
  const auto base = frame_.block_base(key);
  const auto local = node_of_bit(static_cast<int>(node));
  return {static_cast<double>(base[0] + local[0]), static_cast<double>(base[1] + local[1]),
          static_cast<double>(base[2] + local[2])};
}

void Boundary::stop_at_obstacles(const ObstacleList& near, const Vec3& X,
                                 Float4& node) const noexcept {
  const Vec3 x = in_world(inside_period(X));
  for (const std::uint32_t o : near) {
    const geometry::SignedDistance surface = surface_at(o, x);
    if (surface.distance <= 0) stop_at(o, surface.normal.cast<float>(), node);
  }
}

void Boundary::stop_at(std::uint32_t obstacle, const Vec3f& normal, Float4& node) const noexcept {
  const scene::Obstacle& in = obstacles_[obstacle];
  const Vec3f v(node[0], node[1], node[2]);
  const Vec3f w = normal.isZero(0) ? Vec3f(in.velocity.cast<float>()) : stopped(v, normal, in);
  node = Float4{w[0], w[1], w[2], node[3]};
}

Vec3 Boundary::in_world(const Vec3& X) const noexcept {
  Vec3 x = origin_ + cell_size_ * X;
  if (frame_.is_flat) x.y() = static_cast<double>(frame_.plane);
  return x;
}

// Those closer than `reach` to the cube of a block's nodes `first` to `last`, in cells.
Boundary::ObstacleList Boundary::near_obstacles(std::uint64_t block_key, double first, double last,
                                                double reach) const {
  const auto base = frame_.block_base(block_key);
  const double middle = (first + last) / 2, corner = 1.74 * (last - middle);  // sqrt(3), rounded up
  const Vec3 x = in_world({base[0] + middle, base[1] + middle, base[2] + middle});
  ObstacleList near;
  for (const std::uint32_t o : all_) {
    const double distance = geometry::signed_distance(obstacles_[o].shape, x).distance;
    if (distance <= (corner + reach) * cell_size_) near.push_back(o);
  }
  return near;
}

// The same node in grid coordinates, of the periodic row of domains in this one: both images of a
// node meet the same obstacles.
Vec3 Boundary::inside_period(Vec3 X) const noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (frame_.sides[a][0] != scene::Side::periodic) continue;
    const int period = frame_.wall_upper[a] - GridFrame::wall_lower;
    if (X[axis] < GridFrame::wall_lower) X[axis] += period;
    if (X[axis] >= frame_.wall_upper[a]) X[axis] -= period;
  }
  return X;
}

ObstacleWays::Limits Boundary::way_limits(float h) const noexcept {
  return {h, margin(), frame_.is_flat};
}

double Boundary::margin() const noexcept { return obstacle_margin * cell_size_; }

bool Boundary::is_outside(const Vec3& x) const noexcept {
  return std::all_of(obstacles_.begin(), obstacles_.end(), [&](const scene::Obstacle& obstacle) {
    return geometry::signed_distance(obstacle.shape, x).distance >= obstacle_margin * cell_size_;
  });
}

Boundary::ObstacleList Boundary::obstacles_near_particles(std::uint64_t block_key) const {
  // Particles of a block: at most 2 cells past its last base along each axis, and a cell of motion.
  return near_obstacles(block_key, 0, block_edge + 1, 1 + obstacle_margin);
}

void Boundary::keep_outside(const Vec3f& position, Vec3f& target, Vec3f& velocity) const noexcept {
  keep_outside(all_, position, target, velocity);
}

void Boundary::keep_outside(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                            Vec3f& velocity) const noexcept {
  const Vec3f way = frame_.way_inside(target);
  if (way.isZero(0)) return keep_within_reach(near, position, target, velocity);
  // What is beyond a periodic side meets what is where it will be put back.
  Vec3f inside = target + way;
  keep_within_reach(near, position + way, inside, velocity);
  target = inside - way;
}

void Boundary::keep_within_reach(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                                 Vec3f& velocity) const noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    const float free = target[axis];
    target[axis] =
        std::min(std::max(free, frame_.particle_lower[axis]), frame_.particle_upper[axis]);
    if (target[axis] != free) velocity[axis] = 0;
  }
  leave_obstacles(near, position, target, velocity);
}

void Boundary::send(float h, const Vec3f& velocity, std::size_t i,
                    Particles& particles) const noexcept {
  particles.velocities[i] = velocity;
  particles.targets[i] = particles.positions[i] + h * velocity;
  ways_.bend(way_limits(h), all_, particles.positions[i], particles.targets[i],
             particles.velocities[i]);
  keep_outside(particles.positions[i], particles.targets[i], particles.velocities[i]);
}

void Boundary::leave_obstacles(float h, const ParticleBlocks& blocks, Particles& particles) const {
  if (obstacles_.empty()) return;
  const ObstacleWays::Limits limits = way_limits(h);
  parallel::parallel_for(0, static_cast<std::int64_t>(blocks.blocks.size()), blocks_at_once,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto b = static_cast<std::size_t>(first);
                                b < static_cast<std::size_t>(last); ++b) {
                             const ParticleBlock& block = blocks.blocks[b];
                             const ObstacleList near = obstacles_near_particles(block.key);
                             if (near.empty()) continue;
                             for (std::uint32_t o = block.first; o < block.last; ++o) {
                               const std::size_t i = blocks.order[o];
                               ways_.bend(limits, near, particles.positions[i],
                                          particles.targets[i], particles.velocities[i]);
                               leave_obstacles(near, particles.positions[i], particles.targets[i],
                                               particles.velocities[i]);
                             }
                           }
                         });
}

void Boundary::leave_obstacles(const Vec3f& position, Vec3f& target,
                               Vec3f& velocity) const noexcept {
  leave_obstacles(all_, position, target, velocity);
}

void Boundary::leave_obstacles(const ObstacleList& near, const Vec3f& position, Vec3f& target,
                               Vec3f& velocity) const noexcept {
  if (!leave_once(near, target, velocity)) return;
  // Leaving one obstacle may enter another, and float positions round.
  leave_once(all_, target, velocity);
  const bool is_inside = std::any_of(all_.begin(), all_.end(), [&](std::uint32_t o) {
    return geometry::signed_distance(obstacles_[o].shape, target.cast<double>()).distance < 0;
  });
  if (is_inside) {
    target = position;
    velocity.setZero();
  }
}

geometry::SignedDistance Boundary::surface_at(std::uint32_t obstacle,
                                              const Vec3& x) const noexcept {
  geometry::SignedDistance surface = geometry::signed_distance(obstacles_[obstacle].shape, x);
  if (!frame_.is_flat) return surface;
  const double in_plane = std::hypot(surface.normal.x(), surface.normal.z());
  if (in_plane < least_in_plane) {
    surface.normal.setZero();
    return surface;
  }
  surface.distance /= in_plane;
  surface.normal = Vec3(surface.normal.x(), 0, surface.normal.z()) / in_plane;
  return surface;
}

// Whether there was any to leave.
bool Boundary::leave_once(const ObstacleList& obstacles, Vec3f& target,
                          Vec3f& velocity) const noexcept {
  const double margin = obstacle_margin * cell_size_;
  bool has_left = false;
  for (const std::uint32_t o : obstacles) {
    const geometry::SignedDistance surface = surface_at(o, target.cast<double>());
    if (surface.distance >= margin) continue;
    target = (target.cast<double>() + (1.5 * margin - surface.distance) * surface.normal)
                 .cast<float>()
                 .cwiseMax(frame_.reach_lower)
                 .cwiseMin(frame_.reach_upper);
    velocity = stopped(velocity, surface.normal.cast<float>(), obstacles_[o]);
    has_left = true;
  }
  return has_left;
}

}  // namespace sluice::fluid
