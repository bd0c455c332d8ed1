// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/press_potential.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice::coupling {
namespace {

constexpr std::size_t press_hessian_size = 9;

std::size_t point_count_of(const std::vector<Press>& presses) {
  return presses.empty() ? 1 : presses.front().point_count;
}

std::vector<std::int32_t> stencils_of(const std::vector<Press>& presses) {
  std::vector<std::int32_t> stencils;
  for (const Press& press : presses) {
    assert(press.point_count == presses.front().point_count);
    stencils.insert(stencils.end(), press.points.begin(),
                    press.points.begin() + static_cast<std::ptrdiff_t>(press.point_count));
  }
  return stencils;
}

std::vector<double> maps_of(const std::vector<Press>& presses) {
  std::vector<double> maps;
  for (const Press& press : presses) {
    maps.insert(maps.end(), press.weights.begin(),
                press.weights.begin() + static_cast<std::ptrdiff_t>(press.point_count));
  }
  return maps;
}

std::vector<double> stiffness_of(const std::vector<Press>& presses) {
  std::vector<double> weights;
  weights.reserve(presses.size());
  for (const Press& press : presses)
    weights.push_back(press.stiffness);
  return weights;
}

double energy_at(const Press& press, const Vec3& D) {
  const double pressing = press.pressing(D);
  double energy = pressing * pressing / (2 * press.stiffness);
  if (press.limit() > 0) {
    const double size = press.sticking(D).norm(), limit = press.limit();
    const double twice = size <= limit ? size * size : limit * (2 * size - limit);
    energy += twice / (2 * press.slip_stiffness);
  }
  return energy;
}

Mat3 hessian_at(const Press& press, const Vec3& D) {
  Mat3 H = Mat3::Zero();
  const Mat3 along = press.normal * press.normal.transpose();
  if (press.pressing(D) > 0) H = press.stiffness * along;
  if (!(press.limit() > 0)) return H;
  const Vec3 sticking = press.sticking(D);
  const double size = sticking.norm();
  const Mat3 across = Mat3::Identity() - along;
  if (size <= press.limit()) return H + press.slip_stiffness * across;
  const Vec3 direction = sticking / size;
  return H +
         press.slip_stiffness * press.limit() / size * (across - direction * direction.transpose());
}

}  // namespace

Vec3 force_of(const Press& press, const Vec3& D) {
  Vec3 force = press.pressing(D) * press.normal;
  if (press.limit() > 0) {
    const Vec3 sticking = press.sticking(D);
    const double size = sticking.norm();
    force += size <= press.limit() ? sticking : Vec3(press.limit() / size * sticking);
  }
  return force;
}

PressPotential::PressPotential(std::vector<Press> presses)
    : ElementPotential(
          {static_cast<int>(point_count_of(presses)), 1, stencils_of(presses), maps_of(presses)},
          stiffness_of(presses)),
      presses_(std::move(presses)) {}

double PressPotential::energy_of(std::size_t first, std::size_t last,
                                 std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e)
    sum += energy_at(presses_[e], presses_[e].place(x));
  return sum;
}

void PressPotential::write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                     std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const Press& press = presses_[e];
    const Vec3 force = force_of(press, press.place(x));
    for (std::size_t k = 0; k < press.point_count; ++k)
      slots[press.point_count * (e - first) + k] = -press.weights[k] * force;
  }
}

void PressPotential::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                              solid::HessianForm /*form*/, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    Eigen::Map<Mat3>{&out[press_hessian_size * (e - first)]} =
        hessian_at(presses_[e], presses_[e].place(x));
  }
}

// Along the normal and across it by itself: the nearer end of the way back to the plane, and to no
// slip, as far as the forces reach.
void PressPotential::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const Press& press = presses_[e];
    const Vec3 start = Eigen::Map<const Vec3>(&p[3 * (e - first)]);
    const double K = scale * press.stiffness;
    Vec3 end = start + press.pressing(start) / (press.stiffness + K) * press.normal;
    if (press.limit() > 0) {
      const Vec3 sticking = press.sticking(start);
      const double size = sticking.norm();
      if (size > 0) {
        const double way = std::min(size / (press.slip_stiffness + K), press.limit() / K);
        end += way / size * sticking;
      }
    }
    Eigen::Map<Vec3>{&z[3 * (e - first)]} = end;
  }
}

}  // namespace sluice::coupling
