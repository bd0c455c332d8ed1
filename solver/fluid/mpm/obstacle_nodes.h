// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/hidden_nodes.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/obstacle_links.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/mpm/pressed_nodes.h"
#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/particles/boundary.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The boundary conditions of obstacles that are slip or no_slip, on the grid; of those with
/// friction, what is behind something thin.
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
/// as inner nodes do, or are each stopped by it where it has friction; so water on one side neither
/// holds nor drags what is on the other.
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
      : frame_(frame), links_(frame, grid), pressed_(frame, grid.kernel) {}

  /// Finds where nodes and surfaces are, for the active blocks of `grid` and the obstacles of
  /// `boundary` as they are now; both must be the ones that solve() gets.
  void find(const Boundary& boundary, const Grid& grid) { links_.find(boundary, grid); }

  /// The nodes at which particles on the two sides of something thin must not meet; after find().
  [[nodiscard]] const ThinNodes& thin() const { return links_.thin(); }

  /// Which nodes depend on which; after link().
  [[nodiscard]] const ObstacleLinks& links() const noexcept { return links_; }

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
    std::uint64_t node;  ///< ObstacleLinks::Point.
    std::uint32_t obstacle;
    float size;  ///< [N]
  };
  [[nodiscard]] const std::vector<Force>& forces() const noexcept { return forces_; }
  /// The forces that the first substep starts from; before find().
  void restore(std::vector<Force> forces) { forces_ = std::move(forces); }

 private:
  // The state of an inner node in a substep.
  struct InnerState {
    bool lets_go = false;
    float mass = 0;                  // [kg]
    Vec3f momentum = Vec3f::Zero();  // [kg m/s] for what is above it, relative to the obstacle
  };
  struct OuterState {
    bool has_mass = false;
    Vec3f velocity = Vec3f::Zero();
    Eigen::Matrix3f mobility = Eigen::Matrix3f::Zero();  // [1/kg]
  };

  [[nodiscard]] Float4 gathered(const ObstacleLinks::Inner& inner, Grid& grid) const;
  template <typename Change>
  void change_nodes(const ObstacleLinks::Inner& inner, Grid& grid, Change&& change) const;
  void take_up(const Boundary& boundary, Grid& grid);
  void find_outer(Grid& grid);
  void calm(const Substep& step, Grid& grid);
  void push(float h);
  [[nodiscard]] bool is_covered(const ObstacleLinks::Point& point) const;
  [[nodiscard]] float push_at(const ObstacleLinks::Point& point, float& impulse);
  void add_impulse(const ObstacleLinks::Point& point, float impulse);
  void draw(Grid& grid) const;
  void fill_images(Grid& grid) const;

  GridFrame frame_;
  ObstacleLinks links_;
  PressedNodes pressed_;
  // By links_.inner(), outer() and points().
  std::vector<InnerState> inner_;
  std::vector<OuterState> outer_;
  std::vector<float> forces_of_points_;  // [N]
  std::vector<Force> forces_;            // The forces that are not 0.
};

}  // namespace sluice::fluid
