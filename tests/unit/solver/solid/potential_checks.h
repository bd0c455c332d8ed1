// SPDX-License-Identifier: Apache-2.0
// What holds for every Potential, checked through its interface alone.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "solver/parallel/thread_limit.h"
#include "solver/solid/potential.h"

namespace sluice::solid {

/// Each coordinate off by up to `size`.
inline std::vector<Vec3> jittered(std::vector<Vec3> x, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> spread(-size, size);
  for (Vec3& point : x)
    point += Vec3(spread(random), spread(random), spread(random));
  return x;
}

inline std::vector<Vec3> mapped(std::vector<Vec3> x, const Mat3& linear, const Vec3& shift) {
  for (Vec3& point : x)
    point = linear * point + shift;
  return x;
}

inline std::vector<Vec3> gradient_of(const Potential& potential, const std::vector<Vec3>& x) {
  std::vector<Vec3> gradient(x.size(), Vec3::Zero());
  potential.add_gradient(x, gradient);
  return gradient;
}

inline Eigen::MatrixXd map_of(const Potential& potential, std::size_t e) {
  const int r = potential.rows(), k = potential.vertices_per_element();
  Eigen::MatrixXd G(r, k);
  for (int row = 0; row < r; ++row) {
    for (int i = 0; i < k; ++i)
      G(row, i) = potential.maps()[(e * static_cast<std::size_t>(r * k)) +
                                   static_cast<std::size_t>(row * k + i)];
  }
  return G;
}

/// `map` and `map_back` of a range of elements are G_e and its transpose.
inline void expect_maps_are_those_of_the_tables(const Potential& potential,
                                                const std::vector<Vec3>& x) {
  const std::size_t first = potential.element_count() / 3, last = potential.element_count();
  const auto r = static_cast<std::size_t>(potential.rows());
  const auto k = static_cast<std::size_t>(potential.vertices_per_element());
  std::vector<double> D(3 * r * (last - first));
  std::vector<Vec3> back(k * (last - first));
  potential.map(first, last, x, D);
  potential.map_back(first, last, D, back);
  for (std::size_t e = first; e < last; ++e) {
    const Eigen::MatrixXd G = map_of(potential, e);
    Eigen::MatrixXd X(k, 3), found(k, 3);
    for (std::size_t i = 0; i < k; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      X.row(row) = x[static_cast<std::size_t>(potential.stencils()[e * k + i])].transpose();
      found.row(row) = back[k * (e - first) + i].transpose();
    }
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
    const Rows mapped = Eigen::Map<const Rows>(&D[3 * r * (e - first)], potential.rows(), 3);
    // Sums of four terms: a few roundings of the largest.
    const double rounding = 1e-14 * G.cwiseAbs().maxCoeff() * X.cwiseAbs().maxCoeff();
    ASSERT_LE((mapped - G * X).cwiseAbs().maxCoeff(), rounding) << e;
    ASSERT_LE((found - G.transpose() * mapped).cwiseAbs().maxCoeff(),
              G.cwiseAbs().maxCoeff() * rounding)
        << e;
  }
}

inline Eigen::MatrixXd hessian_of(const Potential& potential, std::size_t e,
                                  const std::vector<Vec3>& x, HessianForm form) {
  const int n = 3 * potential.rows();
  std::vector<double> out(static_cast<std::size_t>(n * n));
  potential.hessians(e, e + 1, x, form, out);
  return Eigen::Map<Eigen::MatrixXd>(out.data(), n, n);
}

/// d2Psi/dx2 from the elements' Hessians and maps.
inline Eigen::MatrixXd assembled_hessian(const Potential& potential, const std::vector<Vec3>& x,
                                         HessianForm form) {
  const auto n = static_cast<Eigen::Index>(3 * x.size());
  const int r = potential.rows(), k = potential.vertices_per_element();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t e = 0; e < potential.element_count(); ++e) {
    const Eigen::MatrixXd H = hessian_of(potential, e, x, form), G = map_of(potential, e);
    Eigen::MatrixXd lift =
        Eigen::MatrixXd::Zero(Eigen::Index{3} * r, n);  // x to the entries of D, row-major
    for (int i = 0; i < k; ++i) {
      const int vertex =
          potential.stencils()[e * static_cast<std::size_t>(k) + static_cast<std::size_t>(i)];
      for (int row = 0; row < r; ++row) {
        for (int axis = 0; axis < 3; ++axis)
          lift(3 * row + axis, 3 * vertex + axis) += G(row, i);
      }
    }
    sum += lift.transpose() * H * lift;
  }
  return sum;
}

/// Oracle: central differences of the energy. `tolerance` in newtons, `step` in metres.
inline void expect_gradient_is_derivative(const Potential& potential, std::vector<Vec3> x,
                                          double step, double tolerance) {
  const std::vector<Vec3> gradient = gradient_of(potential, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const double at = x[i][axis];
      x[i][axis] = at + step;
      const double above = potential.energy(x);
      x[i][axis] = at - step;
      const double below = potential.energy(x);
      x[i][axis] = at;
      EXPECT_NEAR(gradient[i][axis], (above - below) / (2 * step), tolerance)
          << "vertex " << i << " axis " << axis;
    }
  }
}

