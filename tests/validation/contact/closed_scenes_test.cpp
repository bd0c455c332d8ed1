// SPDX-License-Identifier: Apache-2.0
// Small closed scenes of every integrator, material and kind of contact. Oracles: every frame is
// computed, the mechanical energy never grows by more than 1 % of what is in play, and nothing
// crosses.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "solver/geometry/tessellate_shape.h"
#include "solver/solid/isotropic/energies.h"
#include "tests/unit/solver/simulation_scenes.h"
#include "tests/validation/contact/watched.h"

namespace sluice::closed_scenes_test {
namespace {

using scene::Integrator;
using test::make_block;
using test::make_box;
using test::make_sheet;
using test::Watched;

enum class Body { springs, shell, soft_body };
enum class Contact { floor, obstacle, own_kind, rigid_body };

constexpr std::array<const char*, 9> integrator_names = {"consensus_admm",
                                                         "accelerated_consensus_admm",
                                                         "admm",
                                                         "projective_dynamics",
                                                         "lbfgs",
                                                         "newton",
                                                         "newton_pcg",
                                                         "steepest_descent",
                                                         "symplectic_euler"};
constexpr std::array<const char*, 3> body_names = {"springs", "shell", "soft_body"};
constexpr std::array<const char*, 4> contact_names = {"floor", "obstacle", "own_kind",
                                                      "rigid_body"};

std::string name(const auto& names, auto value) { return names[static_cast<std::size_t>(value)]; }

/// Lies `height` above the floor and falls at 0.5 m/s.
void add_body(Body body, const std::string& model, double height, scene::Scene& scene) {
  const Vec3 velocity(0.1, 0, -0.5);
  if (body == Body::soft_body) {
    scene::SoftBody block =
        make_block({-0.05, -0.05, height}, {0.05, 0.05, height + 0.1}, 0.05, 2e4);
    block.name = "body" + std::to_string(scene.soft_bodies.size());
    block.material.model = model;
    block.velocity = velocity;
    scene.soft_bodies.push_back(block);
    return;
  }
  scene::Cloth sheet = make_sheet(5, 5, 0.03, {0.004, 0.007, height});
  sheet.name = "body" + std::to_string(scene.cloths.size());
  sheet.velocity = velocity;
  if (body == Body::shell) {
    sheet.shell = scene::ShellMaterial{};
    sheet.shell->material.model = model;
    sheet.shell->material.young_modulus = 1e5;
  }
  scene.cloths.push_back(sheet);
}

scene::Scene make_scene(Integrator integrator, Body body, const std::string& model,
                        Contact contact) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-0.3, -0.3, 0);
  scene.domain_upper = Vec3(0.3, 0.3, 0.5);
  scene.solid_solver.integrator = integrator;
  // An explicit step trades energies to and fro, by its length times the highest frequency.
  if (integrator == Integrator::symplectic_euler) scene.coupling.max_substep = 2e-4;
  const double height = contact == Contact::obstacle ? 0.11 : 0.02;
  add_body(body, model, height, scene);
  const double top = height + (body == Body::soft_body ? 0.1 : 0);
  if (contact == Contact::obstacle)
    scene.obstacles.push_back({"post", make_box({-0.03, -0.03, 0}, {0.03, 0.03, 0.1})});
  if (contact == Contact::own_kind) add_body(body, model, top + 0.01, scene);
  if (contact == Contact::rigid_body) {
    scene::RigidBody box;
    box.name = "box";
    box.mesh = geometry::tessellate_shape(
                   make_box({-0.03, -0.04, top + 0.01}, {0.04, 0.03, top + 0.05}), 0.2, 1000)
                   .value();
    box.density = 500;
    scene.rigid_bodies.push_back(box);
  }
  return scene;
}

template <typename... Energies>
std::vector<std::string> names_of(const std::tuple<Energies...>* /*list*/) {
  return {Energies::name...};
}

std::vector<std::string> models_of(Body body) {
  switch (body) {
    case Body::springs:
      return {"stable_neo_hookean"};  // Which they have no use for.
    case Body::shell:
      return {"stable_neo_hookean", "saint_venant_kirchhoff"};
    case Body::soft_body:
      break;
  }
  constexpr solid::Energies* all = nullptr;
  return names_of(all);
}

class ClosedScenes : public testing::TestWithParam<std::tuple<Integrator, Body>> {};

TEST_P(ClosedScenes, never_gain_energy) {
  const auto [integrator, body] = GetParam();
  for (const std::string& model : models_of(body)) {
    for (std::size_t contact = 0; contact < contact_names.size(); ++contact) {
      SCOPED_TRACE(model + ", " + contact_names[contact]);
      const scene::Scene scene = make_scene(integrator, body, model, static_cast<Contact>(contact));
      Watched run(scene);
      for (int frame = 0; frame < 15; ++frame) {
        run.advance(1);
        if (HasFatalFailure()) break;
        for (const Warning& warning : run.last_frame().warnings)
          EXPECT_NE(warning.kind, WarningKind::energy_grew) << frame << ": " << warning.message;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ClosedScenes,
    testing::Combine(testing::Values(Integrator::consensus_admm,
                                     Integrator::accelerated_consensus_admm, Integrator::admm,
                                     Integrator::projective_dynamics, Integrator::lbfgs,
                                     Integrator::newton, Integrator::newton_pcg,
                                     Integrator::steepest_descent, Integrator::symplectic_euler),
                     testing::Values(Body::springs, Body::shell, Body::soft_body)),
    [](const auto& instance) {
      return name(integrator_names, std::get<0>(instance.param)) + "_" +
             name(body_names, std::get<1>(instance.param));
    });

}  // namespace
}  // namespace sluice::closed_scenes_test
