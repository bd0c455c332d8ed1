// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/cell_lattice.h"
#include "solver/field.h"
#include "solver/fluid/immersed_body.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/stroke.h"
#include "solver/fluid/surfaces.h"
#include "solver/types.h"
#include "solver/wrench.h"

/// What only some fluids have, or can do. A caller asks a fluid for an ability by as() (fluid.h).
namespace sluice::fluid {

/// A fluid that frames show by the cells of a grid.
class HasCells {
 public:
  [[nodiscard]] virtual const CellLattice& lattice() const noexcept = 0;
  /// Reads a field by cell, x fastest; the components of a vector side by side. It is 0 in solids,
  /// but for the temperature, which is that around. Pressure is that of the last substep, and 0
  /// before the first.
  virtual void read(Field field, std::span<float> values) const = 0;

 protected:
  ~HasCells() = default;
};

/// A fluid whose grid can carry nothing through surfaces.
class PartsAtSurfaces {
 public:
  /// Sets the surfaces of the next substep. What they refer to must live until commit(), which
  /// forgets them.
  virtual void set_surfaces(const Surfaces& surfaces) = 0;

 protected:
  ~PartsAtSurfaces() = default;
};

/// A fluid whose pressure moves rigid bodies.
class MovesRigidBodies {
 public:
  /// Sets the bodies that pressure moves in the next advance(): each time anew. What they refer to
  /// must live until then.
  virtual void set_bodies(std::span<const ImmersedBody> bodies) = 0;
  /// After advance(): the impulses that pressure gives to these bodies, one each.
  [[nodiscard]] virtual std::span<const Wrench> impulses_on_bodies() const noexcept = 0;

  /// Keeps what else bodies met, for whoever couples them: from substep to substep, and in save().
  virtual void keep_contact(std::span<const KeptContact> of_bodies) = 0;
  /// What was kept last; empty before the first time.
  [[nodiscard]] virtual std::span<const KeptContact> kept_contact() const noexcept = 0;

 protected:
  ~MovesRigidBodies() = default;
};

/// A fluid whose pressure moves solids that deform.
class MovesSolids {
 public:
  /// Sets the solids that pressure moves in the next advance(): each time anew. What they refer to
  /// must live until then.
  virtual void set_solids(const ImmersedSolids& solids) = 0;
  /// After advance(): [N s] by vertex of these, what pressure and viscous stress give to them; of a
  /// gas also hydrostatic pressure, which the gas itself does not feel (0 in the domain's middle).
  /// 0 at vertices that no rim or surface has.
  [[nodiscard]] virtual std::span<const Vec3> impulses_on_solids() const noexcept = 0;
  /// [m/s] By vertex: the velocities that they get by these impulses, as their response has it.
  [[nodiscard]] virtual std::span<const Vec3> velocities_of_solids() const noexcept = 0;

 protected:
  ~MovesSolids() = default;
};

/// A fluid that people paint into.
class TakesStrokes {
 public:
  /// Sets the strokes that act in each substep from now on. A stroke is all there after
  /// `frame_duration` [s]. What they refer to must live until other strokes are set.
  virtual void set_strokes(std::span<const Stroke> strokes, double frame_duration) = 0;

 protected:
  ~TakesStrokes() = default;
};

}  // namespace sluice::fluid
