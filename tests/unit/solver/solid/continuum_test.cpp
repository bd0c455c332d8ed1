// SPDX-License-Identifier: Apache-2.0
// Oracles: central differences, Eigen's eigensolver, invariance, energies worked by hand.
#include "solver/solid/continuum.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/solver/solid/grid_mesh.h"
#include "tests/unit/solver/solid/potential_checks.h"

namespace sluice::solid {
namespace {

enum class Shape { tets, plane, slice, membrane };

constexpr Lame soft_rubber{300, 500};

/// A cube of 0.1 m cut into the five usual tets.
struct Cube {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 4>> tets{
      {0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}};

  Cube() {
    for (int i = 0; i < 8; ++i)
      vertices.emplace_back(0.1 * (i & 1), 0.1 * ((i >> 1) & 1), 0.1 * ((i >> 2) & 1));
  }
};

struct Body {
  std::vector<Vec3> rest;
  std::unique_ptr<Potential> potential;
};

Body make_body(Shape shape, const std::string& model) {
  if (shape == Shape::tets) {
    const Cube cube;
    return {cube.vertices, make_tets(cube.vertices, cube.tets, {model, soft_rubber})};
  }
  const geometry::TriangleMesh mesh = grid_mesh(3, 2, 0.1);
  if (shape == Shape::plane)
    return {mesh.vertices,
            make_plane_triangles(mesh.vertices, mesh.triangles, {model, soft_rubber})};
  if (shape == Shape::slice) {
    std::vector<Vec3> upright = mesh.vertices;
    for (Vec3& x : upright)
      std::swap(x.y(), x.z());
    return {upright, make_slice(upright, mesh.triangles, {model, soft_rubber}, 0.01)};
  }
  return {mesh.vertices, make_membrane(mesh.vertices, mesh.triangles, {model, soft_rubber}, 0.01)};
}

class Continuum : public testing::TestWithParam<std::tuple<Shape, std::string>> {
 protected:
  [[nodiscard]] Shape shape() const { return std::get<0>(GetParam()); }
  [[nodiscard]] std::string model() const { return std::get<1>(GetParam()); }

  /// [J] of 1 m^3, times the measure of an element of the body: what tolerances are relative to.
  [[nodiscard]] double stiffest() const {
    double most = 0;
    for (const double weight : body.potential->weights())
      most = std::max(most, weight);
    return most;
  }

