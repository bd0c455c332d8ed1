// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/boundary_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <map>
#include <span>

#include "solver/coupling/divergence.h"
#include "solver/coupling/fluid_step.h"

namespace sluice::coupling {
namespace {

// The same as in particle_guard.cpp.
constexpr double cells_against = 0.25;

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
    : elastic_(scene, solids, exchange, [](const Mat3& attached) { return attached.trace(); }) {
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
  const double longest = elastic_.solid_step().longest_substep(solids);
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
  elastic_.solid_step().begin_frame();
  if (guard_) guard_->begin_frame();
}

void BoundaryMap::renumber_particles(std::span<const std::uint32_t> former_rows) {
  elastic_.solid_step().renumber_particles(former_rows);
  if (guard_) guard_->renumber_particles(former_rows);
}

void BoundaryMap::immerse(double h, const ExternalActions& actions,
                          const solid::DeformableSystem& solids, fluid::MovesSolids& fluid) {
  fluid::ImmersedSolids immersed = elastic_.begin(h, actions, solids);
  immersed.rim = rim_;
  immersed.sticks = sticks_;
  immersed.surfaces = surfaces_;
  fluid.set_solids(immersed);
}

void BoundaryMap::place_solids(const solid::DeformableSystem& solids, fluid::Fluid& fluid) {
  if (auto* const pressure = fluid::as<fluid::MovesSolids>(&fluid))
    immerse(0, {}, solids, *pressure);
}

// Where rigid bodies end, which the system of the elastic ones does not have.
void BoundaryMap::expect_rigid(const solid::DeformableSystem& solids, const RigidInLiquid& rigid) {
  for (std::size_t b = 0; b < solids.rigid_bodies.size(); ++b) {
    const solid::RigidMember& member = solids.rigid_bodies[b];
    const std::size_t first = at(solids.bodies[at(member.body)].first_vertex);
    for (std::size_t i = 0; i < member.points.size(); ++i)
      elastic_.expected()[first + i] = solid::transform(rigid.ends()[b], member.points[i]);
  }
}

// Keeps particles off the ways of all solids; rigid ones, which do not yield, come last.
std::optional<Error> BoundaryMap::hold_off(double h, const ExternalActions& actions,
                                           const solid::DeformableSystem& solids,
                                           SurfaceGuard& guard, fluid::ParticleFluid& particles,
                                           const StepNotes& notes, SubstepReport& report) {
  const std::int64_t bad =
      guard.hold_off(h, actions, solids, elastic_.expected(), particles, notes.timer, report);
  if (bad >= 0) return diverged(particles.name_of(bad), thrown_out);
  if (rigid_) rigid_->hold_off(h, actions, solids, particles, notes.timer, report);
  return std::nullopt;
}

// Anchors on rigid bodies are among what moves them.
ExternalActions BoundaryMap::with_rigid(const ExternalActions& actions,
                                        const solid::DeformableSystem& solids) {
  if (!rigid_) return actions;
  anchors_.assign(actions.anchors.begin(), actions.anchors.end());
  std::erase_if(anchors_, [&](const solid::Anchor& anchor) {
    return solids.is_held[at(anchor.vertex)] != 0;
  });
  ExternalActions with_rigid = actions;
  with_rigid.anchors = anchors_;
  with_rigid.wrenches = rigid_->wrenches();
  return with_rigid;
}

Result<SubstepReport> BoundaryMap::step(double h, const ExternalActions& actions,
                                        solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                        const StepNotes& notes) {
  auto* const pressure = fluid::as<fluid::MovesSolids>(fluid);
  auto* const particles = fluid::as<fluid::ParticleFluid>(fluid);
  auto* const of_rigid = rigid_ ? fluid::as<fluid::MovesRigidBodies>(fluid) : nullptr;
  assert(pressure != nullptr && (particles != nullptr) == guard_.has_value());
  immerse(h, actions, solids, *pressure);
  if (rigid_ && of_rigid != nullptr) rigid_->immerse(h, actions, solids, *of_rigid);
  if (auto error = advance_fluid(h, actions, {}, fluid, notes.timer)) return *error;
  elastic_.expect(h, solids, pressure->velocities_of_solids());
  if (rigid_ && of_rigid != nullptr) {
    if (auto error = rigid_->press(h, solids, *of_rigid)) return *error;
    expect_rigid(solids, *rigid_);
  }
  SubstepReport of_fluid;
  if (guard_ && particles != nullptr) {
    if (auto error = hold_off(h, actions, solids, *guard_, *particles, notes, of_fluid))
      return *error;
  }
  auto solved = elastic_.step(h, with_rigid(actions, solids), pressure->impulses_on_solids(),
                              solids, particles, notes);
  if (!solved) return solved;
  SubstepReport& report = solved.value();
  report.iteration_count += of_fluid.iteration_count;
  report.residual = larger_or_nan(report.residual, of_fluid.residual);
  report.contact_count += of_fluid.contact_count;
  report.smallest_gap = std::min(report.smallest_gap, of_fluid.smallest_gap);
  if (guard_ && particles != nullptr) guard_->finish(solids, *particles, report);
  if (rigid_ && of_rigid != nullptr) {
    rigid_->keep_contact(h, actions.gravity, solids, elastic_.solid_step().rigid_step(), *of_rigid);
  }
  commit_fluid(fluid, notes.timer);
  return solved;
}

}  // namespace sluice::coupling
