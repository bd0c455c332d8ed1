// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

namespace sluice::scene {
namespace {

using Solids = SetOf<SolidKinds>;
using Walls = SetOf<WallCondition>;

constexpr Solids no_method{};
constexpr Solids alone(SolidKinds::none);
constexpr Solids not_rigid(SolidKinds::none, SolidKinds::deforming);
constexpr Solids any_solids(SolidKinds::none, SolidKinds::deforming, SolidKinds::rigid,
                            SolidKinds::both);

constexpr Walls any_wall(WallCondition::slip, WallCondition::no_slip, WallCondition::friction);
constexpr Walls slip(WallCondition::slip);
constexpr Walls no_slip(WallCondition::no_slip);
constexpr Walls smooth(WallCondition::slip, WallCondition::no_slip);  // Without friction.

// Scenes without fluid, where `wall` says nothing.
constexpr InFluid dry{any_solids, any_solids, any_wall, any_wall, true};
// Fluids as particles of which contact holds off solids.
constexpr InFluid by_contact{any_solids, alone, any_wall, any_wall, true};
// A fluid that a method has where there are no solids.
constexpr InFluid without_solids{alone, alone, any_wall, any_wall, true};
constexpr InFluid nothing{no_method, no_method, any_wall, any_wall, true};

// In the order in which a scene that names none gets one.
constexpr std::array<MethodRow, 7> methods{{
    {CouplingMethod::admm_ipc,
     "COUPLING_METHOD_ADMM_IPC",
     "solids and particles answer each other's contact in one iteration",
     {dry, by_contact, without_solids, without_solids},
     true,
     true,
     false,
     false},
    {CouplingMethod::boundary_map,
     "COUPLING_METHOD_BOUNDARY_MAP",
     "one system for the pressure and the elastic bodies' answer",
     {nothing, nothing,
      InFluid{Solids(SolidKinds::deforming, SolidKinds::both),
              Solids(SolidKinds::deforming, SolidKinds::both), slip, slip, false},
      InFluid{Solids(SolidKinds::deforming), Solids(SolidKinds::deforming), smooth, any_wall,
              true}},
     true,
     true,
     false,
     true},
    {CouplingMethod::variational_rigid,
     "COUPLING_METHOD_VARIATIONAL_RIGID",
     "one system for the pressure and the rigid bodies' motions",
     {nothing, nothing,
      InFluid{Solids(SolidKinds::none, SolidKinds::rigid),
              Solids(SolidKinds::none, SolidKinds::rigid), slip, slip, false},
      nothing},
     true,
     true,
     false,
     false},
    {CouplingMethod::immersed_boundary,
     "COUPLING_METHOD_IMMERSED_BOUNDARY",
     "gas that fills elastic bodies and moves with them",
     {nothing, nothing, nothing,
      InFluid{Solids(SolidKinds::deforming), Solids(SolidKinds::deforming), no_slip, any_wall,
              true}},
     true,
     true,
     false,
     true},
    {CouplingMethod::weak,
     "COUPLING_METHOD_WEAK",
     "fluid first, then solids under what it did: unstable where fluid weighs much more than they",
     {dry, by_contact, InFluid{not_rigid, not_rigid, slip, slip, false},
      InFluid{not_rigid, not_rigid, smooth, any_wall, true}},
     true,
     true,
     false,
     false},
    {CouplingMethod::one_way,
     "COUPLING_METHOD_ONE_WAY",
     "fluid goes through solids and drags them along",
     {InFluid{any_solids, any_solids, slip, slip, true},
      InFluid{any_solids, alone, slip, slip, true}, InFluid{any_solids, alone, slip, slip, true},
      without_solids},
     true,
     true,
     true,
     false},
    {CouplingMethod::newton_ipc,
     "COUPLING_METHOD_NEWTON_IPC",
     "one minimisation over everything, exact and slow",
     {dry, by_contact, without_solids, without_solids},
     false,
     false,
     false,
     false},
}};

using Settings = SetOf<GridSetting>;

// Water's viscosity. A grid that is incompressible has none unless the scene says so, for it costs
// a solve of its own.
constexpr double of_water = 1e-3;

constexpr std::array<FluidRow, fluid_solver_count> fluids{{
    {FluidSolver::none, "scenes without fluid", "", any_wall, true, Settings(), false, 0, 0},
    {FluidSolver::mpm, "fluids of FLUID_SOLVER_MPM", "FLUID_SOLVER_MPM", any_wall, false,
     Settings(GridSetting::particles, GridSetting::kernel), true, 0.4, of_water},
    {FluidSolver::incompressible, "liquids of FLUID_SOLVER_INCOMPRESSIBLE",
     "FLUID_SOLVER_INCOMPRESSIBLE", smooth, false,
     Settings(GridSetting::particles, GridSetting::transfer, GridSetting::pressure,
              GridSetting::path_integrator, GridSetting::adaptive),
     false, 2, 0},
    {FluidSolver::gas, "`gas`", "", smooth, false,
     Settings(GridSetting::pressure, GridSetting::path_integrator, GridSetting::adaptive), false, 2,
     0},
}};

// A row or a column that is forgotten would be one without solids and walls.
static_assert(
    [] {
      for (std::size_t i = 0; i < fluids.size(); ++i) {
        if (fluids[i].solver != static_cast<FluidSolver>(i)) return false;
      }
      return true;
    }(),
    "`fluids` needs a row for each FluidSolver, in that order");
static_assert(
    [] {
      for (const MethodRow& method : methods) {
        for (const InFluid& in : method.in_fluid) {
          if (!in.rigid_walls.has(WallCondition::slip)) return false;
        }
      }
      return true;
    }(),
    "each row of `methods` needs an InFluid for each FluidSolver, in that order");

FluidSolver fluid_of(const Scene& scene) {
  if (scene.gas) return FluidSolver::gas;
  if (scene.fluids.empty()) return FluidSolver::none;
  return scene.grid.solver;
}

// Whether the method moves the rigid bodies that have no script.
bool moves(const MethodRow& row, const Situation& situation) {
  return row.has_free_rigid_bodies || !situation.has_free_rigid_bodies;
}

std::string joined(const std::vector<const char*>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::span<const MethodRow> method_rows() { return methods; }

const MethodRow& row_of(CouplingMethod method) {
  const auto* const found = std::ranges::find(methods, method, &MethodRow::method);
  assert(found != methods.end());
  return *found;
}

std::span<const FluidRow> fluid_rows() { return fluids; }

const FluidRow& row_of(FluidSolver solver) { return fluids[static_cast<std::size_t>(solver)]; }

const FluidRow& fluid_row_of(const Scene& scene) { return row_of(fluid_of(scene)); }

Situation situation_of(const Scene& scene) {
  const bool has_deforming = !scene.cloths.empty() || !scene.soft_bodies.empty();
  const bool has_rigid = !scene.rigid_bodies.empty();
  const FluidSolver fluid = fluid_of(scene);
  return {fluid, fluid == FluidSolver::none ? 3 : scene.grid.dimensions,
          has_deforming ? (has_rigid ? SolidKinds::both : SolidKinds::deforming)
                        : (has_rigid ? SolidKinds::rigid : SolidKinds::none),
          std::ranges::any_of(scene.rigid_bodies,
                              [](const RigidBody& body) { return body.script.empty(); })};
}

bool is_weakly_coupled(const Scene& scene) {
  const Situation situation = situation_of(scene);
  return scene.coupling.method == CouplingMethod::weak && situation.fluid != FluidSolver::none &&
         situation.solids != SolidKinds::none;
}

const InFluid& in_fluid_of(const Scene& scene) {
  return row_of(scene.coupling.method).in_fluid[static_cast<std::size_t>(fluid_of(scene))];
}

bool is_for(const MethodRow& row, const Situation& situation) {
  const InFluid& in = row.in_fluid[static_cast<std::size_t>(situation.fluid)];
  return (situation.dimensions == 2 ? in.flat_solids : in.solids).has(situation.solids);
}

std::optional<CouplingMethod> default_method(const Situation& situation) {
  for (const MethodRow& row : methods) {
    if (is_for(row, situation) && moves(row, situation)) return row.method;
  }
  return std::nullopt;
}

std::string describe(const Situation& situation) {
  constexpr std::array<const char*, 4> solids{"scenes without solids", "cloths and soft bodies",
                                              "rigid bodies",
                                              "rigid bodies with cloths or soft bodies"};
  return fmt::format("{} in {}{}", solids[static_cast<std::size_t>(situation.solids)],
                     row_of(situation.fluid).name,
                     situation.dimensions == 2 ? " in two dimensions" : "");
}

std::string methods_for(const Situation& situation, bool is_viscous) {
  std::vector<const char*> names;
  for (const MethodRow& row : methods) {
    const InFluid& in = row.in_fluid[static_cast<std::size_t>(situation.fluid)];
    if (is_for(row, situation) && moves(row, situation) && (in.has_viscosity || !is_viscous))
      names.push_back(row.name);
  }
  return joined(names);
}

std::string fluids_for(SolidKinds solids, int dimensions) {
  std::vector<const char*> names;
  for (const FluidRow& row : fluids) {
    if (row.solver != FluidSolver::none && !methods_for({row.solver, dimensions, solids}).empty())
      names.push_back(row.name);
  }
  return joined(names);
}

std::string fluids_with(GridSetting setting) {
  std::vector<const char*> names;
  for (const FluidRow& row : fluids) {
    if (row.settings.has(setting)) names.push_back(row.name);
  }
  return joined(names);
}

const char* name_of(WallCondition wall) {
  constexpr std::array<const char*, 3> names{"WALL_CONDITION_SLIP", "WALL_CONDITION_NO_SLIP",
                                             "WALL_CONDITION_FRICTION"};
  return names[static_cast<std::size_t>(wall)];
}

std::string describe(SetOf<WallCondition> walls) {
  std::vector<const char*> names;
  for (const auto wall : {WallCondition::slip, WallCondition::no_slip, WallCondition::friction}) {
    if (walls.has(wall)) names.push_back(name_of(wall));
  }
  return joined(names);
}

}  // namespace sluice::scene
