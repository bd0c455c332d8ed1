// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/obstacle_nodes.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "solver/fluid/lattice/key_index.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t nodes_at_once = 256;

// A point pushes where fluid has this part of what counts there: next to a drop, nodes without
// fluid would count as if they stood still.
constexpr float least_cover = 0.9F;

// Impulses are found until none changes the flow by more, in cells a substep; most substeps need
// one sweep.
constexpr float tolerance = 4e-6F;
constexpr int most_sweeps = 30;
// [N s] The impulse of a point that does not push; others' are not negative.
constexpr float no_impulse = -1;

// [of sqrt(g dx)] Flow at the edge of a liquid that is slower is slowed: 27 mm/s for cells of 20
// mm.
constexpr float least_flow = 0.06F;
// [of sqrt(g / dx)] The rate at which it is slowed; larger ones calmed water no better.
constexpr float calming = 4;
// A node is at the edge of a liquid if less than this part of its kernel is filled by liquid or
// obstacles.
constexpr float filled_at_edge = 0.95F;

// [kg/m^3] The density of the lightest liquid; 0 if something is no liquid, whose own stress makes
// it stick or not.
float least_liquid_density(std::span<const Material> materials) {
  float least = std::numeric_limits<float>::infinity();
  for (const Material& material : materials)
    least = std::min(least, material.is_liquid() ? material.rest_density : 0);
  return least;
}

Vec3f velocity_of(const Float4& node) { return {node[0], node[1], node[2]}; }

// Whether nodes of a block that starts at `base` are behind walls that are mirrors.
bool has_images(const GridFrame& frame, const std::array<std::int32_t, 3>& base) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (frame.mirrors[a][0] && base[a] < GridFrame::wall_lower) return true;
    if (frame.mirrors[a][1] && base[a] + block_edge > frame.wall_upper[a] + 1) return true;
  }
  return false;
}

Float4& node_of(Grid& grid, std::uint32_t node) {
  return grid.nodes(node / block_nodes)[node % block_nodes];
}

}  // namespace

void ObstacleNodes::link(const HiddenNodes& hidden_nodes, const Boundary& boundary,
                         const Grid& grid) {
  if (!links_.link(hidden_nodes, boundary, grid)) return;
  inner_.assign(links_.inner().size(), {});
  outer_.assign(links_.outer().size(), {});
  std::unordered_map<std::uint64_t, std::vector<Force>> known;
  for (const Force& force : forces_)
    known[force.node].push_back(force);
  const std::span<const ObstacleLinks::Point> points = links_.points();
  forces_of_points_.assign(points.size(), 0);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto found = known.find(points[p].node);
    if (found == known.end()) continue;
    for (const Force& force : found->second) {
      if (force.obstacle == points[p].obstacle) forces_of_points_[p] = force.size;
    }
  }
}

void ObstacleNodes::find_pressing(std::span<const Material> materials, const Particles& particles,
                                  const ParticleBlocks& blocks, const Grid& grid) {
  if (links_.near_blocks().empty()) return;
  pressed_.find(materials, particles, blocks, grid, links_);
}

void ObstacleNodes::solve(const Substep& step, const Boundary& boundary, Grid& grid) {
  if (links_.near_blocks().empty()) return;
  take_up(boundary, grid);
  find_outer(grid);
  calm(step, grid);
  push(step.duration);
  draw(grid);
}

// Calls change(node) for the node itself, or for its copies by the far side.
template <typename Change>
void ObstacleNodes::change_nodes(const ObstacleLinks::Inner& inner, Grid& grid,
                                 Change&& change) const {
  if (!inner.is_far) {
    change(node_of(grid, inner.node));
    return;
  }
  for (const std::uint32_t copy : links_.copies_of(inner))
    change(grid.copies()[copy]);
}

// The velocity and mass that particles gave it.
Float4 ObstacleNodes::gathered(const ObstacleLinks::Inner& inner, Grid& grid) const {
  if (!inner.is_far) return node_of(grid, inner.node);
  Float4 sum{};
  change_nodes(inner, grid,
               [&](const Float4& copy) { sum += with_lane3(copy * splat(copy[3]), copy[3]); });
  return sum[3] > least_mass ? with_lane3(sum * splat(1 / sum[3]), sum[3]) : Float4{};
}

