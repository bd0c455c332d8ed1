// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/scene/capabilities.h"
#include "solver/scene/checks.h"
#include "solver/scene/frame_cost.h"

namespace sluice::scene {
namespace {

// [s] A frame by Newton's method that takes no longer is worth it, as it solves each step to its
// tolerance, whatever presses on what.
constexpr double affordable_newton = 0.5;

constexpr double longest_substep = 0.1;          // [s] that a scene may ask for
constexpr double cells_of_contact = 0.1;         // contact distance in cells of the grid
constexpr double smallest_contact = 1e-6;        // [m]
constexpr double largest_contact = 1;            // [m]
constexpr double contact_of_size = 1.0 / 40;     // of the smallest body
constexpr double thickness_of_size = 1.0 / 100;  // of a cloth

// [m] The longest side of a box around it.
double size_of(const std::vector<Vec3>& vertices) {
  if (vertices.empty()) return std::numeric_limits<double>::infinity();
  Vec3 lower = vertices.front(), upper = lower;
  for (const Vec3& x : vertices) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  return (upper - lower).maxCoeff();
}

// Whether liquids or gas, which nothing but their flow holds back, take steps as long as it allows.
bool is_bounded_by_flow(const Scene& scene) {
  if (!scene.cloths.empty() || !scene.soft_bodies.empty()) return false;
  return scene.gas || (scene.grid.solver == FluidSolver::incompressible &&
                       !row_of(scene.coupling.method).lets_fluid_through);
}

void choose_thickness(std::size_t index, Scene& scene, std::vector<Choice>& choices) {
  Cloth& cloth = scene.cloths[index];
  const double size = size_of(cloth.mesh.vertices);
  const double usual = Cloth().thickness;
  cloth.thickness = std::min(usual, thickness_of_size * size);
  if (!(cloth.thickness < usual)) return;
  choices.push_back({element("cloths", index) + ".thickness",
                     fmt::format("{:.3g}", cloth.thickness),
                     fmt::format("a hundredth of its {:.3g} m", size)});
}

void choose_contact_distance(Scene& scene, std::vector<Choice>& choices) {
  double& distance = scene.coupling.contact_distance;
  if (!scene.fluids.empty() || scene.gas) {
    // Clamped (a NaN too), so that a bad cell size is not told a second time as a bad distance.
    distance = std::fmax(smallest_contact,
                         std::fmin(largest_contact, cells_of_contact * scene.grid.cell_size));
    return;
  }
  double smallest = std::numeric_limits<double>::infinity();
  std::string name;
  const auto look_at = [&](const auto& bodies) {
    for (const auto& body : bodies) {
      const double size = size_of(body.mesh.vertices);
      if (size < smallest) name = body.name;
      smallest = std::min(smallest, size);
    }
  };
  look_at(scene.cloths);
  look_at(scene.soft_bodies);
  look_at(scene.rigid_bodies);
  const double usual = Coupling().contact_distance;
  distance = std::fmax(smallest_contact, std::fmin(usual, contact_of_size * smallest));
  if (!(distance < usual)) return;
  choices.push_back({"coupling.contact_distance", fmt::format("{:.3g}", distance),
                     fmt::format("a fortieth of \"{}\", which is {:.3g} m long", name, smallest)});
}

bool is_of_springs(const Scene& scene) {
  return scene.soft_bodies.empty() && std::ranges::none_of(scene.cloths, [](const Cloth& cloth) {
           return cloth.shell.has_value();
         });
}

void choose_integrator(bool iterates, Scene& scene, std::vector<Choice>& choices) {
  if (scene.cloths.empty() && scene.soft_bodies.empty()) return;
  const auto take = [&](Integrator integrator, std::string reason) {
    scene.solid_solver.integrator = integrator;
    choices.push_back(
        {"solid_solver.integrator",
         integrator == Integrator::newton ? "INTEGRATOR_NEWTON" : "INTEGRATOR_CONSENSUS_ADMM",
         std::move(reason)});
  };
  if (!row_of(scene.coupling.method).has_integrators) return;
  if (iterates) {  // The scene sets iterations or a tolerance: such a method has them.
    scene.solid_solver.integrator = Integrator::newton;
    return;
  }
  if (is_elastic_on_grid(scene) && !row_of(scene.coupling.method).lets_fluid_through) {
    return take(Integrator::newton,
                "what deforms answers to the pressure of a grid, for which it is solved whole");
  }
  if (is_of_springs(scene)) {
    // Newton's method for springs alone, which is fast, has contact with others as forces.
    if (scene.fluids.empty() && scene.rigid_bodies.empty())
      return take(Integrator::newton, "all bodies are sheets of springs");
    return take(Integrator::consensus_admm, "sheets of springs meet fluid or rigid bodies");
  }
  const FrameCost admm = cost_of_consensus_admm(scene), newton = cost_of_newton(scene);
  const std::string cause =
      admm.stiffest_body.empty()
          ? std::string()
          : fmt::format(", for \"{}\" is stiff for its mass", admm.stiffest_body);
  const auto sentence = [&](const FrameCost& own, const FrameCost& other, const char* name) {
    return fmt::format(
        "a frame is estimated at {:.2g} s in {:.0f} substeps; with {} at {:.2g} s in "
        "{:.0f}{}",
        own.seconds, own.substep_count, name, other.seconds, other.substep_count, cause);
  };
  const double affordable = scene.fluids.empty() ? affordable_newton : 0;
  if (newton.seconds <= std::max(admm.seconds, affordable)) {
    take(Integrator::newton, sentence(newton, admm, "INTEGRATOR_CONSENSUS_ADMM"));
  } else {
    take(Integrator::consensus_admm, sentence(admm, newton, "INTEGRATOR_NEWTON"));
  }
}

}  // namespace

std::vector<Choice> choose(const OpenFields& open, Scene& scene) {
  std::vector<Choice> choices;
  if (open.method)
    scene.coupling.method = default_method(situation_of(scene)).value_or(scene.coupling.method);
  if (open.max_substep && is_bounded_by_flow(scene)) scene.coupling.max_substep = longest_substep;
  for (const std::size_t index : open.thickness)
    choose_thickness(index, scene, choices);
  if (open.contact_distance) choose_contact_distance(scene, choices);
  if (open.integrator) choose_integrator(open.iterates, scene, choices);
  return choices;
}

}  // namespace sluice::scene
