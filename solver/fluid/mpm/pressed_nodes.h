// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/material.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/obstacle_links.h"
#include "solver/fluid/mpm/particle_blocks.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// The nodes in and behind obstacles that particles press on: those with a particle in reach that
/// is not loose, on the same side of something thin.
class PressedNodes {
 public:
  PressedNodes(const GridFrame& frame, scene::Kernel kernel)
      : frame_(frame), support_(kernel == scene::Kernel::quadratic ? 3 : 4) {}

  /// Finds them, for `blocks` of `particles`, which `grid` is active and `links` linked for.
  void find(std::span<const Material> materials, const Particles& particles,
            const ParticleBlocks& blocks, const Grid& grid, const ObstacleLinks& links);

  /// Whether the inner node `inner` of `links` is one; both as they were for find().
  [[nodiscard]] bool has(std::uint32_t inner, const ObstacleLinks& links, const Grid& grid) const;

 private:
  GridFrame frame_;
  int support_;
  std::vector<NodeBits> cells_;  // By block: the cells of particles that press.
  std::vector<std::uint8_t>
      sides_;  // By inner node: whether one on its side of something thin does.
};

}  // namespace sluice::fluid
