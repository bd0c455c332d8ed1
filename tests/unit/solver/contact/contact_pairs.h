// SPDX-License-Identifier: Apache-2.0
// Pairs near contact, of every kind and region, and numerical derivatives.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/contact/edge_mollifier.h"

namespace sluice::contact {

/// A pair and where its points are.
struct PlacedPair {
  ContactPair pair;
  geometry::PairPoints x;
};

class PairSampler {
 public:
  explicit PairSampler(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vec3 point() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }

  /// A triangle or edges of the size of 1 with their nearest points a distance `gap` + `thickness`
  /// apart, in any region.
  PlacedPair close(PairKind kind, double gap, double thickness = 0) {
    for (;;) {
      PlacedPair placed{{kind, {0, 1, 2, 3}, thickness}, {point(), point(), point(), point()}};
      geometry::PairPoints& x = placed.x;
      const Vec3 area = kind == PairKind::point_triangle ? (x[2] - x[1]).cross(x[3] - x[1])
                                                         : (x[1] - x[0]).cross(x[3] - x[2]);
      const geometry::PairDistance d = distance_of(kind, x);
      if (area.norm() < 0.3 || d.squared < 1e-4) continue;
      bring(placed, (std::sqrt(d.squared) - gap - thickness) * d.offset.normalized());
      return placed;
    }
  }

  /// Edges with a sine of `sine` between them that lie beside each other, where the mollifier of
  /// their lengths acts, if the sine is below 0.03.
  PlacedPair nearly_parallel(double sine, double gap) {
    const Vec3 u = point().normalized(), w = u.cross(point()).normalized();
    PlacedPair placed{{PairKind::edge_edge, {0, 1, 2, 3}},
                      {Vec3(-u), u, uniform(-0.8, -0.3) * u + sine * uniform(-1, 1) * w,
                       uniform(0.3, 0.8) * u + sine * uniform(-1, 1) * w}};
    bring(placed, gap * u.cross(w));
    placed.pair.mollifier_range = mollifier_range(2, (placed.x[3] - placed.x[2]).norm());
    return placed;
  }

 private:
  /// Moves the first primitive.
  static void bring(PlacedPair& placed, const Vec3& back) {
    placed.x[0] -= back;
    if (placed.pair.kind == PairKind::edge_edge) placed.x[1] -= back;
  }

  std::mt19937_64 random_;
};

inline geometry::PairPoints moved(geometry::PairPoints x, Eigen::Index coordinate, double way) {
  x[static_cast<std::size_t>(coordinate / 3)][coordinate % 3] += way;
  return x;
}

/// Central differences of fourth order of a function of a pair's points, one a coordinate.
template <typename Value>
std::vector<Value> differences(const std::function<Value(const geometry::PairPoints&)>& f,
                               const geometry::PairPoints& x, double step) {
  std::vector<Value> result;
  for (Eigen::Index i = 0; i < 12; ++i) {
    const auto central = [&](double h) -> Value {
      return (f(moved(x, i, h)) - f(moved(x, i, -h))) / (2 * h);
    };
    result.push_back((4 * central(step) - central(2 * step)) / 3);
  }
  return result;
}

}  // namespace sluice::contact
