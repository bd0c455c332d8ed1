// SPDX-License-Identifier: Apache-2.0
// Newton for bodies at rest under dead loads: no inertia, so that theory's answer is compared and
// nothing else.
#pragma once

#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/solid/potential.h"

namespace sluice::solid {

struct StaticProblem {
  std::vector<const Potential*> potentials;
  std::vector<Vec3> forces;                  ///< [N] a vertex, constant
  std::vector<std::array<bool, 3>> is_free;  ///< By vertex and axis.
};

struct StaticReport {
  bool is_converged = false;
  int iterations = 0;
};

class StaticSolver {
 public:
  explicit StaticSolver(StaticProblem problem) : problem_(std::move(problem)) {
    int count = 0;
    for (const auto& free : problem_.is_free) {
      for (const bool is_free : free)
        unknowns_.push_back(is_free ? count++ : -1);
    }
    unknown_count_ = count;
  }

  /// Moves x to where the forces balance to `tolerance` [N] in the largest component.
  StaticReport solve(std::vector<Vec3>& x, double tolerance, int most_iterations = 200) {
    StaticReport report;
    double value = energy(x);
    for (; report.iterations < most_iterations; ++report.iterations) {
      const Eigen::VectorXd g = gradient(x);
      if (g.cwiseAbs().maxCoeff() <= tolerance) {
        report.is_converged = true;
        return report;
      }
      factor(x, HessianForm::exact);
      if (solver_.info() != Eigen::Success || solver_.vectorD().minCoeff() <= 0)
        factor(x, HessianForm::positive_semidefinite);
      const Eigen::VectorXd step = solver_.solve(-g);
      const double slope = g.dot(step);
      double share = 1;
      for (int halving = 0;; ++halving) {
        const std::vector<Vec3> trial = moved(x, step, share);
        const double trial_value = energy(trial);
        // Near the end the energy falls by less than its rounding.
        if (trial_value <= value + 1e-4 * share * slope + 1e-12 * std::abs(value)) {
          x = trial;
          value = trial_value;
          break;
        }
        if (halving == 40) return report;
        share *= 0.5;
      }
    }
    return report;
  }

 private:
  [[nodiscard]] double energy(const std::vector<Vec3>& x) const {
    double sum = 0;
    for (const Potential* potential : problem_.potentials)
      sum += potential->energy(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      sum -= problem_.forces[i].dot(x[i]);
    return sum;
  }

  [[nodiscard]] Eigen::VectorXd gradient(const std::vector<Vec3>& x) const {
    std::vector<Vec3> full(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      full[i] = -problem_.forces[i];
    for (const Potential* potential : problem_.potentials)
      potential->add_gradient(x, full);
    Eigen::VectorXd g(unknown_count_);
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      if (unknowns_[i] >= 0) g[unknowns_[i]] = full[i / 3][static_cast<Eigen::Index>(i % 3)];
    }
    return g;
  }

  [[nodiscard]] std::vector<Vec3> moved(std::vector<Vec3> x, const Eigen::VectorXd& step,
                                        double share) const {
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      if (unknowns_[i] >= 0)
        x[i / 3][static_cast<Eigen::Index>(i % 3)] += share * step[unknowns_[i]];
    }
    return x;
  }

  void factor(const std::vector<Vec3>& x, HessianForm form) {
    triplets_.clear();
    for (const Potential* potential : problem_.potentials)
      add(*potential, x, form);
    Eigen::SparseMatrix<double> A(unknown_count_, unknown_count_);
    A.setFromTriplets(triplets_.begin(), triplets_.end());
    if (!is_analysed_) solver_.analyzePattern(A);
    is_analysed_ = true;
    solver_.factorize(A);
  }

  /// The lower triangle of (G x I)^T H (G x I) of each element.
  void add(const Potential& potential, const std::vector<Vec3>& x, HessianForm form) {
    const auto k = static_cast<std::size_t>(potential.vertices_per_element());
    const auto r = static_cast<std::size_t>(potential.rows());
    const auto n = static_cast<Eigen::Index>(3 * r);
    std::vector<double> buffer(9 * r * r);
    for (std::size_t e = 0; e < potential.element_count(); ++e) {
      potential.hessians(e, e + 1, x, form, buffer);
      const Eigen::Map<const Eigen::MatrixXd> H(buffer.data(), n, n);
      const double* G = &potential.maps()[e * r * k];
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
          Mat3 block = Mat3::Zero();
          for (std::size_t a = 0; a < r; ++a) {
            for (std::size_t b = 0; b < r; ++b) {
              block +=
                  G[a * k + i] * G[b * k + j] *
                  H.block<3, 3>(static_cast<Eigen::Index>(3 * a), static_cast<Eigen::Index>(3 * b));
            }
          }
          add_block(static_cast<std::size_t>(potential.stencils()[e * k + i]),
                    static_cast<std::size_t>(potential.stencils()[e * k + j]), block);
        }
      }
    }
  }

  void add_block(std::size_t i, std::size_t j, const Mat3& block) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const int row = unknowns_[3 * i + a], column = unknowns_[3 * j + b];
        if (row < 0 || column < 0 || row < column) continue;
        triplets_.emplace_back(row, column,
                               block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
      }
    }
  }

  StaticProblem problem_;
  std::vector<int> unknowns_;  ///< The unknown of vertex i and axis a at 3 i + a; -1 where held.
  int unknown_count_ = 0;
  std::vector<Eigen::Triplet<double>> triplets_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
  bool is_analysed_ = false;
};

}  // namespace sluice::solid
