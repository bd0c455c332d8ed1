// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/scene/checks.h"
#include "solver/scene/seeding.h"

// Every range here is documented, with its unit, at the field in scene.proto.
namespace sluice::scene {
namespace {

constexpr double largest_amount = 1000;      // of smoke and dye
constexpr double largest_temperature = 1e5;  // [K]
constexpr std::size_t most_places = 1024;

void refuse_what_it_lacks(const Scene& scene, ProblemList& problems) {
  if (!scene.fluids.empty())
    problems.error("fluids", "must be empty with `gas`: it does not meet them");
  if (scene.wind)
    problems.error("wind", "has no use with `gas`, which is what blows: leave it out");
}

void check_content(const GasContent& content, const Gas& gas, const std::string& path,
                   ProblemList& problems) {
  if (!content.velocity && !content.smoke && !content.temperature && !content.dye)
    problems.error(path, "says nothing: give a velocity or something that the gas carries");
  if (content.velocity)
    problems.range(*content.velocity, -largest_speed, largest_speed, path + ".velocity");
  if (content.smoke) problems.range(*content.smoke, 0, largest_amount, path + ".smoke");
  if (content.temperature)
    problems.range(*content.temperature, 1, largest_temperature, path + ".temperature");
  if (content.dye) problems.range(*content.dye, 0, largest_amount, path + ".dye");
  const auto refuse = [&](bool is_given, Carried what, const char* field, const char* name) {
    if (is_given && !gas.has(what)) {
      problems.error(path + field, fmt::format("has no use: `gas.carries` does not have {}", name));
    }
  };
  refuse(content.smoke.has_value(), Carried::smoke, ".smoke", "CARRIED_SMOKE");
  refuse(content.temperature.has_value(), Carried::temperature, ".temperature",
         "CARRIED_TEMPERATURE");
  refuse(content.dye.has_value(), Carried::dye, ".dye", "CARRIED_DYE");
}

void check_places(const Scene& scene, const Gas& gas, ProblemList& problems) {
  const auto count = [&](std::size_t found, const char* path) {
    if (found > most_places) {
      problems.error(path,
                     fmt::format("has {} elements; at most {} are allowed", found, most_places));
    }
  };
  count(gas.regions.size(), "gas.regions");
  count(gas.sources.size(), "gas.sources");
  for (std::size_t i = 0; i < gas.regions.size(); ++i) {
    const std::string path = element("gas.regions", i);
    check_place(scene, gas.regions[i].shape, path + ".shape", problems);
    check_content(gas.regions[i].content, gas, path + ".content", problems);
  }
  for (std::size_t i = 0; i < gas.sources.size(); ++i) {
    const std::string path = element("gas.sources", i);
    check_place(scene, gas.sources[i].shape, path + ".shape", problems);
    check_content(gas.sources[i].content, gas, path + ".content", problems);
    check_times(gas.sources[i].open, path, problems);
  }
}

void check_numbers(const Gas& gas, ProblemList& problems) {
  problems.range(gas.velocity, -largest_speed, largest_speed, "gas.velocity");
  problems.range(gas.density, 0.001, 30000, "gas.density");
  problems.range(gas.dynamic_viscosity, 0, 1e4, "gas.dynamic_viscosity");
  problems.range(gas.ambient_temperature, 1, 1e4, "gas.ambient_temperature");
  problems.range(gas.smoke_density, 0, 1e4, "gas.smoke_density");
  problems.range(gas.fading, 0, 1000, "gas.fading");
  problems.range(gas.cooling, 0, 1000, "gas.cooling");
  problems.range(gas.vorticity_confinement, 0, 10, "gas.vorticity_confinement");
  if (gas.smoke_density > 0 && !gas.has(Carried::smoke))
    problems.error("gas.smoke_density", "has no use: `gas.carries` does not have CARRIED_SMOKE");
  if (gas.cooling > 0 && !gas.has(Carried::temperature))
    problems.error("gas.cooling", "has no use: `gas.carries` does not have CARRIED_TEMPERATURE");
  if (gas.fading > 0 && !gas.has(Carried::smoke) && !gas.has(Carried::dye)) {
    problems.error("gas.fading",
                   "has no use: `gas.carries` has neither CARRIED_SMOKE nor CARRIED_DYE");
  }
}

void check_sides(const FluidGrid& grid, ProblemList& problems) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      const SideVelocity& velocity = grid.side_velocities[axis][side];
      for (const double component : velocity.velocity) {  // Which one was typed, is not known here.
        if (std::abs(component) <= largest_speed) continue;
        problems.error("domain.side_velocities", fmt::format("{} is not in [{}, {}]", component,
                                                             -largest_speed, largest_speed));
      }
      const bool is_through = velocity.velocity[static_cast<Eigen::Index>(axis)] != 0;
      if (problems.sound("domain.side_velocities") && !velocity.velocity.isZero(0) && !is_through &&
          grid.wall != WallCondition::no_slip) {
        problems.error("domain.side_velocities",
                       "a velocity along a side has no use: gas slips there; choose "
                       "WALL_CONDITION_NO_SLIP for domain.wall");
      }
      if (axis != 1 || grid.dimensions == 3) continue;
      if (grid.sides[axis][side] == Side::open)
        problems.error("domain.open_sides", "in two dimensions nothing flows along y");
      if (grid.sides[axis][0] == Side::periodic && side == 0)
        problems.error("domain.periodic_axes", "in two dimensions nothing flows along y");
      if (!velocity.velocity.isZero(0))
        problems.error("domain.side_velocities", "in two dimensions nothing flows along y");
    }
  }
}

// A grid that is there as a whole takes memory as many particles do.
void check_cells(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (!problems.sound("domain") || !problems.sound("fluid_grid")) return;
  const std::array<std::int64_t, 3> cells = grid_cells(scene);
  double count = 1;
  for (const std::int64_t along : cells)
    count *= static_cast<double>(along);
  if (count > static_cast<double>(limits.particle_count)) {
    problems.error("fluid_grid.cell_size",
                   fmt::format("{} m gives the gas {:.3g} cells; at most {} are allowed",
                               scene.grid.cell_size, count, limits.particle_count));
  }
}

}  // namespace

void check_place(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                 ProblemList& problems) {
  check_shape(shape, path, problems);
  if (!problems.sound(path) || !problems.sound("domain")) return;
  const geometry::Bounds bounds = geometry::bounds(shape);
  if ((bounds.upper.array() <= scene.domain_lower.array()).any() ||
      (bounds.lower.array() >= scene.domain_upper.array()).any()) {
    problems.error(path, "lies outside the domain");
    return;
  }
  if (scene.grid.dimensions == 2) check_reaches_plane(scene, shape, path, problems);
}

void check_gas(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (!scene.gas) return;
  refuse_what_it_lacks(scene, problems);
  if (is_elastic_on_grid(scene) && scene.grid.dimensions == 2) check_slices(scene, problems);
  check_numbers(*scene.gas, problems);
  check_places(scene, *scene.gas, problems);
  check_cells(scene, limits, problems);
  check_pressure(scene, problems);
  check_periodic_tiles(scene, "a gas", problems);
  check_sides(scene.grid, problems);
}

std::vector<Problem> validate_content(const GasContent& content, const Gas& gas,
                                      const std::string& path) {
  ProblemList problems({});
  check_content(content, gas, path, problems);
  return std::move(problems).take();
}

}  // namespace sluice::scene
