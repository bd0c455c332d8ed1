// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/admm_stages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solver/parallel/parallel_for.h"

namespace sluice::integrator {

namespace {

constexpr std::int64_t admm_stages_grain = 4096;
constexpr std::size_t most_rows = 3;

/// The numbers 3 r of each element of a block.
using Block = std::array<double, 3 * most_rows * solid::VertexGather::block>;

/// The dual step of some elements of `size` numbers each, from p = D x + u and z. Turns D x in
/// `image` into w (z - u - D x). Returns sum w |D x - z|^2.
template <std::size_t size>
double dual_step(std::span<const double> weights, std::span<const double> p,
                 std::span<const double> z, double* u, std::span<double> image) {
  double sum = 0;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const double w = weights[e];
    double squared_gap = 0;
    for (std::size_t n = size * e; n < size * (e + 1); ++n) {
      const double gap = image[n] - z[n];
      squared_gap += gap * gap;
      u[n] = p[n] - z[n];
      image[n] = -w * (u[n] + gap);
    }
    sum += w * squared_gap;
  }
  return sum;
}

}  // namespace

AdmmStages::AdmmStages(std::span<const solid::Potential* const> potentials,
                       std::size_t vertex_count)
    : stiffness_(vertex_count), pull_(vertex_count) {
  std::size_t offset = 0, most_elements = 0;
  for (const solid::Potential* potential : potentials) {
    const auto k = static_cast<std::size_t>(potential->vertices_per_element());
    const auto r = static_cast<std::size_t>(potential->rows());
    groups_.push_back({potential, k, r, offset, {potential->stencils(), k}, {}});
    offset += 3 * r * potential->element_count();
    most_elements = std::max(most_elements, potential->element_count());
  }
  u_.resize(offset);
  residuals_.resize(most_elements / solid::VertexGather::chunk + 1);
  sum_stiffness();
}

bool AdmmStages::has_other_weights() const {
  return !std::ranges::all_of(groups_, [](const Group& group) {
    return std::ranges::equal(group.weights, group.potential->weights());
  });
}

void AdmmStages::sum_stiffness() {
  std::ranges::fill(stiffness_, Vec3::Zero());
  for (auto& [potential, k, r, offset, gather, own_weights] : groups_) {
    const auto maps = potential->maps(), weights = potential->weights();
    own_weights.assign(weights.begin(), weights.end());
    gather.add(
        [&](std::size_t first, std::size_t last, std::span<Vec3> slots) {
          for (std::size_t e = first; e < last; ++e) {
            const double* G = &maps[e * r * k];
            for (std::size_t a = 0; a < k; ++a) {
              double sum = 0;
              for (std::size_t b = 0; b < k; ++b) {
                double product = 0;
                for (std::size_t p = 0; p < r; ++p)
                  product += G[p * k + a] * G[p * k + b];
                sum += std::abs(product);
              }
              slots[k * (e - first) + a] = Vec3(weights[e] * sum, 0, 0);
            }
          }
        },
        stiffness_);
  }
}

void AdmmStages::begin(std::span<const Vec3> x_n) {
  if (has_other_weights()) sum_stiffness();
  for (const auto& [potential, k, r, offset, gather, weights] : groups_) {
    parallel::parallel_for(0, static_cast<std::int64_t>(potential->element_count()),
                           solid::VertexGather::block, [&](std::int64_t begin, std::int64_t end) {
                             const auto first = static_cast<std::size_t>(begin),
                                        last = static_cast<std::size_t>(end);
                             const std::size_t length = 3 * r * (last - first);
                             Block p_block, z_block;
                             const std::span p(p_block.data(), length), z(z_block.data(), length);
                             potential->map(first, last, x_n, p);
                             potential->local_step(first, last, p, 1, z);
                             // The local step's optimality: the gradient of U_e at z_e is w_e (p_e
                             // - z_e).
                             double* u = &u_[offset + 3 * r * first];
                             for (std::size_t n = 0; n < length; ++n)
                               u[n] = p[n] - z[n];
                           });
  }
}

double AdmmStages::local_and_dual_step(const Group& group, std::span<const Vec3> x) {
  const auto& [potential, k, r, offset, gather, weights] = group;
  const std::size_t chunks =
      (potential->element_count() + solid::VertexGather::chunk - 1) / solid::VertexGather::chunk;
  std::fill_n(residuals_.begin(), chunks, 0.0);
  gather.add(
      [&](std::size_t first, std::size_t last, std::span<Vec3> slots) {
        const std::size_t length = 3 * r * (last - first);
        Block image_block, p_block, z_block;
        const std::span image(image_block.data(), length), p(p_block.data(), length),
            z(z_block.data(), length);
        double* u = &u_[offset + 3 * r * first];
        potential->map(first, last, x, image);
        for (std::size_t n = 0; n < length; ++n)
          p[n] = image[n] + u[n];
        potential->local_step(first, last, p, 1, z);
        const auto own_weights = std::span(weights).subspan(first, last - first);
        residuals_[first / solid::VertexGather::chunk] +=
            r == 3   ? dual_step<9>(own_weights, p, z, u, image)
            : r == 2 ? dual_step<6>(own_weights, p, z, u, image)
                     : dual_step<3>(own_weights, p, z, u, image);
        potential->map_back(first, last, image, slots);
      },
      pull_);
  return std::accumulate(residuals_.begin(),
                         residuals_.begin() + static_cast<std::ptrdiff_t>(chunks), 0.0);
}

double AdmmStages::local_and_dual_step(std::span<const Vec3> x) {
  std::ranges::fill(pull_, Vec3::Zero());
  double squared_residual = 0;
  for (const Group& group : groups_)
    squared_residual += local_and_dual_step(group, x);
  return squared_residual;
}

void AdmmStages::write_global_residual(const StepProblem& problem, std::span<const Vec3> x,
                                       std::span<Vec3> r) const {
  parallel::parallel_for(0, static_cast<std::int64_t>(x.size()), admm_stages_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto i = static_cast<std::size_t>(first);
                                i < static_cast<std::size_t>(last); ++i) {
                             r[i].setZero();
                             if (is_held(problem, i)) continue;
                             r[i] = problem.inertia[i] * (problem.targets[i] - x[i]) + pull_[i];
                             if (!problem.forces.empty()) r[i] += problem.forces[i];
                           }
                         });
}

}  // namespace sluice::integrator
