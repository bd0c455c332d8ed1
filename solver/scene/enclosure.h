// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/types.h"

namespace sluice::scene {

/// What is inside a closed surface, or closer to a surface than a distance: where fluid is not.
class Enclosure {
 public:
  /// `distance` [m] >= 0; of a mesh without faults.
  Enclosure(geometry::TriangleMesh surface, bool is_closed, double distance);

  /// Whether it has all of a ball [m], which is a point where its radius is 0; nothing if it may
  /// have a part. Takes what distances it evaluates from `evaluations_left`.
  [[nodiscard]] std::optional<bool> has(const Vec3& center, double radius,
                                        std::int64_t& evaluations_left) const;

 private:
  geometry::TriangleMesh surface_;
  geometry::SparseGrid triangles_;
  bool is_closed_;
  double distance_;
};

}  // namespace sluice::scene
