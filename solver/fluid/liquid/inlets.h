// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/immersed/cube_filling.h"
#include "solver/fluid/inlet.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"

namespace sluice::fluid::grid {

/// The scene's emitters, as pressure sees them: pieces of pipe whose flux it has to make room for.
///
/// The particles in an open emitter move with its velocity, whatever pressure says. So the grid
/// sees a solid there, which closes faces and has no pressure, and out of whose downstream surface
/// fluid comes: the cells there have a source, the integral of v . n over the piece of the surface
/// in them, where it is positive. It is found from the covered parts of the cell's faces, by
/// Gauss's theorem. Nothing goes in on the upstream side, where particles come from nowhere.
///
/// Sources are scaled so that their sum is exactly the emitter's flux: velocity times area, or its
/// rate if that is less. Where solids cover a part of the mouth, so much of the former is lost, but
/// a rate goes through the rest.
template <int D>
class Inlets {
 public:
  Inlets(const CellFrame<D>& frame, const Sides<D>& sides, const Slab& slab)
      : frame_(frame), sides_(sides), slab_(slab) {}

  /// Sets the emitters of the next substep, always the same ones in the same order, and the places
  /// [m] of the particles that they hold.
  void set(std::span<const Inlet> inlets, std::span<const Vec3f> held);

  /// To be called when all else has covered the grid, before its surface is found: takes what open
  /// emitters cover from the open, room and is_clear of `grid`, and the particles that they hold,
  /// `volume` cells each, from its density. Finds inflow(). A cell of the mouth has none if its
  /// middle is beyond the sides of the domain or, by `is_outside`, in a solid.
  void cover(float volume, const std::function<bool(const Vec3&)>& is_outside, MacGrid<D>& grid);

  /// The sources found by cover(), for PressureSolver::set_inflow(), by cell of `grid`'s tiles.
  [[nodiscard]] std::span<float> inflow() noexcept { return inflow_; }

  /// After cover(): whether an open emitter covers a part of the cell at `index` in arrays.
  [[nodiscard]] bool has_part_of(std::size_t index) const;

  /// Finds how much of its flux each emitter gets; after pressure, which may have cut the inflow.
  void find_inflows(const MacGrid<D>& grid);
  [[nodiscard]] std::vector<Inflow> inflows() const;

  /// After find_inflows(): sets the velocity of the faces that open emitters close to that of the
  /// particles held, and to 0 on their upstream sides, so that nothing goes in there.
  void constrain(MacGrid<D>& grid) const;

 private:
  // The part of a cell that an emitter covers.
  struct Part {
    Cell<D> cell;
    std::array<float, D> covered, covered_above;  // Parts of its lower and upper faces.
    float room;                                   // The factor that MacGrid::room keeps.
  };
  struct Mouth {
    Cell<D> cell;
    float flux;  // [m/s] over the area of a face
  };
  struct Pipe {
    Inlet inlet;
    std::vector<Part> parts;
    std::vector<Mouth> mouths;  // Empty while the emitter is shut.
    Inflow inflow;
  };

  [[nodiscard]] std::vector<Part> find_parts(const geometry::Shape& shape) const;
  [[nodiscard]] double flux_of(const Part& part, const Vec3& velocity) const;
  [[nodiscard]] double area_of_face() const;
  void find_mouths(const std::function<bool(const Vec3&)>& is_outside, Pipe& pipe) const;
  [[nodiscard]] bool is_in_domain(const Cell<D>& cell) const;

  CellFrame<D> frame_;
  Sides<D> sides_;
  Slab slab_;
  std::vector<Pipe> pipes_;
  std::vector<Vec3f> held_;
  Array<float> inflow_;
  std::vector<std::size_t> covered_;  // Cells, as indices in arrays, ascending.
};

extern template class Inlets<2>;
extern template class Inlets<3>;

}  // namespace sluice::fluid::grid
