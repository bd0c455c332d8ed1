// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/elastic_flow.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>

#include "tests/unit/solver/fluid/scenes.h"

// Oracle: the return mappings of the papers in double, by Eigen's decompositions of the whole
// tensor.
namespace sluice::fluid::elastic_flow_test {
namespace {

constexpr int width = 8;
constexpr float duration = 1e-3F;

Mat3 matrix_of(const Symmetric<width>& s, int n) {
  Mat3 m;
  m << s.of[0][n], s.of[3][n], s.of[4][n], s.of[3][n], s.of[1][n], s.of[5][n], s.of[4][n],
      s.of[5][n], s.of[2][n];
  return m;
}

// One particle after a substep.
struct Expected {
  Mat3 e, stress;
  double plastic;
};

struct PlainFlow {
  Material material;
  double mu = material.shear_modulus, lambda = material.lame_lambda;
  double plastic;
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;

  PlainFlow(const Material& of, const Mat3& b, double before)
      : material(of), plastic(before), eigen(b) {}

  [[nodiscard]] Expected from(const Vec3& squared, const Vec3& stress) const {
    const Mat3& V = eigen.eigenvectors();
    return {V * squared.asDiagonal() * V.transpose(), V * stress.asDiagonal() * V.transpose(),
            plastic};
  }
  [[nodiscard]] Vec3 logs() const { return eigen.eigenvalues().array().log() / 2; }

  Expected jelly() {
    const double log_volume = logs().sum();
    const Vec3 e = eigen.eigenvalues().array() - 1;
    return from(e, mu * e + Vec3::Constant(lambda * log_volume));
  }
  Expected bingham() {
    Vec3 deviator = logs().array() - logs().mean();
    const double norm = 2 * mu * deviator.norm();
    if (norm > material.yield) {
      const double flowed =
          material.yield + (norm - material.yield) / (1 + duration * material.relaxation);
      deviator *= flowed / norm;
    }
    return from((2 * deviator).array().exp() - 1, 2 * mu * deviator);
  }
  Expected sand() {  // [Klar2016] equations (27) ff., with v_c of [Tampubolon2017].
    const Vec3 strain = logs().array() + plastic / 3;
    const double trace = strain.sum();
    if (trace >= 0) {
      plastic = std::min(trace, 0.05);
      return from(Vec3::Zero(), Vec3::Zero());
    }
    Vec3 deviator = strain.array() - trace / 3;
    const double slip = deviator.norm() + material.yield * trace;
    if (slip > 0) deviator -= slip * deviator.normalized();
    plastic = 0;
    const Vec3 left = deviator.array() + trace / 3;
    return from((2 * left).array().exp() - 1, 2 * mu * left + Vec3::Constant(lambda * trace));
  }
  Expected snow() {
    const Vec3 trial = eigen.eigenvalues().array().sqrt();
    const Vec3 stretch = trial.cwiseMax(1 + double{material.least_growth})
                             .cwiseMin(1 + double{material.greatest_growth});
    plastic = std::max((1 + plastic) * trial.prod() / stretch.prod() - 1, -0.4);
    const double harder = std::exp(-material.hardening * plastic), J = stretch.prod();
    const Vec3 stress =
        harder * (2 * mu * (stretch.array() - 1) * stretch.array() + lambda * (J - 1) * J);
    return from(stretch.array().square() - 1, stress);
  }
  Expected operator()() {
    switch (material.model) {
      case Model::jelly:
        return jelly();
      case Model::bingham:
        return bingham();
      case Model::sand:
        return sand();
      case Model::snow:
        return snow();
      case Model::newtonian:
        break;
    }
    return {Mat3::Zero(), Mat3::Zero(), plastic};
  }
};

std::vector<Material> one_of_each() {
  scene::Scene scene = test::tank({1, 1, 1}, 0.05, test::box({0, 0, 0}, {1, 1, 1}));
  const scene::Fluid water = scene.fluids[0];
  for (const scene::FluidMaterial& material :
       {scene::FluidMaterial(scene::Bingham{.yield_stress = 300, .shear_modulus = 2e4}),
        scene::FluidMaterial(scene::Jelly{}), scene::FluidMaterial(scene::Sand{}),
        scene::FluidMaterial(scene::Snow{})}) {
    scene.fluids.push_back(water);
    scene.fluids.back().material = material;
    scene.fluids.back().dynamic_viscosity = 5;
  }
  return make_materials(scene);
}

ElasticParameters<width> parameters_of(const std::array<const Material*, width>& materials) {
  ElasticParameters<width> of;
  for (int n = 0; n < width; ++n) {
    const Material& m = *materials[static_cast<std::size_t>(n)];
    of.mu[n] = m.shear_modulus;
    of.lambda[n] = m.lame_lambda;
    of.density[n] = m.rest_density;
    of.yield[n] = m.yield;
    of.relaxation[n] = m.relaxation;
    of.least_growth[n] = m.least_growth;
    of.greatest_growth[n] = m.greatest_growth;
    of.hardening[n] = m.hardening;
  }
  return of;
}

// Random states of random materials, strained by `size`.
void expect_plain_flow(float size, unsigned seed) {
  const std::vector<Material> kinds = one_of_each();
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> unit(-1, 1);
  std::uniform_int_distribution<std::size_t> kind(0, kinds.size() - 1);
  std::array<const Material*, width> materials{};
  IntLanes<width> models{};
  ElasticLanes<width> state{};
  FloatLanes<width> growth[3][3]{};
  std::array<Mat3, width> carried;
  std::array<double, width> plastic{};
  for (int n = 0; n < width; ++n) {
    const auto at = static_cast<std::size_t>(n);
    materials[at] = &kinds[kind(generator)];
    models[n] = static_cast<std::int32_t>(materials[at]->model);
    for (FloatLanes<width>& number : state.e.of)
      number[n] = 0.3F * size * unit(generator);
    Mat3 G;
    for (int r = 0; r < 3; ++r) {
      for (int a = 0; a < 3; ++a) {
        growth[r][a][n] = 0.3F * size * unit(generator);
        G(r, a) = growth[r][a][n];
      }
    }
    state.plastic[n] = materials[at]->model == Model::snow ? 0.2F * unit(generator) : 0.01F;
    plastic[at] = state.plastic[n];
    const Mat3 F = Mat3::Identity() + G;
    carried[at] = F * (Mat3::Identity() + matrix_of(state.e, n)) * F.transpose();
  }
  flow_elastic<width>(parameters_of(materials), duration, growth, models, state);
  for (int n = 0; n < width; ++n) {
    const auto at = static_cast<std::size_t>(n);
    const Material& material = *materials[at];
    const Expected expected = PlainFlow(material, carried[at], plastic[at])();
    const double stiffness = material.shear_modulus + material.lame_lambda;
    const double tolerance = 2e-6 * size;  // Some roundings of the largest strain.
    EXPECT_LE((matrix_of(state.e, n) - expected.e).norm(), tolerance)
        << static_cast<int>(material.model);
    EXPECT_LE((matrix_of(state.stress, n) - expected.stress).norm(),
              50 * tolerance * stiffness)  // Snow may be e^4 as stiff.
        << static_cast<int>(material.model);
    if (material.model != Model::bingham) {
      EXPECT_NEAR(state.plastic[n], expected.plastic, 2e-6) << static_cast<int>(material.model);
    }
  }
}

TEST(ElasticFlow, is_that_of_the_papers_at_any_strain) {
  for (unsigned seed = 0; seed < 400; ++seed)
    expect_plain_flow(1, seed);
}

TEST(ElasticFlow, keeps_its_digits_at_small_strains) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    expect_plain_flow(1e-2F, seed);
    expect_plain_flow(1e-4F, seed);
  }
}

