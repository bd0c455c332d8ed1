// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/particle_contact.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "solver/contact/projection.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t vertex_grain = 2048;
constexpr std::int64_t pair_grain = 256;
constexpr std::int64_t contactor_grain = 128;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int64_t size_of(const auto& range) { return static_cast<std::int64_t>(range.size()); }

/// Which corners carry the nearest point: pairs that share it are one contact.
std::array<std::int32_t, 3> feature_of(const TriangleIndices& triangle, const Vec3& weights) {
  std::array<std::int32_t, 3> feature{-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    if (weights[i] > 0)
      feature[static_cast<std::size_t>(i)] = triangle[static_cast<std::size_t>(i)];
  }
  std::sort(feature.begin(), feature.end());
  return feature;
}

}  // namespace

ParticleContact::ParticleContact(const scene::Scene& scene, const solid::ClothSystem& cloth)
    : forces_(cloth.positions.size(), Vec3::Zero()),
      forces_before_(cloth.positions.size(), Vec3::Zero()),
      active_at_vertex_(cloth.positions.size(), 0) {
  for (const solid::ClothRange& range : cloth.cloths) {
    gap_of_triangle_.insert(gap_of_triangle_.end(), at(range.triangle_count),
                            scene.coupling.contact_distance + range.half_thickness);
    largest_gap_ = std::max(largest_gap_, gap_of_triangle_.back());
  }
}

void ParticleContact::begin(double h, const solid::ClothSystem& cloth,
                            std::span<const Vec3> predicted, const ParticleMotion& particles,
                            std::span<const contact::Candidate> candidates) {
  x_n_ = cloth.positions;
  pairs_.clear();
  contactors_.clear();
  std::fill(forces_.begin(), forces_.end(), Vec3::Zero());
  choose(h, cloth, predicted, particles, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!chosen_[i].is_active) continue;
    const std::int32_t particle = candidates[i].particle;
    if (contactors_.empty() || contactors_.back().particle != particle) {
      const auto first = static_cast<std::int32_t>(pairs_.size());
      const Vec3 target = particles.targets[at(particle)].cast<double>();
      contactors_.push_back({particle, first, first, target, target});
    }
    pairs_.push_back(chosen_[i]);
    pairs_.back().is_active = false;
    ++contactors_.back().last_pair;
  }
  chunk_sums_.resize(
      static_cast<std::size_t>(parallel::chunk_count(0, size_of(contactors_), contactor_grain)));
}

void ParticleContact::choose(double h, const solid::ClothSystem& cloth,
                             std::span<const Vec3> predicted, const ParticleMotion& particles,
                             std::span<const contact::Candidate> candidates) {
  // [1/s] Where a particle starts inside the gap, it is led out at this rate times the gap: within
  // a frame, and slowly enough to add no energy to speak of.
  constexpr double recovery_rate = 60;
  chosen_.resize(candidates.size());
  parallel::parallel_for(
      0, size_of(candidates), pair_grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const auto [particle, index] = candidates[i];
          const TriangleIndices& t = cloth.triangles[at(index)];
          const Vec3 p = particles.positions[at(particle)].cast<double>();
          const contact::PairGap start =
              contact::measure_gap(p, x_n_[at(t[0])], x_n_[at(t[1])], x_n_[at(t[2])]);
          double cloth_reach = 0;
          for (const std::int32_t v : t) {
            cloth_reach = std::max(cloth_reach, (predicted[at(v)] - x_n_[at(v)]).norm());
          }
          // Both may end that much further than predicted (contact::MotionBounds).
          const double reach = (particles.targets[at(particle)].cast<double>() - p).norm() +
                               cloth_reach + 2 * largest_gap_;
          const double gap = gap_of_triangle_[at(index)];
          chosen_[i] = {.triangle = index,
                        .wanted = std::min(gap, start.distance + recovery_rate * gap * h),
                        .start_normal = start.normal,
                        .lambda = 0,
                        .gap = {Vec3::Zero(), Vec3::Zero(), 0},
                        .is_active = start.distance - reach < gap};
        }
      });
}

