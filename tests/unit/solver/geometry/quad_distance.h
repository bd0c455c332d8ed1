// SPDX-License-Identifier: Apache-2.0
// Nearest points in 113-bit arithmetic, by trying everything: the oracle of what is found in
// doubles.
#pragma once

#include <array>

#include "solver/types.h"

namespace sluice::geometry {

__extension__ using Quad = __float128;
using QuadVec3 = Eigen::Matrix<Quad, 3, 1>;

inline Quad exact_fraction(const QuadVec3& p, const QuadVec3& q, const QuadVec3& x) {
  const QuadVec3 pq = q - p;
  const Quad length_squared = pq.dot(pq);
  if (length_squared == 0) return 0;
  const Quad t = (x - p).dot(pq) / length_squared;
  return t < 0 ? Quad(0) : t > 1 ? Quad(1) : t;
}

/// The nearest of the three edges' points and, where the query projects inside, the face's.
inline QuadVec3 exact_nearest(const QuadVec3& a, const QuadVec3& b, const QuadVec3& c,
                              const QuadVec3& x) {
  const auto on_segment = [&](const QuadVec3& p, const QuadVec3& q) -> QuadVec3 {
    return p + exact_fraction(p, q, x) * (q - p);
  };
  const auto squared_distance = [&](const QuadVec3& p) { return (x - p).dot(x - p); };
  QuadVec3 best = on_segment(a, b);
  for (const QuadVec3& p : {on_segment(b, c), on_segment(c, a)})
    if (squared_distance(p) < squared_distance(best)) best = p;

  const QuadVec3 n = (b - a).cross(c - a);
  const QuadVec3 w(n.dot((c - b).cross(x - b)), n.dot((a - c).cross(x - c)),
                   n.dot((b - a).cross(x - a)));
  if (w[0] > 0 && w[1] > 0 && w[2] > 0) {
    const QuadVec3 p = (w[0] * a + w[1] * b + w[2] * c) / (w[0] + w[1] + w[2]);
    if (squared_distance(p) < squared_distance(best)) best = p;
  }
  return best;
}

/// The shortest way from edge cd to edge ab, and where it is: of the four ends to the other edge
/// and, where they lie within both, between the lines.
struct ExactEdges {
  Quad s = 0, t = 0;
  QuadVec3 offset = QuadVec3::Zero();
};

inline ExactEdges exact_edges(const QuadVec3& a, const QuadVec3& b, const QuadVec3& c,
                              const QuadVec3& d) {
  const auto at = [&](const Quad& s, const Quad& t) {
    return ExactEdges{s, t, QuadVec3(a + s * (b - a) - c - t * (d - c))};
  };
  ExactEdges best = at(0, exact_fraction(c, d, a));
  const auto offer = [&](const ExactEdges& other) {
    if (other.offset.dot(other.offset) < best.offset.dot(best.offset)) best = other;
  };
  offer(at(1, exact_fraction(c, d, b)));
  offer(at(exact_fraction(a, b, c), 0));
  offer(at(exact_fraction(a, b, d), 1));
  const QuadVec3 u = b - a, v = d - c, n = u.cross(v), w = c - a;
  const Quad nn = n.dot(n);
  if (nn > 0) {
    const Quad s = w.cross(v).dot(n) / nn, t = w.cross(u).dot(n) / nn;
    if (s > 0 && s < 1 && t > 0 && t < 1) offer(at(s, t));
  }
  return best;
}

}  // namespace sluice::geometry
