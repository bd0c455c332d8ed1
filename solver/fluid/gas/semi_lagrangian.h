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

/// Values that a flow carries along.
struct Advected {
  static constexpr int in_middles = no_axis;

  int axis;  ///< Of the faces that they are on; or in_middles of cells.
  /// Others stay as they are. One for all that are at the same places.
  const Array<std::uint8_t>* is_carried;
  Array<float>* values;
};

/// Carries values of a grid along its velocity, by looking back along the way: linear between the
/// values around where they come from [Stam1999]; MacCormack's correction of that by half of what
/// there and back again changes, within those values [Selle2008]; or cubic between the values
/// around, within the nearest of them [Bermejo1992]. What comes from further outside of the box of
/// cells comes from the layer of cells around it, or, by periodic sides, from the other one.
///
/// Near thin solids nothing comes from beyond them (seen_flow.h): what is carried there is linear
/// between the values that are seen from where it comes from.
template <int D>
class SemiLagrangian {
 public:
  SemiLagrangian(const CellFrame<D>& frame, const Sides<D>& sides,
                 scene::PathIntegrator integrator = scene::PathIntegrator::rk3)
      : frame_(frame), sides_(sides), integrator_(integrator) {}

  /// For `h` seconds. All of `advected` along the velocity as it is before, which may be among
  /// them. Those at the same places, side by side, share their ways. `screens`, where given, have
  /// looked around, and their solids are on `grid` as they are at the start.
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
  std::vector<Array<float>> carried_;                   // By what is advected.
  std::vector<Array<float>> least_, most_, corrected_;  // The same, for MacCormack.
};

extern template class SemiLagrangian<2>;
extern template class SemiLagrangian<3>;

}  // namespace sluice::fluid::grid
