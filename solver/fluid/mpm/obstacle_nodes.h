// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/near_obstacles.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The boundary conditions of obstacles that are slip or no_slip, on the grid.
///
/// A node inside an obstacle is no degree of freedom: relative to the obstacle its velocity is that
/// of the fluid straight above it, mirrored in the surface (slip: the component along the normal
/// changes sign, and is scaled with the depth; no_slip: all do). Its momentum from particles goes
/// to the nodes outside that it depends on, by the transpose of the map that makes its velocity, so
/// that no energy comes of it, and with the tensor of mass that goes with that. At points of the
/// surface, impulses that only push, as in contact, then keep the flow out of the obstacle; sweeps
/// over the points find them from those of the substep before.
///
/// Kernels that are cut off at a surface would see too little density there: the part of them that
/// is inside obstacles, or behind something thin, counts as filled.
///
/// Something so thin that kernels reach through parts its two sides: at a node in it or behind it,
/// particles on the far side have copies of the node (HiddenNodes), which move by the far surface
/// as inner nodes do; so water on one side neither holds nor drags what is on the other.
///
/// An inner node lets go where no particle with a pressure reaches it and the velocity that
/// particles gave it leaves the obstacle: it then moves by that.
///
/// Where a liquid's surface meets an obstacle, flow slower than 0.06 sqrt(g dx) along the obstacle
/// is slowed, as where the edge of real water sticks, by at most 0.06 g: water at rest would go on
/// circulating there.
class ObstacleNodes {
 public:
  ObstacleNodes(const GridFrame& frame, const scene::FluidGrid& grid)
      : frame_(frame), kernel_(grid.kernel), wall_(grid.wall) {}

  /// Finds where nodes and surfaces are, for the active blocks of `grid` and the obstacles of
  /// `boundary` as they are now; both must be the ones that solve() gets.
  void find(const Boundary& boundary, const Grid& grid);

  /// The nodes at which particles on the two sides of something thin must not meet; after find().
  [[nodiscard]] const ThinNodes& thin() const { return thin_; }

  /// Finds what nodes move by, with the copies of thin ones that `hidden_nodes` made for `grid`;
  /// after find().
  void link(const HiddenNodes& hidden_nodes, const Boundary& boundary, const Grid& grid);

  /// Finds which particles press, for `blocks` of `particles`, which `grid` is active for.
  void find_pressing(std::span<const Material> materials, const Particles& particles,
                     const ParticleBlocks& blocks, const Grid& grid);

  /// Makes the velocities of `grid` respect obstacles in a substep. Its nodes must be (velocity,
  /// mass) as particles made them, walls' images folded.
  void solve(const Substep& step, const Boundary& boundary, Grid& grid);

  /// Adds to each node's mass that of its kernel's part inside obstacles at `density` [kg/m^3].
  void fill(float density, Grid& grid) const;

  /// The force that pushes at a point of a surface.
  struct Force {
    /// The point's node: 64 times its block's key plus its number there. The highest bit is set for
    /// a point on the other side of something thin.
    std::uint64_t node;
    std::uint32_t obstacle;
    float size;  ///< [N]
  };
  [[nodiscard]] std::vector<Force> forces() const;
  void restore(std::vector<Force> forces) { found_forces_ = std::move(forces); }

