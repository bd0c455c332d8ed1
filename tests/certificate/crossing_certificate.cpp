// SPDX-License-Identifier: Apache-2.0
#include "tests/certificate/crossing_certificate.h"

#include <algorithm>
#include <array>

#include "solver/parallel/parallel_for.h"
#include "tests/certificate/exact_contact.h"

namespace sluice::certificate {
namespace {

constexpr std::size_t kept_crossings = 16;
constexpr std::int64_t grain = 2048;
// Halvings of the substep before integer arithmetic decides.
constexpr int most_halvings = 5;
// Times u, a bound of what a direction's dot products below are off by, relative to the sum of the
// magnitudes of their terms; 12 would do.
constexpr double rounding = 64 * 1.2e-16;

using Corners = std::array<Vec3, 3>;  // Of the triangle, as seen from the particle.

Corners at(const Corners& start, const Corners& end, double t) {
  return {start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]),
          start[2] + t * (end[2] - start[2])};
}

/// Whether all six corners lie beyond `margin` on one side of the plane across `direction` through
/// the particle: then the triangle, which moves straight, cannot contain it in between.
bool separates(const Vec3& direction, const Corners& start, const Corners& end, double size) {
  const double margin = rounding * direction.lpNorm<1>() * size + 1e-300;  // Underflow as well.
  bool all_above = true, all_below = true;
  for (const Corners* corners : {&start, &end}) {
    for (const Vec3& corner : *corners) {
      const double height = direction.dot(corner);
      all_above &= height > margin;
      all_below &= height < -margin;
    }
  }
  return all_above || all_below;
}

/// `size` bounds all coordinates of corners at both ends of the substep.
bool is_clearly_apart(const Corners& start, const Corners& end, double size, int halvings) {
  const Corners middle = at(start, end, 0.5);
  const Vec3 normal = (middle[1] - middle[0]).cross(middle[2] - middle[0]);
  if (separates(normal, start, end, size)) return true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 beside = normal.cross(middle[(k + 1) % 3] - middle[k]);
    if (separates(beside, start, end, size)) return true;
  }
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()),
                           Vec3((middle[0] + middle[1] + middle[2]) / 3)}) {
    if (separates(axis, start, end, size)) return true;
  }
  return halvings > 0 && is_clearly_apart(start, middle, size, halvings - 1) &&
         is_clearly_apart(middle, end, size, halvings - 1);
}

}  // namespace

void CrossingCertificate::check_continuity(const SubstepStates& states) {
  const auto differ = [](const auto& last, const auto& next) {
    return !std::equal(last.begin(), last.end(), next.begin(), next.end());
  };
  if (substep_count_ > 0 && (differ(last_particles_, states.particles_t0) ||
                             differ(last_vertices_, states.vertices_t0))) {
    ++jump_count_;
  }
  last_particles_.assign(states.particles_t1.begin(), states.particles_t1.end());
  last_vertices_.assign(states.vertices_t1.begin(), states.vertices_t1.end());
}

void CrossingCertificate::on_substep(const SubstepStates& states) {
  check_continuity(states);
  boxes_.clear();
  for (const TriangleIndices& triangle : states.triangles) {
    Box box;
    for (const std::int32_t vertex : triangle) {
      box.extend(states.vertices_t0[static_cast<std::size_t>(vertex)]);
      box.extend(states.vertices_t1[static_cast<std::size_t>(vertex)]);
    }
    boxes_.push_back(box);
  }
  grid_.build(boxes_);
  const auto count = static_cast<std::int64_t>(states.particles_t0.size());
  findings_.assign(static_cast<std::size_t>(parallel::chunk_count(0, count, grain)), {});
  parallel::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    check_particles(states, static_cast<std::size_t>(first), static_cast<std::size_t>(last),
                    findings_[static_cast<std::size_t>(first / grain)]);
  });
  for (const Findings& findings : findings_) {
    pair_count_ += findings.pair_count;
    exact_count_ += findings.exact_count;
    crossing_count_ += static_cast<std::int64_t>(findings.crossings.size());
    for (const Crossing& crossing : findings.crossings) {
      if (crossings_.size() < kept_crossings) crossings_.push_back(crossing);
    }
  }
  ++substep_count_;
}

void CrossingCertificate::check_particles(const SubstepStates& states, std::size_t first,
                                          std::size_t last, Findings& findings) const {
  for (std::size_t particle = first; particle < last; ++particle) {
    const Vec3 from = states.particles_t0[particle].cast<double>();
    const Vec3 to = states.particles_t1[particle].cast<double>();
    Box path(from);
    path.extend(to);
    grid_.for_each_overlap(path, [&](std::size_t triangle) {
      ++findings.pair_count;
      Motion<4> motion{{from, {}, {}, {}}, {to, {}, {}, {}}};
      Corners start, end;
      double size = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto vertex = static_cast<std::size_t>(states.triangles[triangle][k]);
        motion.start[k + 1] = states.vertices_t0[vertex];
        motion.end[k + 1] = states.vertices_t1[vertex];
        start[k] = motion.start[k + 1] - from;
        end[k] = motion.end[k + 1] - to;
        size = std::max({size, start[k].cwiseAbs().maxCoeff(), end[k].cwiseAbs().maxCoeff()});
      }
      if (is_clearly_apart(start, end, size, most_halvings)) return;
      ++findings.exact_count;
      if (!point_meets_triangle(motion)) return;
      findings.crossings.push_back({substep_count_, states.time, particle, triangle, from, to});
    });
  }
}

}  // namespace sluice::certificate
