// SPDX-License-Identifier: Apache-2.0
#include "server/convert/scene_convert.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <tuple>

#include "solver/solid/isotropic/energies.h"

namespace sluice::convert {
namespace {

using testing::ElementsAre;

v1::Scene from_text(const std::string& text) {
  v1::Scene scene;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &scene));
  return scene;
}

Result<AssetFile> no_assets(std::string_view name) {
  return Error{ErrorCode::invalid_mesh, "no asset " + std::string(name)};
}

ConvertedScene convert(const v1::Scene& scene) {
  ConvertedScene converted = convert_scene(scene, no_assets, {});
  for (const scene::Problem& problem : converted.problems) {
    ADD_FAILURE() << problem.path << ": " << problem.message;
  }
  return converted;
}

ConvertedScene convert(const std::string& text) { return convert(from_text(text)); }

constexpr const char* least_scene = R"(
  domain { lower: [-1, -1, -1] upper: [1, 1, 1] }
  fluid_grid { cell_size: 0.05 }
  fluids { name: "water" regions { sphere { radius: 0.5 } } }
  cloths { name: "sheet" grid { size: [1, 2] vertices: [2, 3] } pins { vertices: 0 } }
  soft_bodies { name: "jelly" shape { box { size: [0.24, 0.1, 0.1] } } transform { translation: [0, 0, 0.8] } pins { vertices: 0 } }
  rigid_bodies { name: "stone" shape { sphere { radius: 0.06 } } transform { translation: [0, 0, -0.8] } }
  obstacles { name: "rock" shape { capsule { radius: 0.1 length: 0.6 } } }
)";

