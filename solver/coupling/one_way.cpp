// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/one_way.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cstddef>
#include <limits>

#include "solver/coupling/cross_matrix.h"
#include "solver/coupling/fluid_step.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {
namespace {

constexpr std::int64_t one_way_grain = 512;

}  // namespace

OneWay::OneWay(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : solids_(scene, solids),
      drag_(scene.coupling.drag),
      lightest_density_(std::numeric_limits<double>::infinity()),
      grip_(solids.positions.size()),
      flow_(solids.positions.size()),
      forces_(solids.positions.size()) {
  for (const scene::Fluid& fluid : scene.fluids)
    lightest_density_ = std::min(lightest_density_, fluid.density);
}

Result<SubstepReport> OneWay::step(double h, const ExternalActions& actions,
                                   solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                   const StepNotes& notes) {
  ExternalActions with_drag = actions;
  if (auto error = advance_fluid(h, actions, {}, fluid, notes.timer)) return *error;
  if (const auto* const particles = fluid::as<fluid::ParticleFluid>(fluid)) {
    measure_flow(*particles, solids);
    drag_vertices(h, actions.gravity, solids);
    for (const solid::RigidMember& member : solids.rigid_bodies)
      drag_rigid_body(h, actions.gravity, solids, member);
    with_drag.forces = forces_;
  }
  auto report =
      solids_.step(h, with_drag, solids, nullptr, SolidStep::FluidRole::is_carried, notes);
  if (report) commit_fluid(fluid, notes.timer);
  return report;
}

void OneWay::measure_flow(const fluid::ParticleFluid& fluid,
                          const solid::DeformableSystem& solids) {
  area_.assign(solids.positions.size(), 0);
  for (const TriangleIndices& triangle : solids.triangles) {
    const Vec3 &a = solids.positions[at(triangle[0])], &b = solids.positions[at(triangle[1])],
               &c = solids.positions[at(triangle[2])];
    for (const std::int32_t corner : triangle)
      area_[at(corner)] += (b - a).cross(c - a).norm() / 6;
  }
  parallel::parallel_for(
      0, static_cast<std::int64_t>(area_.size()), one_way_grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const fluid::Flow flow =
              area_[i] > 0 ? fluid.flow_at(solids.positions[i]) : fluid::Flow{};
          flow_[i] = flow.velocity;
          grip_[i] = drag_ * area_[i] * std::min(1.0, flow.density / lightest_density_);
        }
      });
}

// The drag on bodies that deform: m (v' - v - h g) = h k (u - v').
void OneWay::drag_vertices(double h, const Vec3& gravity, const solid::DeformableSystem& solids) {
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    forces_[i].setZero();
    if (solids.is_held[i] != 0) continue;
    const auto& body = solids.bodies[at(solids.body_of_vertex[i])];
    const Vec3 free = solids.velocities[i] + h * body.gravity_scale * gravity;
    forces_[i] = grip_[i] / (1 + h * grip_[i] / solids.mass[i]) * (flow_[i] - free);
  }
}

// The impulse (J, H) at the centre of mass solves J = h sum k_i (u_i - v'_i), H = h sum r_i x ...,
// with v'_i = v + h g + J / m + (w + I^-1 H) x r_i.
void OneWay::drag_rigid_body(double h, const Vec3& gravity, const solid::DeformableSystem& solids,
                             const solid::RigidMember& member) {
  if (member.script) return;
  const solid::BodyRange& range = solids.bodies[at(member.body)];
  const solid::Pose& pose = member.state.world_from_body;
  const Mat3 axes = pose.rotation.toRotationMatrix();
  const Mat3 inverse_inertia =
      axes * member.inertia.rotor.moments.cwiseInverse().asDiagonal() * axes.transpose();
  const auto end = at(range.first_vertex + range.vertex_count);
  // The matrix from a velocity at the centre and a turn rate to the impulse and its moment.
  Eigen::Matrix<double, 6, 6> system = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> drive = Eigen::Matrix<double, 6, 1>::Zero();
  for (std::size_t i = at(range.first_vertex); i < end; ++i) {
    const Mat3 arm = cross_matrix(solids.positions[i] - pose.translation);
    const Vec3 pull =
        h * grip_[i] * (flow_[i] - solids.velocities[i] - h * range.gravity_scale * gravity);
    system.topLeftCorner<3, 3>() += h * grip_[i] * Mat3::Identity();
    system.topRightCorner<3, 3>() -= h * grip_[i] * arm;
    system.bottomLeftCorner<3, 3>() += h * grip_[i] * arm;
    system.bottomRightCorner<3, 3>() -= h * grip_[i] * arm * arm;
    drive.head<3>() += pull;
    drive.tail<3>() += arm * pull;
  }
  system.leftCols<3>() /= member.inertia.mass;
  system.rightCols<3>() *= inverse_inertia;
  system += Eigen::Matrix<double, 6, 6>::Identity();
  const Eigen::Matrix<double, 6, 1> impulse = system.partialPivLu().solve(drive);
  const Vec3 shift = impulse.head<3>() / member.inertia.mass + h * range.gravity_scale * gravity;
  const Vec3 turn = inverse_inertia * impulse.tail<3>();
  for (std::size_t i = at(range.first_vertex); i < end; ++i) {
    const Vec3 velocity =
        solids.velocities[i] + shift + turn.cross(solids.positions[i] - pose.translation);
    forces_[i] = grip_[i] * (flow_[i] - velocity);
  }
}

}  // namespace sluice::coupling
