// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/collector.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// Finds the pairs of solids' surfaces that contact could be between: points against triangles and
/// edges against edges, of different bodies and of one with itself.
///
/// Left out are pairs that share a vertex, and those that are held altogether. Keeps its buffers.
class PairSearch {
 public:
  /// `solids` as they are at rest, for the lengths of their edges. The thickness of a pair is the
  /// sum of its bodies' halves; all pairs have the coefficient `friction`.
  PairSearch(const solid::DeformableSystem& solids, double friction);

  /// All pairs that could come within `range` [m] of touching, thickness included, while no vertex
  /// moves by more than `reach` [m] along any axis from its place in `x`. Those of points first, in
  /// the order of the system's arrays: the same for any number of threads.
  void find(std::span<const Vec3> x, double reach, double range,
            std::vector<contact::ContactPair>& pairs);

 private:
  struct Edge {
    EdgeIndices vertices;
    double length;  ///< [m] at rest
  };

  void add(const contact::ContactPair& pair, std::span<const Vec3> x, double reach, double range,
           std::vector<contact::ContactPair>& pairs) const;
  [[nodiscard]] double half_thickness(std::int32_t vertex) const {
    return half_thickness_[static_cast<std::size_t>(vertex)];
  }

  std::vector<TriangleIndices> triangles_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> points_;    ///< Vertices of triangles.
  std::vector<double> half_thickness_;  ///< [m] by vertex
  std::vector<std::uint8_t> is_held_;
  double friction_, largest_thickness_ = 0;
  geometry::SparseGrid grid_;
  std::vector<geometry::Bounds> boxes_;
  parallel::Collector<geometry::BoxPair> collector_;
  std::vector<geometry::BoxPair> overlaps_;
};

}  // namespace sluice::coupling
