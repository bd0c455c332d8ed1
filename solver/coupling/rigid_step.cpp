// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/rigid_step.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "solver/coupling/surface_contact.h"
#include "solver/geometry/shape.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t rigid_step_grain = 1024;  // Vertices a chunk.

// [rad] in a substep: vertices then leave their arc by 3 % of their distance to the axis.
constexpr double largest_turn = 0.5;

// Iterations from one search for vertices near walls to the next, as in SurfaceContact.
constexpr int search_interval = 5;

// Sweeps over a body's touches in an iteration end when none moves its vertex by more than this
// part of the gap, or after this many.
constexpr double sweep_tolerance = 1e-7;
constexpr int most_sweeps = 50;

// A body that may go less than this part of its way does not move at all.
constexpr double smallest_fraction = 1e-6;

double squared_motion(const solid::RigidBody& body, double h, const solid::Pose& from,
                      const solid::Pose& to) {
  const Vec3 turn =
      to.rotation.conjugate() * solid::turn_of(to.rotation * from.rotation.conjugate());
  const double linear = body.mass * (to.translation - from.translation).squaredNorm();
  return (linear + turn.dot(body.rotor.moments.cwiseProduct(turn))) / (h * h);
}

}  // namespace

RigidStep::RigidStep(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : gap_(scene.coupling.contact_distance),
      is_flat_(scene.grid.dimensions == 2),
      bodies_(solids.rigid_bodies.size()),
      compliances_(solids.rigid_bodies.size()) {
  for (const solid::RigidMember& member : solids.rigid_bodies) {
    double radius = 0;
    for (const Vec3& point : member.points)
      radius = std::max(radius, point.norm());
    radii_.push_back(radius);
    const solid::BodyRange& range = solids.bodies[at(member.body)];
    vertex_ranges_.push_back(range.first_vertex);
    if (vertex_ranges_.size() == bodies_.size())
      vertex_ranges_.push_back(range.first_vertex + range.vertex_count);
  }
  for (const scene::Obstacle& obstacle : scene.obstacles) {
    smallest_half_extent_ =
        std::min(smallest_half_extent_, geometry::smallest_half_extent(obstacle.shape));
  }
}

double RigidStep::longest_substep(const solid::DeformableSystem& solids) const {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    if (member.script) continue;
    const double turn_rate = solid::angular_velocity(member.inertia, member.state).norm();
    const double speed = member.state.velocity.norm() + turn_rate * radii_[b];
    if (turn_rate > 0) longest = std::min(longest, largest_turn / turn_rate);
    if (speed > 0) longest = std::min(longest, smallest_half_extent_ / speed);
  }
  return longest;
}

void RigidStep::begin(double h, const RigidActions& actions, const solid::DeformableSystem& solids,
                      std::span<Vec3> x) {
  h_ = h;
  solids_ = &solids;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    Body& body = bodies_[b];
    body.touches.clear();
    body.pulls.clear();
    body.was_stopped = false;
    if (member.script) {
      // From where it is, which is not where the script has it if something was in the way.
      const solid::Pose from = member.state.world_from_body;
      const solid::Pose to = member.script->at(actions.time + h);
      const Vec3 turn = solid::turn_of(to.rotation * from.rotation.conjugate());
      body.start = body.end = solid::make_rigid_state(
          member.inertia, solid::compose(to, solid::inverse(member.inertia.mesh_from_body)),
          (to.translation - from.translation) / h, turn / h);
      body.end.world_from_body = to;
      compliances_[b] = {to.translation, 0, Mat3::Zero()};
    } else {
      begin_free(h, actions, solids, b);
    }
    place_all(b, x);
  }
}

