// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/gas/gas_settings.h"
#include "solver/fluid/lattice/mac_grid.h"

/// What acts on a gas on a lattice of equal cells, a part of it at a time: sources, strokes and
/// forces.
namespace sluice::fluid::grid {

/// A lattice of a gas. All that it refers to must live as long.
template <int D>
struct GasLattice {
  const scene::Gas& gas;
  const CellFrame<D>& frame;
  const Sides<D>& sides;
  double depth;  ///< [m] y of the grid's plane, in 2D
  std::span<const Channel> channels;
  const typename MacGrid<D>::template Faces<std::uint8_t>& live_faces;
  const Array<std::uint8_t>& live_cells;
  const Array<float>& pressure;  ///< The last substep's times h / (density edge). [m/s]
  float edge;                    ///< [that edge] of a cell
  MacGrid<D>& grid;
  std::vector<Array<float>>& values;  ///< By channel.

  [[nodiscard]] Vec3 place_of_middle(const Cell<D>& cell) const;          ///< [m]
  [[nodiscard]] Vec3 place_of_face(const Cell<D>& face, int axis) const;  ///< [m]
  /// The values of a quantity, of its first component; null if the gas does not carry it.
  [[nodiscard]] const Array<float>* find(scene::Carried what) const;
};

/// [m] How far a place is from a stroke's line, which in 2D is in the plane at `depth` [m].
template <int D>
[[nodiscard]] double distance_to_line(const Stroke& stroke, double depth, const Vec3& x);

/// Puts in what the gas's regions have at time 0.
template <int D>
void put_regions(const GasLattice<D>& lattice);

/// Puts in what sources and strokes give. A velocity is one before all pressure: where that of the
/// last substep has acted already, `of_last` times it acts on what comes in as well. Else pressure,
/// which is solved for what is missing, would grow with each substep.
template <int D>
void put_contents(const GasActions& actions, float of_last, const GasLattice<D>& lattice);

/// Adds what gravity does to gas that is not as dense as that around: `change` [m/s] is gravity
/// times the substep.
template <int D>
void add_buoyancy(const Vec3f& change, const GasLattice<D>& lattice);

/// Adds what pushes do in `h` seconds.
template <int D>
void add_pushes(std::span<const Push> pushes, float h, const GasLattice<D>& lattice);

/// Lets smoke and dye fade and heat go, for `h` seconds.
template <int D>
void fade(float h, const GasLattice<D>& lattice);

extern template struct GasLattice<2>;
extern template struct GasLattice<3>;
extern template double distance_to_line<2>(const Stroke&, double, const Vec3&);
extern template double distance_to_line<3>(const Stroke&, double, const Vec3&);
extern template void put_regions(const GasLattice<2>&);
extern template void put_regions(const GasLattice<3>&);
extern template void put_contents(const GasActions&, float, const GasLattice<2>&);
extern template void put_contents(const GasActions&, float, const GasLattice<3>&);
extern template void add_buoyancy(const Vec3f&, const GasLattice<2>&);
extern template void add_buoyancy(const Vec3f&, const GasLattice<3>&);
extern template void add_pushes(std::span<const Push>, float, const GasLattice<2>&);
extern template void add_pushes(std::span<const Push>, float, const GasLattice<3>&);
extern template void fade(float, const GasLattice<2>&);
extern template void fade(float, const GasLattice<3>&);

}  // namespace sluice::fluid::grid
