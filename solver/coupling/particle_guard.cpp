// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/particle_guard.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/coupling/surface_contact.h"
#include "solver/geometry/point_triangle.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::coupling {
namespace {

constexpr std::int64_t particle_guard_grain = 4096;  // Particles.

// Passes of Hildreth's method; most particles meet one triangle or two.
constexpr int most_passes = 100;
constexpr double pass_tolerance = 1e-4;  // A part of the gap.

// Times that bodies and walls have their say on a particle between them.
constexpr int most_rounds = 4;

// Into a body, a particle's velocity goes no further in a substep.
constexpr double cells_against = 0.25;

// At least this part of the clearance at the start is left, whatever else has to give.
constexpr double least_clearance = 0.1;

// Where normal . x >= least.
struct HalfSpace {
  Vec3 normal;
  double least;
  double at_worst;  // The least where not all can have theirs: between here
  double at_start;  // and there.
  double force = 0;
};

// The place nearest to `target` that all have in common; at worst a part of the way there.
Vec3 nearest_allowed(const Vec3& start, const Vec3& target, double tolerance,
                     std::vector<HalfSpace>& spaces) {
  Vec3 x = target;
  for (int pass = 0; pass < most_passes; ++pass) {
    double change = 0;
    for (HalfSpace& space : spaces) {
      const double before = space.force;
      space.force = std::max(0.0, before + space.least - space.normal.dot(x));
      x += (space.force - before) * space.normal;
      change = std::max(change, std::abs(space.force - before));
    }
    if (change <= tolerance) break;
  }
  double part = 1;
  for (const HalfSpace& space : spaces) {
    const double end = space.normal.dot(x);
    if (end < space.at_worst)
      part = std::min(part, (space.at_start - space.at_worst) / (space.at_start - end));
  }
  return start + part * (x - start);
}

// [m] The part of its way, and so of its velocity, that a particle loses when a body keeps it from
// where it asked to go: all that it goes against the body in that direction, except for
// `most_against`.
Vec3 held_back(const Vec3& asked, const Vec3& allowed, const Vec3& way_against,
               double most_against) {
  const Vec3 back = allowed - asked;
  const double length = back.norm();
  if (length == 0) return Vec3::Zero();
  const Vec3 normal = back / length;
  return std::max(0.0, normal.dot(way_against) - most_against) * normal;
}

}  // namespace

// The way of a particle, seen from a body.
struct ParticleGuard::Way {
  Vec3 start, end;              // [m] In the body's frame.
  Vec3 carried;                 // [m] How the body's velocity would take it along.
  Vec3 lower, upper;            // [m] The fluid's box, in the world.
  solid::Pose world_from_body;  // at the end.
  std::vector<HalfSpace> spaces;
  std::vector<geometry::Triangle> near;
  double gap;  // [m] At the end.
};

