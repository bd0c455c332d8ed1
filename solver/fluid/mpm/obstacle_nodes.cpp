// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/obstacle_nodes.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 16;
constexpr std::int64_t nodes_at_once = 256;

constexpr std::uint32_t none = ~std::uint32_t{0};

// Of Force::node, where there is no node's number.
constexpr std::uint64_t far_bit = std::uint64_t{1} << 63;

// [kg] node_boundary.cpp.
constexpr float least_mass = 1e-30F;

// An inner node moves by what is above it where this much of the weight there is of nodes that are
// outside and active; else as a node by itself.
constexpr float least_weight = 0.2F;

// A point pushes where fluid has this part of what counts there: next to a drop, nodes without
// fluid would count as if they stood still.
constexpr float least_cover = 0.9F;

// Impulses are found until none changes the flow by more, in cells a substep; most substeps need
// one sweep.
constexpr float tolerance = 4e-6F;
constexpr int most_sweeps = 30;

// [of sqrt(g dx)] Flow at the edge of a liquid that is slower is slowed: 27 mm/s for cells of 20
// mm.
constexpr float least_flow = 0.06F;
// [of sqrt(g / dx)] The rate at which it is slowed; larger ones calmed water no better.
constexpr float calming = 4;
// A node is at the edge of a liquid if less than this part of its kernel is filled by liquid or
// obstacles.
constexpr float filled_at_edge = 0.95F;

// [kg/m^3] Of the lightest; 0 if something is no liquid, whose own stress makes it stick or not.
float least_liquid_density(std::span<const Material> materials) {
  float least = std::numeric_limits<float>::infinity();
  for (const Material& material : materials)
    least = std::min(least, material.is_liquid() ? material.rest_density : 0);
  return least;
}

Vec3f velocity_of(const Float4& node) { return {node[0], node[1], node[2]}; }

Float4& node_of(Grid& grid, std::uint32_t node) {
  return grid.nodes(node / block_nodes)[node % block_nodes];
}

// The weights of a kernel's spline around `X`, in cells, and its first node.
template <typename Spline>
std::int32_t spline_at(float X, std::array<float, 4>& weights) {
  constexpr float half = Spline::support == 3 ? 0.5F : 1.0F;
  const auto base = static_cast<std::int32_t>(std::floor(X - half));
  float w[Spline::support];
  Spline::weights(X - static_cast<float>(base) - 1, w);
  std::copy(std::begin(w), std::end(w), weights.begin());
  return base;
}

}  // namespace

void ObstacleNodes::find(const Boundary& boundary, const Grid& grid) {
  if (!boundary.has_smooth_obstacles()) return;
  const bool moved = !std::ranges::equal(
      boundary.obstacles(), obstacles_, [](const scene::Obstacle& a, const scene::Obstacle& b) {
        return a.shape.translation == b.shape.translation && a.shape.rotation == b.shape.rotation &&
               a.velocity == b.velocity;
      });
  if (!moved && std::ranges::equal(grid.keys(), keys_)) return;
  if (moved) {
    geometry_.clear();
    obstacles_.assign(boundary.obstacles().begin(), boundary.obstacles().end());
  }
  found_forces_ = forces();
  is_linked_ = false;
  keys_.assign(grid.keys().begin(), grid.keys().end());
  find_geometry(boundary, grid);
  near_.assign(grid.block_count(), nullptr);
  near_blocks_.clear();
  for (std::size_t block = 0; block < keys_.size(); ++block) {
    near_[block] = geometry_.at(keys_[block]).get();
    if (near_[block] != nullptr) near_blocks_.push_back(static_cast<std::uint32_t>(block));
  }
  find_thin();
}

// With the numbers that link_inner gives them.
void ObstacleNodes::find_thin() {
  thin_.clear(keys_.size());
  std::uint32_t number = 0;
  for (const std::uint32_t block : near_blocks_) {
    for (const InnerNode& node : near_[block]->inner) {
      if (node.is_far) {
        const InnerNode& near = *std::prev(&node);
        thin_.add(block * block_nodes + node.node, {.near = {near.normal, near.level},
                                                    .far = {node.normal, node.level},
                                                    .near_inner = number - 1,
                                                    .far_inner = number});
      }
      ++number;
    }
  }
}

