// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// The nodes on mirror walls that particles press on, or may pull at.
///
/// A mirror holds fluid that leaves it as firmly as it stops fluid that comes; a wall only pushes.
/// Nodes that no particle with pressure reaches may therefore go: GridSides. Newtonian liquids
/// press or do not; elastic materials may hang on to a wall, and are always held.
class HeldNodes {
 public:
  /// Finds the held nodes for the particles of `blocks`, for which `grid` is active.
  void find(const GridFrame& frame, scene::Kernel kernel, std::span<const Material> materials,
            const Particles& particles, const ParticleBlocks& blocks, const Grid& grid);

  /// Returns the held ones among a block's nodes on a wall across `axis`; all of them before the
  /// first find().
  [[nodiscard]] NodeBits in_block(std::size_t block, int axis) const noexcept {
    const std::vector<NodeBits>& held = held_[static_cast<std::size_t>(axis)];
    return held.empty() ? ~NodeBits{0} : held[block];
  }

 private:
  std::array<std::vector<NodeBits>, 3> held_;  ///< By axis and block of nodes.
};

/// Applies the sides of the domain (node_boundary.h) to a grid: walls that are mirrors, and
/// periodic sides. A mirror means that each particle before a wall has an image behind it, as far
/// away and with the velocity across the wall turned round; the images scatter to nodes, too.
///
/// A wall lets go of a node on it that is not held and that would move away from it: this node and
/// its neighbours before and behind the wall then move by what the particles alone gave them, as if
/// there was no wall. The masses of these nodes still count the images, since the density that
/// particles see is found from them.
class GridSides {
 public:
  /// `frame`, `held` (the nodes that walls hold on to) and `grid` must outlive this object.
  GridSides(const GridFrame& frame, scene::WallCondition wall, const HeldNodes& held, Grid& grid);

  /// Before velocities are found: adds what the image particles behind walls would have scattered,
  /// and gives the nodes at both of two periodic sides the sum of the two.
  void fold();

  /// Gives the nodes behind walls the reflected velocities of those before them.
  void draw() const;

 private:
  struct Wall;
  [[nodiscard]] std::array<Wall, 2> walls_across(int axis) const;
  void find_released(int axis);
  void fold_images(int axis);
  void join(int axis);
  void draw_images(int axis) const;
  [[nodiscard]] std::size_t find_along(std::size_t block, int axis, int index) const;

  const GridFrame& frame_;
  scene::WallCondition wall_;
  const HeldNodes& held_;
  Grid& grid_;
  std::array<std::vector<NodeBits>, 3> released_;  ///< By axis and block: released nodes on walls.
};

}  // namespace sluice::fluid
