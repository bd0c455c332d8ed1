// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/material.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>
#include <variant>

#include "solver/scene/seeding.h"

namespace sluice::fluid {

namespace {

// Bulk viscosity in units of density c dx: the linear term of [VonNeumann1950]'s artificial
// viscosity. It damps waves of a few cells within their period and a column's bounce within a
// dozen, and leaves flow without compression alone; explicit steps stay stable up to the largest
// grid.cfl of a scene, 0.9 (mpm_fluid_test). mpm_fluid_test.water_column_comes_to_rest breaks
// without it.
constexpr double sound_damping = 0.5;

// Rate of the density feedback in units of c/dx. Sums of tr(grad v) drift: without it a dam break
// loses a tenth of its volume in ten seconds (mpm_fluid_test.a_dam_break_keeps_its_volume breaks),
// and gaps that splashes leave fill too slowly. Much faster, and the noise of the grid's density
// becomes pressure.
constexpr double density_feedback = 0.01;

// Rate of particle shifting in units of the density feedback's. Without it the feedback's pressure
// turns vortices for ever; much faster, and it stirs what rests (random_rest_test, mpm_rest_test).
constexpr double shift_rate = 0.4;

// Fluids whose densities differ by more than this factor share nodes in which a mass says nothing
// about volume.
constexpr double one_density = 1.001;

void set_liquid(const scene::Fluid& fluid, double cell, Material& material) {
  const double K = fluid.density * fluid.sound_speed * fluid.sound_speed;
  const double whole = std::floor(fluid.eos_exponent);
  material.bulk_over_gamma = static_cast<float>(K / fluid.eos_exponent);
  material.whole_exponent = static_cast<int>(whole);
  material.exponent_rest = static_cast<float>(fluid.eos_exponent - whole);
  material.sound_speed = static_cast<float>(fluid.sound_speed);
  material.sound_damping =
      static_cast<float>(sound_damping * fluid.density * fluid.sound_speed * cell);
  material.density_feedback = static_cast<float>(density_feedback * fluid.sound_speed / cell);
  material.shift_rate = static_cast<float>(shift_rate) * material.density_feedback;
}

// [m/s] of a solid without strain; what its shear modulus adds to a liquid's.
float longitudinal_speed(const Material& material) {
  const float of_shear = material.is_liquid() ? 4.0F / 3 : 2.0F;
  return std::sqrt((material.lame_lambda + of_shear * material.shear_modulus) /
                   material.rest_density);
}

template <typename Elasticity>
void set_elasticity(const Elasticity& elasticity, Material& material) {
  const double E = elasticity.young_modulus, nu = elasticity.poisson_ratio;
  material.shear_modulus = static_cast<float>(E / (2 * (1 + nu)));
  material.lame_lambda = static_cast<float>(E * nu / ((1 + nu) * (1 - 2 * nu)));
}

// Sets what is of a scene's fluid's `material`, by kind.
struct SetModel {
  const scene::Fluid& fluid;
  Material& material;

