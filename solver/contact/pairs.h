// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/contact/points.h"
#include "solver/geometry/pair_distance.h"
#include "solver/types.h"

namespace sluice::contact {

/// The surfaces of all solids, by index into the vertices, and which of them can touch which.
/// Particles touch all triangles.
struct Surfaces {
  std::span<const TriangleIndices> triangles;
  std::span<const EdgeIndices> edges;  ///< The edges of the triangles, each once.
  /// The body of each vertex; -1 for a vertex in no triangle. Bodies touch each other. Empty where
  /// they cannot.
  std::span<const std::int32_t> body_of_vertex = {};
  std::span<const std::uint8_t> touches_itself = {};  ///< By body: 1 if it can.
};

/// A point and a triangle that may touch within a substep, by their indices: points are numbered
/// with the particles first, then the vertices.
struct Candidate {
  std::int32_t point, triangle;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Two edges that may touch within a substep, by their indices, first < second. They share no
/// vertex.
struct EdgeCandidate {
  std::int32_t first, second;
  friend bool operator==(const EdgeCandidate&, const EdgeCandidate&) = default;
};

/// All pairs that may touch within a substep.
struct Candidates {
  std::vector<Candidate> points;     ///< Points with triangles, ordered by point.
  std::vector<EdgeCandidate> edges;  ///< Edges with edges, ordered by first.

  void clear() {
    points.clear();
    edges.clear();
  }
};

/// Candidates with the surfaces that they belong to, as one list: first points with triangles, then
/// edges with edges.
struct PairsView {
  Surfaces surfaces;
  std::span<const Candidate> points;
  std::span<const EdgeCandidate> edges;

  PairsView(const Surfaces& of, const Candidates& candidates)
      : surfaces(of), points(candidates.points), edges(candidates.edges) {}

  /// Leaves out the pairs of the points before `first`.
  void leave_out_points(std::size_t first) {
    const auto begin =
        std::ranges::lower_bound(points, static_cast<std::int32_t>(first), {}, &Candidate::point);
    points = points.subspan(static_cast<std::size_t>(begin - points.begin()));
  }

  /// Leaves out edges, and the pairs of the points from `end` on.
  void leave_out_solids(std::size_t end) {
    const auto last =
        std::ranges::lower_bound(points, static_cast<std::int32_t>(end), {}, &Candidate::point);
    points = points.first(static_cast<std::size_t>(last - points.begin()));
    edges = {};
  }

  [[nodiscard]] std::size_t size() const { return points.size() + edges.size(); }

  [[nodiscard]] PairKind kind(std::size_t pair) const {
    return pair < points.size() ? PairKind::point_triangle : PairKind::edge_edge;
  }

  /// Returns the indices of a pair's four points: the particles first, then the vertices.
  [[nodiscard]] std::array<std::int32_t, 4> indices(std::size_t pair,
                                                    std::size_t particle_count) const {
    const auto offset = static_cast<std::int32_t>(particle_count);
    if (pair < points.size()) {
      const auto [point, triangle] = points[pair];
      const TriangleIndices& t = surfaces.triangles[static_cast<std::size_t>(triangle)];
      return {point, offset + t[0], offset + t[1], offset + t[2]};
    }
    const auto [first, second] = edges[pair - points.size()];
    const EdgeIndices& a = surfaces.edges[static_cast<std::size_t>(first)];
    const EdgeIndices& b = surfaces.edges[static_cast<std::size_t>(second)];
    return {offset + a[0], offset + a[1], offset + b[0], offset + b[1]};
  }
};

/// Returns the places of four points.
[[nodiscard]] inline geometry::PairPoints places(const std::array<std::int32_t, 4>& indices,
                                                 const PointsView& points) {
  return {points.at(indices[0]), points.at(indices[1]), points.at(indices[2]),
          points.at(indices[3])};
}

}  // namespace sluice::contact
