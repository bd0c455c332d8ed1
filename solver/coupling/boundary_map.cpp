// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/boundary_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>

namespace sluice::coupling {
namespace {

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
      response_(solids) {
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

void BoundaryMap::immerse(double h, const ExternalActions& actions,
                          const solid::DeformableSystem& solids, fluid::Gas& gas) {
  gas_ = &gas;
  expected_ = solids.positions;
  for (std::size_t i = 0; i < expected_.size(); ++i)
    expected_[i] = (expected_[i] + h * solids.velocities[i]).cwiseMax(lower_).cwiseMin(upper_);
  fluid::ImmersedSolids immersed{expected_, solids.velocities, rim_, sticks_, nullptr};
  if (h > 0 && exchange_ == Exchange::at_once) {
    response_.begin(h, actions.gravity, actions.anchors, solids);
    immersed.velocities = response_.velocities();
    immersed.response = &response_;
  }
  gas.set_solids(immersed);
}

Result<SubstepReport> BoundaryMap::step(double h, const ExternalActions& actions,
                                        solid::DeformableSystem& solids,
                                        fluid::ParticleFluid* fluid, const StepNotes& notes) {
  const std::span<const Vec3> impulses = gas_->impulses_on_solids();
  forces_.assign(impulses.begin(), impulses.end());
  ExternalActions with_gas = actions;
  if (exchange_ == Exchange::at_once) {
    response_.respond(impulses, expected_);
    for (std::size_t i = 0; i < expected_.size(); ++i)
      expected_[i] = response_.ends()[i] + response_.way_per_change() * expected_[i];
    with_gas.time_rule = response_.rule();
  }
  for (Vec3& force : forces_)
    force /= h;
  with_gas.forces = forces_;
  with_gas.likely_ends = expected_;
  return solids_.step_solids(h, with_gas, solids, fluid, AdmmIpc::FluidRole::is_carried, notes);
}

}  // namespace sluice::coupling
