// SPDX-License-Identifier: Apache-2.0
// The table of what works with what (solver/scene/capabilities.h) is true: each coupling method,
// with each fluid and each kind of solids, runs for three frames where the table has it, and is
// refused in the table's words where it has not.
#include "solver/scene/capabilities.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "server/convert/scene_load.h"
#include "sluice/v1/scene.pb.h"
#include "solver/simulation.h"

namespace sluice {
namespace {

using scene::FluidSolver;
using scene::MethodRow;
using scene::Situation;
using scene::SolidKinds;

/// What a scene may have, as JSON.
struct Solids {
  const char* name;
  bool has_cloth, has_soft_body, has_rigid_body, is_scripted;
};
constexpr std::array<Solids, 7> all_solids{{{"none", false, false, false, false},
                                            {"cloth", true, false, false, false},
                                            {"soft_body", false, true, false, false},
                                            {"rigid_body", false, false, true, false},
                                            {"scripted_body", false, false, true, true},
                                            {"cloth_and_rigid_body", true, false, true, false},
                                            {"soft_and_scripted_body", false, true, true, true}}};

SolidKinds kinds_of(const Solids& solids) {
  const bool deforms = solids.has_cloth || solids.has_soft_body;
  if (!solids.has_rigid_body) return deforms ? SolidKinds::deforming : SolidKinds::none;
  return deforms ? SolidKinds::both : SolidKinds::rigid;
}

/// Each wall is what the method has there; slip, where it has several.
std::string wall_of(scene::SetOf<scene::WallCondition> walls) {
  const bool slips = walls.has(scene::WallCondition::slip);
  return scene::name_of(slips ? scene::WallCondition::slip : scene::WallCondition::no_slip);
}

/// `settings` are of the grid, as further members of the JSON's object: ", name: value".
std::string fluid_json(FluidSolver fluid, int dimensions, const std::string& settings = "") {
  const std::string water =
      R"("fluids": [{"name": "water", "regions": [{"box": {"size": [0.4, 0.4, 0.12]},
         "transform": {"translation": [0.2, 0.2, 0.06]}}]}],)";
  const auto grid = [&](const char* solver) {
    return fmt::format(R"("fluid_grid": {{"cell_size": 0.05, "dimensions": {}{}{}}},)", dimensions,
                       solver, settings);
  };
  switch (fluid) {
    case FluidSolver::mpm:
      return water + grid("");
    case FluidSolver::incompressible:
      return water + grid(R"(, "solver": "FLUID_SOLVER_INCOMPRESSIBLE")");
    case FluidSolver::gas:
      return R"("gas": {"name": "air"},)" + grid("");
    case FluidSolver::none:
      break;
  }
  return {};
}

/// In two dimensions, cloths are slices in the middle of a domain one cell deep, which bodies fill.
std::string solids_json(const Solids& solids, bool is_flat, const std::string& wall) {
  const double depth = is_flat ? 0.05 : 0.4, middle = depth / 2;
  std::string json;
  if (solids.has_cloth && is_flat) {
    json += fmt::format(
        R"("cloths": [{{"name": "sheet", "wall": "{}", "grid": {{"size": [0.1, 0.1], "vertices": [4, 4]}},
           "thickness": 0.05, "shell": {{"plane_strain": true}},
           "transform": {{"translation": [0.12, 0.025, 0.25], "rotation_degrees": [90, 0, 0]}}}}],)",
        wall);
  } else if (solids.has_cloth) {
    json += fmt::format(
        R"("cloths": [{{"name": "sheet", "wall": "{}", "grid": {{"size": [0.1, 0.1], "vertices": [4, 4]}},
           "transform": {{"translation": [0.12, {}, 0.25]}}}}],)",
        wall, middle);
  }
  if (solids.has_soft_body) {
    json += fmt::format(
        R"("soft_bodies": [{{"name": "cube", "wall": "{}", "shape": {{"box": {{"size": [0.1, 0.1, 0.1]}}}},
           "transform": {{"translation": [0.12, {}, 0.25]}}}}],)",
        wall, middle);
  }
  if (solids.has_rigid_body) {
    json += fmt::format(
        R"("rigid_bodies": [{{"name": "brick", "shape": {{"box": {{"size": [0.1, {}, 0.1]}}}},
           "transform": {{"translation": [0.28, {}, 0.25]}}{}}}],)",
        is_flat ? 0.05 : 0.1, middle,
        solids.is_scripted ? R"(, "script": [{"time_seconds": 1, "offset": [0, 0, -0.05]}])" : "");
  }
  return json;
}

convert::LoadedScene load(const std::string& json) {
  convert::ParsedScene parsed = convert::parse_scene(json);
  EXPECT_TRUE(parsed.problems.empty()) << parsed.problems.front().message << "\n" << json;
  const auto no_assets = [](std::string_view /*name*/) -> Result<convert::AssetFile> {
    return Error{ErrorCode::invalid_mesh, "no mesh"};
  };
  return convert::load_scene(parsed.scene, no_assets, {}, std::move(parsed.problems));
}