void ObstacleNodes::find_geometry(const Boundary& boundary, const Grid& grid) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t key : grid.keys()) {
    if (!geometry_.contains(key)) missing.push_back(key);
  }
  std::vector<std::unique_ptr<const NearObstacles>> found(missing.size());
  parallel::for_each_index(missing.size(), 1, [&](std::size_t m) {
    NearObstacles near = find_near_obstacles(frame_, kernel_, boundary, missing[m]);
    const bool is_near = std::ranges::any_of(near.solid, [](float part) { return part > 0; });
    if (is_near || !near.points.empty())
      found[m] = std::make_unique<const NearObstacles>(std::move(near));
  });
  for (std::size_t m = 0; m < missing.size(); ++m)
    geometry_.emplace(missing[m], std::move(found[m]));
}

// Of the grid: none where it is not active.
std::uint32_t ObstacleNodes::node_at(const Grid& grid,
                                     const std::array<std::int32_t, 3>& node) const {
  if (std::ranges::any_of(node, [](std::int32_t index) { return index < 0; })) return none;
  const std::uint32_t block = grid.index_of(frame_.block_key(
      std::array{node[0] / block_edge, node[1] / block_edge, node[2] / block_edge}));
  if (block == KeyIndex::none) return none;
  return block * block_nodes +
         static_cast<std::uint32_t>(
             node_bit(node[0] % block_edge, node[1] % block_edge, node[2] % block_edge));
}

bool ObstacleNodes::is_inside(std::uint32_t node) const {
  const NearObstacles* near = near_[node / block_nodes];
  return near != nullptr && (near->inside >> (node % block_nodes) & 1) != 0;
}

std::uint32_t ObstacleNodes::outer_at(std::uint32_t node,
                                      const std::array<std::int32_t, 3>& place) {
  const auto [found, is_new] =
      outer_of_.try_emplace(node, static_cast<std::uint32_t>(outer_.size()));
  if (is_new) {
    Outer outer{};
    outer.node = node;
    for (std::size_t a = 0; a < 3; ++a) {
      const bool is_on_mirror = (frame_.mirrors[a][0] && place[a] == GridFrame::wall_lower) ||
                                (frame_.mirrors[a][1] && place[a] == frame_.wall_upper[a]);
      if (!is_on_mirror) continue;
      const unsigned axes = wall_ == scene::WallCondition::no_slip ? 7U : 1U << a;
      outer.fixed = static_cast<std::uint8_t>(outer.fixed | axes);
    }
    outer_.push_back(outer);
  }
  return found->second;
}

void ObstacleNodes::link(const HiddenNodes& hidden_nodes, const Boundary& boundary,
                         const Grid& grid) {
  if (!is_linked_ || !std::ranges::equal(hidden_nodes.shared(), shared_)) {
    found_forces_ = forces();
    shared_.assign(hidden_nodes.shared().begin(), hidden_nodes.shared().end());
    outer_.clear();
    outer_of_.clear();
    link_inner(boundary, grid);
    link_points(boundary, grid);
    link_dependents();
    is_linked_ = true;
  }
  link_copies(grid);
}

void ObstacleNodes::link_inner(const Boundary& boundary, const Grid& grid) {
  inner_.clear();
  inner_of_.clear();
  shares_.clear();
  for (const std::uint32_t block : near_blocks_) {
    for (const InnerNode& node : near_[block]->inner) {
      const auto first = static_cast<std::uint32_t>(shares_.size());
      std::array<std::int32_t, 3> base;
      Vec3f along;
      for (int axis = 0; axis < 3; ++axis) {
        base[static_cast<std::size_t>(axis)] =
            static_cast<std::int32_t>(std::floor(node.outside[axis]));
        along[axis] = node.outside[axis] - std::floor(node.outside[axis]);
      }
      float sum = 0;
      for (unsigned corner = 0; corner < 8; ++corner) {
        std::array<std::int32_t, 3> place = base;
        float weight = 1;
        for (std::size_t a = 0; a < 3; ++a) {
          const bool is_upper = (corner >> a & 1) != 0;
          place[a] += is_upper ? 1 : 0;
          const float part = along[static_cast<Eigen::Index>(a)];
          weight *= is_upper ? part : 1 - part;
        }
        if (weight < 1e-6F) continue;
        const std::uint32_t at = node_at(grid, place);
        if (at == none || is_inside(at)) continue;
        shares_.push_back({outer_at(at, place), weight});
        sum += weight;
      }
      if (sum < least_weight) {
        shares_.resize(first);
      } else {
        for (auto s = first; s < shares_.size(); ++s)
          shares_[s].weight /= sum;
      }
      Inner inner{};
      inner.node = block * block_nodes + node.node;
      inner.obstacle = node.obstacle;
      inner.normal = node.normal;
      inner.reflection = node.reflection;
      inner.velocity = boundary.obstacles()[node.obstacle].velocity.cast<float>();
      inner.shares = {first, static_cast<std::uint32_t>(shares_.size())};
      inner.mirror = mirror_of(boundary.obstacles()[node.obstacle], inner);
      inner.is_far = node.is_far;
      inner.is_free = node.is_outside && !node.is_far;
      inner.behind = node.behind;
      if (!node.is_far) inner_of_.emplace(inner.node, static_cast<std::uint32_t>(inner_.size()));
      inner_.push_back(inner);
    }
  }
}