TEST(ElasticFlow, survives_a_substep_that_turns_particles_inside_out) {
  const std::vector<Material> kinds = one_of_each();
  for (const Material& kind : kinds) {
    std::array<const Material*, width> materials;
    materials.fill(&kind);
    const IntLanes<width> models = IntLanes<width>{} + static_cast<std::int32_t>(kind.model);
    ElasticLanes<width> state{};
    FloatLanes<width> growth[3][3]{};
    growth[0][0] -= 1.0F;
    growth[1][0] += 3.0F;
    flow_elastic<width>(parameters_of(materials), duration, growth, models, state);
    for (int n = 0; n < width; ++n) {
      EXPECT_TRUE(matrix_of(state.e, n).allFinite()) << static_cast<int>(kind.model);
      EXPECT_TRUE(matrix_of(state.stress, n).allFinite()) << static_cast<int>(kind.model);
      EXPECT_TRUE(std::isfinite(state.wave_speed_squared[n]));
    }
  }
}

// Simple shear at a constant rate: Bingham's law says yield stress + viscosity times rate.
TEST(ElasticFlow, bingham_bears_its_yield_stress_and_the_viscosity_of_what_flows) {
  const Material bingham = one_of_each()[1];
  std::array<const Material*, width> materials;
  materials.fill(&bingham);
  const IntLanes<width> models = IntLanes<width>{} + static_cast<std::int32_t>(Model::bingham);
  for (const float rate : {0.5F, 5.0F, 50.0F}) {
    ElasticLanes<width> state{};
    FloatLanes<width> growth[3][3]{};
    growth[0][2] += rate * duration;
    for (int step = 0; step < 2000; ++step)
      flow_elastic<width>(parameters_of(materials), duration, growth, models, state);
    // The elastic strain turns the axes by a little: 2 % here.
    EXPECT_NEAR(matrix_of(state.stress, 0)(0, 2), 300 + 5 * rate, 0.02 * (300 + 5 * rate));
  }
}

double shear_stress_of_sand(float pressing, float shearing) {
  const Material sand = one_of_each()[3];
  std::array<const Material*, width> materials;
  materials.fill(&sand);
  const IntLanes<width> models = IntLanes<width>{} + static_cast<std::int32_t>(Model::sand);
  ElasticLanes<width> state{};
  FloatLanes<width> growth[3][3]{};
  for (int axis = 0; axis < 3; ++axis)
    growth[axis][axis] -= pressing;
  flow_elastic<width>(parameters_of(materials), duration, growth, models, state);
  FloatLanes<width> shear[3][3]{};
  shear[0][2] += shearing;
  for (int step = 0; step < 3000; ++step)
    flow_elastic<width>(parameters_of(materials), duration, shear, models, state);
  const Mat3 stress = matrix_of(state.stress, 0);
  return stress(0, 2) / -(stress.trace() / 3);
}

// The shear stress of a granular flow is tan(friction angle) times its pressure.
TEST(ElasticFlow, sand_slides_at_its_friction_and_has_none_without_pressure) {
  const double expected = std::tan(scene::Sand{}.friction_angle);
  EXPECT_NEAR(shear_stress_of_sand(1e-3F, 1e-4F), expected, 0.01 * expected);
  EXPECT_NEAR(shear_stress_of_sand(1e-2F, 1e-4F), expected, 0.01 * expected);
  EXPECT_TRUE(std::isnan(shear_stress_of_sand(-1e-3F, 1e-4F))) << "0 over 0";
}

}  // namespace
}  // namespace sluice::fluid::elastic_flow_test