void RigidStep::begin_free(double h, const RigidActions& actions,
                           const solid::DeformableSystem& solids, std::size_t index) {
  const solid::RigidMember& member = solids.rigid_bodies[index];
  const solid::BodyRange& range = solids.bodies[at(member.body)];
  Body& body = bodies_[index];
  body.start = member.state;
  if (range.damping > 0) {
    const double kept = std::exp(-range.damping * h);
    body.start.velocity *= kept;
    body.start.angular_momentum *= kept;
  }
  body.start.velocity += h * range.gravity_scale * actions.gravity;
  for (std::int32_t i = range.first_vertex; i < range.first_vertex + range.vertex_count; ++i) {
    if (actions.forces.empty()) break;
    const Vec3 impulse = h * actions.forces[at(i)];
    solid::apply_impulse(member.inertia,
                         solid::wrench_at(member.state, impulse, solids.positions[at(i)]),
                         body.start);
  }
  if (!actions.wrenches.empty()) {
    const Wrench& wrench = actions.wrenches[index];
    solid::apply_impulse(member.inertia, {h * wrench.force, h * wrench.torque}, body.start);
  }
  move(index, {});
  const solid::Pose& pose = body.end.world_from_body;
  const Mat3 axes = pose.rotation.toRotationMatrix();
  compliances_[index] = {
      pose.translation, h * h / member.inertia.mass,
      h * h * axes * member.inertia.rotor.moments.cwiseInverse().asDiagonal() * axes.transpose()};
  for (const solid::Anchor& anchor : actions.anchors) {
    const std::int32_t v = anchor.vertex - range.first_vertex;
    if (v < 0 || v >= range.vertex_count || anchor.stiffness == 0) continue;
    const Vec3 place = solid::transform(pose, member.points[at(v)]);
    body.pulls.push_back({anchor, compliances_[index].largest(place), Vec3::Zero()});
  }
}

// Where the momenta take the body that `wrench` gives it over the substep.
void RigidStep::move(std::size_t index, const Wrench& wrench) {
  const solid::RigidBody& inertia = solids_->rigid_bodies[index].inertia;
  Body& body = bodies_[index];
  body.end = body.start;
  solid::apply_impulse(inertia, {h_ * wrench.force, h_ * wrench.torque}, body.end);
  if (is_flat_) {
    body.end.velocity.y() = 0;
    body.end.angular_momentum.x() = body.end.angular_momentum.z() = 0;
  }
  if (body.end.velocity.allFinite() && body.end.angular_momentum.allFinite()) {
    solid::move_freely(inertia, h_, body.end);
  } else {
    // Seen, and told, where the vertices are checked.
    body.end.world_from_body.translation.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

void RigidStep::place_all(std::size_t index, std::span<Vec3> x) const {
  const solid::RigidMember& member = solids_->rigid_bodies[index];
  const solid::Pose& pose = bodies_[index].end.world_from_body;
  const std::size_t first = at(solids_->bodies[at(member.body)].first_vertex);
  parallel::parallel_for(0, static_cast<std::int64_t>(member.points.size()), rigid_step_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto v = static_cast<std::size_t>(begin);
                                v < static_cast<std::size_t>(end); ++v) {
                             x[first + v] = solid::transform(pose, member.points[v]);
                           }
                         });
}

// The forces of walls and anchors on a body, at the places `x` of the vertices.
Wrench RigidStep::own_forces(std::size_t index, std::span<const Vec3> x) const {
  const Body& body = bodies_[index];
  Wrench sum;
  const auto add = [&](const Vec3& place, const Vec3& force) {
    const Wrench wrench = solid::wrench_at(body.end, force, place);
    sum.force += wrench.force;
    sum.torque += wrench.torque;
  };
  for (const Touch& touch : body.touches)
    add(touch.place(x), touch.force);
  for (const Pull& pull : body.pulls)
    add(x[at(pull.anchor.vertex)], pull.force);
  return sum;
}

RigidChange RigidStep::respond(int k, std::span<const Vec3> forces, std::span<const Vec3> torques,
                               const Walls& walls, std::span<Vec3> x) {
  RigidChange total;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const solid::RigidMember& member = solids_->rigid_bodies[b];
    if (member.script) {
      place_all(b, x);
      continue;
    }
    const solid::BodyRange& range = solids_->bodies[at(member.body)];
    Body& body = bodies_[b];
    const solid::Pose before = body.end.world_from_body;
    Wrench contact{Vec3::Zero(), torques[b]};
    for (std::int32_t i = range.first_vertex; i < range.first_vertex + range.vertex_count; ++i) {
      const Wrench wrench =
          solid::wrench_at(member.state, forces[at(i)], solids_->positions[at(i)]);
      contact.force += wrench.force;
      contact.torque += wrench.torque;
    }
    place_all(b, x);
    const auto move_under_all = [&] {
      const Wrench own = own_forces(b, x);
      move(b, {contact.force + own.force, contact.torque + own.torque});
      place_all(b, x);
    };
    move_under_all();
    if (k % search_interval == 0) find_touches(b, walls, x);
    if (!body.touches.empty() || !body.pulls.empty()) {
      solve_touches(b, walls, x);
      move_under_all();
    }
    const solid::Pose& after = body.end.world_from_body;
    total.change += squared_motion(member.inertia, h_, before, after);
    total.motion += squared_motion(member.inertia, h_, member.state.world_from_body, after);
  }
  return total;
}