ObstacleNodes::Mirror ObstacleNodes::mirror_of(const scene::Obstacle& obstacle,
                                               const Inner& inner) const {
  if (obstacle.wall == scene::WallCondition::no_slip) return {-inner.reflection, 0};
  return {1, -1 - inner.reflection};
}

void ObstacleNodes::link_copies(const Grid& grid) {
  if (thin_.empty()) return;
  copies_.clear();
  for (Inner& inner : inner_)
    inner.copies = {0, 0};
  for (std::uint32_t copy = 0; copy < grid.copies().size(); ++copy) {
    if (grid.is_behind()[copy] == 0) continue;
    // In two dimensions, of nodes beside the plane too.
    const ThinNode* thin = thin_.find(grid.copied_nodes()[copy]);
    if (thin == nullptr) continue;
    Range& copies = inner_[thin->far_inner].copies;
    const auto place = static_cast<std::uint32_t>(copies_.size());
    copies = {copies.first == copies.last ? place : copies.first, place + 1};
    copies_.push_back(copy);
  }
}

// Whether particles on both sides of something thin meet at a node, around its rim.
bool ObstacleNodes::is_shared(std::uint32_t node) const {
  return (shared_[node / block_nodes] >> (node % block_nodes) & 1) != 0;
}

// What counts as filled of a node's kernel, besides what is inside obstacles.
float ObstacleNodes::filled_behind(std::size_t inner) const {
  return is_shared(inner_[inner].node) ? 0 : inner_[inner].behind;
}

// What the velocity of a node counts by, for the node before walls that it is the image of.
Vec3f ObstacleNodes::before_walls(std::array<std::int32_t, 3>& node, Vec3f factor) const {
  const Unmirrored before = unmirrored(frame_, node);
  node = before.node;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t place = before.mirrors >> (2 * axis) & 3;
    if (place == 0) continue;
    const float sign = place == on_wall ? 0 : -1;
    if (wall_ == scene::WallCondition::no_slip) {
      factor *= sign;
    } else {
      factor[axis] *= sign;
    }
  }
  return factor;
}

void ObstacleNodes::link_points(const Boundary& boundary, const Grid& grid) {
  std::unordered_map<std::uint64_t, std::vector<Force>> known;
  for (const Force& force : found_forces_)
    known[force.node].push_back(force);
  points_.clear();
  terms_.clear();
  inner_of_points_.clear();
  for (const std::uint32_t block : near_blocks_) {
    for (const SurfacePoint& point : near_[block]->points) {
      Point linked{};
      linked.node = keys_[block] * block_nodes + point.node;
      if (point.is_far) linked.node |= far_bit;
      linked.obstacle = point.obstacle;
      add_terms(boundary, grid, point, linked);
      if (linked.terms.first == linked.terms.last) continue;
      points_.push_back(linked);
    }
  }
  for (Point& point : points_) {
    const auto found = known.find(point.node);
    if (found == known.end()) continue;
    for (const Force& force : found->second) {
      if (force.obstacle == point.obstacle) point.impulse = force.size;
    }
  }
}

