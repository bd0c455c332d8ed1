// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/solid_presses.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "solver/coupling/press_potential.h"

namespace sluice::coupling {
namespace {

// A press's stiffness over what resists on its sides: what is left of a gap that is missing goes
// down to a tenth and less each time that forces are taken.
constexpr double stiffness_over_resistance = 10;

/// The force of a press, along its normal and across it.
struct Force {
  double lambda;  ///< [N]
  Vec3 friction;  ///< [N]
};

Force force_at(const Press& press, const Vec3& D) {
  const double lambda = press.pressing(D);
  return {lambda, force_of(press, D) - lambda * press.normal};
}

/// Adds a vertex, or the points that carry it, with its weight.
void add_vertex(const RigidFrames& frames, std::int32_t vertex, double weight, Press& press) {
  const auto add = [&](std::int32_t point, double part) {
    const auto begin = press.points.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(press.point_count);
    const auto known = static_cast<std::size_t>(std::find(begin, end, point) - begin);
    if (known == press.point_count) press.points[press.point_count++] = point;
    press.weights[known] += part;
  };
  const auto points = frames.points_of(vertex);
  if (!points) return add(vertex, weight);
  const RigidFrames::Weights weights = frames.weights_of(vertex);
  for (std::size_t k = 0; k < RigidFrames::points_per_body; ++k)
    add((*points)[k], weight * weights[k]);
}

}  // namespace

SolidPresses::SolidPresses(const solid::DeformableSystem& solids, const scene::Coupling& coupling)
    : solids_(solids),
      contact_distance_(coupling.contact_distance),
      shortest_slip_(coupling.tolerance * coupling.contact_distance) {}

// Gives a press its stiffness and the number of points that potentials are made for; false where
// nothing of it can move.
bool SolidPresses::complete(Press& press, const PressedSolids& pressed) const {
  double compliance = 0, slip_compliance = 0;
  for (std::size_t k = 0; k < press.point_count; ++k) {
    const Mat3 resistance = pressed.resistance(press.points[k]);
    if (!resistance.allFinite()) continue;
    const double square = press.weights[k] * press.weights[k];
    const double along = press.normal.dot(resistance * press.normal);
    compliance += square / along;
    slip_compliance += 2 * square / (resistance.trace() - along);
  }
  if (!(compliance > 0)) return false;
  press.stiffness = stiffness_over_resistance / compliance;
  press.slip_stiffness = stiffness_over_resistance / slip_compliance;
  // A force that is reached within less of a way has no slope to speak of.
  if (press.limit() > 0)
    press.slip_stiffness = std::min(press.slip_stiffness, press.limit() / shortest_slip_);
  const std::size_t full = press.point_count == 1 ? 1 : press.point_count <= 4 ? 4 : 8;
  while (press.point_count < full)
    press.points[press.point_count++] = press.points[0];
  return true;
}

void SolidPresses::add_pair(const SurfaceContact::Contact& contact, const PressedSolids& pressed) {
  Press press;
  for (std::size_t k = 0; k < contact.vertices.size(); ++k) {
    const double weight = contact.weights[static_cast<Eigen::Index>(k)];
    if (weight == 0) continue;
    add_vertex(pressed.frames(), contact.vertices[k], weight, press);
    press.start += weight * solids_.positions[at(contact.vertices[k])];
  }
  press.normal = contact.normal;
  press.wanted = contact.wanted;
  press.coefficient = contact.coefficient;
  press.lambda = contact.lambda;
  press.friction = contact.friction;
  if (complete(press, pressed)) presses_.push_back(press);
}

// `shape` has the points and their weights.
void SolidPresses::add_planes(const WallPoint& point, const Press& shape, WallPress wall,
                              const Walls& walls, const PressedSolids& pressed) {
  const Vec3 place = shape.place(pressed.points());
  planes_.clear();
  walls.add_planes(point, place, contact_distance_, planes_);
  for (const WallPlane& plane : planes_) {
    wall.key.feature = plane.feature;
    const auto kept = std::ranges::lower_bound(kept_, wall.key, {}, &WallPress::key);
    const bool is_kept = kept != kept_.end() && kept->key == wall.key;
    wall.lambda = is_kept ? kept->lambda : 0;
    if (wall.lambda == 0 && plane.normal.dot(place) >= plane.wanted) continue;
    Press press = shape;
    press.normal = plane.normal;
    press.wanted = plane.bounced;
    press.start = plane.start;
    press.coefficient = plane.friction;
    press.lambda = wall.lambda;
    if (is_kept) press.friction = kept->friction - kept->friction.dot(plane.normal) * plane.normal;
    if (!complete(press, pressed)) continue;
    presses_.push_back(press);
    walls_.push_back(wall);
  }
}

void SolidPresses::collect(double h, const SurfaceContact& contact, const Walls& walls,
                           RigidStep& rigid, const PressedSolids& pressed) {
  presses_.clear();
  pairs_.clear();
  walls_.clear();
  const auto contacts = contact.solid_contacts();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    add_pair(contacts[i], pressed);
    if (presses_.size() > pairs_.size()) pairs_.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t i = 0; i < solids_.positions.size(); ++i) {
    if (solids_.is_held[i] != 0) continue;
    const std::int32_t body = solids_.body_of_vertex[i];
    const double gap = contact_distance_ + solids_.bodies[at(body)].half_thickness;
    Press shape;
    add_vertex(pressed.frames(), static_cast<std::int32_t>(i), 1, shape);
    add_planes({solids_.positions[i], solids_.velocities[i], body, gap, recovery_rate * gap * h},
               shape, {.key = {static_cast<std::int64_t>(i), 0}}, walls, pressed);
  }
  const std::span<const Vec3> vertices = pressed.points().first(solids_.positions.size());
  for (std::size_t b = 0; b < solids_.rigid_bodies.size(); ++b) {
    if (solids_.rigid_bodies[b].script) continue;
    const double gap = contact_distance_;
    const auto touches = rigid.find_touches(b, walls, vertices);
    for (std::size_t t = 0; t < touches.size(); ++t) {
      Press shape;
      for (std::size_t k = 0; k < 3; ++k) {
        const double weight = touches[t].weights[static_cast<Eigen::Index>(k)];
        if (weight != 0) add_vertex(pressed.frames(), touches[t].corners[k], weight, shape);
      }
      add_planes(
          {touches[t].place(solids_.positions), touches[t].place(solids_.velocities),
           solids_.rigid_bodies[b].body, gap, recovery_rate * gap * h},
          shape,
          {.key = {touches[t].key, 0}, .rigid_body = static_cast<std::int32_t>(b), .touch = t},
          walls, pressed);
    }
  }
}

