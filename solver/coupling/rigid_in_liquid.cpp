// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/rigid_in_liquid.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "solver/coupling/cross_matrix.h"

namespace sluice::coupling {
namespace {

// A body goes no further in a substep than this part of its radius.
constexpr double longest_way = 0.5;

// Pressure may throw a body by the first, as a part of its radius, and turn it by the second [rad]
// in a substep: twice as far as it may go at the speed that it had. Particles' ways are straight in
// its frame: a body that turns by more sweeps along those that it does not meet.
constexpr double most_way = 1, most_turn = 1;

// Contact is expected to press on a body with at most this many times its weight.
constexpr double most_weights = 2;

// A substep that leaves more than this many times the energy before is an error.
constexpr double largest_gain = 30;

Mat3 inverse_inertia(const solid::RigidMember& member) {
  const Mat3 axes = member.state.world_from_body.rotation.toRotationMatrix();
  return axes * member.inertia.rotor.moments.cwiseInverse().asDiagonal() * axes.transpose();
}

double radius_of(const solid::RigidMember& member) {
  double radius = 0;
  for (const Vec3& point : member.points)
    radius = std::max(radius, point.norm());
  return radius;
}

// The part that a body is likely to go of the way that its script tells it: none if something in
// its way has left it behind by as much. Else water between it and a wall would have to go where
// none can.
double followed(const solid::RigidMember& member, const solid::PoseMotion& told, double h) {
  const double radius = radius_of(member);
  const solid::Pose& is = member.state.world_from_body;
  const double way = h * (told.velocity.norm() + radius * told.angular_velocity.norm());
  const double behind =
      (told.start.translation - is.translation).norm() +
      radius * solid::turn_of(told.start.rotation * is.rotation.conjugate()).norm();
  return way > 0 ? std::max(0.0, 1 - behind / way) : 0;
}

}  // namespace

RigidInLiquid::RigidInLiquid(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : predictor_(scene, solids),
      free_(scene, solids),
      pressure_(solids.rigid_bodies.size()),
      told_(solids.rigid_bodies.size()),
      ends_(solids.rigid_bodies.size()),
      carried_(solids.rigid_bodies.size()),
      guard_(scene, solids),
      walls_(scene) {}

double RigidInLiquid::longest_substep(const solid::DeformableSystem& solids) const {
  double longest = std::numeric_limits<double>::infinity();
  for (const solid::RigidMember& member : solids.rigid_bodies) {
    if (member.script) continue;
    const double radius = radius_of(member);
    const double speed = member.state.velocity.norm() +
                         radius * solid::angular_velocity(member.inertia, member.state).norm();
    if (speed > 0) longest = std::min(longest, longest_way * radius / speed);
  }
  return longest;
}

// The pull of anchors, implicitly, as of springs on bodies without liquid: with the velocity and
// the turn rate V = V_f + M^-1 P, the impulse is P = -h (d + h A V), where d is the pull at the
// start and A says how it grows with the way.
void RigidInLiquid::pull(double h, std::span<const solid::Anchor> anchors,
                         const solid::DeformableSystem& solids) {
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  pulls_.assign(solids.rigid_bodies.size(), {});
  for (std::size_t b = 0; b < pulls_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    if (member.script) continue;
    Mat6 growth = Mat6::Zero(), answer = Mat6::Zero();
    Vec6 drawn = Vec6::Zero(), free;
    for (const solid::Anchor& anchor : anchors) {
      const Vec3& x = solids.positions[at(anchor.vertex)];
      if (solids.body_of_vertex[at(anchor.vertex)] != member.body) continue;
      const Mat3 arm = cross_matrix(x - member.state.world_from_body.translation);
      Eigen::Matrix<double, 6, 3> lever;
      lever << Mat3::Identity(), arm;
      growth += anchor.stiffness * lever * lever.transpose();
      drawn += anchor.stiffness * lever * (x - anchor.point);
    }
    const solid::RigidState& state = free_.free_state(b);
    free << state.velocity, solid::angular_velocity(member.inertia, state);
    answer.topLeftCorner<3, 3>() = Mat3::Identity() / member.inertia.mass;
    answer.bottomRightCorner<3, 3>() = inverse_inertia(member);
    const Vec6 impulse = Mat6(Mat6::Identity() + h * h * growth * answer)
                             .partialPivLu()
                             .solve(-h * (drawn + h * growth * free));
    pulls_[b] = {impulse.head<3>() / h, impulse.tail<3>() / h};
  }
}

// Contact of bodies that stay what they are takes energy: where it gives much, it has not
// converged.
bool RigidInLiquid::have_blown_up(const Vec3& gravity,
                                  const solid::DeformableSystem& solids) const {
  double before = 0, after = 0;
  for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    if (member.script) return false;
    before += solid::kinetic_energy(member.inertia, free_.free_state(b)) +
              solid::kinetic_energy(member.inertia, starts_[b]) +
              member.inertia.mass * gravity.norm() * radius_of(member);
    after += solid::kinetic_energy(member.inertia, member.state);
  }
  return after > largest_gain * before;
}

void RigidInLiquid::immerse(double h, const ExternalActions& actions,
                            const solid::DeformableSystem& solids, fluid::MovesRigidBodies& fluid) {
  known_ = actions;  // With anchors as what they do.
  known_.anchors = {};
  predictor_.predict(h, known_, solids, free_, term_);
  if (!actions.anchors.empty()) {
    pull(h, actions.anchors, solids);
    known_.wrenches = pulls_;
    predictor_.predict(h, known_, solids, free_, term_);
  }
  std::vector<fluid::ImmersedBody> bodies;
  starts_.clear();
  kept_.assign(fluid.kept_contact().begin(), fluid.kept_contact().end());
  kept_.resize(solids.rigid_bodies.size());
  for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const solid::BodyRange& range = solids.bodies[at(member.body)];
    starts_.push_back(member.state);
    fluid::ImmersedBody body{
        .vertices = solids.positions,
        .triangles =
            std::span(solids.triangles).subspan(at(range.first_triangle), at(range.triangle_count)),
        .centre = member.state.world_from_body.translation,
        .velocity = Vec3::Zero(),
        .angular_velocity = Vec3::Zero(),
        .inverse_mass = 0,
        .inverse_inertia = Mat3::Zero(),
        .owed = kept_[b].owed};
    if (member.script) {
      const solid::PoseMotion told = member.script->between(actions.time, actions.time + h);
      const double part = followed(member, told, h);
      body.velocity = part * told.velocity;
      body.angular_velocity = part * told.angular_velocity;
      told_[b] = {body.velocity, body.angular_velocity};
    } else if (!is_held(b)) {
      const Wrench& contact = kept_[b].pressing;
      solid::RigidState state = free_.free_state(b);
      solid::apply_impulse(member.inertia, {h * contact.force, h * contact.torque}, state);
      body.velocity = state.velocity;
      body.angular_velocity = solid::angular_velocity(member.inertia, state);
      body.inverse_mass = 1 / member.inertia.mass;
      body.inverse_inertia = inverse_inertia(member);
    }
    bodies.push_back(body);
  }
  fluid.set_bodies(bodies);
}