 private:
  // The share that a node outside has in an inner node's velocity, and in its momentum.
  struct Share {
    std::uint32_t outer;  // Index in outer_.
    float weight;
  };
  struct Range {
    std::uint32_t first, last;
  };
  // An inner node's velocity is along * v + across (v . normal) normal, with v the velocity above
  // it; both are relative to its obstacle.
  struct Mirror {
    float along, across;
    [[nodiscard]] Vec3f of(const Vec3f& v, const Vec3f& normal) const {
      return along * v + across * v.dot(normal) * normal;
    }
    // The map's square, of the same form; not quite singular at the surface itself.
    [[nodiscard]] Mirror inertia() const {
      constexpr float least = 1e-3F;
      const float of_along = std::max(along * along, least);
      const float of_across = std::max((along + across) * (along + across), least);
      return {of_along, of_across - of_along};
    }
  };
  // A node by one side of something thin is there twice: the copies of it, by the far side, come
  // next. A free one is outside of obstacles and moves by itself.
  struct Inner {
    std::uint32_t node;
    std::uint32_t obstacle;
    Vec3f normal;
    float reflection;
    bool lets_go;
    bool is_far, is_free;
    float behind;  // InnerNode.
    Mirror mirror;
    Vec3f velocity;                  // [m/s] of the obstacle
    Vec3f momentum = Vec3f::Zero();  // [kg m/s] for what is above it, relative to the obstacle
    float mass;                      // [kg]
    Range shares;
    Range copies;  // In copies_, of a far one.
  };
  // A node that inner ones depend on, or whose velocity counts at a point.
  struct Outer {
    std::uint32_t node;
    std::uint8_t fixed;  // Axes along which it is on a mirror.
    bool has_mass;
    std::uint32_t itself;  // In inner_, if it is next to something thin; or none.
    Vec3f velocity = Vec3f::Zero();
    Eigen::Matrix3f mobility = Eigen::Matrix3f::Zero();  // [1/kg]
    Range inner;                                         // In dependents_.
  };
  struct Dependent {
    std::uint32_t inner;
    float weight;
  };
  // The factor of an outer node's velocity in the flow across the surface at a point.
  struct Term {
    std::uint32_t outer;
    Vec3f factor;
  };
  struct Point {
    std::uint64_t node;
    std::uint32_t obstacle;
    float still;    // [m/s] That flow where all outer nodes stand still.
    float impulse;  // [N s]
    Range terms, inner;
  };

  void find_geometry(const Boundary& boundary, const Grid& grid);
  void find_thin();
  void link_inner(const Boundary& boundary, const Grid& grid);
  void link_points(const Boundary& boundary, const Grid& grid);
  void link_dependents();
  void link_copies(const Grid& grid);
  void add_terms(const Boundary& boundary, const Grid& grid, const SurfacePoint& point,
                 Point& linked);
  [[nodiscard]] std::uint32_t node_at(const Grid& grid,
                                      const std::array<std::int32_t, 3>& node) const;
  std::uint32_t outer_at(std::uint32_t node, const std::array<std::int32_t, 3>& place);
  [[nodiscard]] Vec3f before_walls(std::array<std::int32_t, 3>& node, Vec3f factor) const;
  [[nodiscard]] bool is_inside(std::uint32_t node) const;
  [[nodiscard]] bool is_pressed(const Grid& grid, std::size_t inner) const;
  [[nodiscard]] bool is_shared(std::uint32_t node) const;
  [[nodiscard]] float filled_behind(std::size_t inner) const;
  void find_pressed_sides(const Particles& particles, const ParticleBlocks& blocks,
                          std::span<const Material> materials, const Grid& grid);
  [[nodiscard]] Mirror mirror_of(const scene::Obstacle& obstacle, const Inner& inner) const;
  [[nodiscard]] Float4 gathered(const Inner& inner, Grid& grid) const;
  template <typename Change>
  void change_nodes(const Inner& inner, Grid& grid, Change&& change) const;
  void take_up(const Boundary& boundary, Grid& grid);
  void find_outer(Grid& grid);
  void calm(const Substep& step, Grid& grid);
  void push(float h);
  [[nodiscard]] bool is_covered(const Point& point) const;
  [[nodiscard]] float push_at(Point& point);
  void draw(Grid& grid) const;

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
  std::vector<NodeBits> pressing_;  // By block: cells of particles that press.
  ThinNodes thin_;
  std::vector<NodeBits> shared_;       // By block: HiddenNodes::shared.
  std::vector<std::uint32_t> copies_;  // Of thin nodes, by far side.
  std::vector<std::uint8_t> pressed_;  // By inner_: whether a particle on its side presses.
  std::vector<Inner> inner_;
  std::vector<Share> shares_;
  std::vector<Outer> outer_;
  std::vector<Dependent> dependents_;
  std::vector<Point> points_;
  std::vector<Term> terms_;
  std::vector<std::uint32_t> inner_of_points_;
  std::unordered_map<std::uint32_t, std::uint32_t> outer_of_, inner_of_;  // By node.
  std::vector<Force> found_forces_;
};

}  // namespace sluice::fluid
