// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/points.h"
#include "solver/geometry/sparse_grid.h"

namespace sluice::contact {

/// Finds the particle-triangle pairs that could touch while all points stay within `bounds`.
///
/// Complete: a triangle stays in the box of its corners' boxes, and every particle whose own box
/// overlaps that one is paired with it (geometry/sparse_grid.h). Pairs are ordered by particle, and
/// are the same for any number of threads. Keeps its buffers from substep to substep.
class CandidateFinder {
 public:
  void find(const MotionBounds& bounds, std::span<const TriangleIndices> triangles,
            std::vector<Candidate>& candidates);

 private:
  std::vector<geometry::Bounds> boxes_;
  geometry::SparseGrid grid_;
  std::vector<geometry::BoxPair> pairs_;
};

}  // namespace sluice::contact