// The vertices, and the points of large triangles, that are near walls; by ascending key.
void RigidStep::collect_near(std::size_t index, const Walls& walls, std::span<const Vec3> x,
                             std::vector<Touch>& touches) {
  const solid::BodyRange& range = solids_->bodies[at(solids_->rigid_bodies[index].body)];
  const double distance = 2 * gap_;
  const auto vertex_count = static_cast<std::int64_t>(solids_->positions.size());
  const auto in_chunks = [&](std::int64_t first, std::int64_t count, const auto& collect) {
    const auto chunk_count =
        static_cast<std::size_t>(parallel::chunk_count(first, first + count, rigid_step_grain));
    if (chunks_.size() < chunk_count) chunks_.resize(chunk_count);
    parallel::parallel_for(
        first, first + count, rigid_step_grain, [&](std::int64_t begin, std::int64_t end) {
          std::vector<Touch>& found =
              chunks_[static_cast<std::size_t>((begin - first) / rigid_step_grain)];
          found.clear();
          for (std::int64_t i = begin; i < end; ++i)
            collect(i, found);
        });
    for (std::size_t c = 0; c < chunk_count; ++c)
      touches.insert(touches.end(), chunks_[c].begin(), chunks_[c].end());
  };
  in_chunks(range.first_vertex, range.vertex_count,
            [&](std::int64_t vertex, std::vector<Touch>& found) {
              const auto v = static_cast<std::int32_t>(vertex);
              if (!walls.is_near(x[at(v)], distance)) return;
              found.push_back({vertex, {v, v, v}, Vec3::UnitX()});
            });
  if (!walls.have_obstacles()) return;
  in_chunks(range.first_triangle, range.triangle_count,
            [&](std::int64_t triangle, std::vector<Touch>& found) {
              const auto& corners = solids_->triangles[static_cast<std::size_t>(triangle)];
              const Vec3 &a = x[at(corners[0])], &b = x[at(corners[1])], &c = x[at(corners[2])];
              // In a smaller one no point is deeper than a corner by more than half the gap.
              const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
              if (longest <= gap_ || !std::isfinite(longest)) return;
              std::vector<FacePoint> points;
              walls.add_face_points({a, b, c}, distance, points);
              for (const auto& [feature, weights] : points) {
                const std::int64_t key = vertex_count + (triangle << 32) + feature;
                found.push_back({key, corners, weights});
              }
            });
}

// The points that walls hold or are about to, with the forces that they have already.
std::span<RigidStep::Touch> RigidStep::find_touches(std::size_t index, const Walls& walls,
                                                    std::span<const Vec3> x) {
  Body& body = bodies_[index];
  std::vector<Touch> touches;
  collect_near(index, walls, x, touches);
  auto known = body.touches.begin();
  const auto end = body.touches.end();
  std::vector<Touch> kept;
  for (Touch& touch : touches) {
    for (; known != end && known->key < touch.key; ++known) {
      if (!known->force.isZero(0)) kept.push_back(*known);
    }
    if (known != end && known->key == touch.key) touch.force = (known++)->force;
    kept.push_back(touch);
  }
  for (; known != end; ++known) {
    if (!known->force.isZero(0)) kept.push_back(*known);
  }
  body.touches = std::move(kept);
  return body.touches;
}

void RigidStep::solve_touches(std::size_t index, const Walls& walls, std::span<const Vec3> x) {
  Body& body = bodies_[index];
  const RigidCompliance& compliance = compliances_[index];
  const Vec3& centre = body.end.world_from_body.translation;
  // The body's motion since `x`, to first order.
  Vec3 shift = Vec3::Zero(), turn = Vec3::Zero();
  const std::int32_t member = solids_->rigid_bodies[index].body;
  // About the centre that it turns about here: with arms of where it was expected, a sweep may do
  // more than it means to, and a body that is driven into a corner is thrown ever further.
  RigidCompliance about_centre = compliance;
  about_centre.centre = centre;
  for (Touch& touch : body.touches)
    touch.compliance = about_centre.largest(touch.place(x));
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double largest = 0;
    const auto add = [&](const Vec3& place, double own, const Vec3& change) {
      shift += compliance.inverse_mass * change;
      turn += compliance.inverse_inertia * (place - centre).cross(change);
      largest = std::max(largest, own * change.norm());
    };
    const auto moved = [&](const Vec3& place) -> Vec3 {
      return place + shift + turn.cross(place - centre);
    };
    for (Pull& pull : body.pulls) {
      const Vec3& place = x[at(pull.anchor.vertex)];
      const Vec3 free = moved(place) - pull.compliance * pull.force;
      const Vec3 force = pull.anchor.stiffness / (1 + pull.anchor.stiffness * pull.compliance) *
                         (pull.anchor.point - free);
      add(place, pull.compliance, force - pull.force);
      pull.force = force;
    }
    for (Touch& touch : body.touches) {
      const Vec3 place = touch.place(x);
      const Vec3 free = moved(place) - touch.compliance * touch.force;
      const Vec3 held =
          walls.resolve({touch.place(solids_->positions), touch.place(solids_->velocities), member,
                         gap_, recovery_rate * gap_ * h_},
                        free);
      const Vec3 force = (held - free) / touch.compliance;
      add(place, touch.compliance, force - touch.force);
      touch.force = force;
    }
    if (!(largest > sweep_tolerance * gap_)) break;
  }
}

