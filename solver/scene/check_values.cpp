// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <variant>

#include "solver/scene/capabilities.h"
#include "solver/scene/checks.h"
#include "solver/scene/seeding.h"

// Every range here is documented, with its unit, at the field in scene.proto.
namespace sluice::scene {
namespace {

constexpr double largest_length = 1e4;     // [m]
constexpr double largest_viscosity = 1e9;  // [Pa s]
constexpr double largest_fluid_poisson_ratio = 0.49;
constexpr double fewest_cells = 4;  // of the fluid grid along a side of the domain
constexpr std::size_t longest_scene_name = 128;

// Particles and grid are in single precision: a cell must be this many steps of the floats at the
// domain's far corner, or positions could not be told apart within one.
constexpr double float_steps_in_cell = 256;
constexpr double float_step = 0x1p-23;

void check_domain(const Scene& scene, ProblemList& problems) {
  problems.range(scene.domain_lower, -largest_length, largest_length, "domain.lower");
  for (int axis = 0; axis < 3; ++axis) {
    const std::string path = element("domain.upper", static_cast<std::size_t>(axis));
    const double length = scene.domain_upper[axis] - scene.domain_lower[axis];
    if (!std::isfinite(scene.domain_lower[axis])) continue;
    if (!std::isfinite(length)) {
      problems.error(path, fmt::format("{} is not a finite number", scene.domain_upper[axis]));
    } else if (length <= 0) {
      problems.error(path, fmt::format("{} must be larger than domain.lower[{}], {}",
                                       scene.domain_upper[axis], axis, scene.domain_lower[axis]));
    } else if (length > largest_length) {
      problems.error(path, fmt::format("the domain is {} m long here; at most {} m are allowed",
                                       length, largest_length));
    }
  }
}

void check_timing(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (scene.frame_count < 1 || scene.frame_count > 1'000'000) {
    problems.error("timing.frame_count",
                   fmt::format("{} is not in [1, 1000000]", scene.frame_count));
  } else if (scene.frame_count > limits.frame_count) {
    problems.error("timing.frame_count", fmt::format("{} frames; at most {} are allowed here",
                                                     scene.frame_count, limits.frame_count));
  }
  problems.range(scene.frame_rate, 1, 1e5, "timing.frames_per_second");
  problems.positive(scene.coupling.max_substep, 0.1, "timing.max_substep_seconds");
}

void check_grid(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (scene.fluids.empty() && !scene.gas) return;
  const FluidGrid& grid = scene.grid;
  problems.range(grid.cell_size, 1e-5, 1e3, "fluid_grid.cell_size");
  if (grid.particles_per_axis < 1 || grid.particles_per_axis > 4) {
    problems.error("fluid_grid.particles_per_axis",
                   fmt::format("{} is not in [1, 4]", grid.particles_per_axis));
  }
  const bool has_sound = fluid_row_of(scene).has_sound;
  if (grid.dimensions != 2 && grid.dimensions != 3) {
    problems.error("fluid_grid.dimensions", fmt::format("must be 2 or 3, not {}", grid.dimensions));
  }
  problems.range(grid.cfl, 0.05, has_sound ? 0.9 : 100, "fluid_grid.cfl_number");
  if (!problems.sound("domain") || !problems.sound("fluid_grid.cell_size")) return;
  const std::array<std::int64_t, 3> cells = grid_cells(scene);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 1 && grid.dimensions == 2) continue;
    if (static_cast<double>(cells[axis]) < fewest_cells) {
      problems.error(element("domain.upper", axis),
                     fmt::format("the domain is {} cells of the fluid grid long here; it needs at "
                                 "least {}",
                                 cells[axis], fewest_cells));
    }
  }
  const double cell_count =
      static_cast<double>(cells[0]) * static_cast<double>(cells[1]) * static_cast<double>(cells[2]);
  if (cell_count > static_cast<double>(limits.grid_cell_count)) {
    problems.error(
        "fluid_grid.cell_size",
        fmt::format("{} m divides the domain into {:.3g} cells; at most {:.3g} are "
                    "allowed",
                    grid.cell_size, cell_count, static_cast<double>(limits.grid_cell_count)));
  }
  const double farthest =
      std::max(scene.domain_lower.cwiseAbs().maxCoeff(), scene.domain_upper.cwiseAbs().maxCoeff());
  if (grid.cell_size < float_steps_in_cell * float_step * farthest) {
    problems.error("fluid_grid.cell_size",
                   fmt::format("{} m is too small for a domain that reaches {} m from the origin: "
                               "particles are kept in single precision",
                               grid.cell_size, farthest));
  }
}

