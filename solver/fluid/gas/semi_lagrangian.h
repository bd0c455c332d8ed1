// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/scene/gas.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// Cells in an obstacle have values of the side that is nearer. Interpolation from one side looks
/// at those a cell deep along each axis, which are nearer to the other side where the obstacle is
/// less than twice as thick as one that may cover no face whole: that many cells must not mix.
/// (ThinWalls.hold_smoke_however_thin_they_are.)
inline constexpr double cells_that_mix = 2;

/// Values that a flow carries along.
struct Advected {
  static constexpr int in_middles = no_axis;

  int axis;  ///< The axis of the faces that they are on; in_middles for cells.
  /// By place: 0 where a value stays as it is. All values at the same places share one array.
  const Array<std::uint8_t>* is_carried;
  Array<float>* values;
};

/// Carries values of a grid along its velocity, by tracing their places back: linear between the
/// values around the place they come from [Stam1999]; MacCormack's correction of that by half of
/// the error of going there and back again, within those values [Selle2008]; or cubic between the
/// values around, within the nearest of them [Bermejo1992]. Places further out than the layer of
/// cells around the domain are moved to it, or, beyond periodic sides, in from the opposite side.
///
/// Near thin solids nothing comes from beyond them (seen_flow.h): values there are linear between
/// those that are seen from the place they come from.
template <int D>
class SemiLagrangian {
 public:
  SemiLagrangian(const CellFrame<D>& frame, const Sides<D>& sides,
                 scene::PathIntegrator integrator = scene::PathIntegrator::rk3)
      : frame_(frame), sides_(sides), integrator_(integrator) {}

  /// Carries all of `advected` for `h` seconds along the velocity before the call, which may be
  /// among them. Values at the same places, side by side in `advected`, share their paths.
  /// `screens`, where given, have looked around, and `grid` has their solids as they are at the
  /// start of the substep.
  void carry(const MacGrid<D>& grid, scene::Advection method, float h,
             std::span<const Advected> advected, const Screens<D>* screens = nullptr);

 private:
  void carry_back(const MacGrid<D>& grid, scene::Advection method, float h,
                  std::span<const Advected> advected);
  void carry_screened(const MacGrid<D>& grid, const Screens<D>& screens, bool is_corrected, float h,
                      std::span<const Advected> advected);
  [[nodiscard]] Vec3 keep_near(const Vec3& x) const;
  void correct(const MacGrid<D>& grid, float h, std::span<const Advected> advected);

  const CellFrame<D>& frame_;
  Sides<D> sides_;
  scene::PathIntegrator integrator_;
  std::vector<Array<float>> carried_;                   // By item of `advected`.
  std::vector<Array<float>> least_, most_, corrected_;  // Likewise, for MacCormack.
};

extern template class SemiLagrangian<2>;
extern template class SemiLagrangian<3>;

}  // namespace sluice::fluid::grid
