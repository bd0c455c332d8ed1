// SPDX-License-Identifier: Apache-2.0

// The scenes of client/scenes run without a single remark, and are as large as is said of them.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/convert/scene_load.h"
#include "solver/scene/seeding.h"

namespace sluice::convert {
namespace {

const std::filesystem::path folder = SLUICE_SCENES;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

LoadedScene load(const std::string& name, double frame_rate = 60) {
  ParsedScene parsed = parse_scene(read_file(folder / name));
  const auto assets = [](std::string_view mesh) -> Result<AssetFile> {
    return AssetFile{std::string(mesh), read_file(folder / mesh)};
  };
  LoadedScene loaded = load_scene(parsed.scene, assets, {}, std::move(parsed.problems));
  for (const scene::Problem& problem : loaded.problems) {
    ADD_FAILURE() << name << ": " << problem.path << ": " << problem.message;
  }
  EXPECT_EQ(loaded.scene.frame_rate, frame_rate);
  EXPECT_TRUE(parsed.scene.has_camera());
  return loaded;
}

TEST(ShippedScenes, four_materials) {
  const LoadedScene loaded = load("four_materials.json");
  EXPECT_GE(loaded.particle_count, 50'000);
  ASSERT_EQ(loaded.scene.fluids.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<scene::Sand>(loaded.scene.fluids[1].material));
  EXPECT_TRUE(std::holds_alternative<scene::Snow>(loaded.scene.fluids[2].material));
  EXPECT_TRUE(std::holds_alternative<scene::Jelly>(loaded.scene.fluids[3].material));
}

TEST(ShippedScenes, river) {
  const LoadedScene loaded = load("river.json");
  EXPECT_EQ(loaded.particle_count, 0);
  EXPECT_EQ(loaded.scene.fluids.at(0).emitters.size(), 2U);
  EXPECT_EQ(loaded.scene.drains.size(), 1U);
  EXPECT_EQ(loaded.scene.grid.sides[0][1], scene::Side::open);
}

TEST(ShippedScenes, honey) {
  const LoadedScene loaded = load("honey.json");
  EXPECT_EQ(loaded.particle_count, 0);
  EXPECT_EQ(loaded.scene.grid.solver, scene::FluidSolver::incompressible);
  EXPECT_EQ(loaded.scene.grid.wall, scene::WallCondition::no_slip);
  EXPECT_EQ(loaded.scene.fluids.at(0).dynamic_viscosity, 200);
}

TEST(ShippedScenes, viscous_column) {
  const LoadedScene loaded = load("viscous_column.json", 30);
  EXPECT_EQ(loaded.particle_count, 39240);  // The README has this number.
  EXPECT_EQ(loaded.scene.grid.solver, scene::FluidSolver::incompressible);
  EXPECT_EQ(loaded.scene.grid.wall, scene::WallCondition::no_slip);
}

TEST(ShippedScenes, sand_on_two_cloths) {
  const LoadedScene loaded = load("sand_on_two_cloths.json");
  EXPECT_EQ(loaded.scene.grid.wall, scene::WallCondition::friction);
  ASSERT_EQ(loaded.scene.cloths.size(), 2U);
  EXPECT_EQ(loaded.scene.cloths[0].wall, scene::WallCondition::slip);
  EXPECT_EQ(loaded.scene.cloths[1].wall, scene::WallCondition::friction);
}

TEST(ShippedScenes, water_on_sloped_cloth) {
  const LoadedScene loaded = load("water_on_sloped_cloth.json");
  EXPECT_GE(loaded.particle_count, 60'000);
  EXPECT_GE(loaded.vertex_count, 4'000);
  // Fewer and the sheet would fall; more and it would be a plate.
  ASSERT_EQ(loaded.scene.cloths.at(0).pins.size(), 3U);
  EXPECT_EQ(loaded.scene.cloths[0].pins[0].vertices.size(), 76U);
  EXPECT_EQ(loaded.scene.cloths[0].pins[1].vertices.size(), 76U);
  EXPECT_EQ(loaded.scene.cloths[0].pins[2].vertices.size(), 64U);
  EXPECT_LT(std::filesystem::file_size(folder / "meshes/sheet.obj"), 1'000'000U);
}

TEST(ShippedScenes, dam_break_against_cloth_curtain) {
  const LoadedScene loaded = load("dam_break_cloth_curtain.json");
  EXPECT_GE(loaded.particle_count, 60'000);
  EXPECT_EQ(loaded.vertex_count, 41 * 22);
  EXPECT_EQ(loaded.scene.cloths.at(0).pins.at(0).vertices.size(), 22U);
}

TEST(ShippedScenes, cloth_on_sphere) {
  const LoadedScene loaded = load("cloth_on_sphere.json");
  EXPECT_EQ(loaded.particle_count, 0);
  EXPECT_EQ(loaded.vertex_count, 51 * 51);
}

TEST(ShippedScenes, of_gases) {  // The README has these numbers.
  using Cells = std::array<std::int64_t, 3>;
  const LoadedScene plume = load("smoke_plume.json", 30);
  EXPECT_EQ(scene::grid_cells(plume.scene), (Cells{64, 64, 128}));
  EXPECT_TRUE(plume.scene.gas->has(scene::Carried::temperature));
  EXPECT_EQ(plume.scene.grid.sides[2][1], scene::Side::open);
  const LoadedScene dyes = load("dye_box.json");
  EXPECT_EQ(dyes.scene.grid.dimensions, 2);
  const Cells box = scene::grid_cells(dyes.scene);
  EXPECT_EQ(box[0] * box[2], 256 * 256);
  EXPECT_EQ(dyes.scene.gas->sources.size(), 3U);
  const LoadedScene wind = load("air_around_obstacles.json");
  EXPECT_EQ(wind.scene.grid.dimensions, 2);
  EXPECT_EQ(scene::grid_cells(wind.scene), (Cells{320, 1, 160}));
  EXPECT_EQ(wind.scene.obstacles.size(), 4U);
  const LoadedScene sphere = load("smoke_past_sphere.json", 30);
  EXPECT_EQ(scene::grid_cells(sphere.scene), (Cells{96, 96, 144}));
  EXPECT_EQ(sphere.scene.grid.adaptive->levels, 5);
  const LoadedScene sheet = load("dye_sheet.json", 30);
  EXPECT_EQ(scene::grid_cells(sheet.scene), (Cells{512, 1, 256}));
  EXPECT_EQ(sheet.scene.grid.adaptive->levels, 6);
}

TEST(ShippedScenes, of_a_flat_liquid) {  // The README has these numbers.
  const LoadedScene loaded = load("bodies_in_flat_water.json");
  EXPECT_EQ(scene::grid_cells(loaded.scene), (std::array<std::int64_t, 3>{240, 1, 130}));
  EXPECT_EQ(loaded.scene.coupling.method, scene::CouplingMethod::variational_rigid);
  EXPECT_EQ(loaded.particle_count, 29368);
  EXPECT_EQ(loaded.vertex_count, 1720);
  EXPECT_EQ(load("three_liquids.json").particle_count, 46196);
  const LoadedScene wave = load("wave_in_a_long_tank.json", 30);
  EXPECT_EQ(scene::grid_cells(wave.scene), (std::array<std::int64_t, 3>{480, 1, 128}));
  EXPECT_EQ(wave.scene.grid.adaptive->levels, 5);
  EXPECT_EQ(wave.particle_count, 125536);
  const LoadedScene drop = load("drop_in_deep_tank.json");
  EXPECT_EQ(drop.scene.grid.adaptive->levels, 5);
  EXPECT_EQ(drop.particle_count, 1323288);
}

TEST(ShippedScenes, of_what_deforms_on_a_grid) {  // The README has these numbers.
  const LoadedScene wave = load("rubber_in_a_wave.json", 30);
  EXPECT_EQ(wave.scene.coupling.method, scene::CouplingMethod::boundary_map);
  EXPECT_EQ(wave.particle_count, 133747);
  EXPECT_EQ(wave.vertex_count, 2124);
  const LoadedScene discs = load("discs_in_a_cavity.json", 30);
  EXPECT_EQ(discs.scene.coupling.method, scene::CouplingMethod::immersed_boundary);
  EXPECT_EQ(discs.vertex_count, 434);
  const LoadedScene raft = load("raft_in_a_wave.json", 30);
  EXPECT_EQ(raft.scene.coupling.method, scene::CouplingMethod::boundary_map);
  EXPECT_EQ(raft.scene.rigid_bodies.size(), 2U);
  EXPECT_EQ(raft.particle_count, 134600);
  EXPECT_EQ(raft.vertex_count, 1948);
  const LoadedScene gate = load("gate_in_flat_water.json");
  EXPECT_EQ(gate.scene.coupling.method, scene::CouplingMethod::boundary_map);
  EXPECT_EQ(gate.particle_count, 9061);
  EXPECT_EQ(gate.vertex_count, 556);
  const LoadedScene flag = load("flag_in_smoke.json", 30);
  EXPECT_EQ(scene::grid_cells(flag.scene), (std::array<std::int64_t, 3>{64, 32, 32}));
  EXPECT_EQ(flag.scene.coupling.method, scene::CouplingMethod::boundary_map);
  EXPECT_EQ(flag.vertex_count, 26 * 17);
}

TEST(ShippedScenes, of_solids) {  // The README has these numbers.
  EXPECT_EQ(load("jelly_cube_drop.json").vertex_count, 729);
  EXPECT_EQ(load("flag_in_wind.json").vertex_count, 46 * 31);
  EXPECT_EQ(load("twisted_bar.json").vertex_count, 525);
  const LoadedScene trampoline = load("trampoline.json");
  EXPECT_EQ(trampoline.scene.rigid_bodies.size(), 2U);
  EXPECT_EQ(trampoline.vertex_count, 2959);
  const LoadedScene beams = load("kelvin_voigt_beam.json");
  EXPECT_EQ(beams.vertex_count, 306);
  EXPECT_FALSE(beams.scene.soft_bodies.at(0).material.is_damped());
  EXPECT_TRUE(beams.scene.soft_bodies.at(1).material.is_damped());
}

}  // namespace
}  // namespace sluice::convert
