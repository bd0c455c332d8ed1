// SPDX-License-Identifier: Apache-2.0
#include "server/convert/fluid_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "server/convert/emitter_convert.h"
#include "server/convert/field_path.h"
#include "server/convert/shape_convert.h"
#include "solver/scene/defaults.h"

// The limits, rules and defaults are those that scene.proto documents.
namespace sluice::convert {
namespace {

constexpr int most_regions = 64;
constexpr int most_emitters = 64;
constexpr double radians_per_degree = std::numbers::pi / 180;

template <typename Elastic, typename Message>
void convert_elasticity(const Message& from, Elastic& to) {
  if (from.has_young_modulus()) to.young_modulus = from.young_modulus();
  if (from.has_poisson_ratio()) to.poisson_ratio = from.poisson_ratio();
}

scene::Bingham convert_bingham(const v1::Bingham& bingham, const std::string& path,
                               ProblemSink& problems) {
  if (!bingham.has_yield_stress()) {
    problems.error(child_path(path, "yield_stress"),
                   "is required, in pascals: the shear stress from which on it flows");
    return {};
  }
  return {bingham.yield_stress(), bingham.has_shear_modulus()
                                      ? bingham.shear_modulus()
                                      : scene::default_shear_modulus(bingham.yield_stress())};
}

scene::Sand convert_sand(const v1::Sand& sand) {
  scene::Sand converted;
  convert_elasticity(sand, converted);
  if (sand.has_friction_angle_degrees()) {
    converted.friction_angle = sand.friction_angle_degrees() * radians_per_degree;
  }
  return converted;
}

scene::Snow convert_snow(const v1::Snow& snow) {
  scene::Snow converted;
  convert_elasticity(snow, converted);
  if (snow.has_critical_compression()) {
    converted.critical_compression = snow.critical_compression();
  }
  if (snow.has_critical_stretch()) converted.critical_stretch = snow.critical_stretch();
  if (snow.has_hardening()) converted.hardening = snow.hardening();
  return converted;
}

scene::FluidMaterial convert_material(const v1::Fluid& fluid, const std::string& path,
                                      ProblemSink& problems) {
  switch (fluid.material_case()) {
    case v1::Fluid::kBingham:
      return convert_bingham(fluid.bingham(), child_path(path, "bingham"), problems);
    case v1::Fluid::kJelly: {
      scene::Jelly jelly;
      convert_elasticity(fluid.jelly(), jelly);
      return jelly;
    }
    case v1::Fluid::kSand:
      return convert_sand(fluid.sand());
    case v1::Fluid::kSnow:
      return convert_snow(fluid.snow());
    case v1::Fluid::MATERIAL_NOT_SET:
      break;
  }
  return {};
}

// Refuses the settings that only compressible liquids have.
void refuse_sound(const v1::Fluid& fluid, const std::string& message, const std::string& path,
                  ProblemSink& problems) {
  const auto refuse = [&](bool is_given, const char* field) {
    if (is_given) problems.error(child_path(path, field), message);
  };
  refuse(fluid.has_sound_speed(), "sound_speed");
  refuse(fluid.has_eos_exponent(), "eos_exponent");
}

}  // namespace

scene::Fluid convert_fluid(const v1::Fluid& fluid, scene::FluidSolver solver,
                           const std::string& path, ProblemSink& problems) {
  scene::Fluid converted;  // Its defaults are the documented ones.
  converted.name = fluid.name();
  const std::string regions_path = child_path(path, "regions");
  if (fluid.regions_size() > most_regions) {
    problems.error(regions_path, fmt::format("has {} elements; at most {} are allowed",
                                             fluid.regions_size(), most_regions));
  }
  if (fluid.regions().empty() && fluid.emitters().empty()) {
    problems.error(regions_path,
                   "is required: the shapes that the fluid fills at the start; or `emitters`");
  }
  for (int i = 0; i < std::min(fluid.regions_size(), most_regions); ++i) {
    converted.regions.push_back(convert_shape(
        fluid.regions(i), element_path(regions_path, static_cast<std::size_t>(i)), problems));
  }
  const std::string emitters_path = child_path(path, "emitters");
  if (fluid.emitters_size() > most_emitters) {
    problems.error(emitters_path, fmt::format("has {} elements; at most {} are allowed",
                                              fluid.emitters_size(), most_emitters));
  }
  for (int i = 0; i < std::min(fluid.emitters_size(), most_emitters); ++i) {
    const auto index = static_cast<std::size_t>(i);
    converted.emitters.push_back(
        convert_emitter(fluid.emitters(i), index, element_path(emitters_path, index), problems));
  }
  converted.velocity =
      problems.vector(fluid.velocity(), child_path(path, "velocity")).value_or(Vec3::Zero());
  if (fluid.has_density()) converted.density = fluid.density();
  converted.material = convert_material(fluid, path, problems);
  if (!converted.is_liquid()) {
    const char* const message = "is of liquids: it has no use with `jelly`, `sand` or `snow`";
    refuse_sound(fluid, message, path, problems);
    if (fluid.has_dynamic_viscosity())
      problems.error(child_path(path, "dynamic_viscosity"), message);
    return converted;
  }
  converted.dynamic_viscosity = fluid.has_dynamic_viscosity()
                                    ? fluid.dynamic_viscosity()
                                    : scene::default_dynamic_viscosity(solver, converted.material);
  if (const scene::FluidRow& row = scene::row_of(solver); !row.has_sound) {
    refuse_sound(fluid, fmt::format("has no use with {}", row.value), path, problems);
    return converted;
  }
  if (fluid.has_sound_speed()) converted.sound_speed = fluid.sound_speed();
  if (fluid.has_eos_exponent()) converted.eos_exponent = fluid.eos_exponent();
  return converted;
}

}  // namespace sluice::convert
