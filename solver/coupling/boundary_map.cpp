// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/boundary_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>

#include "solver/coupling/divergence.h"
#include "solver/coupling/fluid_step.h"

namespace sluice::coupling {
namespace {

// As ParticleGuard's.
constexpr double cells_against = 0.25;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// The edges of one triangle alone, with solid on their left, seen with x to the right and z up.
std::vector<EdgeIndices> outline_of(std::span<const Vec3> positions,
                                    std::span<const TriangleIndices> triangles) {
  std::map<EdgeIndices, int> count;
  const auto by_ends = [](std::int32_t a, std::int32_t b) {
    return EdgeIndices{std::min(a, b), std::max(a, b)};
  };
  for (const auto& [a, b, c] : triangles) {
    for (const EdgeIndices& edge : {by_ends(a, b), by_ends(b, c), by_ends(c, a)})
      ++count[edge];
  }
  std::vector<EdgeIndices> outline;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 &p = positions[at(a)], &q = positions[at(b)], &r = positions[at(c)];
    const double twice_area = (q.x() - p.x()) * (r.z() - p.z()) - (q.z() - p.z()) * (r.x() - p.x());
    for (const auto& [from, to] :
         std::array{EdgeIndices{a, b}, EdgeIndices{b, c}, EdgeIndices{c, a}}) {
      if (count[by_ends(from, to)] != 1) continue;
      outline.push_back(twice_area > 0 ? EdgeIndices{from, to} : EdgeIndices{to, from});
    }
  }
  return outline;
}

}  // namespace

BoundaryMap::BoundaryMap(const scene::Scene& scene, const solid::DeformableSystem& solids,
                         Exchange exchange)
    : exchange_(exchange),
      lower_(scene.domain_lower),
      upper_(scene.domain_upper),
      solids_(scene, solids),
      response_(solids, theta_of(scene)) {
  if (!scene.fluids.empty()) {
    guard_.emplace(scene, solids, cells_against * scene.grid.cell_size);
    if (!scene.rigid_bodies.empty()) rigid_.emplace(scene, solids);
  }
  if (scene.grid.dimensions == 2)
    add_outlines(scene, solids);
  else
    add_surfaces(scene, solids);
}

double BoundaryMap::longest_substep(const solid::DeformableSystem& solids) const {
  const double longest = solids_.longest_substep(solids);
  return rigid_ ? std::min(longest, rigid_->longest_substep(solids)) : longest;
}

void BoundaryMap::add_outlines(const scene::Scene& scene, const solid::DeformableSystem& solids) {
  for (std::size_t b = 0; b < scene.cloths.size(); ++b) {
    const solid::BodyRange& range = solids.bodies[b];
    const std::vector<EdgeIndices> outline = outline_of(
        solids.positions,
        std::span(solids.triangles).subspan(at(range.first_triangle), at(range.triangle_count)));
    rim_.insert(rim_.end(), outline.begin(), outline.end());
    const bool sticks = scene.cloths[b].wall == scene::WallCondition::no_slip;
    sticks_.insert(sticks_.end(), outline.size(), sticks ? 1 : 0);
  }
}

void BoundaryMap::add_surfaces(const scene::Scene& scene, const solid::DeformableSystem& solids) {
  triangles_ = solids.triangles;
  const auto add = [&](std::size_t body, bool is_closed, scene::WallCondition wall) {
    const solid::BodyRange& range = solids.bodies[body];
    surfaces_.push_back(
        {std::span(triangles_).subspan(at(range.first_triangle), at(range.triangle_count)),
         is_closed, wall == scene::WallCondition::no_slip});
  };
  for (std::size_t b = 0; b < scene.cloths.size(); ++b)
    add(b, false, scene.cloths[b].wall);
  for (std::size_t b = 0; b < scene.soft_bodies.size(); ++b)
    add(scene.cloths.size() + b, true, scene.soft_bodies[b].wall);
}

void BoundaryMap::begin_frame() {
  solids_.begin_frame();
  if (guard_) guard_->begin_frame();
}

void BoundaryMap::renumber_particles(std::span<const std::uint32_t> former_rows) {
  solids_.renumber_particles(former_rows);
  if (guard_) guard_->renumber_particles(former_rows);
}

fluid::ImmersedSolids BoundaryMap::immersed(double h, const ExternalActions& actions,
                                            const solid::DeformableSystem& solids) {
  expected_ = solids.positions;
  for (std::size_t i = 0; i < expected_.size(); ++i)
    expected_[i] = (expected_[i] + h * solids.velocities[i]).cwiseMax(lower_).cwiseMin(upper_);
  fluid::ImmersedSolids immersed{.positions = expected_,
                                 .velocities = solids.velocities,
                                 .rim = rim_,
                                 .sticks = sticks_,
                                 .surfaces = surfaces_};
  if (h > 0 && exchange_ == Exchange::at_once) {
    response_.begin(h, actions.gravity, actions.anchors, solids);
    immersed.velocities = response_.velocities();
    immersed.response = &response_;
  }
  return immersed;
}