// Takes up what particles gave inner nodes, as momenta for the nodes that they depend on.
void ObstacleNodes::take_up(const Boundary& boundary, Grid& grid) {
  parallel::for_each_index(inner_.size(), nodes_at_once, [&](std::size_t i) {
    const ObstacleLinks::Inner& inner = links_.inner()[i];
    InnerState& state = inner_[i];
    const Float4 node = inner.is_free ? Float4{} : gathered(inner, grid);
    if (inner.is_free || (inner.is_far && node[3] == 0)) {
      state = {};
      return;
    }
    if (inner.shares.empty()) {
      const Vec3f w = boundary.stopped_by(inner.obstacle, inner.normal, velocity_of(node));
      change_nodes(inner, grid, [&](Float4& of) { of = Float4{w[0], w[1], w[2], of[3]}; });
      return;
    }
    const Vec3f relative = velocity_of(node) - inner.velocity;
    state.lets_go = relative.dot(inner.normal) > 0 &&
                    !pressed_.has(static_cast<std::uint32_t>(i), links_, grid);
    state.mass = state.lets_go ? 0 : node[3];
    // The node moves at u = M (v - w) + w, with v the velocity above it and w the obstacle's. So v
    // gets the momentum M m (u - w + M w).
    state.momentum =
        state.mass *
        inner.mirror.of(relative + inner.mirror.of(inner.velocity, inner.normal), inner.normal);
  });
}

void ObstacleNodes::find_outer(Grid& grid) {
  parallel::for_each_index(outer_.size(), nodes_at_once, [&](std::size_t o) {
    const ObstacleLinks::Outer& outer = links_.outer()[o];
    OuterState& state = outer_[o];
    const Float4 node = node_of(grid, outer.node);
    const Vec3f own = velocity_of(node);
    Vec3f momentum = node[3] * own;
    Eigen::Matrix3f mass = node[3] * Eigen::Matrix3f::Identity();
    for (const auto& [i, weight] : links_.dependents_of(outer)) {
      const ObstacleLinks::Inner& inner = links_.inner()[i];
      const float m = weight * inner_[i].mass;
      const auto [along, across] = inner.mirror.inertia();
      mass.diagonal().array() += m * along;
      mass += m * across * inner.normal * inner.normal.transpose();
      momentum += weight * inner_[i].momentum;
    }
    const float all = mass.trace();
    state.has_mass = all > least_mass;
    if (!state.has_mass) {
      state.mobility.setZero();
      state.velocity.setZero();
      return;
    }
    // The image at a wall has taken the momentum that the wall stops.
    const auto is_fixed = [&](int axis) {
      return (outer.fixed >> axis & 1) != 0 && own[axis] == 0;
    };
    for (int axis = 0; axis < 3; ++axis) {
      if (!is_fixed(axis)) continue;
      mass.row(axis).setZero();
      mass.col(axis).setZero();
      mass(axis, axis) = all;
    }
    // In units of the mass, so that a determinant is no denormal.
    state.mobility = (mass / all).inverse() / all;
    for (int axis = 0; axis < 3; ++axis) {
      if (is_fixed(axis)) state.mobility(axis, axis) = 0;
    }
    state.velocity = state.mobility * momentum;
  });
}

// The flow is relative to the obstacle, which only nodes that inner ones depend on know.
void ObstacleNodes::calm(const Substep& step, Grid& grid) {
  const float density = least_liquid_density(step.materials), gravity = step.gravity.norm();
  if (density == 0 || gravity == 0) return;
  const float full = density * frame_.node_volume();
  const float least = least_flow * std::sqrt(gravity * frame_.cell_size);
  const float rate = std::sqrt(gravity / frame_.cell_size);
  parallel::for_each_index(outer_.size(), nodes_at_once, [&](std::size_t o) {
    const ObstacleLinks::Outer& outer = links_.outer()[o];
    OuterState& state = outer_[o];
    if (!state.has_mass || outer.dependents.empty()) return;
    float solid = links_.solid_part(outer.node);
    if (outer.itself != ObstacleLinks::none)
      solid += links_.filled_behind(links_.inner()[outer.itself]);
    if (node_of(grid, outer.node)[3] > (filled_at_edge - solid) * full) return;
    const std::uint32_t first = links_.dependents_of(outer).front().inner;
    const Vec3f obstacle = links_.inner()[first].velocity;
    const Vec3f flow = state.velocity - obstacle;
    const float speed = flow.norm();
    if (!(speed < least)) return;
    // At most least_flow times gravity, so that drops run down all but the gentlest of slopes.
    const float slowed = step.duration * rate * std::min(calming, least / speed);
    state.velocity = obstacle + flow / (1 + slowed);
  });
}