double RigidStep::inertia() const noexcept {
  double sum = 0;
  for (const RigidCompliance& compliance : compliances_) {
    if (compliance.inverse_mass > 0) sum += 1 / compliance.inverse_mass;
  }
  return sum;
}

void RigidStep::add_wall_forces(std::span<Vec3> forces) const {
  for (const Body& body : bodies_) {
    for (const Touch& touch : body.touches) {
      for (std::size_t k = 0; k < 3; ++k) {
        forces[at(touch.corners[k])] += touch.weights[static_cast<Eigen::Index>(k)] * touch.force;
      }
    }
  }
}

// On the shortest way from the start to the end.
solid::Pose RigidStep::pose_at(std::size_t index, double fraction) const {
  const solid::Pose& from = solids_->rigid_bodies[index].state.world_from_body;
  const solid::Pose& to = bodies_[index].end.world_from_body;
  const Vec3 turn = solid::turn_of(to.rotation * from.rotation.conjugate());
  return {from.translation + fraction * (to.translation - from.translation),
          (solid::rotation_by(fraction * turn) * from.rotation).normalized()};
}

Vec3 RigidStep::place(std::size_t body, std::int32_t vertex, double fraction) const {
  if (fraction == 0) return solids_->positions[at(vertex)];
  const Vec3& point = solids_->rigid_bodies[body].points[at(vertex - vertex_ranges_[body])];
  return solid::transform(
      fraction == 1 ? bodies_[body].end.world_from_body : pose_at(body, fraction), point);
}

Vec3 RigidStep::stay_outside(const Walls& walls, std::span<Vec3> x) {
  std::vector<double> fractions(bodies_.size(), 1);
  const std::span<const Vec3> x_n = solids_->positions;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (solids_->rigid_bodies[b].script) continue;
    const auto is_outside = [&](double fraction) {
      for (std::int32_t v = vertex_ranges_[b]; v < vertex_ranges_[b + 1]; ++v) {
        const Vec3 end = fraction == 1 ? x[at(v)] : place(b, v, fraction);
        const double depth = walls.depth(end);
        if (depth > 0 && depth > walls.depth(x_n[at(v)])) return false;
        if (walls.end_of_way(x_n[at(v)], end) != end) return false;
      }
      return true;
    };
    while (fractions[b] > 0 && !is_outside(fractions[b]))
      fractions[b] = fractions[b] > smallest_fraction ? fractions[b] / 2 : 0;
  }
  const Vec3 change = cut_short(fractions);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (fractions[b] < 1) place_all(b, x);
  }
  return change;
}

Vec3 RigidStep::shorten(std::span<const double> fractions) {
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b].was_stopped = fractions[b] < 1;
  return cut_short(fractions);
}

Vec3 RigidStep::cut_short(std::span<const double> fractions) {
  Vec3 impulse = Vec3::Zero();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (fractions[b] == 1) continue;
    const solid::RigidMember& member = solids_->rigid_bodies[b];
    solid::RigidState& end = bodies_[b].end;
    end.world_from_body =
        fractions[b] == 0 ? member.state.world_from_body : pose_at(b, fractions[b]);
    if (!member.script) impulse -= (1 - fractions[b]) * member.inertia.mass * end.velocity;
    end.velocity *= fractions[b];
    end.angular_momentum *= fractions[b];
  }
  return impulse;
}

void RigidStep::finish(solid::DeformableSystem& solids) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    solids.rigid_bodies[b].state = bodies_[b].end;
    solid::place_vertices(solids.rigid_bodies[b], solids);
  }
}

}  // namespace sluice::coupling
