// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/near_obstacles.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// Which nodes depend on which by obstacles that are slip or no_slip, for the active blocks of a
/// grid: inner nodes, inside obstacles, move by outer ones, and the flow at points of the surface
/// is a sum over outer ones. For obstacles with friction: which copies are on their far sides.
/// ObstacleNodes says how nodes move.
class ObstacleLinks {
 public:
  /// No index.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Range {
    std::uint32_t first, last;
    [[nodiscard]] bool empty() const noexcept { return first == last; }
  };
  /// The share that a node outside has in an inner node's velocity, and in its momentum.
  struct Share {
    std::uint32_t outer;  ///< Index in outer().
    float weight;
  };
  /// An inner node's velocity is along * v + across (v . normal) normal, with v the velocity above
  /// it; both are relative to its obstacle.
  struct Mirror {
    float along, across;
    [[nodiscard]] Vec3f of(const Vec3f& v, const Vec3f& normal) const {
      return along * v + across * v.dot(normal) * normal;
    }
    /// The map's square, of the same form; not quite singular at the surface itself.
    [[nodiscard]] Mirror inertia() const {
      constexpr float least = 1e-3F;
      const float of_along = std::max(along * along, least);
      const float of_across = std::max((along + across) * (along + across), least);
      return {of_along, of_across - of_along};
    }
  };
  /// A node by one side of something thin is there twice: the copies of it, by the far side, come
  /// next. A free one is outside of obstacles and moves by itself.
  struct Inner {
    std::uint32_t node;  ///< 64 times its block plus its number there.
    std::uint32_t obstacle;
    Vec3f normal;
    bool is_far, is_free;
    float behind;  ///< InnerNode.
    Mirror mirror;
    Vec3f velocity;  ///< [m/s] of the obstacle
    Range shares;    ///< Empty where nothing flows above it.
    Range copies{0, 0};
  };
  /// A node that inner ones depend on, or whose velocity counts at a point.
  struct Outer {
    std::uint32_t node;
    std::uint8_t fixed;    ///< The axes along which it is on a mirror, as bits.
    std::uint32_t itself;  ///< In inner(), if it is next to something thin; or none.
    Range dependents;
  };
  /// An inner node, and the weight of an outer one in it.
  struct Dependent {
    std::uint32_t inner;
    float weight;
  };
  /// The factor of an outer node's velocity in the flow across the surface at a point.
  struct Term {
    std::uint32_t outer;
    Vec3f factor;
  };
  struct Point {
    /// The point's node: 64 times its block's key plus its number there. The highest bit is set for
    /// a point on the other side of something thin.
    std::uint64_t node;
    std::uint32_t obstacle;
    float still;  ///< [m/s] The flow across it where all outer nodes stand still.
    Range terms, inner;
  };

  ObstacleLinks(const GridFrame& frame, const scene::FluidGrid& grid)
      : frame_(frame), kernel_(grid.kernel), wall_(grid.wall) {}

  /// Finds where nodes and surfaces are; ObstacleNodes::find.
  void find(const Boundary& boundary, const Grid& grid);
  /// Finds what depends on what; ObstacleNodes::link. Returns whether inner(), outer() and points()
  /// are others than before.
  bool link(const HiddenNodes& hidden_nodes, const Boundary& boundary, const Grid& grid);

  /// After find(): the blocks that have an obstacle near.
  [[nodiscard]] std::span<const std::uint32_t> near_blocks() const noexcept { return near_blocks_; }
  [[nodiscard]] bool is_near(std::size_t block) const noexcept { return near_[block] != nullptr; }
  /// The part of a node's kernel inside obstacles.
  [[nodiscard]] float solid_part(std::uint32_t node) const {
    const NearObstacles* near = near_[node / block_nodes];
    return near == nullptr ? 0 : near->solid[node % block_nodes];
  }
  [[nodiscard]] const ThinNodes& thin() const noexcept { return thin_; }

  /// After link(), as all that follows.
  [[nodiscard]] std::span<const Inner> inner() const noexcept { return inner_; }
  [[nodiscard]] std::span<const Outer> outer() const noexcept { return outer_; }
  [[nodiscard]] std::span<const Point> points() const noexcept { return points_; }

  [[nodiscard]] std::span<const Share> shares_of(const Inner& inner) const {
    return part_of(shares_, inner.shares);
  }
  /// In Grid::copies, of a far one.
  [[nodiscard]] std::span<const std::uint32_t> copies_of(const Inner& inner) const {
    return part_of(copies_, inner.copies);
  }
  [[nodiscard]] std::span<const Dependent> dependents_of(const Outer& outer) const {
    return part_of(dependents_, outer.dependents);
  }
  [[nodiscard]] std::span<const Term> terms_of(const Point& point) const {
    return part_of(terms_, point.terms);
  }
  /// The inner nodes whose velocities count at a point.
  [[nodiscard]] std::span<const std::uint32_t> inner_of(const Point& point) const {
    return part_of(inner_of_points_, point.inner);
  }

  /// The two sides of something thin at a node that particles on both do not share; or null.
  [[nodiscard]] const ThinNode* parted(std::uint32_t node) const {
    const ThinNode* thin = thin_.find(node);
    return thin == nullptr || is_shared(node) ? nullptr : thin;
  }
  /// The part of an inner node's kernel that is behind something thin and counts as filled.
  [[nodiscard]] float filled_behind(const Inner& inner) const {
    return is_shared(inner.node) ? 0 : inner.behind;
  }

 private:
  template <typename T>
  [[nodiscard]] static std::span<const T> part_of(const std::vector<T>& all, const Range& range) {
    return std::span(all).subspan(range.first, range.last - range.first);
  }

  void find_geometry(const Boundary& boundary, const Grid& grid);
  void find_thin();
  void link_inner(const Boundary& boundary, const Grid& grid);
  Range share(const InnerNode& node, const Grid& grid);
  void link_points(const Boundary& boundary, const Grid& grid);
  void link_dependents();
  void link_copies(const Grid& grid);
  void add_terms(const Boundary& boundary, const Grid& grid, const SurfacePoint& point,
                 Point& linked);
  std::uint32_t outer_at(std::uint32_t node, const std::array<std::int32_t, 3>& place);
  [[nodiscard]] Vec3f before_walls(std::array<std::int32_t, 3>& node, Vec3f factor) const;
  [[nodiscard]] bool is_inside(std::uint32_t node) const;
  [[nodiscard]] bool is_shared(std::uint32_t node) const;

  GridFrame frame_;
  scene::Kernel kernel_;
  scene::WallCondition wall_;
  // By block's key; null where no obstacle is near.
  std::unordered_map<std::uint64_t, std::unique_ptr<const NearObstacles>> geometry_;
  std::vector<scene::Obstacle> obstacles_;  // The obstacles that geometry_ is for.
  std::vector<std::uint64_t> keys_;         // The blocks that all below is for.
  bool is_linked_ = false;                  // Whether inner_ and what follows are for these.
  std::vector<const NearObstacles*> near_;  // By block; null where no obstacle is near.
  std::vector<std::uint32_t> near_blocks_;
  ThinNodes thin_;
  std::vector<NodeBits> shared_;  // By block: HiddenNodes::shared.
  std::vector<Inner> inner_;
  std::vector<Share> shares_;
  std::vector<std::uint32_t> copies_;
  std::vector<Outer> outer_;
  std::vector<Dependent> dependents_;
  std::vector<Point> points_;
  std::vector<Term> terms_;
  std::vector<std::uint32_t> inner_of_points_;
  std::unordered_map<std::uint32_t, std::uint32_t> outer_of_, inner_of_;  // By node.
};

}  // namespace sluice::fluid
