// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/types.h"

namespace sluice::scene {

/// The region inside a closed surface, or closer to a surface than a distance: no fluid is there.
class Enclosure {
 public:
  /// `distance` [m] >= 0; `surface` has no faults.
  Enclosure(geometry::TriangleMesh surface, bool is_closed, double distance);

  /// Returns whether the region has all of a ball [m] (of radius 0: a point) or none of it; nothing
  /// if it may have a part. Subtracts the number of distances evaluated from `evaluations_left`.
  [[nodiscard]] std::optional<bool> has(const Vec3& center, double radius,
                                        std::int64_t& evaluations_left) const;

 private:
  geometry::TriangleMesh surface_;
  geometry::SparseGrid triangles_;
  bool is_closed_;
  double distance_;
};

}  // namespace sluice::scene
