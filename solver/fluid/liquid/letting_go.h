// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/liquid/inlets.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid::grid {

/// Liquid that walls and obstacles let go of. Bodies that move do not: what they give is what they
/// take, and that goes by the pressure alone.
///
/// A solid pushes liquid and cannot pull it. Pressure, which takes what it is asked to keep out of
/// a closed face for what must not leave it either, pulls: a drop under a ceiling would hang there.
/// So a layer of liquid between a solid and air, at most `most_layers` cells thick, all of which
/// moves away from the solid before pressure acts, is taken off the liquid: nothing presses it on
/// either side, and its particles fly. It is found from its solid on, along one axis. What is
/// thicker is held by suction, as under a full lid; it goes from its rim on. So is what leaves
/// aside or upwards slower than 0.3 sqrt(g dx): it gets nowhere, and water at rest would not come
/// to rest.
///
/// No face is opened: nothing can come through a solid because of it. Cells that are mostly solid
/// and that count as liquid because of what is next to them do no longer, where all of that goes.
template <int D>
class LettingGo {
 public:
  /// After walls and obstacles have covered `grid`, and before bodies do.
  void note_room(const MacGrid<D>& grid) { room_ = grid.room; }
  /// What note_room() was given.
  [[nodiscard]] const Array<float>& room() const noexcept { return room_; }

  /// After `gravity` [m/s^2] was added for `h` [s], before pressure: takes cells that are let go of
  /// from `grid`'s liquid (distance and is_full). What an emitter pushes out is not let go of by
  /// it. `cell_size` [m].
  void apply(const Inlets<D>& inlets, const Vec<D>& gravity, float h, float cell_size,
             MacGrid<D>& grid);

 private:
  // `least` [m/s], by side of the solid: what is not faster does not leave.
  void find_layers(const Inlets<D>& inlets, const std::array<float, side_count<D>>& least,
                   const MacGrid<D>& grid);
  void find_dried(const MacGrid<D>& grid);

  Array<float> room_;  // What walls and obstacles leave of cells.
  parallel::Collector<std::size_t> collector_;
  std::vector<std::size_t> cells_, dried_;
};

extern template class LettingGo<2>;
extern template class LettingGo<3>;

}  // namespace sluice::fluid::grid