struct Case {
  const MethodRow* method;
  FluidSolver fluid;
  int dimensions;
  const Solids* solids;
};

convert::LoadedScene load(const Case& c) {
  const bool is_flat = c.dimensions == 2 && c.fluid != FluidSolver::none;
  const std::string wall =
      wall_of(c.method->in_fluid[static_cast<std::size_t>(c.fluid)].deforming_walls);
  const std::string json = fmt::format(
      R"({{"domain": {{"lower": [0, 0, 0], "upper": [0.4, {}, 0.4]}}, {} {}
          "coupling": {{"method": "{}"}}}})",
      is_flat ? 0.05 : 0.4, fluid_json(c.fluid, c.dimensions),
      solids_json(*c.solids, is_flat, wall), c.method->name);
  return load(json);
}

/// Whether the table has it.
bool is_in_table(const Case& c) {
  const Situation situation{c.fluid, c.dimensions, kinds_of(*c.solids)};
  if (!is_for(*c.method, situation)) return false;
  const bool is_free = c.solids->has_rigid_body && !c.solids->is_scripted;
  return (c.method->has_free_rigid_bodies || !is_free) &&
         (c.dimensions == 3 || !c.solids->has_soft_body);
}

void expect_runs(const convert::LoadedScene& loaded) {
  for (const scene::Problem& problem : loaded.problems)
    ASSERT_NE(problem.severity, scene::Severity::error) << problem.path << ": " << problem.message;
  auto created = Simulation::create(loaded.scene, {});
  ASSERT_TRUE(created) << created.error().message;
  for (int frame = 0; frame < 3; ++frame) {
    const auto statistics = created.value()->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
  }
  for (const FieldView& view : created.value()->fields()) {
    for (const float value : view.values)
      ASSERT_TRUE(std::isfinite(value));
  }
}

/// The methods that a refusal tells to choose are not refused in turn. Where solids are refused
/// with any method, they are for the scene without those.
void expect_advice_leads_on(const convert::LoadedScene& loaded, const Case& c) {
  const auto are_solids_refused = [](const scene::Problem& problem) {
    return problem.message.find("must be empty") != std::string::npos;
  };
  if (std::ranges::any_of(loaded.problems, are_solids_refused)) return;
  for (const scene::Problem& problem : loaded.problems) {
    const std::size_t advice = problem.message.find("choose ");
    if (problem.path != "coupling.method" || advice == std::string::npos) continue;
    for (const MethodRow& method : scene::method_rows()) {
      if (problem.message.find(method.name, advice) == std::string::npos) continue;
      Case other = c;
      other.method = &method;
      EXPECT_TRUE(load(other).runnable()) << problem.message << ": " << method.name;
    }
  }
}

/// In words that name the method, or the solids that no method has there.
void expect_refused(const convert::LoadedScene& loaded, const Case& c) {
  ASSERT_FALSE(loaded.runnable());
  bool is_said = false;
  for (const scene::Problem& problem : loaded.problems) {
    is_said = is_said || problem.message.find(c.method->name) != std::string::npos ||
              problem.message.find("no coupling method has") != std::string::npos ||
              problem.message.find("must be empty in two dimensions") != std::string::npos;
  }
  EXPECT_TRUE(is_said) << loaded.problems.front().message;
}

class Capabilities : public testing::TestWithParam<FluidSolver> {};

TEST_P(Capabilities, are_what_the_table_says) {
  const FluidSolver fluid = GetParam();
  int run_count = 0, refused_count = 0;
  for (const MethodRow& method : scene::method_rows()) {
    for (const int dimensions : {2, 3}) {
      if (fluid == FluidSolver::none && dimensions == 2) continue;
      for (const Solids& solids : all_solids) {
        if (fluid == FluidSolver::none && kinds_of(solids) == SolidKinds::none) continue;
        const Case c{&method, fluid, dimensions, &solids};
        SCOPED_TRACE(fmt::format("{} {} in {} in {} dimensions", method.name, solids.name,
                                 scene::row_of(fluid).name, dimensions));
        const convert::LoadedScene loaded = load(c);
        if (is_in_table(c)) {
          ++run_count;
          expect_runs(loaded);
        } else {
          ++refused_count;
          expect_refused(loaded, c);
          expect_advice_leads_on(loaded, c);
        }
      }
    }
  }
  EXPECT_GT(run_count, 5);
  EXPECT_GT(refused_count, 10);
}

std::string name_of(const testing::TestParamInfo<FluidSolver>& fluid) {
  constexpr std::array<const char*, 4> names{"nothing", "mpm", "incompressible", "gas"};
  return names[static_cast<std::size_t>(fluid.param)];
}

INSTANTIATE_TEST_SUITE_P(With, Capabilities,
                         testing::Values(FluidSolver::none, FluidSolver::mpm,
                                         FluidSolver::incompressible, FluidSolver::gas),
                         name_of);