// The flow across the surface at a point, relative to the obstacle, as a sum over outer nodes.
void ObstacleNodes::add_terms(const Boundary& boundary, const Grid& grid, const SurfacePoint& point,
                              Point& linked) {
  const bool is_quadratic = kernel_ == scene::Kernel::quadratic;
  const int support = is_quadratic ? 3 : 4;
  std::array<std::array<float, 4>, 3> weights{};
  std::array<std::int32_t, 3> base{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (frame_.is_across(axis)) {
      base[a] = GridFrame::wall_lower;
      weights[a] = {1, 0, 0, 0};
      continue;
    }
    const float X = point.place[axis];
    base[a] = is_quadratic ? spline_at<BSpline<scene::Kernel::quadratic>>(X, weights[a])
                           : spline_at<BSpline<scene::Kernel::cubic>>(X, weights[a]);
  }
  linked.terms.first = static_cast<std::uint32_t>(terms_.size());
  linked.inner.first = static_cast<std::uint32_t>(inner_of_points_.size());
  const Vec3f velocity = boundary.obstacles()[point.obstacle].velocity.cast<float>();
  linked.still = -point.normal.dot(velocity);
  const auto add = [&](std::uint32_t outer, const Vec3f& factor) {
    for (auto t = linked.terms.first; t < terms_.size(); ++t) {
      if (terms_[t].outer != outer) continue;
      terms_[t].factor += factor;
      return;
    }
    terms_.push_back({outer, factor});
  };
  for (int n = 0; n < support * support * support; ++n) {
    const auto i = static_cast<std::size_t>(n / (support * support));
    const auto j = static_cast<std::size_t>(n / support % support);
    const auto k = static_cast<std::size_t>(n % support);
    const float weight = weights[0][i] * weights[1][j] * weights[2][k];
    if (weight < 1e-7F) continue;
    std::array<std::int32_t, 3> place{base[0] + static_cast<std::int32_t>(i),
                                      base[1] + static_cast<std::int32_t>(j),
                                      base[2] + static_cast<std::int32_t>(k)};
    Vec3f factor = before_walls(place, weight * point.normal);
    const std::uint32_t node = node_at(grid, place);
    const Inner* used = nullptr;
    if (node != none) {
      const ThinNode* thin = is_shared(node) ? nullptr : thin_.find(node);
      // A point on the rim is on no side.
      const bool is_far =
          thin != nullptr && (thin->far.normal - thin->near.normal).dot(point.normal) > 1;
      if (!is_far && !is_inside(node)) {
        add(outer_at(node, place), factor);
        continue;
      }
      const auto found = inner_of_.find(node);
      if (is_far) {
        used = &inner_[thin->far_inner];
      } else if (found != inner_of_.end()) {
        used = &inner_[found->second];
      }
    }
    if (used == nullptr || used->shares.first == used->shares.last) {
      // Where nothing flows, the obstacle is all there is.
      linked.still += factor.dot(velocity);
      continue;
    }
    const Inner& inner = *used;
    inner_of_points_.push_back(static_cast<std::uint32_t>(used - inner_.data()));
    linked.still += factor.dot(inner.velocity - inner.mirror.of(inner.velocity, inner.normal));
    factor = inner.mirror.of(factor, inner.normal);
    for (auto s = inner.shares.first; s < inner.shares.last; ++s)
      add(shares_[s].outer, shares_[s].weight * factor);
  }
  linked.terms.last = static_cast<std::uint32_t>(terms_.size());
  linked.inner.last = static_cast<std::uint32_t>(inner_of_points_.size());
}

void ObstacleNodes::link_dependents() {
  std::vector<std::uint32_t> counts(outer_.size() + 1, 0);
  for (const Share& share : shares_)
    ++counts[share.outer + 1];
  for (std::size_t o = 0; o < outer_.size(); ++o) {
    counts[o + 1] += counts[o];
    outer_[o].inner = {counts[o], counts[o]};
    const auto itself = inner_of_.find(outer_[o].node);
    outer_[o].itself = itself == inner_of_.end() ? none : itself->second;
  }
  dependents_.resize(shares_.size());
  for (std::uint32_t i = 0; i < inner_.size(); ++i) {
    for (auto s = inner_[i].shares.first; s < inner_[i].shares.last; ++s)
      dependents_[outer_[shares_[s].outer].inner.last++] = {i, shares_[s].weight};
  }
}

