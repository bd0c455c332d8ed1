// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/variational_rigid.h"

#include <algorithm>
#include <cstddef>

namespace sluice::coupling {
namespace {

// Of its radius, a body goes no further in a substep.
constexpr double longest_way = 0.5;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

Mat3 inverse_inertia(const solid::RigidMember& member) {
  const Mat3 axes = member.state.world_from_body.rotation.toRotationMatrix();
  return axes * member.inertia.rotor.moments.cwiseInverse().asDiagonal() * axes.transpose();
}

}  // namespace

VariationalRigid::VariationalRigid(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : predictor_(scene, solids),
      solids_(scene, solids),
      guard_(scene, solids),
      walls_(scene),
      free_(scene, solids),
      pressure_(solids.rigid_bodies.size()),
      expected_(solids.rigid_bodies.size()),
      of_contact_(solids.rigid_bodies.size()),
      ends_(solids.rigid_bodies.size()) {}

double VariationalRigid::longest_substep(const solid::DeformableSystem& solids) const {
  double longest = solids_.longest_substep(solids);
  for (const solid::RigidMember& member : solids.rigid_bodies) {
    if (member.script) continue;
    double radius = 0;
    for (const Vec3& point : member.points)
      radius = std::max(radius, point.norm());
    const double speed = member.state.velocity.norm() +
                         radius * solid::angular_velocity(member.inertia, member.state).norm();
    if (speed > 0) longest = std::min(longest, longest_way * radius / speed);
  }
  return longest;
}

Result<SubstepReport> VariationalRigid::step(double h, const ExternalActions& actions,
                                             solid::DeformableSystem& solids,
                                             fluid::ParticleFluid* fluid, const StepNotes& notes) {
  if (fluid == nullptr || solids.positions.empty())
    return solids_.step(h, actions, solids, fluid, notes);
  predictor_.predict_solids(h, actions, solids, free_, term_);
  immerse(h, solids, *fluid);
  if (auto error = predictor_.advance_fluid(h, actions, {}, *fluid, notes.timer)) return *error;
  press(h, actions, solids, *fluid);
  walls_.move(actions.obstacles, h);
  const ParticleGuard::Report held = guard_.hold_off(
      h, solids, ends_, walls_, *fluid,
      notes.forces != nullptr ? std::span(notes.forces->particles) : std::span<float>());
  if (notes.timer != nullptr) notes.timer->finish(Stage::coupling);
  ExternalActions with_pressure = actions;
  with_pressure.wrenches = pressure_;
  auto solved =
      solids_.step_solids(h, with_pressure, solids, fluid, AdmmIpc::FluidRole::is_carried, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.smallest_gap = std::min(report.smallest_gap, held.smallest_gap);
  report.contact_count += held.contact_count;
  if (report.stopped_count == 0) keep_contact(h, actions.gravity, solids, *fluid);
  fluid->commit();
  if (notes.timer != nullptr) notes.timer->finish(Stage::fluid_sorting);
  return solved;
}

// Gives the fluid the bodies, as they move without it.
void VariationalRigid::immerse(double h, const solid::DeformableSystem& solids,
                               fluid::ParticleFluid& fluid) {
  std::vector<fluid::ImmersedBody> bodies;
  const std::span<const Wrench> kept = fluid.kept_contact();
  for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const solid::BodyRange& range = solids.bodies[at(member.body)];
    solid::RigidState state = free_.free_state(b);
    if (member.script) {
      of_contact_[b] = {};
    } else {
      of_contact_[b] = kept.empty() ? Wrench{} : kept[b];
      solid::apply_impulse(member.inertia, {h * of_contact_[b].force, h * of_contact_[b].torque},
                           state);
    }
    bodies.push_back(
        {.vertices = solids.positions,
         .triangles = std::span(solids.triangles)
                          .subspan(at(range.first_triangle), at(range.triangle_count)),
         .centre = member.state.world_from_body.translation,
         .velocity = state.velocity,
         .angular_velocity = solid::angular_velocity(member.inertia, state),
         .inverse_mass = member.script ? 0 : 1 / member.inertia.mass,
         .inverse_inertia = member.script ? Mat3(Mat3::Zero()) : inverse_inertia(member)});
  }
  fluid.set_bodies(bodies);
}

// What pressure does to the bodies, and where that takes them.
void VariationalRigid::press(double h, const ExternalActions& actions,
                             const solid::DeformableSystem& solids,
                             const fluid::ParticleFluid& fluid) {
  const std::span<const Wrench> impulses = fluid.impulses_on_bodies();
  for (std::size_t b = 0; b < pressure_.size(); ++b) {
    pressure_[b] = solids.rigid_bodies[b].script
                       ? Wrench{}
                       : Wrench{impulses[b].force / h, impulses[b].torque / h};
    expected_[b] = {pressure_[b].force + of_contact_[b].force,
                    pressure_[b].torque + of_contact_[b].torque};
  }
  ExternalActions with_all = actions;
  with_all.wrenches = expected_;
  predictor_.predict_solids(h, with_all, solids, free_, term_);
  for (std::size_t b = 0; b < ends_.size(); ++b)
    ends_[b] = free_.free_end(b);
}

void VariationalRigid::keep_contact(double h, const Vec3& gravity,
                                    const solid::DeformableSystem& solids,
                                    fluid::ParticleFluid& fluid) {
  for (std::size_t b = 0; b < of_contact_.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    Wrench& contact = of_contact_[b];
    if (member.script) continue;
    // Beyond what was expected of pressure and contact.
    const solid::RigidState& expected = free_.free_state(b);
    contact.force += member.inertia.mass / h * (member.state.velocity - expected.velocity);
    contact.torque += (member.state.angular_momentum - expected.angular_momentum) / h;
    const double most = member.inertia.mass * gravity.norm() + pressure_[b].force.norm();
    const double size = contact.force.norm();
    if (size > most) {
      contact.force *= most / size;
      contact.torque *= most / size;
    }
  }
  fluid.keep_contact(of_contact_);
}

}  // namespace sluice::coupling
