// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/particle_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "solver/geometry/point_triangle.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t vertex_grain = 2048;
constexpr std::int64_t pair_grain = 256;
constexpr std::int64_t contactor_grain = 128;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int64_t size_of(const auto& range) { return static_cast<std::int64_t>(range.size()); }

struct Corners {
  Vec3 a, b, c;
};

Corners corners_of(const TriangleIndices& triangle, std::span<const Vec3> x) {
  return {x[at(triangle[0])], x[at(triangle[1])], x[at(triangle[2])]};
}

/// Unit normal by winding; zero for a triangle without area.
Vec3 normal_of(const Corners& t) {
  const Vec3 cross = (t.b - t.a).cross(t.c - t.a);
  const double length = cross.norm();
  return length > 0 ? Vec3(cross / length) : Vec3::Zero();
}

/// Whether `point`, in the plane of the triangle, is in it or nearly so.
bool is_about_inside(const Corners& t, const Vec3& point) {
  constexpr double tolerance = -0.05;
  const Vec3 normal = (t.b - t.a).cross(t.c - t.a);
  const double squared = normal.squaredNorm();
  return normal.dot((t.b - t.a).cross(point - t.a)) >= tolerance * squared &&
         normal.dot((t.c - t.b).cross(point - t.b)) >= tolerance * squared &&
         normal.dot((t.a - t.c).cross(point - t.c)) >= tolerance * squared;
}

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
          const TriangleIndices& triangle = cloth.triangles[at(index)];
          const Corners corners = corners_of(triangle, x_n_);
          const Vec3 p = particles.positions[at(particle)].cast<double>();
          const double start = std::sqrt(
              geometry::nearest_point({corners.a, corners.b, corners.c}, p).squared_distance);
          double reach = (particles.targets[at(particle)].cast<double>() - p).norm();
          double cloth_reach = 0;
          for (const std::int32_t v : triangle) {
            cloth_reach = std::max(cloth_reach, (predicted[at(v)] - x_n_[at(v)]).norm());
          }
          reach += cloth_reach + 2 * largest_gap_;  // Bounds let both go that much further.
          const double gap = gap_of_triangle_[at(index)];
          chosen_[i] = {index,
                        std::min(gap, start + recovery_rate * gap * h),
                        normal_of(corners).dot(p - corners.a),
                        0,
                        0,
                        Vec3::Zero(),
                        Vec3::Zero(),
                        start - reach < gap};
        }
      });
}

void ParticleContact::evaluate(const Contactor& contactor,
                               std::span<const TriangleIndices> triangles, std::span<const Vec3> x,
                               const Vec3f& start) {
  for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
    Pair& pair = pairs_[at(i)];
    const TriangleIndices& triangle = triangles[at(pair.triangle)];
    const Corners now = corners_of(triangle, x);
    const geometry::NearestPoint nearest =
        geometry::nearest_point({now.a, now.b, now.c}, contactor.position);
    const Vec3 normal = normal_of(now);
    const double plane = normal.dot(contactor.position - now.a);
    const double side = pair.plane_distance < 0 ? -1 : 1;
    const double distance = std::sqrt(nearest.squared_distance);
    pair.weights = nearest.weights;
    bool has_crossed = false;
    if (side * plane < 0 && pair.plane_distance != 0) {
      const double t = pair.plane_distance / (pair.plane_distance - plane);
      const Corners before = corners_of(triangle, x_n_);
      const auto mix = [t](const Vec3& p, const Vec3& q) { return Vec3((1 - t) * p + t * q); };
      has_crossed =
          is_about_inside({mix(before.a, now.a), mix(before.b, now.b), mix(before.c, now.c)},
                          mix(start.cast<double>(), contactor.position));
    }
    if (has_crossed) {
      pair.direction = side * normal;
      pair.violation = pair.wanted - side * plane;
    } else {
      pair.direction = distance > 0 ? Vec3((contactor.position - nearest.position) / distance)
                                    : Vec3(side * normal);
      pair.violation = pair.wanted - distance;
    }
    pair.is_active = pair.violation > 0 || pair.lambda > 0;
    if (!pair.is_active || has_crossed) continue;
    // Triangles that share an edge or a corner see the same contact there: one of them has it.
    const auto feature = feature_of(triangle, pair.weights);
    if (feature[0] >= 0) continue;  // Inside the face: nobody else's.
    for (std::int32_t j = contactor.first_pair; j < i; ++j) {
      if (pairs_[at(j)].is_active &&
          feature_of(triangles[at(pairs_[at(j)].triangle)], pairs_[at(j)].weights) == feature) {
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
      if (pair.weights[static_cast<int>(k)] > 0) {
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
        const double b = pair.weights[static_cast<int>(k)];
        const auto v = at(triangles[at(pair.triangle)][k]);
        compliance += active_at_vertex_[v] * b * b / diagonal[v];
      }
      pair.lambda = std::max(0.0, pair.lambda + pair.violation / compliance);
      force += pair.lambda * pair.direction;
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
          pair.lambda * pair.weights[static_cast<int>(k)] * pair.direction;
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

double ParticleContact::smallest_gap(std::span<const TriangleIndices> triangles,
                                     std::span<const Vec3> vertices,
                                     std::span<const Vec3f> particles) {
  parallel::parallel_for(
      0, size_of(contactors_), contactor_grain, [&](std::int64_t first, std::int64_t last) {
        double smallest = std::numeric_limits<double>::infinity();
        for (std::int64_t i = first; i < last; ++i) {
          const Contactor& contactor = contactors_[static_cast<std::size_t>(i)];
          const Vec3 p = particles[at(contactor.particle)].cast<double>();
          for (std::int32_t j = contactor.first_pair; j < contactor.last_pair; ++j) {
            const Corners t = corners_of(triangles[at(pairs_[at(j)].triangle)], vertices);
            smallest =
                std::min(smallest, geometry::nearest_point({t.a, t.b, t.c}, p).squared_distance);
          }
        }
        chunk_sums_[static_cast<std::size_t>(first / contactor_grain)] = smallest;
      });
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : chunk_sums_)
    smallest = std::min(smallest, value);
  return std::sqrt(smallest);
}

std::int64_t ParticleContact::active_count() const noexcept {
  return std::count_if(pairs_.begin(), pairs_.end(),
                       [](const Pair& pair) { return pair.lambda > 0; });
}

}  // namespace sluice::coupling