double SolidPresses::load() const {
  double squares = 0;
  for (const Press& press : presses_)
    squares += press.lambda * press.lambda;
  return std::sqrt(squares);
}

double SolidPresses::largest_change(const PressedSolids& pressed) const {
  double largest = 0;
  for (const Press& press : presses_) {
    const Force force = force_at(press, press.place(pressed.points()));
    largest = std::max({largest, std::abs(force.lambda - press.lambda) / press.stiffness,
                        (force.friction - press.friction).norm() / press.slip_stiffness});
  }
  return largest;
}

void SolidPresses::take(const PressedSolids& pressed, SurfaceContact& contact, RigidStep& rigid,
                        std::span<Vec3> wall_forces) {
  std::ranges::fill(wall_forces, Vec3::Zero());
  for (std::size_t b = 0; b < solids_.rigid_bodies.size(); ++b) {
    for (RigidStep::Touch& touch : rigid.touches(b))
      touch.force.setZero();
  }
  for (std::size_t i = 0; i < contact.solid_contacts().size(); ++i)
    contact.set_force(i, 0, Vec3::Zero());
  kept_.clear();
  for (std::size_t p = 0; p < presses_.size(); ++p) {
    const Press& press = presses_[p];
    const Force force = force_at(press, press.place(pressed.points()));
    if (p < pairs_.size()) {
      contact.set_force(at(pairs_[p]), force.lambda, force.friction);
      continue;
    }
    WallPress wall = walls_[p - pairs_.size()];
    wall.lambda = force.lambda;
    wall.friction = force.friction;
    const Vec3 whole = force.lambda * press.normal + force.friction;
    if (wall.rigid_body >= 0) {
      rigid.touches(at(wall.rigid_body))[wall.touch].force += whole;
    } else {
      wall_forces[static_cast<std::size_t>(wall.key.point)] += whole;
    }
    if (wall.lambda > 0) kept_.push_back(wall);
  }
  std::ranges::sort(kept_, {}, &WallPress::key);
}

}  // namespace sluice::coupling
