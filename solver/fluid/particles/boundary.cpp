// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/particles/boundary.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solver/fluid/obstacles/in_plane.h"
#include "solver/fluid/obstacles/obstacle_velocity.h"
#include "solver/geometry/endless_shape.h"

namespace sluice::fluid {

namespace {

// Cells that particles are kept outside an obstacle, as from the walls (grid_frame.cpp).
constexpr double obstacle_margin = 1e-3;

// Cells of thickness that no kernel reaches through.
constexpr double thickest_reached = 4;

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

// The velocity that an obstacle leaves to something that may leave the obstacle: the part that
// leads out of it stays.
Vec3f stopped(const Vec3f& velocity, const Vec3f& normal, const scene::Obstacle& obstacle) {
  Vec3f left = resolve(velocity, normal, obstacle);
  if (obstacle.wall != scene::WallCondition::no_slip) return left;
  const float across = normal.dot(velocity - left);
  return across > 0 ? Vec3f(left + across * normal) : left;
}

}  // namespace

Boundary::Boundary(const scene::Scene& scene, const GridFrame& frame)
    : frame_(frame),
      origin_(scene.domain_lower - Vec3::Constant(GridFrame::wall_lower * scene.grid.cell_size)),
      cell_size_(scene.grid.cell_size),
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
  if (std::ranges::any_of(frame_.sides, is_periodic)) return;
  has_smooth_ = std::ranges::any_of(all_, [this](std::uint32_t o) { return !is_rough(o); });
  has_thin_ = std::ranges::any_of(obstacles_, [this](const scene::Obstacle& obstacle) {
    return 2 * geometry::smallest_half_extent(obstacle.shape) < thickest_reached * cell_size_;
  });
}

Vec3f Boundary::stopped_by(std::uint32_t obstacle, const Vec3f& normal,
                           const Vec3f& velocity) const noexcept {
  const scene::Obstacle& in = obstacles_[obstacle];
  return normal.isZero(0) ? Vec3f(in.velocity.cast<float>()) : stopped(velocity, normal, in);
}

Vec3 Boundary::in_world(const Vec3& X) const noexcept {
  Vec3 x = origin_ + cell_size_ * X;
  if (frame_.is_flat) x.y() = static_cast<double>(frame_.plane);
  return x;
}

// The obstacles closer than `reach` to the cube of a block's nodes `first` to `last`, in cells.
ObstacleList Boundary::near_obstacles(std::uint64_t block_key, double first, double last,
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

ObstacleWays::Limits Boundary::way_limits(float h) const noexcept {
  return {h, margin(), frame_.is_flat};
}

double Boundary::margin() const noexcept { return obstacle_margin * cell_size_; }

bool Boundary::is_outside(const Vec3& x) const noexcept {
  return std::all_of(obstacles_.begin(), obstacles_.end(), [&](const scene::Obstacle& obstacle) {
    return geometry::signed_distance(obstacle.shape, x).distance >= obstacle_margin * cell_size_;
  });
}

ObstacleList Boundary::obstacles_near_particles(std::uint64_t block_key) const {
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
  // A target beyond a periodic side meets the obstacles at the place where it will be put back.
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

void Boundary::leave_on_way(float h, const ObstacleList& near, std::size_t i,
                            Particles& particles) const {
  ways_.bend(way_limits(h), near, particles.positions[i], particles.targets[i],
             particles.velocities[i]);
  leave_obstacles(near, particles.positions[i], particles.targets[i], particles.velocities[i]);
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
