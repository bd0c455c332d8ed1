// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/obstacle_links.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

// An inner node moves by what is above it where this much of the weight there is of nodes that are
// outside and active; else as a node by itself.
constexpr float least_weight = 0.2F;

// The highest bit of Point::node, which no node's number uses.
constexpr std::uint64_t far_bit = std::uint64_t{1} << 63;

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

ObstacleLinks::Mirror mirror_of(const scene::Obstacle& obstacle, float reflection) {
  if (obstacle.wall == scene::WallCondition::no_slip) return {-reflection, 0};
  return {1, -1 - reflection};
}

}  // namespace

void ObstacleLinks::find(const Boundary& boundary, const Grid& grid) {
  if (!boundary.has_linked_obstacles()) return;
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

void ObstacleLinks::find_geometry(const Boundary& boundary, const Grid& grid) {
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

// With the numbers that link_inner gives them.
void ObstacleLinks::find_thin() {
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

bool ObstacleLinks::is_inside(std::uint32_t node) const {
  const NearObstacles* near = near_[node / block_nodes];
  return near != nullptr && (near->inside >> (node % block_nodes) & 1) != 0;
}

// Whether particles on both sides of something thin meet at a node, around its rim.
bool ObstacleLinks::is_shared(std::uint32_t node) const {
  return (shared_[node / block_nodes] >> (node % block_nodes) & 1) != 0;
}

std::uint32_t ObstacleLinks::outer_at(std::uint32_t node,
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

bool ObstacleLinks::link(const HiddenNodes& hidden_nodes, const Boundary& boundary,
                         const Grid& grid) {
  const bool is_new = !is_linked_ || !std::ranges::equal(hidden_nodes.shared(), shared_);
  if (is_new) {
    shared_.assign(hidden_nodes.shared().begin(), hidden_nodes.shared().end());
    outer_.clear();
    outer_of_.clear();
    link_inner(boundary, grid);
    link_points(boundary, grid);
    link_dependents();
    is_linked_ = true;
  }
  link_copies(grid);
  return is_new;
}

void ObstacleLinks::link_inner(const Boundary& boundary, const Grid& grid) {
  inner_.clear();
  inner_of_.clear();
  shares_.clear();
  for (const std::uint32_t block : near_blocks_) {
    for (const InnerNode& node : near_[block]->inner) {
      Inner inner{};
      inner.node = block * block_nodes + node.node;
      inner.obstacle = node.obstacle;
      inner.normal = node.normal;
      inner.velocity = boundary.obstacles()[node.obstacle].velocity.cast<float>();
      if (!node.is_rough) inner.shares = share(node, grid);
      inner.mirror = mirror_of(boundary.obstacles()[node.obstacle], node.reflection);
      inner.is_far = node.is_far;
      // Obstacles with friction stop their own nodes (node_boundary.cpp), but not copies.
      inner.is_free = (node.is_outside || node.is_rough) && !node.is_far;
      inner.behind = node.behind;
      if (!node.is_far) inner_of_.emplace(inner.node, static_cast<std::uint32_t>(inner_.size()));
      inner_.push_back(inner);
    }
  }
}

// Adds the shares that nodes around the place above an inner node have in it.
ObstacleLinks::Range ObstacleLinks::share(const InnerNode& node, const Grid& grid) {
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
    const std::uint32_t at = grid.node_at(frame_, place);
    if (at == KeyIndex::none || is_inside(at)) continue;
    shares_.push_back({outer_at(at, place), weight});
    sum += weight;
  }
  if (sum < least_weight) shares_.resize(first);
  for (auto s = first; s < shares_.size(); ++s)
    shares_[s].weight /= sum;
  return {first, static_cast<std::uint32_t>(shares_.size())};
}

void ObstacleLinks::link_copies(const Grid& grid) {
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
    copies = {copies.empty() ? place : copies.first, place + 1};
    copies_.push_back(copy);
  }
}

// Replaces a node by the one before walls that it is the image of. Returns the factor by which that
// one's velocity counts then.
Vec3f ObstacleLinks::before_walls(std::array<std::int32_t, 3>& node, Vec3f factor) const {
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

void ObstacleLinks::link_points(const Boundary& boundary, const Grid& grid) {
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
      if (linked.terms.empty()) continue;
      points_.push_back(linked);
    }
  }
}

// The flow across the surface at a point, relative to the obstacle, as a sum over outer nodes.
void ObstacleLinks::add_terms(const Boundary& boundary, const Grid& grid, const SurfacePoint& point,
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
    const std::uint32_t node = grid.node_at(frame_, place);
    const Inner* used = nullptr;
    if (node != KeyIndex::none) {
      const ThinNode* thin = parted(node);
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
    if (used == nullptr || used->shares.empty()) {
      // Where nothing flows, the obstacle is all there is.
      linked.still += factor.dot(velocity);
      continue;
    }
    const Inner& inner = *used;
    inner_of_points_.push_back(static_cast<std::uint32_t>(used - inner_.data()));
    linked.still += factor.dot(inner.velocity - inner.mirror.of(inner.velocity, inner.normal));
    factor = inner.mirror.of(factor, inner.normal);
    for (const Share& share : shares_of(inner))
      add(share.outer, share.weight * factor);
  }
  linked.terms.last = static_cast<std::uint32_t>(terms_.size());
  linked.inner.last = static_cast<std::uint32_t>(inner_of_points_.size());
}

void ObstacleLinks::link_dependents() {
  std::vector<std::uint32_t> counts(outer_.size() + 1, 0);
  for (const Share& share : shares_)
    ++counts[share.outer + 1];
  for (std::size_t o = 0; o < outer_.size(); ++o) {
    counts[o + 1] += counts[o];
    outer_[o].dependents = {counts[o], counts[o]};
    const auto itself = inner_of_.find(outer_[o].node);
    outer_[o].itself = itself == inner_of_.end() ? none : itself->second;
  }
  dependents_.resize(shares_.size());
  for (std::uint32_t i = 0; i < inner_.size(); ++i) {
    for (const Share& share : shares_of(inner_[i]))
      dependents_[outer_[share.outer].dependents.last++] = {i, share.weight};
  }
}

}  // namespace sluice::fluid