/// Oracle: central differences of the gradient. `tolerance` in N/m, `step` in metres.
inline void expect_hessian_is_derivative(const Potential& potential, std::vector<Vec3> x,
                                         double step, double tolerance) {
  const Eigen::MatrixXd H = assembled_hessian(potential, x, HessianForm::exact);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const double at = x[i][axis];
      x[i][axis] = at + step;
      const std::vector<Vec3> above = gradient_of(potential, x);
      x[i][axis] = at - step;
      const std::vector<Vec3> below = gradient_of(potential, x);
      x[i][axis] = at;
      for (std::size_t j = 0; j < x.size(); ++j) {
        for (int other = 0; other < 3; ++other) {
          EXPECT_NEAR(H(static_cast<int>(3 * j) + other, static_cast<int>(3 * i) + axis),
                      (above[j][other] - below[j][other]) / (2 * step), tolerance)
              << "vertices " << j << ", " << i << " axes " << other << ", " << axis;
        }
      }
    }
  }
}

/// Oracle: the exact Hessian with its negative eigenvalues set to 0 by a numerical eigensolver.
inline void expect_projection_is_of_eigenvalues(const Potential& potential,
                                                const std::vector<Vec3>& x, double tolerance) {
  for (std::size_t e = 0; e < potential.element_count(); ++e) {
    const Eigen::MatrixXd exact = hessian_of(potential, e, x, HessianForm::exact);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(exact);
    const Eigen::MatrixXd clamped = solver.eigenvectors() *
                                    solver.eigenvalues().cwiseMax(0).asDiagonal() *
                                    solver.eigenvectors().transpose();
    const Eigen::MatrixXd projected =
        hessian_of(potential, e, x, HessianForm::positive_semidefinite);
    EXPECT_LE((exact - exact.transpose()).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LE((projected - clamped).cwiseAbs().maxCoeff(), tolerance) << "element " << e;
  }
}

/// The energy is the same after a rigid motion, and the gradient turns with it.
inline void expect_rigid_invariance(const Potential& potential, const std::vector<Vec3>& x,
                                    double tolerance) {
  const Mat3 R(Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized()));
  const std::vector<Vec3> moved = mapped(x, R, Vec3(0.3, -0.7, 1.1));
  EXPECT_NEAR(potential.energy(moved), potential.energy(x), tolerance);
  const std::vector<Vec3> before = gradient_of(potential, x), after = gradient_of(potential, moved);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE((after[i] - R * before[i]).norm(), tolerance) << "vertex " << i;
}

/// Internal forces have no resultant and no moment.
inline void expect_balanced_forces(const Potential& potential, const std::vector<Vec3>& x,
                                   double tolerance) {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  const std::vector<Vec3> gradient = gradient_of(potential, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    force += gradient[i];
    moment += x[i].cross(gradient[i]);
  }
  EXPECT_LE(force.norm(), tolerance);
  EXPECT_LE(moment.norm(), tolerance);
}

inline void expect_same_bits_for_any_thread_count(const Potential& potential,
                                                  const std::vector<Vec3>& x) {
  std::vector<std::vector<Vec3>> gradients;
  std::vector<double> energies;
  for (const int thread_count : {1, 2, 5}) {
    parallel::ThreadLimit limit(thread_count);
    limit.run([&] {
      gradients.push_back(gradient_of(potential, x));
      energies.push_back(potential.energy(x));
    });
  }
  for (std::size_t i = 1; i < gradients.size(); ++i) {
    EXPECT_EQ(energies[i], energies[0]);
    EXPECT_EQ(gradients[i], gradients[0]);
  }
}

/// U_e at a given D, for a potential of one element whose vertices are all there are.
inline double energy_at(const Potential& potential, const Eigen::VectorXd& D) {
  const Eigen::MatrixXd G = map_of(potential, 0);
  Eigen::MatrixXd rows(potential.rows(), 3);
  for (int i = 0; i < D.size(); ++i)
    rows(i / 3, i % 3) = D[i];
  const Eigen::MatrixXd X = G.transpose() * (G * G.transpose()).ldlt().solve(rows);
  std::vector<Vec3> x(static_cast<std::size_t>(X.rows()));
  for (int i = 0; i < potential.vertices_per_element(); ++i)
    x[static_cast<std::size_t>(potential.stencils()[static_cast<std::size_t>(i)])] =
        X.row(i).transpose();
  return potential.energy(x);
}

/// No point near the local step's answer has a smaller objective, and its slope is 0 by central
/// differences. For a potential of one element. `tolerance` in units of the weight.
inline void expect_local_step_minimises(const Potential& potential, const Eigen::VectorXd& p,
                                        double scale, double tolerance) {
  std::vector<double> z(static_cast<std::size_t>(p.size()));
  potential.local_step(0, 1, {p.data(), z.size()}, scale, z);
  Eigen::VectorXd at = Eigen::Map<Eigen::VectorXd>(z.data(), p.size());
  ASSERT_TRUE(at.allFinite());
  const double w = potential.weights()[0];
  const auto objective = [&](const Eigen::VectorXd& D) {
    return energy_at(potential, D) + 0.5 * w * scale * (D - p).squaredNorm();
  };
  const double least = objective(at), step = 1e-5;
  ASSERT_TRUE(std::isfinite(least));
  EXPECT_LE(least, objective(p) * (1 + 1e-12));
  for (int i = 0; i < p.size(); ++i) {
    const double middle = at[i];
    at[i] = middle + step;
    const double above = objective(at);
    at[i] = middle - step;
    const double below = objective(at);
    at[i] = middle;
    EXPECT_NEAR((above - below) / (2 * step), 0, tolerance * w) << "entry " << i;
    EXPECT_GE(std::min(above, below), least - 1e-12 * (std::abs(least) + w)) << "entry " << i;
  }
}

}  // namespace sluice::solid