void ObstacleNodes::find_pressing(std::span<const Material> materials, const Particles& particles,
                                  const ParticleBlocks& blocks, const Grid& grid) {
  if (near_blocks_.empty()) return;
  pressing_.assign(grid.block_count(), 0);
  parallel::for_each_index(blocks.blocks.size(), blocks_at_once, [&](std::size_t b) {
    const std::array<std::uint32_t, 8>& around = grid.neighbours()[b];
    if (std::ranges::none_of(around, [&](std::uint32_t n) { return near_[n] != nullptr; })) return;
    const ParticleBlock& block = blocks.blocks[b];
    NodeBits& cells = pressing_[around[0]];
    for (std::uint32_t o = block.first; o < block.last; ++o) {
      const std::uint32_t i = blocks.order[o];
      if (!is_loose(materials[particles.materials[i]], particles.affine[i].strain))
        cells |= NodeBits{1} << blocks.cells[i];
    }
  });
  find_pressed_sides(particles, blocks, materials, grid);
}

// At thin nodes a cell's bit is not enough: its particles may be on both sides.
void ObstacleNodes::find_pressed_sides(const Particles& particles, const ParticleBlocks& blocks,
                                       std::span<const Material> materials, const Grid& grid) {
  pressed_.assign(inner_.size(), 0);
  if (thin_.empty()) return;
  const int support = kernel_ == scene::Kernel::quadratic ? 3 : 4;
  parallel::for_each_index(blocks.blocks.size(), blocks_at_once, [&](std::size_t b) {
    const std::array<std::uint32_t, 8>& around = grid.neighbours()[b];
    if (std::ranges::none_of(around, [&](std::uint32_t n) { return thin_.has(n); })) return;
    const ParticleBlock& block = blocks.blocks[b];
    std::vector<ThinNodes::InKernel> in_kernel;
    int cell = -1;
    for (std::uint32_t o = block.first; o < block.last; ++o) {
      const std::uint32_t i = blocks.order[o];
      if (blocks.cells[i] != cell) {
        cell = blocks.cells[i];
        thin_.find_around(around, cell, support, in_kernel);
      }
      if (in_kernel.empty()) continue;
      if (is_loose(materials[particles.materials[i]], particles.affine[i].strain)) continue;
      for (const auto& [bit, thin] : in_kernel) {
        const bool is_far = thin->is_far(particles.positions[i]);
        const std::atomic_ref pressed(pressed_[is_far ? thin->far_inner : thin->near_inner]);
        if (pressed.load(std::memory_order_relaxed) == 0)
          pressed.store(1, std::memory_order_relaxed);
      }
    }
  });
}

// Whether a particle that presses reaches a node, on its side.
bool ObstacleNodes::is_pressed(const Grid& grid, std::size_t inner) const {
  const std::uint32_t node = inner_[inner].node;
  if (!is_shared(node) && thin_.find(node) != nullptr) return pressed_[inner] != 0;
  const int support = kernel_ == scene::Kernel::quadratic ? 3 : 4;
  const auto base = frame_.block_base(keys_[node / block_nodes]);
  const auto local = node_of_bit(static_cast<int>(node % block_nodes));
  for (int n = 0; n < support * support * support; ++n) {
    const std::uint32_t cell = node_at(
        grid, {base[0] + local[0] - n / (support * support),
               base[1] + local[1] - n / support % support, base[2] + local[2] - n % support});
    if (cell != none && (pressing_[cell / block_nodes] >> (cell % block_nodes) & 1) != 0)
      return true;
  }
  return false;
}

void ObstacleNodes::solve(const Substep& step, const Boundary& boundary, Grid& grid) {
  if (near_blocks_.empty()) return;
  take_up(boundary, grid);
  find_outer(grid);
  calm(step, grid);
  push(step.duration);
  draw(grid);
}

// Calls change(node) for the node itself, or for its copies by the far side.
template <typename Change>
void ObstacleNodes::change_nodes(const Inner& inner, Grid& grid, Change&& change) const {
  if (!inner.is_far) {
    change(node_of(grid, inner.node));
    return;
  }
  for (auto c = inner.copies.first; c < inner.copies.last; ++c)
    change(grid.copies()[copies_[c]]);
}