/// A value of each setting of the grid, as JSON.
constexpr std::array<std::pair<scene::GridSetting, const char*>, 7> settings{
    {{scene::GridSetting::particles, R"("particles_per_axis": 2)"},
     {scene::GridSetting::kernel, R"("kernel": "KERNEL_CUBIC")"},
     {scene::GridSetting::transfer, R"("transfer": "TRANSFER_FLIP")"},
     {scene::GridSetting::transfer, R"("transfer": "TRANSFER_FLIP", "flip_ratio": 0.9)"},
     {scene::GridSetting::pressure, R"("pressure": {"tolerance": 1e-5})"},
     {scene::GridSetting::path_integrator, R"("path_integrator": "PATH_INTEGRATOR_RK2")"},
     {scene::GridSetting::adaptive, R"("adaptive": {})"}}};

TEST(CapabilitiesOfGrids, are_what_the_table_says) {
  for (const FluidSolver fluid :
       {FluidSolver::mpm, FluidSolver::incompressible, FluidSolver::gas}) {
    const scene::FluidRow& row = scene::row_of(fluid);
    for (const auto& [setting, json] : settings) {
      SCOPED_TRACE(fmt::format("{} with {}", row.name, json));
      const convert::LoadedScene loaded = load(fmt::format(
          R"({{"domain": {{"lower": [0, 0, 0], "upper": [0.4, 0.4, 0.4]}}, {} "gravity": [0, 0, -9.81]}})",
          fluid_json(fluid, 3, fmt::format(", {}", json))));
      EXPECT_EQ(loaded.runnable(), row.settings.has(setting));
      if (row.settings.has(setting)) continue;
      ASSERT_FALSE(loaded.problems.empty());
      EXPECT_EQ(loaded.problems.front().message,
                fmt::format("has no use: only {} have it", scene::fluids_with(setting)));
    }
  }
}

TEST(CapabilitiesOfGrids, have_a_row_for_each_solver_that_a_scene_can_name) {
  const google::protobuf::EnumDescriptor& values = *v1::FluidSolver_descriptor();
  for (int i = 1; i < values.value_count(); ++i) {  // 0 is FLUID_SOLVER_UNSPECIFIED.
    EXPECT_EQ(
        std::ranges::count(scene::fluid_rows(), values.value(i)->name(), &scene::FluidRow::value),
        1)
        << values.value(i)->name();
  }
}

/// For a cell of the README's table: the solids that a method has beside the fluid.
std::string in_words(scene::SetOf<SolidKinds> solids, bool is_flat) {
  const std::array<std::pair<SolidKinds, const char*>, 4> words{
      {{SolidKinds::none, "alone"},
       {SolidKinds::deforming, is_flat ? "slices" : "cloths and soft bodies"},
       {SolidKinds::rigid, "rigid bodies"},
       {SolidKinds::both,
        is_flat ? "rigid bodies with slices" : "rigid bodies with cloths or soft bodies"}}};
  std::string text;
  std::size_t count = 0;
  for (const auto& [kind, word] : words) {
    if (!solids.has(kind)) continue;
    text += (count++ == 0 ? "" : ", ") + std::string(word);
  }
  return count == words.size() ? "all" : count == 0 ? "–" : text;
}

std::string cell_of(const MethodRow& method, FluidSolver fluid) {
  const scene::InFluid& in = method.in_fluid[static_cast<std::size_t>(fluid)];
  std::string cell = in_words(in.solids, false);
  if (in.solids.has(SolidKinds::rigid) && !method.has_free_rigid_bodies)
    cell += ", rigid bodies by scripts alone";
  if (in.solids.has(SolidKinds::deforming) && !in.deforming_walls.has(scene::WallCondition::slip))
    cell += fmt::format(" with `{}`", describe(in.deforming_walls));
  const std::string flat = in_words(in.flat_solids, true);
  if (fluid != FluidSolver::none && flat != cell) cell += "; in 2D " + flat;
  return cell;
}

std::string table_of_methods() {
  std::string table =
      "| `coupling.method` | without fluid | `FLUID_SOLVER_MPM` | `FLUID_SOLVER_INCOMPRESSIBLE` | "
      "`gas` | works by |\n|---|---|---|---|---|---|\n";
  for (const MethodRow& method : scene::method_rows()) {
    table += fmt::format("| `{}` |", method.name);
    for (const scene::FluidRow& fluid : scene::fluid_rows())
      table += fmt::format(" {} |", cell_of(method, fluid.solver));
    table += fmt::format(" {} |\n", method.works_by);
  }
  return table;
}

TEST(Capabilities, are_in_the_readme_as_the_table_has_them) {
  std::ifstream file(SLUICE_README);
  const std::string readme{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(readme.find(table_of_methods()), std::string::npos)
      << "README.md must have this table:\n"
      << table_of_methods();
}

}  // namespace
}  // namespace sluice