TEST(SceneConvert, applies_every_documented_default) {  // Oracle: the comments of scene.proto.
  const scene::Scene scene = convert(least_scene).scene;
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(scene.grid.wall, scene::WallCondition::slip);
  EXPECT_EQ(scene.grid.wall_friction, 0.3);
  EXPECT_EQ(scene.cloths.at(0).wall, scene::WallCondition::slip);
  EXPECT_EQ(scene.frame_count, 120);
  EXPECT_EQ(scene.frame_rate, 60);
  EXPECT_EQ(scene.coupling.max_substep, 1.0 / 240);
  EXPECT_EQ(scene.grid.kernel, scene::Kernel::quadratic);
  EXPECT_EQ(scene.grid.particles_per_axis, 2);
  EXPECT_EQ(scene.grid.cfl, 0.4);
  EXPECT_EQ(scene.coupling.method, scene::CouplingMethod::admm_ipc);
  EXPECT_DOUBLE_EQ(scene.coupling.contact_distance, 0.005);
  EXPECT_EQ(scene.coupling.max_iterations, 30);
  EXPECT_EQ(scene.coupling.tolerance, 1e-3);
  const scene::Fluid& fluid = scene.fluids.at(0);
  EXPECT_EQ(fluid.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(fluid.density, 1000);
  EXPECT_EQ(fluid.sound_speed, 20);
  EXPECT_EQ(fluid.eos_exponent, 7);
  EXPECT_EQ(fluid.dynamic_viscosity, 0.001);
  EXPECT_EQ(fluid.regions.at(0).translation, Vec3(0, 0, 0));
  EXPECT_EQ(fluid.regions.at(0).rotation, Mat3::Identity());
  const scene::Cloth& cloth = scene.cloths.at(0);
  EXPECT_EQ(cloth.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(cloth.area_density, 0.2);
  EXPECT_EQ(cloth.structural_stiffness, 50);
  EXPECT_EQ(cloth.shear_stiffness, 20);
  EXPECT_EQ(cloth.bend_stiffness, 0.5);
  EXPECT_EQ(cloth.damping, 0);
  EXPECT_EQ(cloth.thickness, 0.001);
  EXPECT_EQ(cloth.pins.at(0).name, "pin0");
  EXPECT_EQ(cloth.pins.at(0).velocity, Vec3(0, 0, 0));
  const scene::SoftBody& body = scene.soft_bodies.at(0);
  EXPECT_EQ(body.mesh.tets.size(), 5U * 12 * 5 * 5) << "elements of a twelfth of 0.24 m";
  EXPECT_EQ(body.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(body.density, 1000);
  EXPECT_EQ(body.damping, 0);
  EXPECT_EQ(body.material.model, "stable_neo_hookean");
  EXPECT_EQ(body.material.young_modulus, 1e5);
  EXPECT_EQ(body.material.poisson_ratio, 0.4);
  EXPECT_EQ(body.pins.at(0).name, "pin0");
  EXPECT_EQ(body.gravity_scale, 1);
  EXPECT_FALSE(body.material.is_damped());
  EXPECT_FALSE(cloth.shell);
  EXPECT_EQ(scene.solid_solver.integrator, scene::Integrator::consensus_admm);
  EXPECT_EQ(scene.solid_solver.max_iterations, 200);
  EXPECT_EQ(scene.solid_solver.tolerance, 1e-3);
  EXPECT_FALSE(scene.wind) << "no air";
  const scene::RigidBody& stone = scene.rigid_bodies.at(0);
  EXPECT_EQ(stone.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(stone.angular_velocity, Vec3(0, 0, 0));
  EXPECT_EQ(stone.density, 1000);
  EXPECT_EQ(stone.friction, 0.3);
  EXPECT_EQ(stone.damping, 0);
  EXPECT_EQ(stone.gravity_scale, 1);
  EXPECT_TRUE(stone.script.empty());
  // A circle round the ball in edges of at most a twelfth of 0.12 m: 38 and more.
  EXPECT_GT(stone.mesh.triangles.size(), 38U * 19U);
  EXPECT_EQ(scene.obstacles.at(0).wall, scene::WallCondition::slip);
  EXPECT_EQ(scene.obstacles.at(0).friction, 0.3);
  // A full length of 0.6 m is half a length of 0.3 m.
  EXPECT_EQ(std::get<geometry::Capsule>(scene.obstacles[0].shape.form).half_length, 0.3);

  const scene::Scene dry = convert(R"(
    domain { lower: [-1, -1, -1] upper: [1, 1, 1] }
    cloths { name: "sheet" grid { size: [1, 2] vertices: [2, 3] } })")
                               .scene;
  EXPECT_EQ(dry.coupling.contact_distance, 1e-3);
}

TEST(SceneConvert, takes_what_a_fluid_is_made_of) {
  const ConvertedScene converted = convert(R"(
    domain { lower: [0, 0, 0] upper: [4, 4, 4] }
    fluid_grid { cell_size: 0.1 }
    fluids { name: "mud" regions { sphere { radius: 1 } } bingham { yield_stress: 30 shear_modulus: 900 }
             dynamic_viscosity: 4 sound_speed: 12 }
    fluids { name: "paste" regions { sphere { radius: 1 } } bingham { yield_stress: 30 } }
    fluids { name: "jelly" regions { sphere { radius: 1 } } jelly { young_modulus: 7 poisson_ratio: 0.1 } }
    fluids { name: "rubber" regions { sphere { radius: 1 } } jelly {} }
    fluids { name: "sand" regions { sphere { radius: 1 } }
             sand { young_modulus: 8 poisson_ratio: 0.2 friction_angle_degrees: 45 } }
    fluids { name: "dust" regions { sphere { radius: 1 } } sand {} }
    fluids { name: "snow" regions { sphere { radius: 1 } } density: 400
             snow { young_modulus: 9 poisson_ratio: 0.4 critical_compression: 0.1 critical_stretch: 0.2 hardening: 3 } }
    fluids { name: "powder" regions { sphere { radius: 1 } } snow {} }
    fluids { name: "water" regions { sphere { radius: 1 } } })");
  const scene::Scene& scene = converted.scene;
  const auto& mud = std::get<scene::Bingham>(scene.fluids.at(0).material);
  EXPECT_EQ(mud.yield_stress, 30);
  EXPECT_EQ(mud.shear_modulus, 900);
  EXPECT_EQ(scene.fluids[0].dynamic_viscosity, 4);
  EXPECT_EQ(scene.fluids[0].sound_speed, 12);
  EXPECT_EQ(std::get<scene::Bingham>(scene.fluids[1].material).shear_modulus, 1500);
  EXPECT_EQ(scene.fluids[1].dynamic_viscosity, 1);
  const auto& jelly = std::get<scene::Jelly>(scene.fluids[2].material);
  EXPECT_EQ(jelly.young_modulus, 7);
  EXPECT_EQ(jelly.poisson_ratio, 0.1);
  const auto& rubber = std::get<scene::Jelly>(scene.fluids[3].material);
  EXPECT_EQ(rubber.young_modulus, 1e5);
  EXPECT_EQ(rubber.poisson_ratio, 0.3);
  const auto& sand = std::get<scene::Sand>(scene.fluids[4].material);
  EXPECT_EQ(sand.young_modulus, 8);
  EXPECT_EQ(sand.poisson_ratio, 0.2);
  EXPECT_NEAR(sand.friction_angle, std::numbers::pi / 4, 1e-15);
  const auto& dust = std::get<scene::Sand>(scene.fluids[5].material);
  EXPECT_EQ(dust.young_modulus, 3.5e5);
  EXPECT_EQ(dust.poisson_ratio, 0.3);
  EXPECT_NEAR(dust.friction_angle, 35 * std::numbers::pi / 180, 1e-15);
  const auto& snow = std::get<scene::Snow>(scene.fluids[6].material);
  EXPECT_EQ(snow.young_modulus, 9);
  EXPECT_EQ(snow.poisson_ratio, 0.4);
  EXPECT_EQ(snow.critical_compression, 0.1);
  EXPECT_EQ(snow.critical_stretch, 0.2);
  EXPECT_EQ(snow.hardening, 3);
  const auto& powder = std::get<scene::Snow>(scene.fluids[7].material);
  EXPECT_EQ(powder.young_modulus, 1.4e5);
  EXPECT_EQ(powder.poisson_ratio, 0.2);
  EXPECT_EQ(powder.critical_compression, 0.025);
  EXPECT_EQ(powder.critical_stretch, 0.0075);
  EXPECT_EQ(powder.hardening, 10);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(scene.fluids[8].material));
}

TEST(SceneConvert,
     takes_every_field_that_is_given) {  // A field that is accepted and ignored is a lie.
  const scene::Scene scene = convert(R"(
    name: "all" gravity: [1, 2, 3]
    domain { lower: [-1, -2, -3] upper: [4, 5, 6] wall: WALL_CONDITION_NO_SLIP }
    timing { frame_count: 7 frames_per_second: 24 max_substep_seconds: 0.01 }
    fluid_grid { cell_size: 0.1 kernel: KERNEL_CUBIC particles_per_axis: 3 cfl_number: 0.3 }
    coupling { method: COUPLING_METHOD_ONE_WAY contact_distance: 0.02 max_iterations: 9 tolerance: 0.5
               step_filter: STEP_FILTER_GLOBAL drag: 70 }
    fluids { name: "oil" regions { box { size: [2, 4, 6] } } regions { cylinder { radius: 1 length: 4 } }
             velocity: [1, 0, 2] density: 900 sound_speed: 30 eos_exponent: 2 dynamic_viscosity: 0.1 }
    cloths { name: "sheet" grid { size: [1, 2] vertices: [2, 2] } velocity: [0, 1, 0] area_density: 0.3
             structural_stiffness: 1 shear_stiffness: 2 bend_stiffness: 3 damping: 4 thickness: 0.005 friction: 0.7
             pins { name: "left" vertices: [3, 1] velocity: [0, 0, 5] } }
    soft_bodies { name: "jelly" shape { box { size: [2, 1, 1] } transform { translation: [0, 0, 1] } }
                  element_size: 1 transform { rotation_degrees: [0, 0, 90] } velocity: [0, 3, 0] density: 800
                  material { model: ELASTIC_MODEL_NEO_HOOKEAN young_modulus: 2e5 poisson_ratio: 0.3
                             stiffness_damping: 0.1 kelvin_voigt_lambda: 6 kelvin_voigt_mu: 7 }
                  damping: 2 gravity_scale: 0.5 friction: 0.8 pins { name: "end" vertices: [0, 3] velocity: [1, 0, 0] } }
    soft_bodies { name: "other" shape { box { size: [1, 1, 1] } } element_size: 1
                  material { lame_lambda: 1e5 lame_mu: 1e5 } }
    cloths { name: "shell" grid { size: [1, 2] vertices: [2, 2] } gravity_scale: 2
             shell { material { young_modulus: 3e5 } bend_scale: 4 plane_strain: true } }
    wind { velocity: [1, 2, 3] gust_strength: 0.5 gust_period_seconds: 2 density: 1.1 normal_drag: 0.9 tangential_drag: 0.2 }
    springs { body_a: "sheet" vertex_a: 1 body_b: "jelly" vertex_b: 2 stiffness: 30 rest_length: 0.7 }
    rigid_bodies { name: "stone" shape { box { size: [2, 1, 1] } transform { translation: [0, 0, 1] } } element_size: 1
                   transform { rotation_degrees: [0, 0, 90] } velocity: [1, 2, 3] angular_velocity_degrees: [180, 0, 0]
                   density: 700 friction: 0.6 restitution: 0.5 damping: 0.1 gravity_scale: 0.2
                   script { time_seconds: 1 offset: [1, 0, 0] } script { time_seconds: 2 rotation_degrees: [0, 0, 180] } }
    solid_solver { integrator: INTEGRATOR_LBFGS max_iterations: 50 tolerance: 1e-4 }
    obstacles { name: "floor" shape { half_space {} transform { translation: [0, 0, -1] } }
                wall: WALL_CONDITION_NO_SLIP friction: 0.9 restitution: 0.4 }
    contact_pairs { body_a: "stone" body_b: "floor" friction: 0.1 restitution: 0.2 }
    contact_pairs { body_a: "sheet" body_b: "jelly" })")
                                 .scene;
  EXPECT_EQ(scene.name, "all");
  EXPECT_EQ(scene.gravity, Vec3(1, 2, 3));
  EXPECT_EQ(scene.domain_lower, Vec3(-1, -2, -3));
  EXPECT_EQ(scene.domain_upper, Vec3(4, 5, 6));
  EXPECT_EQ(scene.grid.wall, scene::WallCondition::no_slip);
  EXPECT_EQ(scene.frame_count, 7);
  EXPECT_EQ(scene.frame_rate, 24);
  EXPECT_EQ(scene.coupling.max_substep, 0.01);
  EXPECT_EQ(scene.grid.cell_size, 0.1);
  EXPECT_EQ(scene.grid.kernel, scene::Kernel::cubic);
  EXPECT_EQ(scene.grid.particles_per_axis, 3);
  EXPECT_EQ(scene.grid.cfl, 0.3);
  EXPECT_EQ(scene.coupling.contact_distance, 0.02);
  EXPECT_EQ(scene.coupling.max_iterations, 9);
  EXPECT_EQ(scene.coupling.tolerance, 0.5);
  EXPECT_EQ(scene.coupling.method, scene::CouplingMethod::one_way);
  EXPECT_EQ(scene.coupling.step_filter, scene::StepFilter::global);
  EXPECT_EQ(scene.coupling.drag, 70);
  const scene::Fluid& fluid = scene.fluids.at(0);
  EXPECT_EQ(std::get<geometry::Box>(fluid.regions.at(0).form).half_extents, Vec3(1, 2, 3));
  EXPECT_EQ(std::get<geometry::Cylinder>(fluid.regions.at(1).form).half_length, 2);
  EXPECT_EQ(fluid.velocity, Vec3(1, 0, 2));
  EXPECT_EQ(fluid.density, 900);
  EXPECT_EQ(fluid.sound_speed, 30);
  EXPECT_EQ(fluid.eos_exponent, 2);
  EXPECT_EQ(fluid.dynamic_viscosity, 0.1);
  const scene::Cloth& cloth = scene.cloths.at(0);
  EXPECT_EQ(cloth.velocity, Vec3(0, 1, 0));
  EXPECT_EQ(cloth.area_density, 0.3);
  EXPECT_EQ(cloth.structural_stiffness, 1);
  EXPECT_EQ(cloth.shear_stiffness, 2);
  EXPECT_EQ(cloth.bend_stiffness, 3);
  EXPECT_EQ(cloth.damping, 4);
  EXPECT_EQ(cloth.thickness, 0.005);
  EXPECT_EQ(cloth.friction, 0.7);
  EXPECT_EQ(cloth.pins.at(0).name, "left");
  EXPECT_THAT(cloth.pins[0].vertices, ElementsAre(3, 1));
  EXPECT_EQ(cloth.pins[0].velocity, Vec3(0, 0, 5));
  const scene::SoftBody& body = scene.soft_bodies.at(0);
  ASSERT_EQ(body.mesh.tets.size(), 10U);
  // The box's corner (-1, -0.5, -0.5), up by 1, then a quarter turn about z.
  EXPECT_LT((body.mesh.vertices.at(0) - Vec3(0.5, -1, 0.5)).norm(), 1e-15);
  EXPECT_EQ(body.velocity, Vec3(0, 3, 0));
  EXPECT_EQ(body.density, 800);
  EXPECT_EQ(body.material.model, "neo_hookean");
  EXPECT_EQ(body.material.young_modulus, 2e5);
  EXPECT_EQ(body.material.poisson_ratio, 0.3);
  EXPECT_EQ(body.material.stiffness_damping, 0.1);
  EXPECT_EQ(body.material.kelvin_voigt_lambda, 6);
  EXPECT_EQ(body.material.kelvin_voigt_mu, 7);
  EXPECT_EQ(body.damping, 2);
  EXPECT_EQ(body.gravity_scale, 0.5);
  EXPECT_EQ(body.friction, 0.8);
  const scene::Cloth& shell = scene.cloths.at(1);
  ASSERT_TRUE(shell.shell);
  EXPECT_EQ(shell.shell->material.young_modulus, 3e5);
  EXPECT_EQ(shell.shell->bend_scale, 4);
  EXPECT_TRUE(shell.shell->plane_strain);
  EXPECT_EQ(shell.gravity_scale, 2);
  ASSERT_TRUE(scene.wind);
  EXPECT_EQ(scene.wind->velocity, Vec3(1, 2, 3));
  EXPECT_EQ(scene.wind->gust_strength, 0.5);
  EXPECT_EQ(scene.wind->gust_period, 2);
  EXPECT_EQ(scene.wind->density, 1.1);
  EXPECT_EQ(scene.wind->normal_drag, 0.9);
  EXPECT_EQ(scene.wind->tangential_drag, 0.2);
  ASSERT_EQ(scene.springs.size(), 1U);
  EXPECT_EQ(scene.springs[0].a.body, "sheet");
  EXPECT_EQ(scene.springs[0].a.vertex, 1);
  EXPECT_EQ(scene.springs[0].b.body, "jelly");
  EXPECT_EQ(scene.springs[0].b.vertex, 2);
  EXPECT_EQ(scene.springs[0].stiffness, 30);
  EXPECT_EQ(scene.springs[0].rest_length, 0.7);
  const scene::RigidBody& stone = scene.rigid_bodies.at(0);
  EXPECT_EQ(stone.mesh.triangles.size(), 20U) << "two a square, of a box of 2 x 1 x 1 squares";
  for (const Vec3& x : stone.mesh.vertices) {  // Up by 1, then a quarter turn about z.
    EXPECT_LT(std::abs(x.x()), 0.5 + 1e-12);
    EXPECT_LT(std::abs(x.y()), 1 + 1e-12);
    EXPECT_NEAR(x.z(), 1, 0.5 + 1e-12);
  }
  EXPECT_EQ(stone.velocity, Vec3(1, 2, 3));
  EXPECT_DOUBLE_EQ(stone.angular_velocity.x(), std::numbers::pi);
  EXPECT_EQ(stone.density, 700);
  EXPECT_EQ(stone.friction, 0.6);
  EXPECT_EQ(stone.restitution, 0.5);
  EXPECT_EQ(stone.damping, 0.1);
  EXPECT_EQ(stone.gravity_scale, 0.2);
  ASSERT_EQ(stone.script.size(), 2U);
  EXPECT_EQ(stone.script[0].time, 1);
  EXPECT_EQ(stone.script[0].offset, Vec3(1, 0, 0));
  EXPECT_EQ(stone.script[1].offset, Vec3(0, 0, 0));
  EXPECT_LT((stone.script[1].rotation * Vec3(1, 0, 0) - Vec3(-1, 0, 0)).norm(), 1e-12);
  EXPECT_EQ(scene.solid_solver.integrator, scene::Integrator::lbfgs);
  EXPECT_EQ(scene.solid_solver.max_iterations, 50);
  EXPECT_EQ(scene.solid_solver.tolerance, 1e-4);
  EXPECT_EQ(body.pins.at(0).name, "end");
  EXPECT_THAT(body.pins[0].vertices, ElementsAre(0, 3));
  EXPECT_EQ(body.pins[0].velocity, Vec3(1, 0, 0));
  // lambda = mu: nu = 1/4, E = 5/2 mu.
  EXPECT_DOUBLE_EQ(scene.soft_bodies.at(1).material.poisson_ratio, 0.25);
  EXPECT_DOUBLE_EQ(scene.soft_bodies[1].material.young_modulus, 2.5e5);
  EXPECT_EQ(scene.obstacles.at(0).shape.translation, Vec3(0, 0, -1));
  EXPECT_EQ(scene.obstacles[0].wall, scene::WallCondition::no_slip);
  EXPECT_EQ(scene.obstacles[0].friction, 0.9);
  EXPECT_EQ(scene.obstacles[0].restitution, 0.4);
  ASSERT_EQ(scene.contact_pairs.size(), 2U);
  EXPECT_EQ(scene.contact_pairs[0].body_a, "stone");
  EXPECT_EQ(scene.contact_pairs[0].body_b, "floor");
  EXPECT_EQ(scene.contact_pairs[0].friction, 0.1);
  EXPECT_EQ(scene.contact_pairs[0].restitution, 0.2);
  EXPECT_FALSE(scene.contact_pairs[1].friction);
  EXPECT_FALSE(scene.contact_pairs[1].restitution);
}

TEST(SceneConvert, takes_an_incompressible_liquid) {
  const scene::Scene scene = convert(R"(
    name: "liquid"
    domain { lower: [0, 0, 0] upper: [4, 4, 4] }
    fluid_grid { cell_size: 0.1 solver: FLUID_SOLVER_INCOMPRESSIBLE transfer: TRANSFER_FLIP flip_ratio: 0.8
                 pressure { preconditioner: PRECONDITIONER_JACOBI tolerance: 1e-4 max_iterations: 77 }
                 path_integrator: PATH_INTEGRATOR_RK2 }
    fluids { name: "water" regions { sphere { radius: 0.5 } transform { translation: [2, 2, 2] } } })")
                                 .scene;
  EXPECT_EQ(scene.grid.solver, scene::FluidSolver::incompressible);
  EXPECT_EQ(scene.grid.cfl, 2);
  EXPECT_EQ(scene.coupling.max_substep, 0.1);
  EXPECT_EQ(scene.grid.transfer, scene::Transfer::flip);
  EXPECT_EQ(scene.grid.flip_ratio, 0.8);
  EXPECT_EQ(scene.grid.pressure.preconditioner, scene::Preconditioner::jacobi);
  EXPECT_EQ(scene.grid.pressure.tolerance, 1e-4);
  EXPECT_EQ(scene.grid.pressure.max_iterations, 77);
  EXPECT_EQ(scene.grid.path_integrator, scene::PathIntegrator::rk2);
  EXPECT_EQ(scene.fluids.at(0).dynamic_viscosity, 0);
}

TEST(SceneConvert, takes_the_viscosity_of_an_incompressible_liquid) {
  const scene::Scene scene = convert(R"(
    name: "honey"
    domain { lower: [0, 0, 0] upper: [4, 4, 4] }
    fluid_grid { cell_size: 0.1 solver: FLUID_SOLVER_INCOMPRESSIBLE }
    fluids { name: "honey" regions { sphere { radius: 0.5 } transform { translation: [2, 2, 2] } }
             dynamic_viscosity: 10 })")
                                 .scene;
  EXPECT_EQ(scene.fluids.at(0).dynamic_viscosity, 10);
  EXPECT_EQ(scene.grid.path_integrator, scene::PathIntegrator::rk3);
}

constexpr const char* least_gas = R"(
  domain { lower: [0, 0, 0] upper: [4, 4, 4] }
  fluid_grid { cell_size: 0.1 }
  gas { name: "air" }
)";

TEST(SceneConvert,
     applies_every_documented_default_of_a_gas) {  // Oracle: the comments of scene.proto.
  const scene::Scene scene = convert(least_gas).scene;
  EXPECT_EQ(scene.grid.cfl, 2);
  EXPECT_EQ(scene.grid.dimensions, 3);
  EXPECT_EQ(scene.grid.pressure.preconditioner, scene::Preconditioner::automatic);
  EXPECT_EQ(scene.grid.path_integrator, scene::PathIntegrator::rk3);
  EXPECT_EQ(scene.coupling.max_substep, 0.1);
  for (const auto& sides : scene.grid.side_velocities) {
    for (const scene::SideVelocity& side : sides)
      EXPECT_EQ(side, scene::SideVelocity{});
  }
  ASSERT_TRUE(scene.gas);
  const scene::Gas& gas = *scene.gas;
  EXPECT_EQ(gas.name, "air");
  EXPECT_THAT(gas.carries, ElementsAre(scene::Carried::smoke));
  EXPECT_EQ(gas.velocity, Vec3(0, 0, 0));
  EXPECT_TRUE(gas.regions.empty());
  EXPECT_TRUE(gas.sources.empty());
  EXPECT_EQ(gas.density, 1.2);
  EXPECT_EQ(gas.dynamic_viscosity, 0);
  EXPECT_EQ(gas.ambient_temperature, 293.15);
  EXPECT_EQ(gas.smoke_density, 0);
  EXPECT_EQ(gas.fading, 0);
  EXPECT_EQ(gas.cooling, 0);
  EXPECT_EQ(gas.vorticity_confinement, 0);
  EXPECT_EQ(gas.advection, scene::Advection::cubic);
  EXPECT_FALSE(convert(least_scene).scene.gas);
}

TEST(SceneConvert, takes_a_gas) {
  const scene::Scene scene = convert(R"(
    domain { lower: [0, 0, 0] upper: [4, 4, 4] wall: WALL_CONDITION_NO_SLIP open_sides: SIDE_Z_UPPER
             side_velocities { side: SIDE_X_LOWER velocity: [1, 0, 2] profile: PROFILE_PARABOLIC }
             side_velocities { side: SIDE_Z_LOWER velocity: [3, 0, 0] profile: PROFILE_UNIFORM } }
    timing { max_substep_seconds: 0.02 }
    fluid_grid { cell_size: 0.1 cfl_number: 5 dimensions: 2
                 pressure { preconditioner: PRECONDITIONER_FAST_POISSON tolerance: 1e-4 max_iterations: 77 }
                 path_integrator: PATH_INTEGRATOR_RK2
                 adaptive { levels: 7 detail: 3 max_cells: 123456 finest { sphere { radius: 0.25 } transform { translation: [1, 2, 3] } } } }
    gas { name: "smoke" carries: CARRIED_DYE carries: CARRIED_TEMPERATURE carries: CARRIED_SMOKE velocity: [1, 2, 3]
          density: 2 dynamic_viscosity: 0.1 ambient_temperature: 280 smoke_density: 0.5 fading: 0.25 cooling: 0.75
          vorticity_confinement: 4 advection: ADVECTION_MACCORMACK
          regions { shape { sphere { radius: 0.5 } transform { translation: [1, 1, 1] } }
                    content { velocity: [4, 5, 6] smoke: 0 temperature: 300 dye: [0.1, 0.2, 0.3] } }
          sources { shape { box { size: [1, 2, 1] } transform { translation: [2, 2, 2] } } content { smoke: 1 }
                    start_seconds: 1 stop_seconds: 2 }
          sources { shape { sphere { radius: 0.1 } } content { temperature: 900 } } }
    output { fields: FIELD_PRESSURE fields: FIELD_VELOCITY fields: FIELD_CELL_LEVEL })")
                                 .scene;
  EXPECT_EQ(scene.coupling.max_substep, 0.02);
  EXPECT_EQ(scene.grid.cfl, 5);
  EXPECT_EQ(scene.grid.dimensions, 2);
  EXPECT_EQ(scene.grid.wall, scene::WallCondition::no_slip);
  EXPECT_EQ(scene.grid.sides[2][1], scene::Side::open);
  EXPECT_EQ(scene.grid.side_velocities[0][0], (scene::SideVelocity{Vec3(1, 0, 2), true}));
  EXPECT_EQ(scene.grid.side_velocities[2][0], (scene::SideVelocity{Vec3(3, 0, 0), false}));
  EXPECT_EQ(scene.grid.side_velocities[0][1], scene::SideVelocity{});
  EXPECT_EQ(scene.grid.pressure.preconditioner, scene::Preconditioner::fast_poisson);
  EXPECT_EQ(scene.grid.pressure.tolerance, 1e-4);
  EXPECT_EQ(scene.grid.pressure.max_iterations, 77);
  EXPECT_EQ(scene.grid.path_integrator, scene::PathIntegrator::rk2);
  ASSERT_TRUE(scene.grid.adaptive.has_value());
  EXPECT_EQ(scene.grid.adaptive->levels, 7);
  EXPECT_EQ(scene.grid.adaptive->detail, 3);
  EXPECT_EQ(scene.grid.adaptive->max_cells, 123456);
  ASSERT_EQ(scene.grid.adaptive->finest.size(), 1U);
  EXPECT_EQ(scene.grid.adaptive->finest[0].translation, Vec3(1, 2, 3));
  EXPECT_THAT(scene.output.fields,
              ElementsAre(Field::pressure, Field::velocity, Field::cell_level));
  const scene::Gas& gas = scene.gas.value();
  EXPECT_EQ(gas.name, "smoke");
  EXPECT_THAT(gas.carries,
              ElementsAre(scene::Carried::dye, scene::Carried::temperature, scene::Carried::smoke));
  EXPECT_EQ(gas.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(gas.density, 2);
  EXPECT_EQ(gas.dynamic_viscosity, 0.1);
  EXPECT_EQ(gas.ambient_temperature, 280);
  EXPECT_EQ(gas.smoke_density, 0.5);
  EXPECT_EQ(gas.fading, 0.25);
  EXPECT_EQ(gas.cooling, 0.75);
  EXPECT_EQ(gas.vorticity_confinement, 4);
  EXPECT_EQ(gas.advection, scene::Advection::maccormack);
  ASSERT_EQ(gas.regions.size(), 1U);
  EXPECT_EQ(std::get<geometry::Sphere>(gas.regions[0].shape.form).radius, 0.5);
  EXPECT_EQ(gas.regions[0].shape.translation, Vec3(1, 1, 1));
  EXPECT_EQ(gas.regions[0].content.velocity, Vec3(4, 5, 6));
  EXPECT_EQ(gas.regions[0].content.smoke, 0) << "given, and not the same as left out";
  EXPECT_EQ(gas.regions[0].content.temperature, 300);
  EXPECT_EQ(gas.regions[0].content.dye, Vec3(0.1, 0.2, 0.3));
  ASSERT_EQ(gas.sources.size(), 2U);
  EXPECT_EQ(std::get<geometry::Box>(gas.sources[0].shape.form).half_extents, Vec3(0.5, 1, 0.5));
  EXPECT_EQ(gas.sources[0].content.smoke, 1);
  EXPECT_FALSE(gas.sources[0].content.velocity);
  EXPECT_FALSE(gas.sources[0].content.temperature);
  EXPECT_FALSE(gas.sources[0].content.dye);
  EXPECT_EQ(gas.sources[0].open.start, 1);
  EXPECT_EQ(gas.sources[0].open.stop, 2);
  EXPECT_EQ(gas.sources[1].content.temperature, 900);
  EXPECT_EQ(gas.sources[1].open.start, 0);
  EXPECT_TRUE(std::isinf(gas.sources[1].open.stop));
}

// A new one in the proto must not be ignored.
TEST(SceneConvert, knows_all_that_a_gas_carries_and_how) {
  const google::protobuf::EnumDescriptor* ways = v1::Advection_descriptor();
  std::set<scene::Advection> advections;
  for (int i = 1; i < ways->value_count(); ++i) {
    v1::Scene scene = from_text(least_gas);
    scene.mutable_gas()->set_advection(static_cast<v1::Advection>(ways->value(i)->number()));
    advections.insert(convert(scene).scene.gas.value().advection);
  }
  EXPECT_EQ(static_cast<int>(advections.size()), ways->value_count() - 1);
  v1::Scene scene = from_text(least_gas);
  const google::protobuf::EnumDescriptor* carried = v1::Carried_descriptor();
  for (int i = 1; i < carried->value_count(); ++i)
    scene.mutable_gas()->add_carries(static_cast<v1::Carried>(carried->value(i)->number()));
  EXPECT_EQ(static_cast<int>(convert(scene).scene.gas.value().carries.size()),
            carried->value_count() - 1);
}

// What a session may need: by cells, 3 numbers of velocity and of dye each, one of others.
TEST(SceneConvert, counts_the_bytes_of_a_gas) {
  v1::Scene scene = from_text(least_gas);
  LoadedScene loaded = load_scene(scene, no_assets, {});
  EXPECT_TRUE(loaded.runnable());
  EXPECT_EQ(loaded.cell_count, 40 * 40 * 40);
  EXPECT_EQ(loaded.frame_bytes, 4 * 64'000);
  scene.mutable_fluid_grid()->set_dimensions(2);
  scene.mutable_gas()->add_carries(v1::CARRIED_DYE);
  scene.mutable_gas()->add_carries(v1::CARRIED_TEMPERATURE);
  scene.mutable_output()->add_fields(v1::FIELD_VELOCITY);
  scene.mutable_output()->add_fields(v1::FIELD_PRESSURE);
  loaded = load_scene(scene, no_assets, {});
  EXPECT_EQ(loaded.cell_count, 40 * 40);
  EXPECT_EQ(loaded.frame_bytes, 4 * (3 + 1 + 3 + 1) * 1600);
}

TEST(SceneConvert, takes_what_fluid_does_at_surfaces) {
  const scene::Scene scene = convert(R"(
    name: "walls"
    domain { lower: [0, 0, 0] upper: [4, 4, 4] wall: WALL_CONDITION_FRICTION wall_friction: 0.7 }
    fluid_grid { cell_size: 0.1 }
    fluids { name: "sand" regions { box { size: [1, 1, 1] } transform { translation: [1, 1, 3] } } sand {} }
    cloths { name: "sheet" grid { size: [1, 2] vertices: [2, 2] } transform { translation: [1, 2, 1] }
             wall: WALL_CONDITION_NO_SLIP }
    soft_bodies { name: "block" shape { box { size: [1, 1, 1] } transform { translation: [3, 1, 1] } } element_size: 1
                  wall: WALL_CONDITION_FRICTION }
    rigid_bodies { name: "stone" shape { box { size: [1, 1, 1] } transform { translation: [3, 3, 1] } }
                   wall: WALL_CONDITION_FRICTION }
    obstacles { name: "post" shape { sphere { radius: 0.1 } transform { translation: [3, 3, 3] } }
                wall: WALL_CONDITION_FRICTION })")
                                 .scene;
  EXPECT_EQ(scene.grid.wall, scene::WallCondition::friction);
  EXPECT_EQ(scene.grid.wall_friction, 0.7);
  EXPECT_EQ(scene.cloths.at(0).wall, scene::WallCondition::no_slip);
  EXPECT_EQ(scene.soft_bodies.at(0).wall, scene::WallCondition::friction);
  EXPECT_EQ(scene.rigid_bodies.at(0).wall, scene::WallCondition::friction);
  EXPECT_EQ(scene.obstacles.at(0).wall, scene::WallCondition::friction);
}

TEST(SceneConvert, takes_where_fluid_comes_in_and_goes_out) {
  const scene::Scene scene = convert(R"(
    domain { lower: [-1, -1, -1] upper: [1, 1, 1] open_sides: SIDE_X_UPPER open_sides: SIDE_Z_LOWER
             periodic_axes: AXIS_Y }
    fluid_grid { cell_size: 0.1 max_particles: 77 }
    fluids { name: "water" emitters { shape { sphere { radius: 0.3 } } velocity: [1, 2, 3] }
             emitters { name: "tap" shape { box { size: [1, 1, 1] } } velocity: [0, 0, 1] rate: 0.5 start_seconds: 1 stop_seconds: 3 } }
    drains { shape { box { size: [0.2, 0.2, 0.2] } } start_seconds: 2 stop_seconds: 4 }
    drains { shape { sphere { radius: 0.5 } } })")
                                 .scene;
  using scene::Side;
  EXPECT_EQ(scene.grid.sides[0], (std::array{Side::wall, Side::open}));
  EXPECT_EQ(scene.grid.sides[1], (std::array{Side::periodic, Side::periodic}));
  EXPECT_EQ(scene.grid.sides[2], (std::array{Side::open, Side::wall}));
  EXPECT_EQ(scene.grid.max_particles, 77);
  ASSERT_EQ(scene.fluids.at(0).emitters.size(), 2U);
  const scene::Emitter& plain = scene.fluids[0].emitters[0];
  EXPECT_EQ(plain.name, "emitter0");
  EXPECT_EQ(std::get<geometry::Sphere>(plain.shape.form).radius, 0.3);
  EXPECT_EQ(plain.velocity, Vec3(1, 2, 3));
  EXPECT_TRUE(std::isinf(plain.rate));
  EXPECT_EQ(plain.open.start, 0);
  EXPECT_TRUE(std::isinf(plain.open.stop));
  const scene::Emitter& tap = scene.fluids[0].emitters[1];
  EXPECT_EQ(tap.name, "tap");
  EXPECT_EQ(tap.rate, 0.5);
  EXPECT_EQ(tap.open.start, 1);
  EXPECT_EQ(tap.open.stop, 3);
  ASSERT_EQ(scene.drains.size(), 2U);
  EXPECT_EQ(std::get<geometry::Box>(scene.drains[0].shape.form).half_extents, Vec3(0.1, 0.1, 0.1));
  EXPECT_EQ(scene.drains[0].open.start, 2);
  EXPECT_EQ(scene.drains[0].open.stop, 4);
  EXPECT_TRUE(std::isinf(scene.drains[1].open.stop));
}

TEST(SceneConvert, takes_every_coupling_method) {
  for (const auto& [name, method] :
       {std::pair{"ADMM_IPC", scene::CouplingMethod::admm_ipc},
        std::pair{"WEAK", scene::CouplingMethod::weak},
        std::pair{"VARIATIONAL_RIGID", scene::CouplingMethod::variational_rigid},
        std::pair{"BOUNDARY_MAP", scene::CouplingMethod::boundary_map},
        std::pair{"IMMERSED_BOUNDARY", scene::CouplingMethod::immersed_boundary},
        std::pair{"ONE_WAY", scene::CouplingMethod::one_way}}) {
    const scene::Scene scene = convert(
                                   "domain { lower: [-9, -9, -9] upper: [9, 9, 9] } coupling { "
                                   "method: COUPLING_METHOD_" +
                                   std::string(name) + " }")
                                   .scene;
    EXPECT_EQ(scene.coupling.method, method) << name;
  }
}

TEST(SceneConvert, couples_solids_by_the_pressure_of_what_is_incompressible) {
  const auto method = [](const std::string& rest) {
    return convert(
               "domain { lower: [-9, -9, -9] upper: [9, 9, 9] } "
               "fluids { name: \"water\" regions { sphere { radius: 1 } } } "
               "rigid_bodies { name: \"ball\" shape { sphere { radius: 1 } transform { "
               "translation: "
               "[5, 5, 5] } } element_size: 0.5 } " +
               rest)
        .scene.coupling;
  };
  const std::string incompressible =
      "fluid_grid { cell_size: 0.2 solver: FLUID_SOLVER_INCOMPRESSIBLE } ";
  EXPECT_EQ(method("fluid_grid { cell_size: 0.2 }").method, scene::CouplingMethod::admm_ipc);
  EXPECT_EQ(method(incompressible).method, scene::CouplingMethod::variational_rigid);
  EXPECT_EQ(method(incompressible).max_substep, 0.1);
  EXPECT_EQ(method(incompressible + "coupling { method: COUPLING_METHOD_ONE_WAY }").method,
            scene::CouplingMethod::one_way);
  EXPECT_EQ(method(incompressible + "cloths { name: \"a\" grid { size: [2, 2] vertices: [2, 2] } }")
                .method,
            scene::CouplingMethod::boundary_map);
}

TEST(SceneConvert, couples_what_deforms_in_a_gas_by_its_boundary) {
  const auto scene = [](const std::string& rest) {
    return convert(
               "domain { lower: [-9, -9, -9] upper: [9, 9, 9] } gas { name: \"air\" } "
               "fluid_grid { cell_size: 0.2 dimensions: 2 } " +
               rest)
        .scene;
  };
  const std::string cloth =
      "cloths { name: \"a\" grid { size: [2, 2] vertices: [2, 2] } shell {} } ";
  EXPECT_EQ(scene(cloth).coupling.method, scene::CouplingMethod::boundary_map);
  EXPECT_EQ(scene(cloth).solid_solver.integrator, scene::Integrator::newton);
  EXPECT_EQ(scene(cloth).coupling.max_substep, 1.0 / 240);
  EXPECT_DOUBLE_EQ(scene(cloth).coupling.contact_distance, 0.02);
  EXPECT_EQ(scene(cloth + "coupling { method: COUPLING_METHOD_WEAK }").coupling.method,
            scene::CouplingMethod::weak);
  EXPECT_EQ(scene("").coupling.max_substep, 0.1);
  EXPECT_EQ(scene("").coupling.method, scene::CouplingMethod::admm_ipc);
  EXPECT_EQ(scene("soft_bodies { name: \"a\" shape { sphere { radius: 1 } } element_size: 0.5 }")
                .coupling.method,
            scene::CouplingMethod::boundary_map);
}

TEST(SceneConvert, turns_about_fixed_axes_x_then_y_then_z) {  // Oracle: by hand.
  const scene::Scene scene = convert(R"(
    domain { lower: [-9, -9, -9] upper: [9, 9, 9] }
    cloths { name: "a" grid { size: [2, 2] vertices: [2, 2] }
             transform { rotation_degrees: [90, 0, 90] translation: [1, 2, 3] scale: 2 } }
    cloths { name: "b" grid { size: [2, 2] vertices: [2, 2] } transform { rotation_degrees: [0, 30, 0] } })")
                                 .scene;
  // The last corner (1, 1, 0), scaled (2, 2, 0); about x (2, 0, 2); about z (0, 2, 2). Exact.
  EXPECT_EQ(scene.cloths.at(0).mesh.vertices.at(3), Vec3(1, 4, 5));
  // About y by 30 degrees, x goes down.
  const double sine = std::sin(std::numbers::pi / 6);
  const double cosine = std::cos(std::numbers::pi / 6);
  EXPECT_LT((scene.cloths.at(1).mesh.vertices.at(3) - Vec3(cosine, 1, -sine)).norm(), 1e-15);
}

TEST(SceneConvert, builds_a_grid_with_alternating_diagonals) {  // Oracle: by hand.
  const geometry::TriangleMesh mesh = convert(R"(domain { lower: [-9, -9, -9] upper: [9, 9, 9] }
                 cloths { name: "a" grid { size: [4, 2] vertices: [3, 2] } })")
                                          .scene.cloths.at(0)
                                          .mesh;
  EXPECT_THAT(mesh.vertices, ElementsAre(Vec3(-2, -1, 0), Vec3(0, -1, 0), Vec3(2, -1, 0),
                                         Vec3(-2, 1, 0), Vec3(0, 1, 0), Vec3(2, 1, 0)));
  EXPECT_THAT(mesh.triangles, ElementsAre(TriangleIndices{0, 1, 4}, TriangleIndices{0, 4, 3},
                                          TriangleIndices{1, 2, 4}, TriangleIndices{2, 5, 4}));
}

TEST(SceneConvert, resolves_pin_regions_after_named_vertices) {
  const std::vector<scene::Pin> pins = convert(R"(
      domain { lower: [-9, -9, -9] upper: [9, 9, 9] }
      cloths { name: "a" grid { size: [4, 2] vertices: [3, 2] } transform { translation: [5, 0, 0] }
               pins { vertices: 5 region { box { size: [1, 9, 1] } transform { translation: [3, 0, 0] } } }
               pins { region { box { size: [9, 9, 9] } transform { translation: [5, 0, 0] } } } })")
                                           .scene.cloths.at(0)
                                           .pins;
  // The grid's left column stands at x = 3. What is held already is not held twice.
  EXPECT_THAT(pins.at(0).vertices, ElementsAre(5, 0, 3));
  EXPECT_THAT(pins.at(1).vertices, ElementsAre(1, 2, 4));
}

TEST(SceneConvert, tells_unknown_numbers_of_enums_and_fields) {
  v1::Scene scene = from_text(least_scene);
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): a newer client's.
  scene.mutable_domain()->set_wall(static_cast<v1::WallCondition>(9));
  scene.mutable_cloths(0)
      ->GetReflection()
      ->MutableUnknownFields(scene.mutable_cloths(0))
      ->AddVarint(99, 1);
  const LoadedScene loaded = load_scene(scene, no_assets, {});
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_EQ(loaded.problems[0].path, "cloths[0]");
  EXPECT_THAT(loaded.problems[0].message, testing::HasSubstr("unknown field number 99 of Cloth"));
  EXPECT_EQ(loaded.problems[1].path, "domain.wall");
  EXPECT_FALSE(loaded.runnable());
}

// The oracle is protobuf's own writer of the mapping.
TEST(ParseScene, reads_what_protobuf_writes) {
  const v1::Scene scene = from_text(least_scene);
  std::string json;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(scene, &json).ok());
  const ParsedScene parsed = parse_scene(json);
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.scene.SerializeAsString(), scene.SerializeAsString());
}

// The energies that the solver has.
template <typename... Energies>
std::set<std::string> names_of(const std::tuple<Energies...>* /*list*/) {
  return {Energies::name...};
}

TEST(SceneConvert,
     knows_every_integrator_and_model) {  // A new one in the proto must not be ignored.
  const google::protobuf::EnumDescriptor* integrators = v1::Integrator_descriptor();
  std::set<scene::Integrator> found;
  for (int i = 1; i < integrators->value_count(); ++i) {
    v1::Scene scene = from_text(least_scene);
    scene.mutable_solid_solver()->set_integrator(
        static_cast<v1::Integrator>(integrators->value(i)->number()));
    found.insert(convert(scene).scene.solid_solver.integrator);
  }
  EXPECT_EQ(static_cast<int>(found.size()), integrators->value_count() - 1);
  const google::protobuf::EnumDescriptor* models = v1::ElasticModel_descriptor();
  std::set<std::string> energies;
  for (int i = 1; i < models->value_count(); ++i) {
    v1::Scene scene = from_text(least_scene);
    scene.mutable_soft_bodies(0)->mutable_material()->set_model(
        static_cast<v1::ElasticModel>(models->value(i)->number()));
    energies.insert(convert(scene).scene.soft_bodies.at(0).material.model);
  }
  EXPECT_EQ(energies, names_of(static_cast<solid::Energies*>(nullptr)));
}

TEST(SceneConvert, solves_newton_ipc_without_a_solid_solver) {
  v1::Scene scene = from_text(least_scene);
  scene.clear_fluids();
  scene.clear_fluid_grid();
  scene.clear_soft_bodies();
  scene.clear_rigid_bodies();
  scene.mutable_coupling()->set_method(v1::COUPLING_METHOD_NEWTON_IPC);
  const ConvertedScene converted = convert(scene);
  EXPECT_EQ(converted.scene.coupling.method, scene::CouplingMethod::newton_ipc);
  EXPECT_EQ(converted.scene.solid_solver.integrator, scene::Integrator::consensus_admm);
  scene.mutable_solid_solver()->set_integrator(v1::INTEGRATOR_NEWTON);
  const std::vector<scene::Problem> problems = convert_scene(scene, no_assets, {}).problems;
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].path, "solid_solver");
}

