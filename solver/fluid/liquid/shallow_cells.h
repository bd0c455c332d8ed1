// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/particle_cells.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Keeps the volume of liquid that is thinner than a cell on a floor.
///
/// A cell that is filled by less than half counts as air: no pressure acts in it, so that its
/// particles fall onto the floor below it, all of them onto the same plane, and nothing raises them
/// again. A puddle of 0.6 cells was left with half of its height. Here the particles of a cell on a
/// floor lie evenly from the floor up to the height that their volume fills: they fall until their
/// mean height is half of that depth, and lower ones are raised. The floor is a wall or an obstacle
/// that closes the cell's face where gravity points to, along gravity's largest component.
///
/// Where the floor is above the middle of its cell, the liquid on it is mostly in the next cell,
/// and neither cell's density says where the surface is. The column of both does, and so pressure
/// acts: without it a puddle swayed for ever at 100 to 250 mm/s, and lost half of its height.
///
/// Volumes and mean heights are averages over neighbouring cells: in one cell a particle more or
/// less is an eighth of its volume.
template <int D>
class ShallowCells {
 public:
  /// Finds the cells on floors. `grid` is the substep's, after find_surface(); `volume` [cells] is
  /// a particle's. Cells with something thin near are left out: their particles may be on different
  /// sides of it.
  void find(const CellFrame<D>& frame, const ParticleCells<D>& cells, const Screens<D>& screens,
            std::span<const Vec3f> positions, float volume, const Vec<D>& gravity,
            const MacGrid<D>& grid);

  /// Sets the `distance` of `grid` where floors are above the middles of their cells.
  void set_level(MacGrid<D>& grid) const;

  /// Keeps columns from falling below the mean height of their depth within `h` [s]: changes
  /// velocities of `grid` where a cell counts as air. `cell_size` [m].
  void hold(float h, float cell_size, MacGrid<D>& grid) const;

  /// Adds velocities to `grid` that raise mean heights by `part` of what they lack within `h` [s].
  /// Only particles' positions follow them: their velocities do not change.
  void raise(float part, float h, float cell_size, MacGrid<D>& grid) const;

 private:
  struct Column {
    std::size_t cell;
    std::size_t above = 0;  // The next cell up, which may have some of the liquid, too.
    std::size_t face = 0;   // The face between the two cells.
    float depth = 0;        // [cells] of the liquid
    float moment = 0;       // Its depth times the mean height [cells] of its particles.
    float floor = 0;        // [cells] height in the cell
    float floor_speed = 0;  // [m/s] along the axis
    float level = 0;        // [cells] height of the surface
    float stretch = 0;      // How far the mean height has to grow, as a part of itself.
    bool is_low = false;    // Whether it has to by more than counts as even enough.
  };
  [[nodiscard]] std::size_t next_cell(const Tiles<D>& tiles, std::size_t cell, int step) const;
  [[nodiscard]] bool is_on_floor(const MacGrid<D>& grid, std::size_t cell) const;
  [[nodiscard]] bool find_column(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                                 std::span<const Vec3f> positions, float volume,
                                 const MacGrid<D>& grid, Column& column) const;
  void find_stretch(const Tiles<D>& tiles);

  std::size_t axis_ = 0;
  bool is_up_ = true;  // Whether up is where coordinates grow.
  std::vector<Column> columns_;
  Array<std::uint32_t> column_at_;  // By cell: a column's number plus one; 0 for none.
};

extern template class ShallowCells<2>;
extern template class ShallowCells<3>;

}  // namespace sluice::fluid::grid