// The velocity and mass that particles gave it.
Float4 ObstacleNodes::gathered(const Inner& inner, Grid& grid) const {
  if (!inner.is_far) return node_of(grid, inner.node);
  Float4 sum{};
  change_nodes(inner, grid,
               [&](const Float4& copy) { sum += with_lane3(copy * splat(copy[3]), copy[3]); });
  return sum[3] > least_mass ? with_lane3(sum * splat(1 / sum[3]), sum[3]) : Float4{};
}

// What particles gave inner nodes, as momenta for what they depend on.
void ObstacleNodes::take_up(const Boundary& boundary, Grid& grid) {
  parallel::for_each_index(inner_.size(), nodes_at_once, [&](std::size_t i) {
    Inner& inner = inner_[i];
    const Float4 node = inner.is_free ? Float4{} : gathered(inner, grid);
    if (inner.is_free || (inner.is_far && node[3] == 0)) {
      inner.lets_go = false;
      inner.mass = 0;
      inner.momentum.setZero();
      return;
    }
    if (inner.shares.first == inner.shares.last) {
      const Vec3f w = boundary.stopped_by(inner.obstacle, inner.normal, velocity_of(node));
      change_nodes(inner, grid, [&](Float4& of) { of = Float4{w[0], w[1], w[2], of[3]}; });
      return;
    }
    const Vec3f relative = velocity_of(node) - inner.velocity;
    inner.lets_go = relative.dot(inner.normal) > 0 && !is_pressed(grid, i);
    inner.mass = inner.lets_go ? 0 : node[3];
    // Of u = M (v - w) + w, w the obstacle's: M m (u - w + M w).
    inner.momentum =
        inner.mass *
        inner.mirror.of(relative + inner.mirror.of(inner.velocity, inner.normal), inner.normal);
  });
}

void ObstacleNodes::find_outer(Grid& grid) {
  parallel::for_each_index(outer_.size(), nodes_at_once, [&](std::size_t o) {
    Outer& outer = outer_[o];
    const Float4 node = node_of(grid, outer.node);
    const Vec3f own = velocity_of(node);
    Vec3f momentum = node[3] * own;
    Eigen::Matrix3f mass = node[3] * Eigen::Matrix3f::Identity();
    for (auto d = outer.inner.first; d < outer.inner.last; ++d) {
      const Inner& inner = inner_[dependents_[d].inner];
      const float weight = dependents_[d].weight, m = weight * inner.mass;
      const auto [along, across] = inner.mirror.inertia();
      mass.diagonal().array() += m * along;
      mass += m * across * inner.normal * inner.normal.transpose();
      momentum += weight * inner.momentum;
    }
    const float all = mass.trace();
    outer.has_mass = all > least_mass;
    if (!outer.has_mass) {
      outer.mobility.setZero();
      outer.velocity.setZero();
      return;
    }
    // What goes across a wall, its image has taken.
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
    outer.mobility = (mass / all).inverse() / all;
    for (int axis = 0; axis < 3; ++axis) {
      if (is_fixed(axis)) outer.mobility(axis, axis) = 0;
    }
    outer.velocity = outer.mobility * momentum;
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
    Outer& outer = outer_[o];
    if (!outer.has_mass || outer.inner.first == outer.inner.last) return;
    const NearObstacles* near = near_[outer.node / block_nodes];
    float solid = near == nullptr ? 0 : near->solid[outer.node % block_nodes];
    if (outer.itself != none) solid += filled_behind(outer.itself);
    if (node_of(grid, outer.node)[3] > (filled_at_edge - solid) * full) return;
    const Vec3f obstacle = inner_[dependents_[outer.inner.first].inner].velocity;
    const Vec3f flow = outer.velocity - obstacle;
    const float speed = flow.norm();
    if (!(speed < least)) return;
    // At most least_flow times gravity, so that drops run down all but the gentlest of slopes.
    const float slowed = step.duration * rate * std::min(calming, least / speed);
    outer.velocity = obstacle + flow / (1 + slowed);
  });
}