void check_coupling(const Coupling& coupling, ProblemList& problems) {
  problems.range(coupling.contact_distance, 1e-6, 1, "coupling.contact_distance");
  if (coupling.max_iterations < 1 || coupling.max_iterations > 10'000) {
    problems.error("coupling.max_iterations",
                   fmt::format("{} is not in [1, 10000]", coupling.max_iterations));
  }
  problems.range(coupling.tolerance, 1e-12, 1, "coupling.tolerance");
  problems.range(coupling.drag, 0, 1e9, "coupling.drag");
}

void check_solid_solver(const SolidSolver& solver, ProblemList& problems) {
  if (solver.max_iterations < 1 || solver.max_iterations > 100'000) {
    problems.error("solid_solver.max_iterations",
                   fmt::format("{} is not in [1, 100000]", solver.max_iterations));
  }
  problems.range(solver.tolerance, 1e-12, 0.5, "solid_solver.tolerance");
}

void check_elasticity(double young_modulus, double poisson_ratio, const std::string& path,
                      ProblemList& problems) {
  problems.range(young_modulus, 1, 1e9, path + ".young_modulus");
  if (!(poisson_ratio > -1 && poisson_ratio <= largest_fluid_poisson_ratio)) {
    problems.error(path + ".poisson_ratio", fmt::format("{} is not in (-1, {}]", poisson_ratio,
                                                        largest_fluid_poisson_ratio));
  }
}

// Checks the fields of a fluid's `material`, by kind.
struct CheckFluidMaterial {
  std::string path;
  ProblemList& problems;

  void operator()(const std::monostate& /*newtonian*/) const {}
  void operator()(const Bingham& bingham) const {
    problems.positive(bingham.yield_stress, 1e7, path + ".bingham.yield_stress");
    problems.positive(bingham.shear_modulus, 1e9, path + ".bingham.shear_modulus");
  }
  void operator()(const Jelly& jelly) const {
    check_elasticity(jelly.young_modulus, jelly.poisson_ratio, path + ".jelly", problems);
  }
  void operator()(const Sand& sand) const {
    check_elasticity(sand.young_modulus, sand.poisson_ratio, path + ".sand", problems);
    problems.range(sand.friction_angle * 180 / std::numbers::pi, 0, 60,
                   path + ".sand.friction_angle_degrees");
  }
  void operator()(const Snow& snow) const {
    check_elasticity(snow.young_modulus, snow.poisson_ratio, path + ".snow", problems);
    problems.range(snow.critical_compression, 0, 0.5, path + ".snow.critical_compression");
    problems.range(snow.critical_stretch, 0, 0.5, path + ".snow.critical_stretch");
    problems.range(snow.hardening, 0, 20, path + ".snow.hardening");
  }
};