// Impulses that keep the flow out of obstacles, one point after the other.
void ObstacleNodes::push(float h) {
  const std::span<const ObstacleLinks::Point> points = links_.points();
  std::vector<float> impulses(points.size(), no_impulse);
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!is_covered(points[p])) continue;
    impulses[p] = h * forces_of_points_[p];
    if (impulses[p] > 0) add_impulse(points[p], impulses[p]);
  }
  const float enough = tolerance * frame_.cell_size / h;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float largest = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (impulses[p] != no_impulse) largest = std::max(largest, push_at(points[p], impulses[p]));
    }
    if (largest < enough) break;
  }
  forces_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) {
    forces_of_points_[p] = std::max(0.0F, impulses[p]) / h;
    if (forces_of_points_[p] > 0)
      forces_.push_back({points[p].node, points[p].obstacle, forces_of_points_[p]});
  }
}

// Whether there is fluid all around a point, and none of it that has been let go.
bool ObstacleNodes::is_covered(const ObstacleLinks::Point& point) const {
  float covered = 0, all = 0;
  for (const auto& [outer, factor] : links_.terms_of(point)) {
    const float size = factor.lpNorm<1>();
    all += size;
    if (outer_[outer].has_mass) covered += size;
  }
  return covered > least_cover * all &&
         std::ranges::none_of(links_.inner_of(point),
                              [&](std::uint32_t i) { return inner_[i].lets_go; });
}

void ObstacleNodes::add_impulse(const ObstacleLinks::Point& point, float impulse) {
  for (const auto& [outer, factor] : links_.terms_of(point)) {
    OuterState& state = outer_[outer];
    state.velocity += impulse * (state.mobility * factor);
  }
}

// Returns by how much it changed the flow [m/s].
float ObstacleNodes::push_at(const ObstacleLinks::Point& point, float& impulse) {
  float flow = point.still, mobility = 0;
  for (const auto& [outer, factor] : links_.terms_of(point)) {
    const OuterState& state = outer_[outer];
    flow += factor.dot(state.velocity);
    mobility += factor.dot(state.mobility * factor);
  }
  if (!(mobility > 0)) {
    impulse = 0;
    return 0;
  }
  const float change = std::max(-flow / mobility, -impulse);
  if (change == 0) return 0;
  impulse += change;
  add_impulse(point, change);
  return std::abs(change * mobility);
}

void ObstacleNodes::draw(Grid& grid) const {
  parallel::for_each_index(outer_.size(), nodes_at_once, [&](std::size_t o) {
    Float4& node = node_of(grid, links_.outer()[o].node);
    for (int axis = 0; axis < 3; ++axis)
      node[axis] = outer_[o].velocity[axis];
  });
  parallel::for_each_index(inner_.size(), nodes_at_once, [&](std::size_t i) {
    const ObstacleLinks::Inner& inner = links_.inner()[i];
    if (inner.is_free || inner_[i].lets_go || inner.shares.empty()) return;
    Vec3f above = -inner.velocity;
    for (const auto& [outer, weight] : links_.shares_of(inner))
      above += weight * outer_[outer].velocity;
    const Vec3f velocity = inner.velocity + inner.mirror.of(above, inner.normal);
    change_nodes(inner, grid, [&](Float4& node) {
      for (int axis = 0; axis < 3; ++axis)
        node[axis] = velocity[axis];
    });
  });
}

void ObstacleNodes::fill(float density, Grid& grid) const {
  const float full = density * frame_.node_volume();
  for (const std::uint32_t block : links_.near_blocks()) {
    NodeBlock& nodes = grid.nodes(block);
    for (std::uint32_t n = 0; n < block_nodes; ++n)
      nodes[n][3] += full * links_.solid_part(block * block_nodes + n);
  }
  for (const ObstacleLinks::Inner& inner : links_.inner()) {
    const float solid = inner.is_far ? links_.solid_part(inner.node) : 0;
    const float filled = solid + links_.filled_behind(inner);
    if (filled > 0) change_nodes(inner, grid, [&](Float4& node) { node[3] += full * filled; });
  }
  fill_images(grid);
}

// A node behind a wall is filled as the node that it is the image of: only that one knows what is
// behind something thin.
void ObstacleNodes::fill_images(Grid& grid) const {
  for (const std::uint32_t block : links_.near_blocks()) {
    const std::array<std::int32_t, 3> base = frame_.block_base(grid.keys()[block]);
    if (!has_images(frame_, base)) continue;
    NodeBlock& nodes = grid.nodes(block);
    for (std::size_t n = 0; n < block_nodes; ++n) {
      const std::array<int, 3> local = node_of_bit(static_cast<int>(n));
      const Unmirrored before =
          unmirrored(frame_, {base[0] + local[0], base[1] + local[1], base[2] + local[2]});
      if ((before.mirrors & behind_walls) == 0) continue;
      const std::uint32_t source = grid.node_at(frame_, before.node);
      if (source != KeyIndex::none) nodes[n][3] = node_of(grid, source)[3];
    }
  }
}

}  // namespace sluice::fluid
