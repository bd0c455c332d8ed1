// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/near_particles.h"
#include "solver/contact/own_pairs.h"
#include "solver/contact/pairs.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::contact {

/// Finds the pairs that could come within `reach` [m] of each other while all points stay within
/// `bounds`: points with triangles, and edges with edges.
///
/// Complete: a triangle or an edge stays in the box of its corners' boxes, and every point or edge
/// of another body whose own box, `reach` larger, overlaps that one is looked at
/// (geometry/sparse_grid.h). Only those points are left out that the triangle's normal at t0 keeps
/// apart, box against box along that direction, with room for rounding. Pairs of a body with itself
/// are found by OwnPairs. Pairs are ordered by point, or first edge, and are the same for any
/// number of threads. Keeps its buffers from substep to substep.
class CandidateFinder {
 public:
  void find(const MotionBounds& bounds, const Surfaces& surfaces, double reach,
            Candidates& candidates);

  /// Forgets earlier calls, so that the next pairs depend on nothing that was before.
  void forget() { own_.forget(); }

 private:
  /// The range of all places that a triangle can reach, along the normal it has at t0.
  struct Slab {
    Vec3 normal;          // Unit, more or less, or 0.
    double lower, upper;  // [m] of normal . x
  };

  void measure_triangles(const MotionBounds& bounds, std::span<const TriangleIndices> triangles);
  void measure_bodies(const MotionBounds& bounds, const Surfaces& surfaces);
  [[nodiscard]] bool are_slabs_apart(std::int32_t triangle, const geometry::Bounds& box) const;
  [[nodiscard]] bool is_near_another(std::int32_t body, const geometry::Bounds& box) const;
  void find_particles(const MotionBounds& bounds, std::vector<Candidate>& candidates);
  void find_vertices(const MotionBounds& bounds, const Surfaces& surfaces,
                     std::vector<Candidate>& candidates);
  void find_edges(const MotionBounds& bounds, const Surfaces& surfaces,
                  std::vector<EdgeCandidate>& candidates);

  geometry::SparseGrid grid_;
  OwnPairs own_;
  NearParticles near_particles_;
  double reach_ = 0;  ///< [m] as of the call at hand
  std::vector<geometry::Bounds> boxes_;
  std::vector<Slab> slabs_;
  std::vector<geometry::Bounds> bodies_;               ///< Boxes around all that a body can reach.
  std::vector<std::vector<std::int32_t>> neighbours_;  ///< By body: those with overlapping bounds.
  Candidates own_candidates_, others_;
  parallel::Collector<Candidate> points_;
  parallel::Collector<EdgeCandidate> edges_;
};

}  // namespace sluice::contact