void check_fluid(const Fluid& fluid, const std::string& path, ProblemList& problems) {
  if (fluid.regions.empty() && fluid.emitters.empty()) {
    problems.error(path + ".regions",
                   "is required: the shapes that the fluid fills at the start; or `emitters`");
  }
  for (std::size_t i = 0; i < fluid.regions.size(); ++i) {
    check_shape(fluid.regions[i], element(path + ".regions", i), problems);
  }
  problems.range(fluid.velocity, -largest_speed, largest_speed, path + ".velocity");
  problems.range(fluid.density, 1, 30'000, path + ".density");
  problems.range(fluid.sound_speed, 0.1, 5000, path + ".sound_speed");
  problems.range(fluid.eos_exponent, 1, 10, path + ".eos_exponent");
  if (std::holds_alternative<Bingham>(fluid.material)) {
    problems.positive(fluid.dynamic_viscosity, 1e4, path + ".dynamic_viscosity");
  } else {
    problems.range(fluid.dynamic_viscosity, 0, 1e4, path + ".dynamic_viscosity");
  }
  std::visit(CheckFluidMaterial{path, problems}, fluid.material);
}

void check_pin_velocities(const std::vector<Pin>& pins, const std::string& path,
                          ProblemList& problems) {
  for (std::size_t i = 0; i < pins.size(); ++i) {
    problems.range(pins[i].velocity, -largest_speed, largest_speed,
                   element(path + ".pins", i) + ".velocity");
  }
}

void check_material(const ElasticMaterial& material, const std::string& path,
                    ProblemList& problems) {
  problems.range(material.young_modulus, 1, 1e12, path + ".young_modulus");
  const double ratio = material.poisson_ratio;
  if (!(ratio > -1 && ratio <= largest_poisson_ratio)) {
    problems.error(path + ".poisson_ratio",
                   fmt::format("{} is not in (-1, {}]", ratio, largest_poisson_ratio));
  }
  problems.range(material.stiffness_damping, 0, 1000, path + ".stiffness_damping");
  problems.range(material.kelvin_voigt_mu, 0, largest_viscosity, path + ".kelvin_voigt_mu");
  const std::string lambda_path = path + ".kelvin_voigt_lambda";
  problems.range(material.kelvin_voigt_lambda, -largest_viscosity, largest_viscosity, lambda_path);
  if (material.kelvin_voigt_lambda != 0 &&
      !(material.kelvin_voigt_mu > 0 &&
        3 * material.kelvin_voigt_lambda > -2 * material.kelvin_voigt_mu)) {
    problems.error(lambda_path,
                   fmt::format("{} Pa s needs a `kelvin_voigt_mu` above 0, of which "
                               "it must be more than -2/3; that is {} Pa s",
                               material.kelvin_voigt_lambda, material.kelvin_voigt_mu));
  }
}

void check_shell(const ShellMaterial& shell, const std::string& path, ProblemList& problems) {
  check_material(shell.material, path + ".material", problems);
  if (shell.material.model == "linear") {
    problems.error(path + ".material.model",
                   "linear elasticity does not know the rotations of a sheet: choose another");
  }
  problems.range(shell.bend_scale, 0, 1e6, path + ".bend_scale");
}

void check_cloth(const Cloth& cloth, const std::string& path, ProblemList& problems) {
  problems.range(cloth.velocity, -largest_speed, largest_speed, path + ".velocity");
  problems.range(cloth.area_density, 1e-3, 1e3, path + ".area_density");
  problems.positive(cloth.structural_stiffness, 1e7, path + ".structural_stiffness");
  problems.range(cloth.shear_stiffness, 0, 1e7, path + ".shear_stiffness");
  problems.range(cloth.bend_stiffness, 0, 1e7, path + ".bend_stiffness");
  problems.range(cloth.damping, 0, 1000, path + ".damping");
  problems.range(cloth.thickness, 1e-6, 1, path + ".thickness");
  problems.range(cloth.gravity_scale, -100, 100, path + ".gravity_scale");
  check_contact(cloth.friction, 0, path, problems);
  if (cloth.shell) check_shell(*cloth.shell, path + ".shell", problems);
  check_pin_velocities(cloth.pins, path, problems);
}

void check_soft_body(const SoftBody& body, const std::string& path, ProblemList& problems) {
  problems.range(body.velocity, -largest_speed, largest_speed, path + ".velocity");
  problems.range(body.density, 1, 30'000, path + ".density");
  problems.range(body.damping, 0, 1000, path + ".damping");
  problems.range(body.gravity_scale, -100, 100, path + ".gravity_scale");
  check_contact(body.friction, 0, path, problems);
  check_material(body.material, path + ".material", problems);
  check_pin_velocities(body.pins, path, problems);
}

void check_wind(const Wind& wind, ProblemList& problems) {
  problems.range(wind.velocity, -200, 200, "wind.velocity");
  problems.range(wind.gust_strength, 0, 10, "wind.gust_strength");
  problems.range(wind.gust_period, 1e-3, 1e4, "wind.gust_period_seconds");
  problems.positive(wind.density, 1000, "wind.density");
  problems.range(wind.normal_drag, 0, 10, "wind.normal_drag");
  problems.range(wind.tangential_drag, 0, 10, "wind.tangential_drag");
}

/// Also where they could not be read.
bool has_solids(const Scene& scene, const ProblemList& problems) {
  return !(scene.cloths.empty() && problems.sound("cloths") && scene.soft_bodies.empty() &&
           problems.sound("soft_bodies") && scene.rigid_bodies.empty() &&
           problems.sound("rigid_bodies"));
}

void check_output(const Scene& scene, ProblemList& problems) {
  if (!problems.sound("output")) return;  // A field that was not understood shifts the indices.
  for (std::size_t i = 0; i < scene.output.fields.size(); ++i) {
    const std::string path = element("output.fields", i);
    if (scene.output.fields[i] == Field::cell_level) {
      if (!scene.grid.adaptive && problems.sound("fluid_grid")) {
        problems.error(path,
                       "cells have levels only where they have many sizes: the scene has no "
                       "`fluid_grid.adaptive`");
      } else if (!scene.gas && problems.sound("gas")) {
        problems.error(path, "is that of a gas: a liquid's frames have its larger cells");
      }
    } else if (scene.output.fields[i] == Field::contact_force) {
      if (!has_solids(scene, problems)) {
        problems.error(path,
                       "contact forces are those of solids: the scene has no `cloths`, "
                       "`soft_bodies` or `rigid_bodies`");
      }
    } else if (scene.fluids.empty() && scene.gas) {
      if (scene.output.fields[i] == Field::density)
        problems.error(path, "density is that of fluids: a gas has one, `gas.density`");
    } else if (scene.fluids.empty() && problems.sound("fluids")) {
      problems.error(path, "pressure and density are those of fluids: the scene has no `fluids`");
    }
  }
}

}  // namespace

void check_shape(const geometry::Shape& shape, const std::string& path, ProblemList& problems) {
  if (!shape.translation.allFinite() || !shape.rotation.allFinite()) {
    problems.error(path + ".transform", "has a number that is not finite");
  }
  std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, geometry::Box>) {
          for (int axis = 0; axis < 3; ++axis) {
            problems.positive(2 * form.half_extents[axis], largest_length,
                              element(path + ".box.size", static_cast<std::size_t>(axis)));
          }
        } else if constexpr (std::is_same_v<Form, geometry::Sphere>) {
          problems.positive(form.radius, largest_length, path + ".sphere.radius");
        } else if constexpr (!std::is_same_v<Form, geometry::HalfSpace>) {
          const char* name = std::is_same_v<Form, geometry::Capsule> ? ".capsule" : ".cylinder";
          problems.positive(form.radius, largest_length, path + name + ".radius");
          problems.positive(2 * form.half_length, largest_length, path + name + ".length");
        }
      },
      shape.form);
}

