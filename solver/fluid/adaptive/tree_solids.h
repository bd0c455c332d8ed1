// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/gas/gas_settings.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// The obstacles in a gas on a tree. Leaves at their surfaces are of level 0, so that only there
/// faces are open in part; larger leaves are gas or solid as a whole. Around obstacles so thin that
/// cells mix what is on their two sides, leaves of level 0 go as far as larger ones may look.
template <int D>
class TreeSolids {
 public:
  /// `cfl` [finest cells] is the longest way in a substep along an axis.
  TreeSolids(const grid::GasSettings<D>& settings, std::size_t level_count, double cfl);

  /// Sets the obstacles as they are at the end of the substep, with their velocities in it.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);
  [[nodiscard]] bool is_empty() const noexcept { return end_.obstacles.empty(); }
  /// Whether obstacles are, or move, otherwise at the end of the substep than at its start.
  [[nodiscard]] bool do_change() const noexcept { return do_change_; }

  /// The cells that are to be divided for the obstacles, at the start and the end of the substep.
  [[nodiscard]] WantedCells<D> cells() const;

  /// Lets obstacles be where they are at the end of the substep.
  void go_on();
  /// Finds where the obstacles, as they are now, leave room for gas.
  void find(Layers<D>& layers, const FluidLevels<D>& levels);

  /// Thin obstacles that hide gas of level 0 on their two sides from each other, in a substep of
  /// `h` [s] in which it flows as `finest` has it; null if there are none.
  [[nodiscard]] const grid::Screens<D>* screens(const grid::MacGrid<D>& finest, float h);

  /// Gives level 0's faces in obstacles the velocities of gas along them, after Layers'
  /// fill_faces().
  void constrain(const Layers<D>& layers, FluidLevel<D>& finest) const;

 private:
  struct Placed {
    std::vector<scene::Obstacle> obstacles;
    WantedCells<D> cells;
  };
  [[nodiscard]] WantedCells<D> cells_around(std::span<const scene::Obstacle> obstacles) const;

  const grid::GasSettings<D>& settings_;
  std::size_t level_count_;
  std::vector<std::int32_t> margin_of_thin_;  // By level. [cells]
  Placed start_, end_;                        // Of the substep.
  bool do_change_ = false;
  grid::SolidFaces<D> faces_;
  grid::Screens<D> screens_;
};

extern template class TreeSolids<2>;
extern template class TreeSolids<3>;

}  // namespace sluice::fluid::adaptive