// Impulses that keep the flow out of obstacles, one point after the other.
void ObstacleNodes::push(float h) {
  const float enough = tolerance * frame_.cell_size / h;
  for (Point& point : points_) {
    point.impulse = is_covered(point) ? std::max(0.0F, point.impulse) : -1;
    for (auto t = point.terms.first; point.impulse > 0 && t < point.terms.last; ++t) {
      Outer& outer = outer_[terms_[t].outer];
      outer.velocity += h * point.impulse * (outer.mobility * terms_[t].factor);
    }
    if (point.impulse > 0) point.impulse *= h;
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float largest = 0;
    for (Point& point : points_)
      largest = std::max(largest, push_at(point));
    if (largest < enough) break;
  }
  for (Point& point : points_)
    point.impulse = std::max(0.0F, point.impulse) / h;
}

// Whether there is fluid all around a point, and none of it that has been let go.
bool ObstacleNodes::is_covered(const Point& point) const {
  float covered = 0, all = 0;
  for (auto t = point.terms.first; t < point.terms.last; ++t) {
    const float size = terms_[t].factor.lpNorm<1>();
    all += size;
    if (outer_[terms_[t].outer].has_mass) covered += size;
  }
  return covered > least_cover * all &&
         std::none_of(inner_of_points_.begin() + point.inner.first,
                      inner_of_points_.begin() + point.inner.last,
                      [&](std::uint32_t i) { return inner_[i].lets_go; });
}

// Returns by how much it changed the flow [m/s].
float ObstacleNodes::push_at(Point& point) {
  if (point.impulse < 0) return 0;
  float flow = point.still, mobility = 0;
  for (auto t = point.terms.first; t < point.terms.last; ++t) {
    const Outer& outer = outer_[terms_[t].outer];
    flow += terms_[t].factor.dot(outer.velocity);
    mobility += terms_[t].factor.dot(outer.mobility * terms_[t].factor);
  }
  if (!(mobility > 0)) {
    point.impulse = 0;
    return 0;
  }
  const float change = std::max(-flow / mobility, -point.impulse);
  if (change == 0) return 0;
  point.impulse += change;
  for (auto t = point.terms.first; t < point.terms.last; ++t) {
    Outer& outer = outer_[terms_[t].outer];
    outer.velocity += change * (outer.mobility * terms_[t].factor);
  }
  return std::abs(change * mobility);
}

void ObstacleNodes::draw(Grid& grid) const {
  parallel::for_each_index(outer_.size(), nodes_at_once, [&](std::size_t o) {
    Float4& node = node_of(grid, outer_[o].node);
    for (int axis = 0; axis < 3; ++axis)
      node[axis] = outer_[o].velocity[axis];
  });
  parallel::for_each_index(inner_.size(), nodes_at_once, [&](std::size_t i) {
    const Inner& inner = inner_[i];
    if (inner.is_free || inner.lets_go || inner.shares.first == inner.shares.last) return;
    Vec3f above = -inner.velocity;
    for (auto s = inner.shares.first; s < inner.shares.last; ++s)
      above += shares_[s].weight * outer_[shares_[s].outer].velocity;
    const Vec3f velocity = inner.velocity + inner.mirror.of(above, inner.normal);
    change_nodes(inner, grid, [&](Float4& node) {
      for (int axis = 0; axis < 3; ++axis)
        node[axis] = velocity[axis];
    });
  });
}

void ObstacleNodes::fill(float density, Grid& grid) const {
  const float full = density * frame_.node_volume();
  for (const std::uint32_t block : near_blocks_) {
    NodeBlock& nodes = grid.nodes(block);
    for (std::size_t n = 0; n < block_nodes; ++n)
      nodes[n][3] += full * near_[block]->solid[n];
  }
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    const Inner& inner = inner_[i];
    const float solid = near_[inner.node / block_nodes]->solid[inner.node % block_nodes];
    const float filled = (inner.is_far ? solid : 0) + filled_behind(i);
    if (filled > 0) change_nodes(inner, grid, [&](Float4& node) { node[3] += full * filled; });
  }
}

std::vector<ObstacleNodes::Force> ObstacleNodes::forces() const {
  if (!is_linked_) return found_forces_;
  std::vector<Force> forces;
  for (const Point& point : points_) {
    if (point.impulse > 0) forces.push_back({point.node, point.obstacle, point.impulse});
  }
  return forces;
}

}  // namespace sluice::fluid