ParticleGuard::ParticleGuard(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : gap_(scene.coupling.contact_distance), most_against_(cells_against * scene.grid.cell_size) {
  for (const solid::RigidMember& member : solids.rigid_bodies) {
    const solid::BodyRange& range = solids.bodies[at(member.body)];
    Body body{.points = member.points, .triangles = {}, .boxes = {}, .radius = 0};
    std::vector<geometry::Bounds> boxes;
    for (std::int32_t t = range.first_triangle; t < range.first_triangle + range.triangle_count;
         ++t) {
      TriangleIndices triangle = solids.triangles[at(t)];
      for (std::int32_t& corner : triangle)
        corner -= range.first_vertex;
      const Vec3 &a = body.points[at(triangle[0])], &b = body.points[at(triangle[1])],
                 &c = body.points[at(triangle[2])];
      boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
      body.triangles.push_back(triangle);
    }
    body.boxes.build(boxes);
    for (const Vec3& point : body.points)
      body.radius = std::max(body.radius, point.norm());
    bodies_.push_back(std::move(body));
  }
}

auto ParticleGuard::hold_off(double h, const solid::DeformableSystem& solids, const Ways& ways,
                             const Walls& walls, fluid::ParticleFluid& fluid) const -> Report {
  const std::span<const Vec3f> positions = fluid.positions(), targets = fluid.targets();
  const std::span<const Vec3f> velocities = fluid.velocities();
  const Vec3 lower = fluid.lower().cast<double>(), upper = fluid.upper().cast<double>();
  const auto hold = [&](std::size_t i, Way& way, Report& report) {
    const Vec3 start = positions[i].cast<double>(), asked = targets[i].cast<double>();
    Vec3 target = asked;
    bool was_bent = false;
    std::size_t by = 0;  // The last body to bend its way.
    for (int round = 0; round < most_rounds; ++round) {
      const Vec3 before = target;
      way.gap = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const solid::Pose& from = solids.rigid_bodies[b].state.world_from_body;
        const double reach = bodies_[b].radius + gap_;
        if ((start - from.translation).norm() >
            reach + (target - start).norm() + (ways.ends[b].translation - from.translation).norm())
          continue;
        way.start = solid::transform(solid::inverse(from), start);
        way.end = solid::transform(solid::inverse(ways.ends[b]), target);
        way.world_from_body = ways.ends[b];
        if (!bend(bodies_[b], h, way)) continue;
        target = solid::transform(ways.ends[b], way.end);
        way.carried = solid::transform(ways.carried[b], way.start) - start;
        was_bent = true;
        by = b;
      }
      if (!was_bent) break;
      target = walls.resolve_particle(start, target, lower, upper);
      if ((target - before).norm() <= pass_tolerance * gap_) break;
    }
    report.smallest_gap = std::min(report.smallest_gap, way.gap);
    if (!was_bent) return;
    const Vec3f stored = target.cast<float>();
    const Vec3 against = way.carried - h * velocities[i].cast<double>();
    const Vec3f change = (held_back(asked, target, against, most_against_) / h).cast<float>();
    fluid.move_by_contact(i, stored, change);
    ++report.contact_count;
    if (change.isZero(0)) return;
    report.taken.resize(bodies_.size());
    const Vec3 lost = -fluid.mass(fluid.materials()[i]) * change.cast<double>();
    report.taken[by].force += lost;
    report.taken[by].torque += (target - ways.ends[by].translation).cross(lost);
  };
  return parallel::parallel_reduce(
      0, fluid.particle_count(), particle_guard_grain,
      Report{.smallest_gap = infinity, .taken = {}},
      [&](std::int64_t begin, std::int64_t end) {
        Report report{.smallest_gap = infinity, .taken = {}};
        Way way;
        way.lower = lower;
        way.upper = upper;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          hold(i, way, report);
        return report;
      },
      [](Report a, const Report& b) {
        a.contact_count += b.contact_count;
        a.smallest_gap = std::min(a.smallest_gap, b.smallest_gap);
        a.taken.resize(std::max(a.taken.size(), b.taken.size()));
        for (std::size_t body = 0; body < b.taken.size(); ++body) {
          a.taken[body].force += b.taken[body].force;
          a.taken[body].torque += b.taken[body].torque;
        }
        return a;
      });
}

// Moves the end of the way to where the body's triangles let it. Whether they do not let it go
// where it wants.
bool ParticleGuard::bend(const Body& body, double h, Way& way) const {
  const Vec3 reach = Vec3::Constant(gap_);
  const geometry::Bounds around{way.start.cwiseMin(way.end) - reach,
                                way.start.cwiseMax(way.end) + reach};
  const double recovered = std::min(1.0, recovery_rate * h);
  way.spaces.clear();
  way.near.clear();
  bool is_allowed = true;
  body.boxes.for_each_overlap(around, [&](std::int32_t t) {
    const TriangleIndices& corners = body.triangles[at(t)];
    const geometry::Triangle triangle{body.points[at(corners[0])], body.points[at(corners[1])],
                                      body.points[at(corners[2])]};
    const geometry::NearestPoint nearest = geometry::nearest_point(triangle, way.start);
    const double distance = std::sqrt(nearest.squared_distance);
    way.near.push_back(triangle);
    if (distance == 0) return;  // No way out: left to the step filter.
    const Vec3 normal = (way.start - nearest.position) / distance;
    const double kept = distance < gap_ ? distance + recovered * (gap_ - distance) : gap_;
    const double base = normal.dot(nearest.position);
    is_allowed = is_allowed && normal.dot(way.end) >= base + kept;
    way.spaces.push_back({normal, base + kept, base + least_clearance * distance, base + distance});
  });
  if (!is_allowed) allow(way);
  for (const geometry::Triangle& triangle : way.near) {
    const double squared = geometry::nearest_point(triangle, way.end).squared_distance;
    way.gap = std::min(way.gap, std::sqrt(squared));
  }
  return !is_allowed;
}

// Moves the end of the way to where all spaces and the sides of the fluid let it.
void ParticleGuard::allow(Way& way) const {
  const Mat3 axes = way.world_from_body.rotation.toRotationMatrix();
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      const Vec3 normal = side * axes.row(axis).transpose();
      const double bound = side > 0 ? way.lower[axis] : -way.upper[axis];
      const double least = bound - side * way.world_from_body.translation[axis];
      way.spaces.push_back({normal, least, least, std::max(least, normal.dot(way.start))});
    }
  }
  way.end = nearest_allowed(way.start, way.end, pass_tolerance * gap_, way.spaces);
}

}  // namespace sluice::coupling