void BoundaryMap::immerse(double h, const ExternalActions& actions,
                          const solid::DeformableSystem& solids, fluid::Gas& gas) {
  gas_ = &gas;
  gas.set_solids(immersed(h, actions, solids));
}

// Where bodies end that have got these velocities from the fluid.
void BoundaryMap::expect(double h, const solid::DeformableSystem& solids,
                         std::span<const Vec3> velocities) {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    expected_[i] = exchange_ == Exchange::at_once
                       ? Vec3(response_.ends()[i] + response_.way_per_change() *
                                                        (velocities[i] - response_.velocities()[i]))
                       : Vec3(solids.positions[i] + h * solids.velocities[i]);
  }
}

// The same of rigid ones.
void BoundaryMap::expect_rigid(const RigidInLiquid& bodies, const solid::DeformableSystem& solids) {
  for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const std::size_t first = at(solids.bodies[at(member.body)].first_vertex);
    for (std::size_t i = 0; i < member.points.size(); ++i)
      expected_[first + i] = solid::transform(bodies.ends()[b], member.points[i]);
  }
}

Result<SubstepReport> BoundaryMap::step_solids(double h, const ExternalActions& actions,
                                               std::span<const Vec3> impulses,
                                               solid::DeformableSystem& solids,
                                               fluid::ParticleFluid* fluid,
                                               const StepNotes& notes) {
  forces_.assign(impulses.begin(), impulses.end());
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    forces_[i] /= h;
  }
  anchors_.assign(actions.anchors.begin(), actions.anchors.end());
  if (rigid_) {  // Anchors on rigid bodies are among what moves them.
    std::erase_if(anchors_, [&](const solid::Anchor& anchor) {
      return solids.is_held[at(anchor.vertex)] != 0;
    });
  }
  // What went along with them as the linear answer has it, stays inert where they go another way.
  const std::span<const Mat3> attached = response_.attached();
  for (std::size_t i = 0; i < attached.size(); ++i) {
    const double stiffness = attached[i].trace() / (h * response_.way_per_change());
    if (stiffness > 0) anchors_.push_back({static_cast<std::int32_t>(i), stiffness, expected_[i]});
  }
  ExternalActions with_fluid = actions;
  with_fluid.anchors = anchors_;
  if (exchange_ == Exchange::at_once) with_fluid.time_rule = response_.rule();
  with_fluid.forces = forces_;
  if (rigid_) with_fluid.wrenches = rigid_->wrenches();
  with_fluid.likely_ends = expected_;
  return solids_.step(h, with_fluid, solids, fluid, SolidStep::FluidRole::is_caught, notes);
}

Result<SubstepReport> BoundaryMap::step(double h, const ExternalActions& actions,
                                        solid::DeformableSystem& solids,
                                        fluid::ParticleFluid* fluid, const StepNotes& notes) {
  if (!guard_) {  // In a gas, and so without particles.
    expect(h, solids, gas_->velocities_of_solids());
    return step_solids(h, actions, gas_->impulses_on_solids(), solids, nullptr, notes);
  }
  fluid->set_solids(immersed(h, actions, solids));
  if (rigid_) rigid_->immerse(h, actions, solids, *fluid);
  if (auto error = advance_fluid(h, actions, {}, fluid, notes.timer)) return *error;
  expect(h, solids, fluid->velocities_of_solids());
  if (rigid_) {
    if (auto error = rigid_->press(h, solids, *fluid)) return *error;
    expect_rigid(*rigid_, solids);
  }
  SubstepReport of_fluid;
  const std::int64_t bad =
      guard_->hold_off(h, actions, solids, expected_, *fluid, notes.timer, of_fluid);
  if (bad >= 0) return diverged(fluid->name_of(bad), thrown_out);
  if (rigid_) rigid_->hold_off(h, actions, solids, *fluid, notes.timer, of_fluid);
  auto solved = step_solids(h, actions, fluid->impulses_on_solids(), solids, fluid, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.iteration_count += of_fluid.iteration_count;
  report.residual = larger_or_nan(report.residual, of_fluid.residual);
  report.contact_count += of_fluid.contact_count;
  report.smallest_gap = std::min(report.smallest_gap, of_fluid.smallest_gap);
  guard_->finish(solids, *fluid, report);
  if (rigid_) rigid_->keep_contact(h, actions.gravity, solids, solids_.rigid_step(), *fluid);
  commit_fluid(fluid, notes.timer);
  return solved;
}

}  // namespace sluice::coupling
