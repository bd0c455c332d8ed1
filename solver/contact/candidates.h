// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/points.h"
#include "solver/geometry/sparse_grid.h"

namespace sluice::contact {

/// Finds the point-triangle pairs that could touch while all points stay within `bounds`.
///
/// Complete: a triangle stays in the box of its corners' boxes, and every point whose own box
/// overlaps that one is looked at (geometry/sparse_grid.h). Left out are only those that the
/// triangle's normal at t0 keeps apart: box against box along that direction, with room for
/// rounding. So a pair that is left out stays farther apart than nothing, and, where it moves as
/// predicted, farther than twice the slack of `bounds`. Pairs are ordered by point, and are the
/// same for any number of threads. Keeps its buffers from substep to substep.
class CandidateFinder {
 public:
  /// Of all particles; and, where `body_of_vertex` is given, of the vertices with triangles of
  /// other bodies. A negative entry is a vertex that is no point, and a corner of no triangle.
  void find(const MotionBounds& bounds, std::span<const TriangleIndices> triangles,
            std::span<const std::int32_t> body_of_vertex, std::vector<Candidate>& candidates);

 private:
  /// All places that a triangle can reach, along the normal it has at t0.
  struct Slab {
    Vec3 normal;          // Of length 1, more or less, or 0.
    double lower, upper;  // [m] of normal . x
  };

  void measure_triangles(const MotionBounds& bounds, std::span<const TriangleIndices> triangles);

  std::vector<geometry::Bounds> boxes_;
  std::vector<Slab> slabs_;
  geometry::SparseGrid grid_;
  std::vector<std::vector<Candidate>> chunks_;
};

}  // namespace sluice::contact
