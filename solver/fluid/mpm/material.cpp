// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/material.h"

#include <algorithm>
#include <cmath>

namespace sluice::fluid {

namespace {

// Bulk viscosity in units of density c dx: the linear term of [VonNeumann1950]'s artificial
// viscosity. It damps waves of a few cells within their period and a column's bounce within a
// dozen, and leaves flow without compression alone; explicit steps stay stable up to the largest
// grid.cfl of a scene, 0.9 (mpm_fluid_test). mpm_fluid_test.water_column_comes_to_rest breaks
// without it.
constexpr double sound_damping = 0.5;

// Rate of the density feedback in units of c/dx. Sums of tr(grad v) drift: without it a dam break
// loses a tenth of its volume in ten seconds (mpm_fluid_test.a_dam_break_keeps_its_volume breaks).
// Much faster, and the noise of the grid's density becomes pressure.
constexpr double density_feedback = 0.002;

// Fluids whose densities differ by more than this factor share nodes in which a density says
// nothing about volume.
constexpr double one_density = 1.001;

bool has_one_density(const scene::Scene& scene) {
  const auto [least, greatest] = std::minmax_element(
      scene.fluids.begin(), scene.fluids.end(),
      [](const scene::Fluid& a, const scene::Fluid& b) { return a.density < b.density; });
  return greatest->density <= one_density * least->density;
}

}  // namespace

std::vector<Material> make_materials(const scene::Scene& scene) {
  const double cell = scene.grid.cell_size;
  const double spacing = cell / scene.grid.particles_per_axis;
  const double rest_volume = spacing * spacing * spacing;
  std::vector<Material> materials;
  for (const scene::Fluid& fluid : scene.fluids) {
    const double K = fluid.density * fluid.sound_speed * fluid.sound_speed;
    const double whole = std::floor(fluid.eos_exponent);
    const double feedback =
        has_one_density(scene) ? density_feedback * fluid.sound_speed / cell : 0;
    materials.push_back({
        .mass = static_cast<float>(fluid.density * rest_volume),
        .rest_volume = static_cast<float>(rest_volume),
        .rest_density = static_cast<float>(fluid.density),
        .bulk_over_gamma = static_cast<float>(K / fluid.eos_exponent),
        .whole_exponent = static_cast<int>(whole),
        .exponent_rest = static_cast<float>(fluid.eos_exponent - whole),
        .sound_speed = static_cast<float>(fluid.sound_speed),
        .viscosity = static_cast<float>(fluid.dynamic_viscosity),
        .sound_damping =
            static_cast<float>(sound_damping * fluid.density * fluid.sound_speed * cell),
        .density_feedback = static_cast<float>(feedback),
    });
  }
  return materials;
}

double compression_energy(const Material& material, float strain) noexcept {
  if (strain >= 0) return 0;
  // K/gamma (integral of J^-gamma - 1), by exponents of ln J, which keep their digits near J = 1.
  const double gamma = material.whole_exponent + static_cast<double>(material.exponent_rest);
  const double log_ratio = std::log1p(static_cast<double>(strain));
  const double expansion =
      gamma == 1 ? -log_ratio : std::expm1((1 - gamma) * log_ratio) / (gamma - 1);
  return static_cast<double>(material.rest_volume) * static_cast<double>(material.bulk_over_gamma) *
         (expansion + static_cast<double>(strain));
}

float sound_speed(const Material& material, float strain) noexcept {
  const float compression = std::max(0.0F, -strain / (1 + strain));
  const float gamma = static_cast<float>(material.whole_exponent) + material.exponent_rest;
  const float half_powers = gamma - 1;  // c^2 grows with (1/J)^(gamma-1)
  const auto whole = static_cast<int>(half_powers);
  const float ratio = (1 + power_minus_one(compression, whole)) *
                      (1 + root_minus_one(compression, half_powers - static_cast<float>(whole)));
  return material.sound_speed * std::sqrt(std::max(1.0F, ratio));
}

}  // namespace sluice::fluid
