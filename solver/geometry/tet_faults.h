// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solver/geometry/tet_mesh.h"

namespace sluice::geometry {

/// Why a mesh of tetrahedra cannot be simulated.
enum class TetFaultKind {
  index_out_of_range,  ///< `first` is the tetrahedron, `second` the index.
  not_finite,          ///< `first` is a vertex with a coordinate that is NaN or infinite.
  repeated_vertex,     ///< `first` is a tetrahedron that has a vertex twice.
  flat,                ///< `first` is a tetrahedron without volume (see find_faults).
  inverted,            ///< `first` is a tetrahedron of negative volume.
  overlap,             ///< Two tetrahedra lie on the same side of a common face, or three share it.
  unused_vertex,       ///< `first` is a vertex of no tetrahedron: it would have no mass.
};

struct TetFault {
  TetFaultKind kind;
  std::int64_t first;        ///< Tetrahedron or vertex, by kind.
  std::int64_t second = -1;  ///< The other tetrahedron, or the index; -1 for the kinds with one.
  friend bool operator==(const TetFault&, const TetFault&) = default;
};

/// All faults of a mesh, by kind in the order above, then ascending; none if it can be simulated.
///
/// A tetrahedron counts as flat if its smallest height is below 1e-6 of its longest edge, as a
/// triangle of a cloth does: gradients lose all their digits there. Where indices or coordinates
/// are at fault only those faults are told, for the others need them.
[[nodiscard]] std::vector<TetFault> find_faults(const TetMesh& mesh);

/// A fault in words, for example "tetrahedron 7 (1, 4, 2, 9) is inverted".
[[nodiscard]] std::string describe(const TetFault& fault, const TetMesh& mesh);

}  // namespace sluice::geometry
