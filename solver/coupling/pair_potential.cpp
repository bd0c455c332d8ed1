// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/pair_potential.h"

#include <cassert>
#include <cstddef>
#include <utility>

#include "solver/contact/pair_proximal.h"

namespace sluice::coupling {
namespace {

constexpr int corner_count = 4, row_count = 3;  // k and r of Potential.
constexpr std::size_t entries = 9;              // The numbers of D_e x.

using Mat9 = Eigen::Matrix<double, 9, 9>;

template <typename Pair>
std::vector<std::int32_t> stencils_of(std::span<const Pair> pairs) {
  std::vector<std::int32_t> stencils;
  for (const Pair& pair : pairs)
    stencils.insert(stencils.end(), pair.points.begin(), pair.points.end());
  return stencils;
}

// x_1 - x_0, x_2 - x_0 and x_3 - x_0 of each.
std::vector<double> differences(std::size_t count) {
  std::vector<double> maps;
  for (std::size_t e = 0; e < count; ++e)
    maps.insert(maps.end(), {-1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1});
  return maps;
}

geometry::PairPoints points_at(const double* D) {
  using Row = Eigen::Map<const Vec3>;
  return {Vec3::Zero(), Row(D), Row(D + 3), Row(D + 6)};
}

void write_row(const Vec3& row, double* out) { Eigen::Map<Vec3>{out} = row; }

std::vector<double> weights_of(std::span<const contact::FrictionPair> pairs, double eps) {
  std::vector<double> weights;
  for (const contact::FrictionPair& pair : pairs)
    weights.push_back(2 * pair.limit / eps);
  return weights;
}

Vec3 combine(const contact::FrictionPair& pair, std::span<const Vec3> x) {
  // A sum of differences: c sums to 0, and little is lost far from the origin.
  Vec3 sum = Vec3::Zero();
  const Vec3& origin = x[static_cast<std::size_t>(pair.points[0])];
  for (std::size_t i = 1; i < corner_count; ++i) {
    sum += pair.coefficients[static_cast<Eigen::Index>(i)] *
           (x[static_cast<std::size_t>(pair.points[i])] - origin);
  }
  return sum;
}

}  // namespace

template <typename Law>
GapPotential<Law>::GapPotential(const Law& law, std::vector<contact::ContactPair> pairs)
    : ElementPotential({corner_count, row_count, stencils_of<contact::ContactPair>(pairs),
                        differences(pairs.size())},
                       std::vector<double>(pairs.size(), law.stiffness)),
      law_(law),
      pairs_(std::move(pairs)) {}

template <typename Law>
double GapPotential<Law>::energy_of(std::size_t first, std::size_t last,
                                    std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e)
    sum += pair_energy(law_, pairs_[e], pairs_[e].gather(x));
  return sum;
}

template <typename Law>
void GapPotential<Law>::write_gradients(std::size_t first, std::size_t last,
                                        std::span<const Vec3> x, std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const geometry::Vec12 gradient = pair_gradient(law_, pairs_[e], pairs_[e].gather(x));
    for (std::size_t i = 0; i < corner_count; ++i)
      slots[corner_count * (e - first) + i] = gradient.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
}

template <typename Law>
void GapPotential<Law>::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                 solid::HessianForm form, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    const geometry::PairPoints points = pairs_[e].gather(x);
    const geometry::Mat12 H = form == solid::HessianForm::exact
                                  ? pair_hessian(law_, pairs_[e], points)
                                  : projected_pair_hessian(law_, pairs_[e], points);
    // By x_1 to x_3 with x_0 held: as the energy knows differences only, that is by D.
    Eigen::Map<Mat9>{&out[entries * entries * (e - first)]} = H.bottomRightCorner<9, 9>();
  }
}

template <typename Law>
void GapPotential<Law>::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                   double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const std::size_t place = entries * (e - first);
    const geometry::PairPoints x =
        contact::pair_proximal(law_, pairs_[e], points_at(&p[place]), scale * weights()[e]);
    for (std::size_t i = 0; i < row_count; ++i)
      write_row(x[i + 1], &z[place + 3 * i]);
  }
}

template class GapPotential<contact::Barrier>;
template class GapPotential<contact::Penalty>;

FrictionPotential::FrictionPotential(std::vector<contact::FrictionPair> pairs,
                                     std::span<const Vec3> x_n, double eps)
    : ElementPotential({corner_count, row_count, stencils_of<contact::FrictionPair>(pairs),
                        differences(pairs.size())},
                       weights_of(pairs, eps)),
      pairs_(std::move(pairs)),
      eps_(eps) {
  assert(eps > 0);
  for (const contact::FrictionPair& pair : pairs_)
    starts_.push_back(combine(pair, x_n));
}

Vec3 FrictionPotential::way(std::size_t e, std::span<const Vec3> x) const {
  return combine(pairs_[e], x) - starts_[e];
}

double FrictionPotential::energy_of(std::size_t first, std::size_t last,
                                    std::span<const Vec3> x) const {
  double sum = 0;
  for (std::size_t e = first; e < last; ++e)
    sum += friction_energy(pairs_[e], eps_, way(e, x));
  return sum;
}

void FrictionPotential::write_gradients(std::size_t first, std::size_t last,
                                        std::span<const Vec3> x, std::span<Vec3> slots) const {
  for (std::size_t e = first; e < last; ++e) {
    const Vec3 gradient = friction_gradient(pairs_[e], eps_, way(e, x));
    for (std::size_t i = 0; i < corner_count; ++i) {
      slots[corner_count * (e - first) + i] =
          pairs_[e].coefficients[static_cast<Eigen::Index>(i)] * gradient;
    }
  }
}

void FrictionPotential::hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                                 solid::HessianForm /*form*/, std::span<double> out) const {
  for (std::size_t e = first; e < last; ++e) {
    const Mat3 H = friction_hessian(pairs_[e], eps_, way(e, x));
    const geometry::Vec4& c = pairs_[e].coefficients;
    Eigen::Map<Mat9> block(&out[entries * entries * (e - first)]);
    for (Eigen::Index i = 0; i < row_count; ++i) {
      for (Eigen::Index j = 0; j < row_count; ++j)
        block.block<3, 3>(3 * i, 3 * j) = c[i + 1] * c[j + 1] * H;
    }
  }
}

void FrictionPotential::local_step(std::size_t first, std::size_t last, std::span<const double> p,
                                   double scale, std::span<double> z) const {
  for (std::size_t e = first; e < last; ++e) {
    const contact::FrictionPair& pair = pairs_[e];
    const std::size_t place = entries * (e - first);
    const geometry::Vec4& c = pair.coefficients;
    const double share = c.tail<3>().squaredNorm();
    const geometry::PairPoints x = points_at(&p[place]);
    const Vec3 s = c[1] * x[1] + c[2] * x[2] + c[3] * x[3] - starts_[e];
    const Vec3 change = friction_proximal(pair, eps_, s, scale * weights()[e] / share);
    for (std::size_t i = 0; i < row_count; ++i)
      write_row(x[i + 1] + c[static_cast<Eigen::Index>(i) + 1] / share * change, &z[place + 3 * i]);
  }
}

}  // namespace sluice::coupling