  Body body = make_body(shape(), model());
};

TEST_P(Continuum, maps_are_those_of_the_tables) {
  expect_maps_are_those_of_the_tables(*body.potential, jittered(body.rest, 0.02, 6));
}

TEST_P(Continuum, derivatives_match_differences) {
  for (const Vec3& factors : {Vec3(1, 1, 1), Vec3(10, 1, 1), Vec3(0.3, 1, 0.8)}) {
    const auto x = jittered(mapped(body.rest, factors.asDiagonal(), Vec3::Zero()), 0.01, 7);
    // A difference of 1e-6 m is 1e-5 of an element: of forces w / 0.1 m times growth 10^3, 1e-9.
    const double growth = std::pow(factors.maxCoeff(), 3);
    expect_gradient_is_derivative(*body.potential, x, 1e-7, 1e-6 * stiffest() * growth);
    expect_hessian_is_derivative(*body.potential, x, 1e-7, 1e-4 * stiffest() * growth);
    expect_projection_is_of_eigenvalues(*body.potential, x, 1e-12 * stiffest() * growth);
  }
}

TEST_P(Continuum, forces_are_balanced_and_turn_with_the_body) {
  const auto x = jittered(body.rest, 0.02, 8);
  const bool is_linear = model() == LinearElasticity::name;
  if (!is_linear && shape() != Shape::plane) {
    expect_rigid_invariance(*body.potential, x, 1e-12 * stiffest());
    expect_balanced_forces(*body.potential, x, 1e-12 * stiffest());
  }
  if (!is_linear && shape() == Shape::plane) {
    const Mat3 turn(Eigen::AngleAxisd(2.1, Vec3::UnitZ()));
    EXPECT_NEAR(body.potential->energy(mapped(x, turn, Vec3(1, 2, 3))), body.potential->energy(x),
                1e-12 * stiffest());
  }
  EXPECT_NEAR(body.potential->energy(mapped(x, Mat3::Identity(), Vec3(0.5, 1, 2))),
              body.potential->energy(x), 1e-12 * stiffest());
  EXPECT_NEAR(body.potential->energy(body.rest), 0, 1e-14 * stiffest());
}

TEST_P(Continuum, small_stretch_has_the_energy_of_linear_elasticity) {
  // Stretched by e along x alone: (mu + lambda/2) e^2 a volume, plane stress's lambda for a sheet.
  const double e = 1e-5;
  const auto x = mapped(body.rest, Vec3(1 + e, 1, 1).asDiagonal(), Vec3::Zero());
  const double lambda =
      shape() == Shape::membrane ? plane_stress(soft_rubber).lambda : soft_rubber.lambda;
  const double volume =
      shape() == Shape::tets ? 1e-3 : (shape() == Shape::plane ? 0.02 : 0.02 * 0.01);
  const double expected = (soft_rubber.mu + lambda / 2) * e * e * volume;
  EXPECT_NEAR(body.potential->energy(x), expected, 1e-4 * expected);
}

TEST_P(Continuum, local_step_minimises) {
  // One element, so that any D can be reached.
  const std::vector<Vec3> rest = {Vec3(0, 0, 0), Vec3(0.2, 0.01, 0), Vec3(0.03, 0.1, 0),
                                  Vec3(0.02, 0.05, 0.15)};
  const std::vector<TriangleIndices> triangle{{0, 1, 2}};
  std::unique_ptr<Potential> one;
  if (shape() == Shape::tets)
    one = make_tets(rest, std::vector<std::array<std::int32_t, 4>>{{0, 1, 2, 3}},
                    {model(), soft_rubber});
  if (shape() == Shape::plane) one = make_plane_triangles(rest, triangle, {model(), soft_rubber});
  if (shape() == Shape::membrane) one = make_membrane(rest, triangle, {model(), soft_rubber}, 0.01);
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  const int rows = one->rows();
  for (int n = 0; n < 20; ++n) {
    Eigen::VectorXd p(3 * rows);
    for (int i = 0; i < p.size(); ++i)
      p[i] = 0.4 * normal(random) + (i % 4 == 0 ? 1 : 0);
    const Mat3 padded = [&] {
      Mat3 full = Mat3::Identity();
      for (int i = 0; i < p.size(); ++i)
        full(i / 3, i % 3) = p[i];
      if (rows == 2) full.row(2) = full.row(0).cross(full.row(1));
      if (shape() == Shape::plane) full.col(2) = Vec3::UnitZ();
      return full;
    }();
    if (padded.determinant() < 0.3) continue;  // Squashed and mirrored: isotropic_derivatives_test.
    for (const double scale : {0.1, 1.0, 10.0})
      expect_local_step_minimises(*one, p, scale, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Continuum,
    testing::Combine(testing::Values(Shape::tets, Shape::plane, Shape::membrane),
                     testing::Values(SaintVenantKirchhoff::name, NeoHookean::name,
                                     StableNeoHookean::name, FixedCorotated::name)));
INSTANTIATE_TEST_SUITE_P(Linear, Continuum,
                         testing::Combine(testing::Values(Shape::tets, Shape::plane),
                                          testing::Values(LinearElasticity::name)));

TEST(Tets, weight_is_the_stiffest_curvature_at_rest) {
  const Cube cube;
  const auto potential = make_tets(cube.vertices, cube.tets, {StableNeoHookean::name, soft_rubber});
  for (std::size_t e = 0; e < potential->element_count(); ++e) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        hessian_of(*potential, e, cube.vertices, HessianForm::exact));
    EXPECT_NEAR(solver.eigenvalues().maxCoeff(), potential->weights()[e], 1e-12);
  }
}

TEST(Tets, inverted_neo_hookean_is_infinite) {
  const Cube cube;
  const auto potential = make_tets(cube.vertices, cube.tets, {NeoHookean::name, soft_rubber});
  EXPECT_EQ(potential->energy(mapped(cube.vertices, Vec3(1, 1, -1).asDiagonal(), Vec3::Zero())),
            std::numeric_limits<double>::infinity());
}

TEST(PlaneTriangles, z_is_ignored) {
  const geometry::TriangleMesh mesh = grid_mesh(3, 3, 0.1);
  const auto potential =
      make_plane_triangles(mesh.vertices, mesh.triangles, {NeoHookean::name, soft_rubber});
  auto x = jittered(mesh.vertices, 0.01, 4);
  const double energy = potential->energy(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i].z() = static_cast<double>(i);
  EXPECT_EQ(potential->energy(x), energy);
  for (const Vec3& force : gradient_of(*potential, x))
    EXPECT_EQ(force.z(), 0);
}

// A slice is plane triangles with z for y, and as thick as it is told.
TEST(Slice, is_in_the_plane_of_x_and_z) {
  const geometry::TriangleMesh mesh = grid_mesh(3, 3, 0.1);
  const auto turned = [](std::vector<Vec3> x) {
    for (Vec3& v : x)
      std::swap(v.y(), v.z());
    return x;
  };
  const IsotropicMaterial material{SaintVenantKirchhoff::name, soft_rubber};
  const auto plane = make_plane_triangles(mesh.vertices, mesh.triangles, material);
  const auto slice = make_slice(turned(mesh.vertices), mesh.triangles, material, 0.25);
  auto x = jittered(mesh.vertices, 0.01, 4);
  auto in_slice = turned(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    in_slice[i].y() = static_cast<double>(i);  // Which it does not see.
  EXPECT_NEAR(slice->energy(in_slice), 0.25 * plane->energy(x), 1e-12 * plane->energy(x));
  const auto expected = turned(gradient_of(*plane, x));
  const auto found = gradient_of(*slice, in_slice);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LT((found[i] - 0.25 * expected[i]).norm(), 1e-12);
}

TEST(Tets, same_bits_for_any_thread_count) {
  const Cube cube;
  std::vector<Vec3> vertices;
  std::vector<std::array<std::int32_t, 4>> tets;
  for (int copy = 0; copy < 900; ++copy) {
    for (auto tet : cube.tets) {
      for (std::int32_t& vertex : tet)
        vertex += 4 * copy;  // Half of a cube's vertices are the next one's.
      tets.push_back(tet);
    }
    for (std::size_t i = 0; i < 4; ++i)
      vertices.emplace_back(cube.vertices[i] + Vec3(0, 0, 0.1 * copy));
  }
  for (std::size_t i = 0; i < 4; ++i)
    vertices.emplace_back(cube.vertices[i] + Vec3(0, 0, 0.1 * 900));
  const auto potential = make_tets(vertices, tets, {StableNeoHookean::name, soft_rubber});
  expect_same_bits_for_any_thread_count(*potential, jittered(vertices, 0.01, 3));
}

}  // namespace
}  // namespace sluice::solid
