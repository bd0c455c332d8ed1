// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/edge_edge.h"

#include "solver/geometry/pair_distance.h"

namespace sluice::geometry {

NearestPoints nearest_points(const Edge& first, const Edge& second) noexcept {
  const PairDistance distance = edge_edge_distance({first.a, first.b, second.a, second.b});
  const Vec4& c = distance.coefficients;
  return {c[0] * first.a + c[1] * first.b, -c[2] * second.a - c[3] * second.b, c[1], -c[3],
          distance.squared};
}

}  // namespace sluice::geometry