void check_values(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (scene.name.size() > longest_scene_name) {
    problems.error("name", fmt::format("has {} bytes; at most {} are allowed", scene.name.size(),
                                       longest_scene_name));
  }
  problems.range(scene.gravity, -1000, 1000, "gravity");
  check_domain(scene, problems);
  check_timing(scene, limits, problems);
  check_grid(scene, limits, problems);
  check_coupling(scene.coupling, problems);
  check_solid_solver(scene.solid_solver, problems);
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    check_fluid(scene.fluids[i], element("fluids", i), problems);
  }
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    check_cloth(scene.cloths[i], element("cloths", i), problems);
  }
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    check_soft_body(scene.soft_bodies[i], element("soft_bodies", i), problems);
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    check_rigid_body(scene.rigid_bodies[i], element("rigid_bodies", i), problems);
  }
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const std::string path = element("obstacles", i);
    check_shape(scene.obstacles[i].shape, path + ".shape", problems);
    check_contact(scene.obstacles[i].friction, scene.obstacles[i].restitution, path, problems);
  }
  if (scene.wind) check_wind(*scene.wind, problems);
  check_output(scene, problems);
  if (scene.fluids.empty() && problems.sound("fluids") && !scene.gas &&
      !has_solids(scene, problems)) {
    problems.error("",
                   "the scene has no `fluids`, `gas`, `cloths`, `soft_bodies` or `rigid_bodies`: "
                   "nothing would move");
  }
}

}  // namespace sluice::scene
