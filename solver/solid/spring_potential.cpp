// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/spring_potential.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "solver/parallel/parallel_for.h"

namespace sluice::solid {

namespace {

constexpr std::int64_t grain = 2048;

std::vector<std::int32_t> ends_of(std::span<const Spring> springs) {
  std::vector<std::int32_t> stencils;
  stencils.reserve(2 * springs.size());
  for (const Spring& spring : springs)
    stencils.insert(stencils.end(), {spring.a, spring.b});
  return stencils;
}

std::vector<double> differences(std::size_t count) {
  std::vector<double> maps(2 * count);
  for (std::size_t e = 0; e < count; ++e) {
    maps[2 * e] = 1;
    maps[2 * e + 1] = -1;
  }
  return maps;
}

std::vector<double> stiffnesses_of(std::span<const Spring> springs) {
  std::vector<double> weights;
  weights.reserve(springs.size());
  for (const Spring& spring : springs)
    weights.push_back(spring.stiffness);
  return weights;
}

}  // namespace

SpringPotential::SpringPotential(std::span<const Spring> springs)
    : ElementPotential({2, 1, ends_of(springs), differences(springs.size())},
                       stiffnesses_of(springs)) {
  rest_lengths_.reserve(springs.size());
  for (const Spring& spring : springs)
    rest_lengths_.push_back(spring.rest_length);
}

double SpringPotential::energy_of(std::size_t first, std::size_t last,
                                  std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e) {
    const double stretch = map<1>(e, x).norm() - rest_lengths_[e];
    sum += 0.5 * weights()[e] * stretch * stretch;
  }
  return sum;
}

void SpringPotential::write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                      std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const Vec3 d = map<1>(e, x).transpose();
    const double length = d.norm();
    const double tension = length > 0 ? weights()[e] * (1 - rest_lengths_[e] / length) : 0;
    slots[2 * e] = tension * d;
    slots[2 * e + 1] = -tension * d;
  }
}

void SpringPotential::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                               HessianForm form, std::span<double> out) const {
  assert(out.size() == 9 * (last - first));
  for (std::size_t e = first; e < last; ++e) {
    const Vec3 d = map<1>(e, x).transpose();
    const double length = d.norm(), k = weights()[e];
    Eigen::Map<Mat3> H(&out[9 * (e - first)]);
    if (length == 0) {
      H = k * Mat3::Identity();
      continue;
    }
    // Eigenvalues: k along the spring, and across it the tension over the length.
    double across = k * (1 - rest_lengths_[e] / length);
    if (form == HessianForm::positive_semidefinite) across = std::max(across, 0.0);
    const Vec3 n = d / length;
    H = across * Mat3::Identity() + (k - across) * n * n.transpose();
  }
}

void SpringPotential::local_step(std::span<const double> p, double scale,
                                 std::span<double> z) const {
  assert(p.size() == 3 * element_count() && z.size() == p.size() && scale > 0);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(element_count()), grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
          const Eigen::Map<const Vec3> target(&p[3 * e]);
          Eigen::Map<Vec3> result(&z[3 * e]);
          const double distance = target.norm();
          // (|z| - l0) + scale (|z| - |p|) = 0 along the direction of p.
          const double length = (rest_lengths_[e] + scale * distance) / (1 + scale);
          if (distance > 0) {
            result = length / distance * target;
          } else {
            const double guess = result.norm();
            result = guess > 0 ? Vec3(length / guess * result) : Vec3(length * Vec3::UnitX());
          }
        }
      });
}

}  // namespace sluice::solid
