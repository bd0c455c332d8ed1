// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solver/scene/capabilities.h"
#include "solver/scene/checks.h"

// Every threshold is wide of what scenes of this solver have, and well short of a factor of 1000
// from their middle: a warning keeps nobody from running.
namespace sluice::scene {
namespace {

constexpr double strong_gravity = 100;      // [m/s^2] ten times the Earth's
constexpr double long_domain = 500;         // [m]
constexpr double short_domain = 5e-3;       // [m]
constexpr double light_liquid = 50;         // [kg/m^3]; liquid hydrogen has 71
constexpr double heavy_liquid = 14'000;     // [kg/m^3]; mercury has 13,600
constexpr double light_cloth = 5e-3;        // [kg/m^2]; the lightest silk has 0.01
constexpr double heavy_cloth = 20;          // [kg/m^2]; a steel sheet of 2.5 mm
constexpr double small_cloth_ratio = 5e-3;  // of the domain's longest side
constexpr double least_mach_margin = 3;     // sound speed over the fastest expected flow
constexpr double many_substeps = 5000;      // in a frame
constexpr double thick_contact_in_cells = 0.5;
constexpr double coarse_rounding = 1e-5;  // of the domain's longest side; 3e-8 about the origin

void check_domain_scale(const Scene& scene, ProblemList& problems) {
  const Vec3 size = scene.domain_upper - scene.domain_lower;
  if (size.maxCoeff() > long_domain) {
    problems.warn("domain",
                  fmt::format("is {:.6g} m long: are these millimetres?", size.maxCoeff()));
  } else if (size.maxCoeff() < short_domain) {
    problems.warn("domain",
                  fmt::format("is only {:.6g} m long: lengths are in metres", size.maxCoeff()));
  }
  // Particles, and every position of a frame, are 32-bit floats in the scene's own coordinates.
  const double reach =
      std::max(scene.domain_lower.cwiseAbs().maxCoeff(), scene.domain_upper.cwiseAbs().maxCoeff());
  const double step = std::ldexp(1.0, std::ilogb(reach) - 23);  // Between neighbouring floats.
  if (step / 2 > coarse_rounding * size.maxCoeff()) {
    problems.warn(
        "domain",
        fmt::format("is {:.6g} m from the origin, where positions of particles and frames "
                    "are rounded to steps of {:.2g} m: move the scene to the origin",
                    reach, step));
  }
}

void check_cloth_scale(const Scene& scene, const Cloth& cloth, const std::string& path,
                       ProblemList& problems) {
  const bool is_cloth = !are_cloths_slices(scene);
  if (is_cloth && (cloth.area_density < light_cloth || cloth.area_density > heavy_cloth)) {
    problems.warn(
        path + ".area_density",
        fmt::format("{} kg/m^2 is unusual for cloth: are these grams?", cloth.area_density));
  }
  if (cloth.mesh.vertices.empty() || !problems.sound("domain") || !problems.sound(path + ".mesh")) {
    return;
  }
  Vec3 lower = cloth.mesh.vertices.front();
  Vec3 upper = lower;
  for (const Vec3& vertex : cloth.mesh.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  const double size = (upper - lower).maxCoeff();
  const double domain = (scene.domain_upper - scene.domain_lower).maxCoeff();
  if (size < small_cloth_ratio * domain) {
    problems.warn(path + ".mesh",
                  fmt::format("is {:.3g} m wide in a domain of {:.3g} m: is it in another unit? "
                              "`transform.scale` can change it",
                              size, domain));
  }
  if (is_cloth && cloth.thickness > 0.1 * size) {
    problems.warn(path + ".thickness",
                  fmt::format("{} m is thick for a sheet {:.3g} m wide", cloth.thickness, size));
  }
}

// [m] How far a drop of `fluid` can fall: from its highest point to the domain's lowest, along
// gravity; of a half-space, the whole domain.
double fall_height(const Scene& scene, const Fluid& fluid) {
  const double gravity = scene.gravity.norm();
  if (!(gravity > 0)) return 0;
  const Vec3 up = -scene.gravity / gravity;
  const auto support = [&](const Vec3& lower, const Vec3& upper, const Vec3& direction) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
      most += std::max(direction[axis] * lower[axis], direction[axis] * upper[axis]);
    }
    return most;
  };
  const double bottom = -support(scene.domain_lower, scene.domain_upper, -up);
  double top = bottom;
  const auto rise_to = [&](const geometry::Shape& shape) {
    const geometry::Bounds bounds = geometry::bounds(shape);
    top = std::max(top, support(bounds.lower.cwiseMax(scene.domain_lower),
                                bounds.upper.cwiseMin(scene.domain_upper), up));
  };
  for (const geometry::Shape& region : fluid.regions)
    rise_to(region);
  for (const Emitter& emitter : fluid.emitters)
    rise_to(emitter.shape);
  return top - bottom;
}

void check_fluid_scale(const Scene& scene, const Fluid& fluid, const std::string& path,
                       ProblemList& problems) {
  if (fluid.density < light_liquid || fluid.density > heavy_liquid) {
    problems.warn(path + ".density",
                  fmt::format("{} kg/m^3 is unusual for a liquid: water has 1000", fluid.density));
  }
  if (!problems.sound("domain") || !problems.sound(path) || !problems.sound("gravity")) return;
  // Torricelli, on top of what it starts with.
  double squared = fluid.velocity.squaredNorm();
  for (const Emitter& emitter : fluid.emitters)
    squared = std::max(squared, emitter.velocity.squaredNorm());
  const double speed = std::sqrt(2 * scene.gravity.norm() * fall_height(scene, fluid) + squared);
  const bool has_sound = fluid_row_of(scene).has_sound;
  if (has_sound && fluid.sound_speed < least_mach_margin * speed) {
    problems.warn(
        path + ".sound_speed",
        fmt::format("{} m/s is slow for flow that may reach {:.3g} m/s: the fluid will be "
                    "squeezed; ten times the flow keeps its density within 1 %",
                    fluid.sound_speed, speed));
  }
  if (!problems.sound("fluid_grid") || !problems.sound("timing")) return;
  const double fastest = speed + (has_sound ? fluid.sound_speed : 0);
  if (!(fastest > 0)) return;
  const double step = scene.grid.cfl * scene.grid.cell_size / fastest;
  const double substeps = 1 / (scene.frame_rate * step);
  if (substeps > many_substeps) {
    problems.warn(
        "fluid_grid.cell_size",
        fmt::format("a frame will take about {:.2g} steps of {:.2g} s for {}: use larger "
                    "cells{}",
                    substeps, step, fluid.name, has_sound ? " or a lower sound speed" : ""));
  }
}

}  // namespace

void check_scale(const Scene& scene, ProblemList& problems) {
  if (problems.sound("gravity") && scene.gravity.norm() > strong_gravity) {
    problems.warn("gravity",
                  fmt::format("{:.6g} m/s^2 is {:.3g} times the Earth's: is it in mm/s^2?",
                              scene.gravity.norm(), scene.gravity.norm() / 9.81));
  }
  if (problems.sound("domain")) check_domain_scale(scene, problems);
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    check_fluid_scale(scene, scene.fluids[i], element("fluids", i), problems);
  }
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    check_cloth_scale(scene, scene.cloths[i], element("cloths", i), problems);
  }
  if (!scene.fluids.empty() && problems.sound("fluid_grid") &&
      problems.sound("coupling.contact_distance") &&
      scene.coupling.contact_distance > thick_contact_in_cells * scene.grid.cell_size) {
    problems.warn("coupling.contact_distance",
                  fmt::format("{} m is more than half a cell of the fluid grid ({} m): fluid will "
                              "hover over cloth",
                              scene.coupling.contact_distance, scene.grid.cell_size));
  }
}

}  // namespace sluice::scene
