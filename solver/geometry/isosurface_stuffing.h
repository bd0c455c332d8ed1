// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "solver/geometry/bcc_lattice.h"
#include "solver/geometry/tet_mesh.h"

namespace sluice::geometry {

/// Tells where the surface crosses the lattice edge from a point inside to a neighbour outside, as
/// a fraction in [0, 1] of the edge. Pure: called from many threads, once an edge.
using CutFunction = std::function<double(const LatticePoint& inside, const LatticePoint& outside)>;

/// Fills the inside of a surface with tetrahedra: isosurface stuffing of uniform size.
///
/// `is_inside` says for each point of the lattice, by its index, whether it is inside (1) or
/// outside (0). All points of the outermost layers of corners and of centres are outside.
/// Guarantee: whatever `is_inside` and `cut` say, all dihedral angles lie between 10.78 and 164.74
///   degrees, up to rounding, and all tetrahedra are positive and meet face to face.
/// The mesh may be empty. Its boundary lies on points that `cut` gave.
/// Determinism: the same bits for any number of threads.
/// Cost: some 10 bytes a lattice point and 100 a tetrahedron.
///
/// Source: [Labelle2007]. Each point is moved to the nearest of the cuts that call for it, in the
///   order of points; the paper leaves both open.
[[nodiscard]] TetMesh stuff_isosurface(const BccLattice& lattice,
                                       std::span<const std::uint8_t> is_inside,
                                       const CutFunction& cut);

}  // namespace sluice::geometry
