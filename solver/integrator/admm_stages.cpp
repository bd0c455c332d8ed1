// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/admm_stages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::integrator {

namespace {

constexpr std::int64_t grain = 1024;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

template <typename Body>
void for_each(std::size_t count, const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i)
                             body(static_cast<std::size_t>(i));
                         });
}

}  // namespace

AdmmStages::AdmmStages(std::span<const solid::Potential* const> potentials,
                       std::size_t vertex_count)
    : first_corner_(vertex_count + 1, 0), stiffness_sum_(vertex_count, 0.0) {
  std::size_t offset = 0;
  for (const solid::Potential* potential : potentials) {
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    const auto r = static_cast<std::size_t>(potential->rows());
    groups_.push_back({potential, k, r, offset, 3 * r * potential->element_count()});
    offset += groups_.back().length;
    for (const std::int32_t vertex : potential->stencils())
      ++first_corner_[at(vertex) + 1];
  }
  std::partial_sum(first_corner_.begin(), first_corner_.end(), first_corner_.begin());
  corners_.resize(at(first_corner_.back()));
  std::vector<std::int32_t> next(first_corner_.begin(), first_corner_.end() - 1);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto [potential, k, r, own_offset, own_length] = groups_[g];
    for (std::size_t n = 0; n < potential->stencils().size(); ++n) {
      const std::size_t vertex = at(potential->stencils()[n]), e = n / k, a = n % k;
      corners_[at(next[vertex]++)] = {static_cast<std::int32_t>(g), static_cast<std::int32_t>(e),
                                      static_cast<std::int32_t>(a)};
    }
  }
  for (std::vector<double>* numbers : {&p_, &z_, &u_, &pull_})
    numbers->resize(offset);
  sum_stiffness();
}

void AdmmStages::sum_stiffness() {
  for_each(stiffness_sum_.size(), [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t n = first_corner_[i]; n < first_corner_[i + 1]; ++n) {
      const Group& group = groups_[at(corners_[at(n)].group)];
      const std::size_t e = at(corners_[at(n)].element), a = at(corners_[at(n)].corner);
      const auto G = group.potential->maps().subspan(e * group.r * group.k, group.r * group.k);
      for (std::size_t b = 0; b < group.k; ++b) {
        double product = 0;
        for (std::size_t p = 0; p < group.r; ++p)
          product += G[p * group.k + a] * G[p * group.k + b];
        sum += group.potential->weights()[e] * std::abs(product);
      }
    }
    stiffness_sum_[i] = sum;
  });
}

void AdmmStages::map(std::span<const Vec3> x, std::span<double> Dx) const {
  for (const Group& group : groups_) {
    const auto stencils = group.potential->stencils();
    const auto maps = group.potential->maps();
    double* to = &Dx[group.offset];
    for_each(group.potential->element_count(), [&](std::size_t e) {
      for (std::size_t p = 0; p < group.r; ++p) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t a = 0; a < group.k; ++a)
          sum += maps[(e * group.r + p) * group.k + a] * x[at(stencils[e * group.k + a])];
        Eigen::Map<Vec3> image(to + 3 * (e * group.r + p));
        image = sum;
      }
    });
  }
}

void AdmmStages::begin(std::span<const Vec3> x_n) {
  sum_stiffness();
  map(x_n, p_);
  z_ = p_;
  for (const Group& group : groups_) {
    group.potential->local_step(std::span(p_).subspan(group.offset, group.length), 1,
                                std::span(z_).subspan(group.offset, group.length));
  }
  // The local step's optimality: the gradient of U_e at z_e is w_e (p_e - z_e).
  for_each(u_.size(), [&](std::size_t n) { u_[n] = p_[n] - z_[n]; });
}

double AdmmStages::local_and_dual_step(std::span<const Vec3> x) {
  map(x, pull_);
  for_each(p_.size(), [&](std::size_t n) { p_[n] = pull_[n] + u_[n]; });
  for (const Group& group : groups_) {
    group.potential->local_step(std::span(p_).subspan(group.offset, group.length), 1,
                                std::span(z_).subspan(group.offset, group.length));
  }
  double squared_residual = 0;
  for (const Group& group : groups_) {
    const auto weights = group.potential->weights();
    squared_residual += parallel::parallel_reduce(
        0, static_cast<std::int64_t>(group.potential->element_count()), grain, 0.0,
        [&](std::int64_t first, std::int64_t last) {
          double sum = 0;
          for (auto e = static_cast<std::size_t>(first); e < static_cast<std::size_t>(last); ++e) {
            for (std::size_t c = 0; c < 3 * group.r; ++c) {
              const std::size_t n = group.offset + 3 * group.r * e + c;
              const double gap = pull_[n] - z_[n];
              sum += weights[e] * gap * gap;
              u_[n] = p_[n] - z_[n];
              pull_[n] = weights[e] * (z_[n] - u_[n] - pull_[n]);
            }
          }
          return sum;
        },
        std::plus<>());
  }
  return squared_residual;
}

Vec3 AdmmStages::pull(std::size_t vertex) const {
  Vec3 sum = Vec3::Zero();
  for (std::int32_t n = first_corner_[vertex]; n < first_corner_[vertex + 1]; ++n) {
    const Group& group = groups_[at(corners_[at(n)].group)];
    const std::size_t e = at(corners_[at(n)].element), a = at(corners_[at(n)].corner);
    for (std::size_t p = 0; p < group.r; ++p) {
      const std::size_t row = e * group.r + p;
      sum += group.potential->maps()[row * group.k + a] *
             Eigen::Map<const Vec3>(&pull_[group.offset + 3 * row]);
    }
  }
  return sum;
}

void AdmmStages::write_global_residual(const StepProblem& problem, std::span<const Vec3> x,
                                       std::span<Vec3> r) const {
  for_each(x.size(), [&](std::size_t i) {
    r[i].setZero();
    if (is_held(problem, i)) return;
    r[i] = problem.inertia[i] * (problem.targets[i] - x[i]) + pull(i);
    if (!problem.forces.empty()) r[i] += problem.forces[i];
  });
}

}  // namespace sluice::integrator