std::optional<Error> RigidInLiquid::press(double h, const solid::DeformableSystem& solids,
                                          const fluid::MovesRigidBodies& fluid) {
  const std::span<const Wrench> impulses = fluid.impulses_on_bodies();
  std::vector<Wrench> with_contact(pressure_.size());
  for (std::size_t b = 0; b < pressure_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const solid::RigidState& free = free_.free_state(b);
    Wrench& pressure = pressure_[b];
    if (member.script) {
      pressure = {};
    } else if (is_held(b)) {
      pressure = {-member.inertia.mass / h * free.velocity, -free.angular_momentum / h};
    } else {
      pressure = {impulses[b].force / h, impulses[b].torque / h};
    }
    if (!known_.wrenches.empty()) {
      pressure.force += known_.wrenches[b].force;
      pressure.torque += known_.wrenches[b].torque;
    }
    const Wrench contact = is_held(b) ? Wrench{} : kept_[b].pressing;
    with_contact[b] = {pressure.force + contact.force, pressure.torque + contact.torque};
  }
  ExternalActions with_all = known_;
  with_all.wrenches = with_contact;
  predictor_.predict(h, with_all, solids, free_, term_);
  for (std::size_t b = 0; b < ends_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const solid::RigidState& state = free_.free_state(b);
    const double way = h * state.velocity.norm();
    const double turn = h * solid::angular_velocity(member.inertia, state).norm();
    if (!member.script && !(way <= most_way * radius_of(member) && turn <= most_turn)) {
      return Error{ErrorCode::solver_diverged,
                   fmt::format("the liquid throws \"{}\" too far for a substep; a denser body or a "
                               "smaller max_substep_seconds may help",
                               solids.bodies[at(member.body)].name)};
    }
    ends_[b] = carried_[b] = free_.free_end(b);
    if (!member.script) continue;
    // It may be told to make good in a substep what it has been left behind by since long.
    carried_[b] = member.state.world_from_body;
    carried_[b].translation += h * told_[b].linear;
    carried_[b].rotation =
        (solid::rotation_by(h * told_[b].angular) * carried_[b].rotation).normalized();
  }
  return std::nullopt;
}

void RigidInLiquid::hold_off(double h, const ExternalActions& actions,
                             const solid::DeformableSystem& solids, fluid::ParticleFluid& fluid,
                             StageTimer* timer, SubstepReport& report) {
  walls_.move(actions.obstacles, h);
  // Bodies carry particles along as fast as they go in the pressure solve.
  ParticleGuard::Report held = guard_.hold_off(h, solids, {ends_, carried_}, walls_, fluid);
  report.contact_count += held.contact_count;
  report.smallest_gap = std::min(report.smallest_gap, held.smallest_gap);
  taken_ = std::move(held.taken);
  if (timer != nullptr) timer->finish(Stage::coupling);
}

void RigidInLiquid::keep_contact(double h, const Vec3& gravity,
                                 const solid::DeformableSystem& solids, const RigidStep& stepped,
                                 fluid::MovesRigidBodies& fluid) {
  for (std::size_t b = 0; b < kept_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    Wrench& contact = kept_[b].pressing;
    const bool was_held = is_held(b);
    kept_[b].owed = b < taken_.size() ? taken_[b] : Wrench{};
    kept_[b].stopped = !member.script && stepped.was_stopped(b) ? 1 : 0;
    if (member.script || was_held || is_held(b)) continue;
    // Beyond what was expected of pressure and contact.
    const solid::RigidState& expected = free_.free_state(b);
    contact.force += member.inertia.mass / h * (member.state.velocity - expected.velocity);
    contact.torque += (member.state.angular_momentum - expected.angular_momentum) / h;
    const double most = most_weights * member.inertia.mass * gravity.norm();
    const double size = contact.force.norm();
    if (size > most) {
      contact.force *= most / size;
      contact.torque *= most / size;
    }
  }
  fluid.keep_contact(kept_);
}

}  // namespace sluice::coupling
