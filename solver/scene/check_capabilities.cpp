// SPDX-License-Identifier: Apache-2.0
// The checks that come from the table of what works with what (capabilities.h).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "solver/scene/capabilities.h"
#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

// Refuses solids of a scene that no method has in its fluid where they are listed: those without
// which there would be a method, or all, where there is none for either kind. Returns the situation
// that is left.
Situation refuse_solids(const Scene& scene, ProblemList& problems) {
  Situation situation = situation_of(scene);
  const auto has_method = [&](SolidKinds solids) {
    return !methods_for({situation.fluid, situation.dimensions, solids}).empty();
  };
  if (has_method(situation.solids)) return situation;
  const bool has_both = situation.solids == SolidKinds::both;
  const bool keeps_deforming = has_both && has_method(SolidKinds::deforming);
  const bool keeps_rigid = has_both && !keeps_deforming && has_method(SolidKinds::rigid);
  const auto refuse = [&](SolidKinds kind, const char* path) {
    problems.error(path, fmt::format("must be empty: no coupling method has {}, only in {}",
                                     describe({situation.fluid, situation.dimensions, kind}),
                                     fluids_for(kind, situation.dimensions)));
  };
  if (situation.solids != SolidKinds::rigid && !keeps_deforming) {
    if (!scene.cloths.empty()) refuse(SolidKinds::deforming, "cloths");
    if (!scene.soft_bodies.empty() && situation.dimensions == 3)
      refuse(SolidKinds::deforming, "soft_bodies");
  }
  if (situation.solids != SolidKinds::deforming && !keeps_rigid)
    refuse(SolidKinds::rigid, "rigid_bodies");
  situation.solids = keeps_deforming ? SolidKinds::deforming
                                     : (keeps_rigid ? SolidKinds::rigid : SolidKinds::none);
  situation.has_free_rigid_bodies = situation.has_free_rigid_bodies && keeps_rigid;
  return situation;
}

void check_free_rigid_bodies(const Scene& scene, const MethodRow& row, const Situation& situation,
                             ProblemList& problems) {
  if (row.has_free_rigid_bodies || !is_for(row, situation)) return;
  const auto found =
      std::ranges::find_if(scene.rigid_bodies, [](const RigidBody& b) { return b.script.empty(); });
  if (found == scene.rigid_bodies.end()) return;
  problems.error("coupling.method",
                 fmt::format("{} has no rigid bodies that move freely, as rigid_bodies[{}] ({}) "
                             "does: choose {}",
                             row.name, found - scene.rigid_bodies.begin(), found->name,
                             methods_for(situation)));
}

void check_flat_soft_bodies(const Scene& scene, const Situation& situation, ProblemList& problems) {
  if (scene.soft_bodies.empty() || situation.dimensions == 3) return;
  problems.error("soft_bodies",
                 fmt::format("must be empty in two dimensions, where elastic bodies are slices: "
                             "`cloths` with a `shell`, in {}",
                             fluids_for(SolidKinds::deforming, 2)));
}

void check_method(const Scene& scene, const MethodRow& row, const Situation& situation,
                  ProblemList& problems) {
  if (!is_for(row, situation)) {
    problems.error("coupling.method", fmt::format("{} is not for {}: choose {}", row.name,
                                                  describe(situation), methods_for(situation)));
  }
  check_free_rigid_bodies(scene, row, situation, problems);
  if (!row.has_integrators && scene.solid_solver.integrator != Integrator::consensus_admm) {
    problems.error("solid_solver.integrator",
                   fmt::format("has no use with {}, which solves solids and all else at once: "
                               "leave it out",
                               row.name));
  }
}

void check_wall(WallCondition wall, SetOf<WallCondition> allowed, const std::string& where,
                const std::string& path, ProblemList& problems) {
  if (allowed.has(wall)) return;
  problems.error(path, fmt::format("is {}{}, which is not for {}: choose {}", name_of(wall),
                                   wall == WallCondition::slip ? " (the default)" : "", where,
                                   describe(allowed)));
}

template <typename Body>
void check_body_walls(const std::vector<Body>& bodies, SetOf<WallCondition> allowed,
                      const std::string& where, const char* field, ProblemList& problems) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    check_wall(bodies[i].wall, allowed, where, element(field, i) + ".wall", problems);
}

// Where the scene's method is refused, what none of those for the scene has is told at once.
void check_wall_conditions(const Scene& scene, const MethodRow& row, const Situation& situation,
                           ProblemList& problems) {
  const FluidRow& fluid = row_of(situation.fluid);
  check_wall(scene.grid.wall, fluid.walls, fluid.name, "domain.wall", problems);
  check_body_walls(scene.obstacles, fluid.walls, fluid.name, "obstacles", problems);
  const bool is_right = is_for(row, situation);
  SetOf<WallCondition> deforming, rigid;
  for (const MethodRow& method : method_rows()) {
    if (is_right ? method.method != row.method : !is_for(method, situation)) continue;
    const InFluid& in = method.in_fluid[static_cast<std::size_t>(situation.fluid)];
    deforming |= in.deforming_walls;
    rigid |= in.rigid_walls;
  }
  const std::string where = fmt::format("solids in {}{}{}", fluid.name, is_right ? " with " : "",
                                        is_right ? row.name : "");
  check_body_walls(scene.cloths, deforming, where, "cloths", problems);
  check_body_walls(scene.soft_bodies, deforming, where, "soft_bodies", problems);
  check_body_walls(scene.rigid_bodies, rigid, where, "rigid_bodies", problems);
}

// A fluid that is refused for its material is not refused for its viscosity, too, which may be a
// default.
void check_viscosity(const Scene& scene, const MethodRow& row, const Situation& situation,
                     ProblemList& problems) {
  if (scene.fluids.empty() || situation.solids == SolidKinds::none || !is_for(row, situation) ||
      in_fluid_of(scene).has_viscosity)
    return;
  const Fluid& fluid = scene.fluids.front();
  if (!std::holds_alternative<std::monostate>(fluid.material) || !(fluid.dynamic_viscosity > 0))
    return;
  const std::string others = methods_for(situation, true);
  problems.error("fluids[0].dynamic_viscosity",
                 fmt::format("{} Pa s: {} has no viscous drag on {}; leave it out{}{}",
                             fluid.dynamic_viscosity, row.name, describe(situation),
                             others.empty() ? "" : ", or choose ", others));
}

void check_periodic_sides(const Scene& scene, const Situation& situation, ProblemList& problems) {
  const bool has_periodic = std::ranges::any_of(
      scene.grid.sides, [](const auto& sides) { return sides[0] == Side::periodic; });
  if (!has_periodic || situation.solids == SolidKinds::none ||
      row_of(situation.fluid).has_periodic_sides_with_solids)
    return;
  problems.error("domain.periodic_axes",
                 "is not for scenes with `cloths`, `soft_bodies` or `rigid_bodies`, which do not "
                 "meet what is behind a side");
}

}  // namespace

void check_capabilities(const Scene& scene, ProblemList& problems) {
  const MethodRow& row = row_of(scene.coupling.method);
  check_flat_soft_bodies(scene, situation_of(scene), problems);
  const Situation situation = refuse_solids(scene, problems);
  check_method(scene, row, situation, problems);
  check_wall_conditions(scene, row, situation, problems);
  check_viscosity(scene, row, situation, problems);
  check_periodic_sides(scene, situation_of(scene), problems);
}

}  // namespace sluice::scene
