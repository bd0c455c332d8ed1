// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/kelvin_voigt.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "solver/solid/continuum_elements.h"

namespace sluice::solid {

namespace {

template <int f_rows, int cols>
class KelvinVoigt final : public ContinuumElements<KelvinVoigt<f_rows, cols>, f_rows, cols> {
  using Base = ContinuumElements<KelvinVoigt<f_rows, cols>, f_rows, cols>;
  static constexpr int size = f_rows * cols;
  using Strain = Eigen::Matrix<double, cols, cols>;
  using Flat = Eigen::Matrix<double, size, 1>;
  using Hessian = Eigen::Matrix<double, size, size>;

 public:
  using Gradient = typename Base::Gradient;

  KelvinVoigt(const Viscosity& viscosity, RestShapes<cols> shapes)
      : Base(std::move(shapes), stiffest(viscosity)), viscosity_(viscosity) {}

  void begin_step(std::span<const Vec3> x_n, double h) override {
    assert(h > 0);
    h_ = h;
    strains_.resize(this->element_count());
    for (std::size_t e = 0; e < strains_.size(); ++e) {
      strains_[e] = green_strain(this->gradient_at(e, x_n));
      this->mutable_weights()[e] = this->measures()[e] * stiffest(viscosity_) / h;
    }
  }

  [[nodiscard]] double density_at(std::size_t e, const Gradient& F) const {
    const Strain change = green_strain(F) - strains_[e];
    return (0.5 * viscosity_.phi * change.trace() * change.trace() +
            viscosity_.psi * change.squaredNorm()) /
           h_;
  }

  [[nodiscard]] Gradient stress_at(std::size_t e, const Gradient& F) const {
    return F * second_stress(green_strain(F) - strains_[e]);
  }

  /// dP = dF S + F dS, S as in stress_at.
  [[nodiscard]] Hessian hessian_at(std::size_t e, const Gradient& F, HessianForm form) const {
    Strain S = second_stress(green_strain(F) - strains_[e]);
    if (form == HessianForm::positive_semidefinite) {
      const Eigen::SelfAdjointEigenSolver<Strain> solver(S);
      S = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() *
          solver.eigenvectors().transpose();
    }
    Hessian H;
    for (int i = 0; i < size; ++i) {
      Gradient unit = Gradient::Zero();
      unit(i) = 1;
      const Strain product = F.transpose() * unit;
      const Gradient change = unit * S + F * second_stress(0.5 * (product + product.transpose()));
      H.col(i) = Eigen::Map<const Flat>(change.data());
    }
    return H;
  }

  /// Newton from P, damped, with the projected Hessian where the exact one is indefinite.
  [[nodiscard]] Gradient proximal_at(std::size_t e, const Gradient& P, double w) const {
    constexpr int most_iterations = 50, most_halvings = 40;
    constexpr double tolerance = 1e-13, sufficient = 1e-4, rounding = 4e-15;
    Gradient Z = P;
    double value = density_at(e, Z);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      const Gradient residual = stress_at(e, Z) + w * (Z - P);
      const Flat g = Eigen::Map<const Flat>(residual.data());
      Eigen::LLT<Hessian> cholesky(hessian_at(e, Z, HessianForm::exact) + w * Hessian::Identity());
      if (cholesky.info() != Eigen::Success) {
        cholesky.compute(hessian_at(e, Z, HessianForm::positive_semidefinite) +
                         w * Hessian::Identity());
      }
      const Flat step = -cholesky.solve(g);
      const bool is_last = step.cwiseAbs().maxCoeff() <= tolerance * (1 + P.cwiseAbs().maxCoeff());
      double share = 1;
      for (int halving = 0;; ++halving) {
        const Gradient trial = Z + share * Eigen::Map<const Gradient>(step.data());
        const double trial_value = density_at(e, trial) + 0.5 * w * (trial - P).squaredNorm();
        if (trial_value <= value + sufficient * share * g.dot(step) + rounding * value) {
          Z = trial;
          value = trial_value;
          break;
        }
        if (is_last || halving == most_halvings) return Z;
        share *= 0.5;
      }
      if (is_last) break;
    }
    return Z;
  }

 private:
  static double stiffest(const Viscosity& viscosity) {
    return 2 * viscosity.psi + std::max(0.0, cols * viscosity.phi);
  }

  static Strain green_strain(const Gradient& F) {
    return 0.5 * (F.transpose() * F - Strain::Identity());
  }

  /// dW/dE' for a change of strain over the step.
  [[nodiscard]] Strain second_stress(const Strain& change) const {
    return (viscosity_.phi * change.trace() * Strain::Identity() + 2 * viscosity_.psi * change) /
           h_;
  }

  Viscosity viscosity_;
  double h_ = 1;                 ///< [s]
  std::vector<Strain> strains_;  ///< Strains at the start of the step.
};

}  // namespace

Viscosity rayleigh_viscosity(const Lame& lame, double time) noexcept {
  return {time * lame.lambda, time * lame.mu};
}

std::unique_ptr<Potential> make_tet_damping(std::span<const Vec3> rest_positions,
                                            std::span<const std::array<std::int32_t, 4>> tets,
                                            const Viscosity& viscosity) {
  return std::make_unique<KelvinVoigt<3, 3>>(viscosity, tet_shapes(rest_positions, tets));
}

std::unique_ptr<Potential> make_plane_damping(std::span<const Vec3> rest_positions,
                                              std::span<const TriangleIndices> triangles,
                                              const Viscosity& viscosity) {
  return std::make_unique<KelvinVoigt<2, 2>>(viscosity, plane_shapes(rest_positions, triangles));
}

std::unique_ptr<Potential> make_slice_damping(std::span<const Vec3> rest_positions,
                                              std::span<const TriangleIndices> triangles,
                                              const Viscosity& viscosity, double thickness) {
  return std::make_unique<KelvinVoigt<2, 2>>(viscosity,
                                             plane_shapes(rest_positions, triangles, 2, thickness));
}

std::unique_ptr<Potential> make_membrane_damping(std::span<const Vec3> rest_positions,
                                                 std::span<const TriangleIndices> triangles,
                                                 const Viscosity& viscosity, double thickness) {
  return std::make_unique<KelvinVoigt<3, 2>>(viscosity,
                                             membrane_shapes(rest_positions, triangles, thickness));
}

}  // namespace sluice::solid