void ParticleContact::evaluate(const Contactor& contactor,
                               std::span<const TriangleIndices> triangles, std::span<const Vec3> x,
                               const Vec3f& start) {
  for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
    Pair& pair = pairs_[at(i)];
    const TriangleIndices& t = triangles[at(pair.triangle)];
    const auto a = at(t[0]), b = at(t[1]), c = at(t[2]);
    if (pair.lambda == 0) {
      // What separated them at x^n still does, by enough: most pairs.
      const Vec3& n = pair.start_normal;
      const double top = std::max({n.dot(x[a]), n.dot(x[b]), n.dot(x[c])});
      pair.is_active = n.dot(contactor.position) - top < pair.wanted;
      if (!pair.is_active) continue;
    }
    pair.gap = contact::measure_gap(
        {start.cast<double>(), x_n_[a], x_n_[b], x_n_[c], contactor.position, x[a], x[b], x[c]});
    pair.is_active = pair.gap.distance < pair.wanted || pair.lambda > 0;
    if (pair.gap.normal.isZero(0)) pair.is_active = false;  // No way out: left to the filter.
    if (!pair.is_active) {
      pair.lambda = 0;
      continue;
    }
    // Triangles that share an edge or a corner see the same contact there: one of them has it.
    const auto feature = feature_of(t, pair.gap.weights);
    if (feature[0] >= 0) continue;  // Inside the face: nobody else's.
    for (std::int32_t j = contactor.first_pair; j < i; ++j) {
      if (pairs_[at(j)].is_active &&
          feature_of(triangles[at(pairs_[at(j)].triangle)], pairs_[at(j)].gap.weights) == feature) {
        pair.is_active = false;
        pair.lambda = 0;
        break;
      }
    }
  }
}

double ParticleContact::respond(std::span<const TriangleIndices> triangles,
                                std::span<const double> diagonal, const ParticleMotion& particles,
                                const Walls& walls, std::span<Vec3> x) {
  const auto each_contactor = [&](const auto& body) {
    parallel::parallel_for(0, size_of(contactors_), contactor_grain,
                           [&](std::int64_t first, std::int64_t last) {
                             double sum = 0;
                             for (std::int64_t i = first; i < last; ++i) {
                               sum += body(contactors_[static_cast<std::size_t>(i)]);
                             }
                             chunk_sums_[static_cast<std::size_t>(first / contactor_grain)] = sum;
                           });
    return std::accumulate(chunk_sums_.begin(), chunk_sums_.end(), 0.0);
  };

  each_contactor([&](const Contactor& contactor) {
    evaluate(contactor, triangles, x, particles.positions[at(contactor.particle)]);
    return 0.0;
  });

  std::fill(active_at_vertex_.begin(), active_at_vertex_.end(), 0);
  for (const Pair& pair : pairs_) {
    if (!pair.is_active) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      if (pair.gap.weights[static_cast<int>(k)] > 0) {
        ++active_at_vertex_[at(triangles[at(pair.triangle)][k])];
      }
    }
  }

  const double change = each_contactor([&](Contactor& contactor) {
    const auto p = at(contactor.particle);
    const double inertia = particles.inertia[particles.materials[p]];
    int count = 0;
    for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
      count += pairs_[at(i)].is_active ? 1 : 0;
    }
    Vec3 force = Vec3::Zero();
    for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
      Pair& pair = pairs_[at(i)];
      if (!pair.is_active) continue;
      double compliance = count / inertia;
      for (std::size_t k = 0; k < 3; ++k) {
        const double b = pair.gap.weights[static_cast<int>(k)];
        const auto v = at(triangles[at(pair.triangle)][k]);
        compliance += active_at_vertex_[v] * b * b / diagonal[v];
      }
      pair.lambda = std::max(0.0, pair.lambda + (pair.wanted - pair.gap.distance) / compliance);
      force += pair.lambda * pair.gap.normal;
    }
    const Vec3 moved = force.isZero(0) ? contactor.target
                                       : walls.resolve_particle(contactor.target + force / inertia,
                                                                particles.lower, particles.upper);
    const double squared = (moved - contactor.position).squaredNorm();
    contactor.position = moved;
    return inertia * squared;
  });

  forces_before_.swap(forces_);
  std::fill(forces_.begin(), forces_.end(), Vec3::Zero());
  for (const Pair& pair : pairs_) {
    if (pair.lambda == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      forces_[at(triangles[at(pair.triangle)][k])] -=
          pair.lambda * pair.gap.weights[static_cast<int>(k)] * pair.gap.normal;
    }
  }
  parallel::parallel_for(0, size_of(x), vertex_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      x[i] += (forces_[i] - forces_before_[i]) / diagonal[i];
    }
  });
  return change;
}

void ParticleContact::write_results(double h, std::span<Vec3f> targets,
                                    std::span<Vec3f> velocities) const {
  for (const Contactor& contactor : contactors_) {
    const auto p = at(contactor.particle);
    const Vec3 shift = contactor.position - contactor.target;
    if (shift.isZero(0)) continue;
    targets[p] = contactor.position.cast<float>();
    velocities[p] += (shift / h).cast<float>();
  }
}

std::int64_t ParticleContact::active_count() const noexcept {
  return std::count_if(pairs_.begin(), pairs_.end(),
                       [](const Pair& pair) { return pair.lambda > 0; });
}

}  // namespace sluice::coupling
