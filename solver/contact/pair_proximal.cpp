// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/pair_proximal.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "solver/contact/step_limit.h"

namespace sluice::contact {
namespace {

using geometry::PairDistance;
using geometry::PairPoints;

using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

constexpr int most_iterations = 100;
constexpr double tolerance = 1e-10;
constexpr double sufficient_decrease = 1e-4;

PairPoints moved(PairPoints x, const Vec9& way) {
  for (std::size_t i = 0; i < 3; ++i)
    x[i + 1] += way.segment<3>(3 * static_cast<Eigen::Index>(i));
  return x;
}

Vec9 way_between(const PairPoints& from, const PairPoints& to) {
  Vec9 way;
  for (std::size_t i = 0; i < 3; ++i)
    way.segment<3>(3 * static_cast<Eigen::Index>(i)) = to[i + 1] - from[i + 1];
  return way;
}

// Across all ways that the nearest points may slide.
Vec3 normal_of(const PairDistance& d) {
  if (d.squared > 0) return d.offset / std::sqrt(d.squared);
  if (d.freedom == 2) return d.directions[0].cross(d.directions[1]);
  return d.freedom == 1 ? Vec3(d.directions[0].unitOrthogonal()) : Vec3::UnitZ();
}

// Moves the last three points apart from the first, in the plainest way, until the pair has an
// energy.
template <typename Law>
PairPoints with_energy(const Law& law, const ContactPair& pair, PairPoints x) {
  while (std::isinf(pair_energy(law, pair, x))) {
    const PairDistance d = distance_of(pair.kind, x);
    const double missing = pair.thickness + 0.5 * law.range - std::sqrt(d.squared);
    const geometry::Vec12 way = geometry::kronecker(d.coefficients, normal_of(d));
    x = moved(x, missing / d.coefficients.tail<3>().squaredNorm() * way.tail<9>());
  }
  return x;
}

}  // namespace

template <typename Law>
PairPoints pair_proximal(const Law& law, const ContactPair& pair, const PairPoints& p,
                         double weight) {
  PairPoints x = with_energy(law, pair, p);
  ContactPair own = pair;
  own.points = {0, 1, 2, 3};
  const auto objective = [&](const PairPoints& at) {
    return pair_energy(law, pair, at) + weight / 2 * way_between(p, at).squaredNorm();
  };
  const double scale =
      weight * std::max({(p[1] - p[0]).norm(), (p[2] - p[0]).norm(), (p[3] - p[0]).norm()});
  double value = objective(x);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Vec9 gradient =
        pair_gradient(law, pair, x).template tail<9>() + weight * way_between(p, x);
    if (gradient.norm() <= tolerance * scale) break;
    Mat9 H = projected_pair_hessian(law, pair, x).template bottomRightCorner<9, 9>();
    H.diagonal().array() += weight;
    const Vec9 way = -H.llt().solve(gradient);
    const std::array<Vec3, 4> directions{Vec3::Zero(), way.head<3>(), way.segment<3>(3),
                                         way.tail<3>()};
    double length = largest_step({&own, 1}, x, directions, 1);
    double next = objective(moved(x, length * way));
    while (!(next <= value + sufficient_decrease * length * gradient.dot(way)) && length > 1e-12) {
      length /= 2;
      next = objective(moved(x, length * way));
    }
    if (!(next < value)) break;  // Down at rounding.
    x = moved(x, length * way);
    value = next;
  }
  return x;
}

template PairPoints pair_proximal(const Barrier&, const ContactPair&, const PairPoints&, double);
template PairPoints pair_proximal(const Penalty&, const ContactPair&, const PairPoints&, double);

}  // namespace sluice::contact
