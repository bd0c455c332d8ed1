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

/// Finds the liquid that walls and obstacles let go of. Solids that the liquid moves never let go:
/// they and the liquid exchange momentum by the pressure alone, so that one gets what the other
/// loses.
///
/// A solid pushes liquid and cannot pull it. But the pressure solver keeps liquid from leaving a
/// closed face as it keeps it from entering: a drop under a ceiling would hang there. So a layer of
/// liquid between a solid and air, at most four cells thick, all of which moves away from
/// the solid before pressure acts, no longer counts as liquid: nothing presses it on either side,
/// and its particles fly. A layer is found from its solid on, along one axis. A thicker layer
/// stays, held by suction as water under a full lid is, and falls from its rim inwards, where it
/// becomes thin. Liquid that leaves sideways or upwards slower than 0.3 sqrt(g dx) is held, too: it
/// gets nowhere, and water at rest would not come to rest.
///
/// No face is opened: nothing can come through a solid because of it. A cell that is mostly solid
/// counts as liquid for the sake of the liquid beside it. Where all of the liquid beside it is let
/// go, it no longer counts.
template <int D>
class LettingGo {
 public:
  /// Keeps `grid`'s room, after walls and obstacles have covered it and before bodies do.
  void note_room(const MacGrid<D>& grid) { room_ = grid.room; }
  /// The room that note_room() was given.
  [[nodiscard]] const Array<float>& room() const noexcept { return room_; }

  /// After `gravity` [m/s^2] was added for `h` [s], before pressure: takes the cells that are let
  /// go of out of `grid`'s liquid (distance and is_full). An emitter never lets go of the liquid
  /// that it pushes out. `cell_size` [m].
  void apply(const Inlets<D>& inlets, const Vec<D>& gravity, float h, float cell_size,
             MacGrid<D>& grid);

 private:
  // Liquid that is not faster than `least` [m/s], by side of the solid, does not leave.
  void find_layers(const Inlets<D>& inlets, const std::array<float, side_count<D>>& least,
                   const MacGrid<D>& grid);
  void find_dried(const MacGrid<D>& grid);

  Array<float> room_;  // The room that walls and obstacles leave in cells.
  parallel::Collector<std::size_t> collector_;
  std::vector<std::size_t> cells_, dried_;
};

extern template class LettingGo<2>;
extern template class LettingGo<3>;

}  // namespace sluice::fluid::grid