  void operator()(const std::monostate& /*newtonian*/) const {
    material.model = Model::newtonian;
    material.viscosity = static_cast<float>(fluid.dynamic_viscosity);
  }
  void operator()(const scene::Bingham& bingham) const {
    material.model = Model::bingham;
    material.shear_modulus = static_cast<float>(bingham.shear_modulus);
    material.yield = static_cast<float>(std::numbers::sqrt2 * bingham.yield_stress);
    material.relaxation = static_cast<float>(bingham.shear_modulus / fluid.dynamic_viscosity);
  }
  void operator()(const scene::Jelly& jelly) const {
    material.model = Model::jelly;
    set_elasticity(jelly, material);
  }
  void operator()(const scene::Sand& sand) const {
    material.model = Model::sand;
    set_elasticity(sand, material);
    // sqrt(J2) = tan(angle) p, as granular flow is measured [Jop2006]: a slope slides from `angle`
    // on. [Klar2016] fits triaxial compression instead, and would hold slopes of 39 degrees for 35.
    const double alpha = std::numbers::sqrt2 * std::tan(sand.friction_angle) / 3;
    const double mu = static_cast<double>(material.shear_modulus);
    const double lambda = static_cast<double>(material.lame_lambda);
    material.yield = static_cast<float>((3 * lambda + 2 * mu) / (2 * mu) * alpha);
  }
  void operator()(const scene::Snow& snow) const {
    material.model = Model::snow;
    set_elasticity(snow, material);
    material.least_growth = static_cast<float>(-snow.critical_compression);
    material.greatest_growth = static_cast<float>(snow.critical_stretch);
    material.hardening = static_cast<float>(snow.hardening);
  }
};

}  // namespace

bool has_mixed_liquids(const scene::Scene& scene) {
  const auto is_liquid = [](const scene::Fluid& fluid) { return fluid.is_liquid(); };
  if (std::ranges::none_of(scene.fluids, is_liquid)) return false;
  const auto [least, greatest] =
      std::ranges::minmax(scene.fluids | std::views::transform(&scene::Fluid::density));
  return greatest > one_density * least || !std::ranges::all_of(scene.fluids, is_liquid);
}

std::vector<Material> make_materials(const scene::Scene& scene) {
  const double cell = scene.grid.cell_size;
  const double rest_volume = scene::seed_steps(scene).prod();
  const bool is_mixed = has_mixed_liquids(scene);
  std::vector<Material> materials;
  for (const scene::Fluid& fluid : scene.fluids) {
    Material material{};
    material.mass = static_cast<float>(fluid.density * rest_volume);
    material.rest_volume = static_cast<float>(rest_volume);
    material.rest_density = static_cast<float>(fluid.density);
    material.gathered_density = is_mixed ? 1 : material.rest_density;
    if (fluid.is_liquid()) set_liquid(fluid, cell, material);
    std::visit(SetModel{fluid, material}, fluid.material);
    materials.push_back(material);
  }
  return materials;
}

bool has_elastic(const scene::Scene& scene) {
  return std::any_of(scene.fluids.begin(), scene.fluids.end(), [](const scene::Fluid& fluid) {
    return !std::holds_alternative<std::monostate>(fluid.material);
  });
}

float pressure_of(std::span<const Material> materials, const Particles& particles,
                  std::size_t i) noexcept {
  const Material& material = materials[particles.materials[i]];
  const float strain = particles.affine[i].strain;
  if (material.is_liquid()) return pressure(material, strain);
  const float* stress = particles.elastic[i].stress;
  return -(stress[0] + stress[1] + stress[2]) / (3 * (1 + strain));
}

double compression_energy(const Material& material, float strain) noexcept {
  if (strain >= 0 || !material.is_liquid()) return 0;
  // K/gamma (integral of J^-gamma - 1), by exponents of ln J, which keep their digits near J = 1.
  const double gamma = material.whole_exponent + static_cast<double>(material.exponent_rest);
  const double log_ratio = std::log1p(static_cast<double>(strain));
  const double expansion =
      gamma == 1 ? -log_ratio : std::expm1((1 - gamma) * log_ratio) / (gamma - 1);
  return static_cast<double>(material.rest_volume) * static_cast<double>(material.bulk_over_gamma) *
         (expansion + static_cast<double>(strain));
}

double elastic_energy(const Material& material, const Elastic& elastic) {
  if (material.model == Model::newtonian) return 0;
  const float* e = elastic.left_cauchy_green;
  Mat3 matrix;
  matrix << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
  // The eigenvalues of F_e F_e^T - I, in closed form, so that millions of particles take no second.
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.computeDirect(matrix, Eigen::EigenvaluesOnly);
  const Vec3 squared = solver.eigenvalues().cwiseMax(-0.9999);  // elastic_flow.h
  const Vec3 log_stretch = squared.unaryExpr([](double s) { return std::log1p(s) / 2; });
  const Vec3 growth = log_stretch.unaryExpr([](double l) { return std::expm1(l); });
  const double mu = static_cast<double>(material.shear_modulus);
  const double lambda = static_cast<double>(material.lame_lambda);
  const double log_volume = log_stretch.sum();
  double density = 0;
  switch (material.model) {
    case Model::newtonian:
      break;
    case Model::bingham:
      density = mu * (log_stretch.array() - log_volume / 3).square().sum();
      break;
    case Model::jelly:
      density = mu / 2 * squared.sum() - mu * log_volume + lambda / 2 * log_volume * log_volume;
      break;
    case Model::sand:
      density = mu * log_stretch.squaredNorm() + lambda / 2 * log_volume * log_volume;
      break;
    case Model::snow: {
      const double hardened =
          std::exp(-static_cast<double>(material.hardening) * static_cast<double>(elastic.plastic));
      const double volume_growth = std::expm1(log_volume);
      density = hardened * (mu * growth.squaredNorm() + lambda / 2 * volume_growth * volume_growth);
      break;
    }
  }
  return static_cast<double>(material.rest_volume) * density;
}

float sound_speed(const Material& material, float strain) noexcept {
  if (!material.is_liquid()) return longitudinal_speed(material);
  const float compression = std::max(0.0F, -strain / (1 + strain));
  const float gamma = static_cast<float>(material.whole_exponent) + material.exponent_rest;
  const float half_powers = gamma - 1;  // c^2 grows with (1/J)^(gamma-1)
  const auto whole = static_cast<int>(half_powers);
  const float ratio = (1 + power_minus_one(compression, whole)) *
                      (1 + root_minus_one(compression, half_powers - static_cast<float>(whole)));
  const float pressed = material.sound_speed * std::sqrt(std::max(1.0F, ratio));
  return std::hypot(pressed, longitudinal_speed(material));
}

}  // namespace sluice::fluid
