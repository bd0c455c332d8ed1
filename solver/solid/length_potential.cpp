// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/length_potential.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice::solid {

LengthPotential::LengthPotential(Tables tables, std::vector<double> stiffnesses,
                                 std::vector<double> rest_lengths)
    : ElementPotential(std::move(tables), std::move(stiffnesses)),
      rest_lengths_(std::move(rest_lengths)) {
  assert(rows() == 1 && rest_lengths_.size() == element_count());
}

double LengthPotential::energy_of(std::size_t first, std::size_t last,
                                  std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e) {
    const double stretch = map_one<1>(e, x).norm() - rest_lengths_[e];
    sum += 0.5 * weights()[e] * stretch * stretch;
  }
  return sum;
}

void LengthPotential::write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                      std::span<Vec3> slots) const {
  const auto k = static_cast<std::size_t>(vertices_per_element());
  for (std::size_t e = first; e < last; ++e) {
    const Eigen::RowVector3d D = map_one<1>(e, x);
    const double length = D.norm();
    const double tension = length > 0 ? weights()[e] * (1 - rest_lengths_[e] / length) : 0;
    write_forces<1>(e, tension * D, &slots[k * (e - first)]);
  }
}

void LengthPotential::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                               HessianForm form, std::span<double> out) const {
  assert(out.size() == 9 * (last - first));
  for (std::size_t e = first; e < last; ++e) {
    const Vec3 D = map_one<1>(e, x).transpose();
    const double length = D.norm(), k = weights()[e];
    Eigen::Map<Mat3> H(&out[9 * (e - first)]);
    if (length == 0) {
      H = k * Mat3::Identity();
      continue;
    }
    // Eigenvalues: k along D, and across it the tension over the length.
    double across = k * (1 - rest_lengths_[e] / length);
    if (form == HessianForm::positive_semidefinite) across = std::max(across, 0.0);
    const Vec3 n = D / length;
    H = across * Mat3::Identity() + (k - across) * n * n.transpose();
  }
}

void LengthPotential::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                 double scale, std::span<double> z) const {
  assert(p.size() == 3 * (last - first) && z.size() == p.size() && scale > 0);
  for (std::size_t e = first; e < last; ++e) {
    const Eigen::Map<const Vec3> target(&p[3 * (e - first)]);
    Eigen::Map<Vec3> result(&z[3 * (e - first)]);
    const double distance = target.norm();
    // (|z| - d0) + scale (|z| - |p|) = 0 along the direction of p.
    const double length = (rest_lengths_[e] + scale * distance) / (1 + scale);
    result = distance > 0 ? Vec3(length / distance * target) : Vec3(length * Vec3::UnitX());
  }
}

}  // namespace sluice::solid
