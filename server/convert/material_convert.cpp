// SPDX-License-Identifier: Apache-2.0
#include "server/convert/material_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "server/convert/chosen.h"

namespace sluice::convert {
namespace {

constexpr double least_lame = 0.1;  // [Pa] as documented in scene.proto
constexpr double most_lame = 1e12;  // [Pa]

// The name of the solver's energy is that of the enum's value, in small letters.
std::string energy_name(v1::ElasticModel model) {
  std::string name = v1::ElasticModel_Name(model).substr(std::string_view("ELASTIC_MODEL_").size());
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// Young's modulus and Poisson's ratio from Lame's parameters.
void convert_lame(const v1::ElasticMaterial& material, const std::string& path,
                  scene::ElasticMaterial& converted, ProblemSink& problems) {
  if (material.has_young_modulus() || material.has_poisson_ratio()) {
    problems.error(path,
                   "has Young's modulus or Poisson's ratio and Lame's parameters: give one pair");
    return;
  }
  const std::string lambda_path = child_path(path, "lame_lambda");
  const std::string mu_path = child_path(path, "lame_mu");
  if (!material.has_lame_lambda()) problems.error(lambda_path, "is required with lame_mu");
  if (!material.has_lame_mu()) problems.error(mu_path, "is required with lame_lambda");
  if (!material.has_lame_lambda() || !material.has_lame_mu()) return;
  const double lambda = material.lame_lambda();
  const double mu = material.lame_mu();
  if (!problems.in_range(mu, least_lame, most_lame, mu_path) ||
      !problems.in_range(lambda, -most_lame, most_lame, lambda_path)) {
    return;
  }
  const double ratio = lambda / (2 * (lambda + mu));
  if (!(lambda + mu > 0 && ratio > -1 && ratio <= scene::largest_poisson_ratio)) {
    problems.error(lambda_path, fmt::format("{} Pa with a lame_mu of {} Pa makes a Poisson's ratio "
                                            "that is not in (-1, {}]",
                                            lambda, mu, scene::largest_poisson_ratio));
    return;
  }
  converted.young_modulus = 2 * mu * (1 + ratio);
  converted.poisson_ratio = ratio;
}

}  // namespace

scene::ElasticMaterial convert_material(const v1::ElasticMaterial& material,
                                        const std::string& path, ProblemSink& problems) {
  scene::ElasticMaterial converted;  // Its defaults are the documented ones.
  if (chosen(material.model(), child_path(path, "model"), problems)) {
    converted.model = energy_name(material.model());
  }
  if (material.has_stiffness_damping()) converted.stiffness_damping = material.stiffness_damping();
  if (material.has_kelvin_voigt_lambda()) {
    converted.kelvin_voigt_lambda = material.kelvin_voigt_lambda();
  }
  if (material.has_kelvin_voigt_mu()) converted.kelvin_voigt_mu = material.kelvin_voigt_mu();
  if (material.has_lame_lambda() || material.has_lame_mu()) {
    convert_lame(material, path, converted, problems);
    return converted;
  }
  if (material.has_young_modulus()) converted.young_modulus = material.young_modulus();
  if (material.has_poisson_ratio()) converted.poisson_ratio = material.poisson_ratio();
  return converted;
}

scene::ShellMaterial convert_shell(const v1::ShellMaterial& shell, const std::string& path,
                                   ProblemSink& problems) {
  scene::ShellMaterial converted;  // Its defaults are the documented ones.
  converted.material = convert_material(shell.material(), child_path(path, "material"), problems);
  if (shell.has_bend_scale()) converted.bend_scale = shell.bend_scale();
  converted.plane_strain = shell.plane_strain();
  return converted;
}

}  // namespace sluice::convert
