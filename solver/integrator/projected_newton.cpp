// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/projected_newton.h"

#include <algorithm>

#include "solver/linalg/vectors.h"

namespace sluice::integrator {

namespace {

// Iterations of conjugate gradients in a step: where a factorisation is allowed, it takes over
// after the first number of them. They cost about as much, from 400 to 20,000 vertices of shells,
// and less for solids.
constexpr int iterations_before_factorisation = 300;
constexpr int most_iterations = 2000;

/// When a matrix is due, and how well its systems are worth solving.
class Pace {
 public:
  explicit Pace(const StoppingRule& rule) : rule_(rule), scale_(rule.force_scale) {}

  /// Takes the gradient's norm at the next iterate.
  void take(double gradient_norm) {
    if (!(scale_ > 0)) scale_ = gradient_norm;
    is_matrix_due_ = !(gradient_norm <= fast * last_);
    last_ = gradient_norm;
  }
  [[nodiscard]] bool is_matrix_due() const { return is_matrix_due_; }
  /// The part of |gradient| that a solve may leave: not below what the stopping rule asks for, by a
  /// factor for its miss.
  [[nodiscard]] double tolerance() const {
    return std::clamp(0.3 * rule_.relative_residual * scale_ / last_, usual, 0.5);
  }

 private:
  // An old matrix leaves of a gradient what the Hessian has changed by: where a step has brought it
  // down to a tenth, the next step with that matrix does about as well, and there is nothing to
  // assemble. [Kelley1995] 5.4
  static constexpr double fast = 0.1;
  // Less is lost to what the matrix does not know. From 0.01 to 0.05 a step of 1,440 tets takes the
  // same time within a tenth (tests/bench/tet_integrator_bench.cpp).
  static constexpr double usual = 0.03;

  const StoppingRule& rule_;
  double scale_, last_ = 0;
  bool is_matrix_due_ = true;
};

}  // namespace

ProjectedNewton::ProjectedNewton(std::span<const solid::Potential* const> potentials,
                                 std::size_t vertex_count, std::size_t direct_up_to)
    : hessian_(potentials, vertex_count),
      two_level_(hessian_.matrix().pattern()),
      is_direct_allowed_(vertex_count <= direct_up_to) {}

StepReport ProjectedNewton::step(const StepProblem& problem, const StoppingRule& rule,
                                 std::span<Vec3> x) {
  Pace pace(rule);
  is_two_level_ = true;
  cg_iterations_ = 0;
  return descent_.run(
      problem, rule, StepLength::armijo,
      [&](std::span<const Vec3> at, std::span<const Vec3> gradient, std::span<Vec3> direction) {
        pace.take(linalg::norm(gradient));
        if (pace.is_matrix_due()) {
          hessian_.assemble(problem, at);
          is_factored_ = false;
          if (is_two_level_) two_level_.prepare(hessian_.matrix(), at);
        }
        solve(gradient, pace.tolerance(), direction);
        for (Vec3& d : direction)
          d = -d;
      },
      x);
}

void ProjectedNewton::solve(std::span<const Vec3> b, double tolerance, std::span<Vec3> x) {
  const linalg::BlockMatrix& A = hessian_.matrix();
  if (is_two_level_) {
    const int allowed =
        is_direct_allowed_ ? iterations_before_factorisation - cg_iterations_ : most_iterations;
    const linalg::TwoLevelReport report = two_level_.solve(A, b, tolerance, allowed, x);
    cg_iterations_ += report.iterations;
    if (report.is_converged) return;
    is_two_level_ = false;
  }
  if (is_direct_allowed_ && !is_factored_) {
    if (!cholesky_) {
      cholesky_ =
          std::make_unique<linalg::SparseCholesky<double>>(A.pattern(), linalg::EntryKind::block);
    }
    is_factored_ = cholesky_->factor(A.entries());
  }
  if (is_factored_) {
    cholesky_->solve(b, x);
  } else {
    pcg_.solve([&](std::span<const Vec3> v, std::span<Vec3> w) { A.multiply(v, w); },
               linalg::BlockJacobi(A), b, tolerance, most_iterations, x);
  }
}

}  // namespace sluice::integrator
