// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/adaptive/sizing.h"
#include "solver/fluid/adaptive/tree_projection.h"
#include "solver/fluid/adaptive/tree_solids.h"
#include "solver/fluid/gas/gas_forces.h"
#include "solver/fluid/gas/gas_settings.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/scene/adaptive.h"
#include "solver/stages.h"

namespace sluice::fluid::adaptive {

/// A substep of an incompressible gas on a tree of cells [Losasso2004] that fills a box. On each
/// level it is what grid::GasStep is on equal cells: values are in the middles of cells and
/// velocities on faces, and cells around a level's own have values too (Layers). Pressure is solved
/// for over all leaves at once, by the second-order system of [Losasso2006].
///
/// There may be obstacles in it (TreeSolids), but no solids that it moves; there are no periodic
/// sides, and no viscosity.
template <int D>
class TreeGasStep {
 public:
  /// `settings` are those of the finest cells. `cfl` [finest cells] is the longest way in a substep
  /// along an axis.
  TreeGasStep(grid::GasSettings<D> settings, scene::Adaptive adaptive, double cfl);

  /// Sets the state at time 0: the gas's velocity, except in its regions, projected to the nearest
  /// flow that is free of divergence.
  void start();

  /// See Fluid. To be called before start() and advance().
  void set_obstacles(std::span<const scene::Obstacle> obstacles) {
    solids_.set_obstacles(obstacles);
  }

  /// Advances the gas by a substep. Returns the report of the pressure solve.
  grid::SolveReport advance(const grid::GasActions& actions, StageTimer* timer = nullptr);

  [[nodiscard]] const grid::GasSettings<D>& settings() const noexcept { return settings_; }
  [[nodiscard]] const octree::Tree<D>& tree() const noexcept { return *tree_; }
  [[nodiscard]] const Layers<D>& layers() const noexcept { return layers_; }
  [[nodiscard]] std::span<const grid::Channel> channels() const noexcept { return channels_; }

  /// The gas by level. Pressures are those of the last substep times h / (density dx), dx of the
  /// finest cells. [m/s]
  [[nodiscard]] const FluidLevels<D>& levels() const noexcept { return levels_; }
  /// The duration [s] of the last substep; 0 before the first.
  [[nodiscard]] float duration() const noexcept { return duration_; }
  /// See DividesCells.
  [[nodiscard]] float detail_lost() const noexcept { return detail_lost_; }
  /// [m/s] The largest velocity along an axis; NaN if one is not finite.
  [[nodiscard]] double fastest() const noexcept { return fastest_; }

  void save(ByteWriter& out) const;
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  [[nodiscard]] std::size_t level_count() const noexcept { return levels_.size(); }
  template <typename Get>
  [[nodiscard]] ByLevel of_levels(const Get& get) const;
  [[nodiscard]] grid::GasLattice<D> lattice(std::size_t level);
  [[nodiscard]] WantedCells<D> find_detail() const;
  [[nodiscard]] WantedCells<D> cells_within(
      const std::function<double(const Vec3& x)>& distance) const;
  [[nodiscard]] octree::Tree<D> tree_with(const WantedCells<D>& cells) const;
  [[nodiscard]] octree::Tree<D> tree_for_detail(const WantedCells<D>& always,
                                                std::span<const std::int32_t> margin);
  [[nodiscard]] bool has_too_many_cells(const octree::Tree<D>& tree) const;
  void adapt(std::span<const Stroke> strokes);
  void take(octree::Tree<D> tree);
  void find_fluid();
  void make_arrays();
  void move_arrays(const Layers<D>& to);
  void find_flow(float h, float of_last);
  void carry(float h, float of_last);
  void subtract_last_pressure(float part);
  void add_forces(const grid::GasActions& actions, float h, float of_last);
  void fill_values();
  void fill_pressure();
  void fill_velocities();
  void fill_faces();
  void make_system();
  grid::SolveReport project();

  grid::GasSettings<D> settings_;
  scene::Adaptive adaptive_;
  double cfl_;
  std::vector<std::int32_t> reach_, margin_;  // By level. [cells]
  std::vector<grid::Channel> channels_;
  std::vector<float> tolerance_;  // By channel.
  WantedCells<D> always_;         // Cells that are divided whatever the gas does.
  std::unique_ptr<octree::Tree<D>> tree_;
  Layers<D> layers_;
  FluidLevels<D> levels_;
  TreeSolids<D> solids_;
  TreeProjection<D> projection_;
  bool is_system_made_ = false;  // Whether projection_ has the system of the tree and the solids.
  int since_adapted_ = 0;        // Substeps.
  float detail_lost_ = 1;
  float duration_ = 0;
  double fastest_ = 0;
};

extern template class TreeGasStep<2>;
extern template class TreeGasStep<3>;

}  // namespace sluice::fluid::adaptive
