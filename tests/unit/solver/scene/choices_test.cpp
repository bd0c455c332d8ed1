// SPDX-License-Identifier: Apache-2.0
// Oracle: the rules of choices.h, and which method is known to be the faster one.
#include "solver/scene/choices.h"

#include <gtest/gtest.h>

#include "solver/scene/frame_cost.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::scene {
namespace {

const OpenFields all_open{.method = true,
                          .integrator = true,
                          .contact_distance = true,
                          .max_substep = true,
                          .thickness = {}};
const OpenFields method_open{.method = true, .thickness = {}};

Scene scene_with(SoftBody body) {
  Scene scene;
  scene.soft_bodies.push_back(std::move(body));
  return scene;
}

Cloth make_card() {
  Cloth card = test::make_sheet(12, 9, 0.008, Vec3::Zero());
  card.name = "card";
  card.thickness = 3e-4;
  card.area_density = 0.3;
  card.shell = ShellMaterial{};
  card.shell->material.young_modulus = 3e9;
  return card;
}

// Symptom: 14 to 30 s a frame by default, where Newton's method takes half a second.
TEST(Choices, take_newtons_method_for_what_is_stiff_for_its_mass) {
  Scene scene;
  scene.cloths = {make_card()};
  const std::vector<Choice> choices = choose(all_open, scene);
  EXPECT_EQ(scene.solid_solver.integrator, Integrator::newton);
  ASSERT_EQ(choices.size(), 1);
  EXPECT_EQ(choices[0].path, "solid_solver.integrator");
  EXPECT_EQ(choices[0].value, "INTEGRATOR_NEWTON");
  EXPECT_NE(choices[0].reason.find("\"card\""), std::string::npos) << choices[0].reason;
  EXPECT_GT(cost_of_consensus_admm(scene).substep_count, 1000);
  EXPECT_EQ(cost_of_newton(scene).substep_count, 4);
}

TEST(Choices, take_consensus_admm_for_what_is_large_and_soft) {
  Scene scene = scene_with(test::make_block({0, 0, 0}, {1, 1, 1}, 0.08, 1e4));
  const std::vector<Choice> choices = choose(all_open, scene);
  EXPECT_EQ(scene.solid_solver.integrator, Integrator::consensus_admm);
  ASSERT_EQ(choices.size(), 1);
  EXPECT_EQ(choices[0].value, "INTEGRATOR_CONSENSUS_ADMM");
}

TEST(Choices, leave_alone_what_the_scene_says) {
  Scene scene = scene_with(test::make_block({0, 0, 0}, {0.004, 0.004, 0.004}, 0.001, 1e4));
  scene.coupling.contact_distance = 0.5;
  scene.solid_solver.integrator = Integrator::lbfgs;
  EXPECT_TRUE(choose({}, scene).empty());
  EXPECT_EQ(scene.coupling.contact_distance, 0.5);
  EXPECT_EQ(scene.solid_solver.integrator, Integrator::lbfgs);
}

// Symptom: bodies of millimetres kept a millimetre between them, and were half as thick as long.
TEST(Choices, scale_contact_and_thickness_with_small_bodies) {
  Scene scene = scene_with(test::make_block({0, 0, 0}, {0.004, 0.004, 0.004}, 0.001, 1e4));
  OpenFields open = all_open;
  EXPECT_FALSE(choose(open, scene).empty());
  EXPECT_DOUBLE_EQ(scene.coupling.contact_distance, 1e-4);

  scene = {};
  scene.cloths = {test::make_sheet(41, 41, 0.00025, Vec3::Zero())};
  open.thickness = {0};
  const std::vector<Choice> choices = choose(open, scene);
  EXPECT_NEAR(scene.coupling.contact_distance, 2.5e-4, 1e-12);
  EXPECT_NEAR(scene.cloths[0].thickness, 1e-4, 1e-12);
  ASSERT_EQ(choices.size(), 3);
  EXPECT_EQ(choices[0].path, "cloths[0].thickness");
  EXPECT_EQ(choices[1].path, "coupling.contact_distance");

  scene = {};
  scene.cloths = {test::make_sheet(11, 11, 0.1, Vec3::Zero())};
  EXPECT_FALSE(choose(open, scene).empty());
  EXPECT_EQ(scene.coupling.contact_distance, 1e-3);
  EXPECT_EQ(scene.cloths[0].thickness, 1e-3);
}

// The first method of the table that is for the scene's fluid and solids; of a scene that names
// one, that.
TEST(Choices, take_the_method_that_the_table_has_first) {
  const auto method_of = [](const Scene& scene) {
    Scene chosen = scene;
    chosen.coupling.method = CouplingMethod::newton_ipc;
    EXPECT_LE(choose(method_open, chosen).size(), 1);
    return chosen.coupling.method;
  };
  Scene scene;
  scene.cloths.resize(1);
  EXPECT_EQ(method_of(scene), CouplingMethod::admm_ipc);
  scene.fluids.resize(1);
  EXPECT_EQ(method_of(scene), CouplingMethod::admm_ipc);
  scene.grid.solver = FluidSolver::incompressible;
  EXPECT_EQ(method_of(scene), CouplingMethod::boundary_map);
  scene.rigid_bodies.resize(1);
  EXPECT_EQ(method_of(scene), CouplingMethod::boundary_map);
  scene.cloths.clear();
  EXPECT_EQ(method_of(scene), CouplingMethod::variational_rigid);
  scene.rigid_bodies.clear();
  EXPECT_EQ(method_of(scene), CouplingMethod::admm_ipc);
  scene.fluids.clear();
  scene.gas.emplace();
  EXPECT_EQ(method_of(scene), CouplingMethod::admm_ipc);
  scene.soft_bodies.resize(1);
  EXPECT_EQ(method_of(scene), CouplingMethod::boundary_map);
  scene.coupling.method = CouplingMethod::weak;
  EXPECT_TRUE(choose({}, scene).empty());
  EXPECT_EQ(scene.coupling.method, CouplingMethod::weak);
}

}  // namespace
}  // namespace sluice::scene
