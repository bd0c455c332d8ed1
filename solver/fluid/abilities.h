// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/cell_lattice.h"
#include "solver/field.h"
#include "solver/fluid/immersed_body.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/stroke.h"
#include "solver/fluid/surfaces.h"
#include "solver/types.h"
#include "solver/wrench.h"

/// Abilities that only some fluids have. A caller asks a fluid for one of them by as() (fluid.h).
namespace sluice::fluid {

/// A fluid that frames show by the cells of a grid.
class HasCells {
 public:
  [[nodiscard]] virtual const CellLattice& lattice() const noexcept = 0;
  /// Reads a field by cell, x fastest; the components of a vector side by side. It is 0 in solids,
  /// except for the temperature, which is the ambient one there. Pressure is the last substep's,
  /// and 0 before the first.
  virtual void read(Field field, std::span<float> values) const = 0;

 protected:
  ~HasCells() = default;
};

/// A fluid that may be on cells of many sizes. A gas's fields then have one more,
/// Field::cell_level.
class DividesCells {
 public:
  /// How many cells there are of each size, the smallest first; each has twice the edge of the one
  /// before. Empty for cells of one size.
  [[nodiscard]] virtual std::span<const std::int64_t> cell_counts() const noexcept = 0;
  /// How many times as large as told differences have to be to count as detail, for cells to be no
  /// more than Adaptive::max_cells; 1 where there is no need.
  [[nodiscard]] virtual double detail_lost() const noexcept = 0;

 protected:
  ~DividesCells() = default;
};

/// A liquid of which larger cells may have a part, deep below its surface, and no particles there.
class HasInterior {
 public:
  /// A cell of that part.
  struct InteriorCell {
    float middle[3];  ///< [m]
    float edge;       ///< [m]
  };
  /// Those cells; none for a liquid of equal cells.
  [[nodiscard]] virtual std::vector<InteriorCell> interior_cells() const = 0;
  /// The number of particles that would stand for their liquid.
  [[nodiscard]] virtual std::int64_t interior_count() const noexcept = 0;

 protected:
  ~HasInterior() = default;
};

/// A fluid whose grid can carry nothing through surfaces.
class PartsAtSurfaces {
 public:
  /// Sets the surfaces of the next substep. The arrays that they refer to must live until commit(),
  /// which forgets them.
  virtual void set_surfaces(const Surfaces& surfaces) = 0;

 protected:
  ~PartsAtSurfaces() = default;
};

/// A fluid whose pressure moves rigid bodies.
class MovesRigidBodies {
 public:
  /// Sets the bodies that pressure moves in the next advance(), anew for each. The arrays that they
  /// refer to must live until then.
  virtual void set_bodies(std::span<const ImmersedBody> bodies) = 0;
  /// Returns, after advance(), the impulse that pressure gives to each of these bodies.
  [[nodiscard]] virtual std::span<const Wrench> impulses_on_bodies() const noexcept = 0;

  /// Keeps the bodies' contact data for the code that couples them: to the next substep, in save().
  virtual void keep_contact(std::span<const KeptContact> of_bodies) = 0;
  /// Returns the data that keep_contact() kept last; empty before the first time.
  [[nodiscard]] virtual std::span<const KeptContact> kept_contact() const noexcept = 0;

 protected:
  ~MovesRigidBodies() = default;
};

/// A fluid whose pressure moves solids that deform.
class MovesSolids {
 public:
  /// Sets the solids that pressure moves in the next advance(), anew for each. The arrays that they
  /// refer to must live until then.
  virtual void set_solids(const ImmersedSolids& solids) = 0;
  /// [N s] After advance(), by vertex of these: the impulses of pressure and viscous stress; in a
  /// gas also of hydrostatic pressure, which the gas itself does not feel (0 in the domain's
  /// middle). They are 0 at vertices that no rim, surface or point has.
  [[nodiscard]] virtual std::span<const Vec3> impulses_on_solids() const noexcept = 0;
  /// [m/s] By vertex: the velocities after these impulses, by the solids' response.
  [[nodiscard]] virtual std::span<const Vec3> velocities_of_solids() const noexcept = 0;

 protected:
  ~MovesSolids() = default;
};

/// A fluid that people paint into.
class TakesStrokes {
 public:
  /// Sets the strokes that act in each substep from now on. A stroke is complete after
  /// `frame_duration` [s]. The array must live until other strokes are set.
  virtual void set_strokes(std::span<const Stroke> strokes, double frame_duration) = 0;

 protected:
  ~TakesStrokes() = default;
};

}  // namespace sluice::fluid
