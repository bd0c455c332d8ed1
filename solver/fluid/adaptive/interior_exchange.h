// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/interior_tree.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/particles/emitters.h"
#include "solver/fluid/particles/particles.h"
#include "solver/types.h"

/// The particles that stand for an interior where it is looked at, and those that come out and go
/// in. A cell has one for each of its parts that a seed stands for.
namespace sluice::fluid::adaptive {

/// Where particles are in a cell.
template <int D>
struct ParticlePlaces {
  grid::CellFrame<D> frame;
  double plane;  ///< [m] In 2D, where they are across the grid's plane.
  int per_axis;  ///< Particles of a cell, along each axis.

  [[nodiscard]] std::size_t in_cell() const noexcept;
  /// [m] The place of a cell's seed, in the middle of its part.
  [[nodiscard]] Vec3 seed(const Cell<D>& cell, std::size_t part) const noexcept;
  /// [m] The place of a cell's ghost in the substep `substep`, anywhere in its part: after each
  /// other the places of a part fill it evenly, by the steps of an additive recurrence whose ratios
  /// are powers of the inverse of the plastic number, in 2D of its like (the root of
  /// x^(D+1) = x + 1). So slow flow, too, brings out as many as go through a face.
  [[nodiscard]] Vec3 ghost(const Cell<D>& cell, std::size_t part,
                           std::uint32_t substep) const noexcept;
  /// A particle at a place [m] with the velocity of a level there, and, if it `is_affine`, its
  /// gradient: as particles gather them from faces.
  [[nodiscard]] Birth particle_at(const Vec3& x, const FluidLevel<D>& of, bool is_affine) const;
};

/// The particles in marked cells of a lattice, ascending.
template <int D>
[[nodiscard]] std::vector<std::uint32_t> particles_inside(const grid::CellFrame<D>& frame,
                                                          const grid::Tiles<D>& tiles,
                                                          const InteriorMarks<D>& marks,
                                                          const Particles& particles);

/// Makes up for `owed` particles, as far as that goes, and takes what it does off `owed`: if more
/// are to be there, by keeping some of `may_be_kept`, which are among `gone`; if fewer, by leaving
/// out births in the densest cells of `grid`.
template <int D>
void make_up(const grid::CellFrame<D>& frame, const grid::MacGrid<D>& grid,
             std::span<const std::uint32_t> may_be_kept, std::int64_t& owed,
             std::vector<std::uint32_t>& gone, std::vector<Birth>& births);

extern template struct ParticlePlaces<2>;
extern template struct ParticlePlaces<3>;
extern template std::vector<std::uint32_t> particles_inside<2>(const grid::CellFrame<2>&,
                                                               const grid::Tiles<2>&,
                                                               const InteriorMarks<2>&,
                                                               const Particles&);
extern template std::vector<std::uint32_t> particles_inside<3>(const grid::CellFrame<3>&,
                                                               const grid::Tiles<3>&,
                                                               const InteriorMarks<3>&,
                                                               const Particles&);
extern template void make_up<2>(const grid::CellFrame<2>&, const grid::MacGrid<2>&,
                                std::span<const std::uint32_t>, std::int64_t&,
                                std::vector<std::uint32_t>&, std::vector<Birth>&);
extern template void make_up<3>(const grid::CellFrame<3>&, const grid::MacGrid<3>&,
                                std::span<const std::uint32_t>, std::int64_t&,
                                std::vector<std::uint32_t>&, std::vector<Birth>&);

}  // namespace sluice::fluid::adaptive
