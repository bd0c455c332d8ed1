// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/consensus_admm.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "solver/parallel/for_each_index.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::integrator {

namespace {

constexpr std::int64_t spring_grain = 2048;
constexpr std::int64_t consensus_admm_grain = 512;

/// Sums body(i), chunk by chunk in order, so that the bits do not depend on the threads.
template <typename Body>
double sum_each(std::size_t count, std::int64_t grain, std::span<double> chunk_sums,
                const Body& body) {
  const auto end = static_cast<std::int64_t>(count);
  parallel::parallel_for(0, end, grain, [&](std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i)
      sum += body(static_cast<std::size_t>(i));
    chunk_sums[static_cast<std::size_t>(first / grain)] = sum;
  });
  const auto chunks = parallel::chunk_count(0, end, grain);
  return std::accumulate(chunk_sums.begin(), chunk_sums.begin() + chunks, 0.0);
}

}  // namespace

ConsensusAdmm::ConsensusAdmm(std::span<const solid::Spring> springs,
                             std::span<const solid::Potential* const> others,
                             std::size_t vertex_count)
    : springs_(springs.begin(), springs.end()),
      first_neighbour_(vertex_count + 1, 0),
      neighbours_(2 * springs.size()),
      of_springs_(vertex_count, 0.0),
      dual_(springs.size(), Vec3::Zero()),
      pull_(springs.size(), Vec3::Zero()),
      others_(others.begin(), others.end()),
      elements_(others, others.empty() ? 0 : vertex_count),
      gradient_(others.empty() ? 0 : vertex_count),
      chunk_sums_(static_cast<std::size_t>(std::max(
          parallel::chunk_count(0, static_cast<std::int64_t>(springs.size()), spring_grain),
          parallel::chunk_count(0, static_cast<std::int64_t>(vertex_count),
                                consensus_admm_grain)))) {
  for (const solid::Spring& s : springs_) {
    ++first_neighbour_[at(s.a) + 1];
    ++first_neighbour_[at(s.b) + 1];
    of_springs_[at(s.a)] += 2 * s.stiffness;
    of_springs_[at(s.b)] += 2 * s.stiffness;
  }
  std::partial_sum(first_neighbour_.begin(), first_neighbour_.end(), first_neighbour_.begin());
  std::vector<std::int32_t> next(first_neighbour_.begin(), first_neighbour_.end() - 1);
  for (std::size_t e = 0; e < springs_.size(); ++e) {
    const auto spring = static_cast<std::int32_t>(e);
    neighbours_[at(next[at(springs_[e].a)]++)] = {spring, springs_[e].b};
    neighbours_[at(next[at(springs_[e].b)]++)] = {spring, springs_[e].a};
  }
}

void ConsensusAdmm::begin(std::span<const Vec3> x_n, const solid::InertialTerm& term,
                          std::span<const Vec3> forces, std::span<Vec3> x) {
  parallel::for_each_index(springs_.size(), spring_grain, [&](std::size_t e) {
    const solid::Spring& s = springs_[e];
    dual_[e] = solid::gradient(s, x_n[at(s.a)], x_n[at(s.b)]) / s.stiffness;
  });
  std::ranges::fill(gradient_, Vec3::Zero());
  for (const solid::Potential* potential : others_)
    potential->add_gradient(x_n, gradient_);
  if (!others_.empty()) elements_.begin(x_n);
  parallel::for_each_index(x_n.size(), consensus_admm_grain, [&](std::size_t i) {
    Vec3 force = forces.empty() ? Vec3(Vec3::Zero()) : forces[i];
    if (!others_.empty()) force -= gradient_[i];
    for (std::int32_t n = first_neighbour_[i]; n < first_neighbour_[i + 1]; ++n) {
      const auto [spring, other] = neighbours_[at(n)];
      const double sign = static_cast<std::int32_t>(i) < other ? 1 : -1;
      force -= sign * springs_[at(spring)].stiffness * dual_[at(spring)];
    }
    x[i] = term.targets[i] + force / term.inertia[i];
  });
}

double ConsensusAdmm::local_and_dual_step(std::span<const Vec3> x) {
  const double of_others = others_.empty() ? 0 : elements_.local_and_dual_step(x);
  return of_others + sum_each(springs_.size(), spring_grain, chunk_sums_, [&](std::size_t e) {
           const solid::Spring& s = springs_[e];
           const double w = s.stiffness;
           const Vec3 p = x[at(s.a)] - x[at(s.b)] + dual_[e];
           const double length = p.norm();
           // With w = k the prox is halfway between p and its projection onto length l0. At p = 0
           // every direction is as good; x is one of them.
           const Vec3 z = length > 0 ? Vec3(p * (0.5 + 0.5 * s.rest_length / length))
                                     : Vec3(0.5 * s.rest_length, 0, 0);
           const Vec3 u = p - z;
           const double squared_residual = (u - dual_[e]).squaredNorm();
           dual_[e] = u;
           pull_[e] = w * (z - u);
           return w * squared_residual;
         });
}

void ConsensusAdmm::global_step(std::span<const Vec3> x, const solid::InertialTerm& term,
                                std::span<const Vec3> forces, std::span<Vec3> x_next) const {
  parallel::for_each_index(x.size(), consensus_admm_grain, [&](std::size_t i) {
    if (term.inertia[i] == std::numeric_limits<double>::infinity()) {
      x_next[i] = term.targets[i];
      return;
    }
    Vec3 sum = term.inertia[i] * (term.targets[i] - x[i]);
    if (!forces.empty()) sum += forces[i];
    if (!others_.empty()) sum += elements_.pull(i);
    for (std::int32_t n = first_neighbour_[i]; n < first_neighbour_[i + 1]; ++n) {
      const auto [spring, other] = neighbours_[at(n)];
      const double sign = static_cast<std::int32_t>(i) < other ? 1 : -1;
      sum += springs_[at(spring)].stiffness * (x[at(other)] - x[i]) + sign * pull_[at(spring)];
    }
    x_next[i] = x[i] + sum / (diagonal(i, term));
  });
}

double ConsensusAdmm::squared_change(std::span<const Vec3> a, std::span<const Vec3> b,
                                     const solid::InertialTerm& term) {
  return sum_each(a.size(), consensus_admm_grain, chunk_sums_, [&](std::size_t i) {
    if (term.inertia[i] == std::numeric_limits<double>::infinity()) return 0.0;
    return (diagonal(i, term)) * (a[i] - b[i]).squaredNorm();
  });
}

}  // namespace sluice::integrator
