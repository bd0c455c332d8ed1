// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/interior_tree.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/liquid_settings.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::adaptive {

/// Which cells of twice the finest edge have liquid, by a grid of the finest cells.
template <int D>
class HalvedGrid {
 public:
  enum class Filling : std::uint8_t { empty, partly, full };

  /// `sides` are those of the finest cells. Cells of the interior count as full; `is_interior`
  /// tells whether one of the finest cells is, where `grid` does not have it. All must outlive
  /// this.
  HalvedGrid(const grid::MacGrid<D>& grid, const Sides<D>& sides,
             const std::function<bool(const Cell<D>&)>& is_interior);

  /// How much liquid a cell has that has something of the domain in it.
  [[nodiscard]] Filling filling(const Cell<D>& cell) const;

  /// The cells with liquid that are at most `margin` cells away from the surface: from cells that
  /// are not full, or are beyond an open side.
  [[nodiscard]] octree::Cells<D> near_surface(std::int32_t margin) const;
  /// All cells with liquid that the grid has.
  [[nodiscard]] octree::Cells<D> with_liquid() const;

 private:
  [[nodiscard]] bool is_inside(const Cell<D>& cell) const;
  [[nodiscard]] bool is_at_surface(const Cell<D>& cell, Filling own) const;
  template <typename Condition>
  [[nodiscard]] octree::Cells<D> chosen(const Condition& condition) const;

  const grid::MacGrid<D>& grid_;
  const Sides<D>& sides_;
  const std::function<bool(const Cell<D>&)>& is_interior_;
  Array<Filling> filling_;  // By tile of the grid, and cell in it.
};

/// What an interior's cells have, for sizing them.
template <int D>
struct InteriorFlow {
  const Layers<D>& layers;
  const FluidLevels<D>& levels;
  double fastest;  ///< [m/s] along an axis
};

/// Where the interior of a liquid has its cells: at least some of the finest cells below the
/// surface and away from obstacles, open sides, emitters, drains and regions told by the scene; and
/// the smaller, the more the flow turns.
template <int D>
class InteriorSizing {
 public:
  /// For a scene with `grid.adaptive`. `settings` are the liquid's, and must outlive this.
  InteriorSizing(const scene::Scene& scene, const grid::LiquidSettings<D>& settings);

  /// Sets where the obstacles are.
  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// The interior at time 0: leaves well inside the fluid's regions.
  [[nodiscard]] InteriorTree<D> at_start(const scene::Fluid& fluid) const;

  /// The cells that are to be divided, `spare` cells further than there is need. `grid` is that of
  /// the finest cells in the last substep; `flow` is looked at unless `now` is empty.
  [[nodiscard]] WantedCells<D> needed(const grid::MacGrid<D>& grid, const InteriorTree<D>& now,
                                      const InteriorFlow<D>& flow, std::int32_t spare) const;
  /// The interior by the tree that divides these cells, which needed() are among.
  [[nodiscard]] InteriorTree<D> tree_of(const WantedCells<D>& cells, const grid::MacGrid<D>& grid,
                                        const InteriorTree<D>& now) const;

 private:
  [[nodiscard]] WantedCells<D> cells_near(
      const std::function<double(const Vec3& x)>& distance) const;
  template <typename HasLiquid>
  [[nodiscard]] InteriorTree<D> tree_with(const WantedCells<D>& cells,
                                          const HasLiquid& has_liquid) const;

  const grid::LiquidSettings<D>& settings_;
  scene::Adaptive adaptive_;
  std::int32_t band_;                 // [cells of level 1] of particles below the surface
  std::vector<std::int32_t> margin_;  // By level. [cells] The longest way in a substep.
  std::vector<scene::Obstacle> obstacles_;
  WantedCells<D> always_, at_obstacles_;  // Cells that are divided whatever the liquid does.
};

extern template class HalvedGrid<2>;
extern template class HalvedGrid<3>;
extern template class InteriorSizing<2>;
extern template class InteriorSizing<3>;

}  // namespace sluice::fluid::adaptive