// Which integrator that is, and why, is solver/scene/choices.h's to say.
TEST(SceneConvert, leaves_the_integrator_to_the_scene_as_a_whole) {
  v1::Scene scene = from_text(least_scene);
  scene.clear_soft_bodies();
  scene.clear_rigid_bodies();
  EXPECT_EQ(convert(scene).scene.solid_solver.integrator, scene::Integrator::consensus_admm);
  scene.clear_fluids();
  scene.clear_fluid_grid();
  EXPECT_EQ(convert(scene).scene.solid_solver.integrator, scene::Integrator::newton);
  const ConvertedScene chosen = convert(scene);
  ASSERT_EQ(chosen.choices.size(), 1);
  EXPECT_EQ(chosen.choices[0].path, "solid_solver.integrator");
  EXPECT_EQ(chosen.choices[0].value, "INTEGRATOR_NEWTON");
  scene.mutable_solid_solver()->set_integrator(v1::INTEGRATOR_LBFGS);
  EXPECT_EQ(convert(scene).scene.solid_solver.integrator, scene::Integrator::lbfgs);
  EXPECT_TRUE(convert(scene).choices.empty());
  scene.mutable_solid_solver()->clear_integrator();
  scene.mutable_solid_solver()->set_tolerance(1e-5);
  EXPECT_EQ(convert(scene).scene.solid_solver.integrator, scene::Integrator::newton);
}

}  // namespace
}  // namespace sluice::convert
