// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/pairs.h"
#include "solver/geometry/ccd_batch.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::contact {

/// Pairs by which bodies could come within `reach` [m] of themselves: vertices with triangles, and
/// edges with edges, that share no vertex.
///
/// A body in its rest shape has no such pair, and to look for them anew each time would cost more
/// than to solve it. So a list of all pairs closer than `reach` plus twice a margin is kept until a
/// vertex may have moved by more than that margin from where it was then [Verlet1967].
///
/// Complete: a pair that is left out is farther apart at t0 than `reach` plus the way that both
/// sides can move in the substep. The order of pairs depends on when the list was made: make it
/// anew where bits must not depend on what came before.
class OwnPairs {
 public:
  /// Makes the next `find` build the list anew.
  void forget() { places_.clear(); }

  /// Sets `candidates` to the pairs that could touch while all vertices stay within `bounds`,
  /// ordered by point, or by first edge. Surfaces and reach are those of the calls before, until
  /// `forget`.
  void find(const MotionBounds& bounds, const Surfaces& surfaces, double reach,
            Candidates& candidates);

 private:
  /// Pairs of one kind, ordered by body.
  struct List {
    std::vector<geometry::BoxPair> pairs;
    std::vector<double> times;  ///< By pair: `no_contact` if measure_times found it far apart.

    void drop_far();
  };

  void measure_ways(const MotionBounds& bounds, const Surfaces& surfaces);
  [[nodiscard]] bool are_lists_valid(const MotionBounds& bounds, const Surfaces& surfaces) const;
  void make_lists(const MotionBounds& bounds, const Surfaces& surfaces);
  void measure_times(const geometry::MovingPoints& at_rest, const Surfaces& surfaces,
                     std::span<const double> distances);

  double reach_ = 0;          ///< [m] as of the call at hand
  double margin_ = 0;         ///< [m]
  std::vector<Vec3> places_;  ///< Vertices when the lists were made; empty without lists.
  std::vector<double> ways_;  ///< [m] By body, the largest way of its vertices.
  List points_, edges_;
  std::vector<geometry::Bounds> boxes_;
  geometry::SparseGrid grid_;
  parallel::Collector<geometry::BoxPair> collector_;
};

}  // namespace sluice::contact
