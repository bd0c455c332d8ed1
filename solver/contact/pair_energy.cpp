// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/pair_energy.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solver/contact/edge_mollifier.h"

namespace sluice::contact {
namespace {

using geometry::Mat12;
using geometry::PairDistance;
using geometry::PairPoints;
using geometry::Vec12;

template <typename Law>
GapEnergy energy_of_gap(const Law& law, const ContactPair& pair, const PairDistance& distance) {
  return law.at(std::sqrt(distance.squared) - pair.thickness);
}

// Whether the primitives' boxes say already that the gap is out of range: most pairs are.
template <typename Law>
bool is_far(const Law& law, const ContactPair& pair, const PairPoints& x) {
  const bool is_edge = pair.kind == PairKind::edge_edge;
  const Vec3 low = is_edge ? Vec3(x[0].cwiseMin(x[1])) : x[0];
  const Vec3 high = is_edge ? Vec3(x[0].cwiseMax(x[1])) : x[0];
  Vec3 other_low = x[2].cwiseMin(x[3]), other_high = x[2].cwiseMax(x[3]);
  if (!is_edge) {
    other_low = other_low.cwiseMin(x[1]);
    other_high = other_high.cwiseMax(x[1]);
  }
  const double apart = std::max((other_low - high).maxCoeff(), (low - other_high).maxCoeff());
  return apart >= (law.range + pair.thickness) * (1 + 1e-12);
}

bool is_inactive(const GapEnergy& U) { return U.value == 0 && U.slope == 0 && U.curvature == 0; }

// Whether m is less than 1.
bool is_fading(const ContactPair& pair, const PairPoints& x) {
  return pair.kind == PairKind::edge_edge && pair.mollifier_range > 0 &&
         edge_mollifier_value(x, pair.mollifier_range) < 1;
}

Mat12 fading_hessian(const ContactPair& pair, const PairPoints& x, const PairDistance& distance,
                     const GapEnergy& U) {
  const EdgeMollifier m = edge_mollifier(x, pair.mollifier_range);
  const Vec12 gradient = gap_gradient(distance, U);
  return m.value * gap_hessian(distance, U) + U.value * m.hessian +
         gradient * m.gradient.transpose() + m.gradient * gradient.transpose();
}

}  // namespace

template <typename Law>
double pair_energy(const Law& law, const ContactPair& pair, const PairPoints& x) noexcept {
  if (is_far(law, pair, x)) return 0;
  const GapEnergy U = energy_of_gap(law, pair, distance_of(pair.kind, x));
  // Not infinity times 0: what is in contact has no finite energy, parallel or not.
  if (is_inactive(U) || std::isinf(U.value) || !is_fading(pair, x)) return U.value;
  return U.value * edge_mollifier_value(x, pair.mollifier_range);
}

template <typename Law>
Vec12 pair_gradient(const Law& law, const ContactPair& pair, const PairPoints& x) noexcept {
  if (is_far(law, pair, x)) return Vec12::Zero();
  const PairDistance distance = distance_of(pair.kind, x);
  const GapEnergy U = energy_of_gap(law, pair, distance);
  if (is_inactive(U)) return Vec12::Zero();
  if (!is_fading(pair, x)) return gap_gradient(distance, U);
  const EdgeMollifier m = edge_mollifier(x, pair.mollifier_range);
  return m.value * gap_gradient(distance, U) + U.value * m.gradient;
}

template <typename Law>
Mat12 pair_hessian(const Law& law, const ContactPair& pair, const PairPoints& x) noexcept {
  if (is_far(law, pair, x)) return Mat12::Zero();
  const PairDistance distance = distance_of(pair.kind, x);
  const GapEnergy U = energy_of_gap(law, pair, distance);
  if (is_inactive(U)) return Mat12::Zero();
  return is_fading(pair, x) ? fading_hessian(pair, x, distance, U) : gap_hessian(distance, U);
}

template <typename Law>
Mat12 projected_pair_hessian(const Law& law, const ContactPair& pair,
                             const PairPoints& x) noexcept {
  if (is_far(law, pair, x)) return Mat12::Zero();
  const PairDistance distance = distance_of(pair.kind, x);
  const GapEnergy U = energy_of_gap(law, pair, distance);
  if (is_inactive(U)) return Mat12::Zero();
  if (!is_fading(pair, x)) return projected_gap_hessian(distance, U);
  const Eigen::SelfAdjointEigenSolver<Mat12> eigen(fading_hessian(pair, x, distance, U));
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

template double pair_energy(const Barrier&, const ContactPair&, const PairPoints&) noexcept;
template double pair_energy(const Penalty&, const ContactPair&, const PairPoints&) noexcept;
template Vec12 pair_gradient(const Barrier&, const ContactPair&, const PairPoints&) noexcept;
template Vec12 pair_gradient(const Penalty&, const ContactPair&, const PairPoints&) noexcept;
template Mat12 pair_hessian(const Barrier&, const ContactPair&, const PairPoints&) noexcept;
template Mat12 pair_hessian(const Penalty&, const ContactPair&, const PairPoints&) noexcept;
template Mat12 projected_pair_hessian(const Barrier&, const ContactPair&,
                                      const PairPoints&) noexcept;
template Mat12 projected_pair_hessian(const Penalty&, const ContactPair&,
                                      const PairPoints&) noexcept;

}  // namespace sluice::contact
