// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/solid/convergence/bar_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace sluice::solid {
namespace {

using Eigen::Index;

/// d^2 Psi / dx^2 at rest, of all vertices: 3 rows each.
Eigen::MatrixXd stiffness_of(const Potential& potential, const std::vector<Vec3>& rest) {
  const auto size = static_cast<Index>(3 * rest.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
  const Index k = potential.vertices_per_element(), r = potential.rows();
  std::vector<double> buffer(static_cast<std::size_t>(9 * r * r));
  for (std::size_t e = 0; e < potential.element_count(); ++e) {
    potential.hessians(e, e + 1, rest, HessianForm::exact, buffer);
    const Eigen::Map<const Eigen::MatrixXd> H(buffer.data(), 3 * r, 3 * r);
    const auto first = static_cast<std::size_t>(k) * e;
    const double* G = &potential.maps()[static_cast<std::size_t>(r) * first];
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        const Index row = Index{3} * potential.stencils()[first + static_cast<std::size_t>(i)];
        const Index column = Index{3} * potential.stencils()[first + static_cast<std::size_t>(j)];
        for (Index a = 0; a < r; ++a) {
          for (Index b = 0; b < r; ++b)
            K.block<3, 3>(row, column) += G[a * k + i] * G[b * k + j] * H.block<3, 3>(3 * a, 3 * b);
        }
      }
    }
  }
  return K;
}

}  // namespace

BarMode first_longitudinal_mode(const TetBar& bar, const Potential& elastic,
                                const std::vector<double>& mass,
                                const std::vector<std::uint8_t>& is_held, double gravity) {
  std::vector<Index> free_rows;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    for (Index axis = 0; is_held[i] == 0 && axis < 3; ++axis)
      free_rows.push_back(static_cast<Index>(3 * i) + axis);
  }
  const Eigen::MatrixXd K = stiffness_of(elastic, bar.vertices)(free_rows, free_rows);
  const auto size = static_cast<Index>(free_rows.size());
  Eigen::VectorXd M(size), weight(size), guess(size);
  double top = 0;
  for (const Vec3& vertex : bar.vertices)
    top = std::max(top, vertex.z());
  for (Index n = 0; n < size; ++n) {
    const auto vertex = static_cast<std::size_t>(free_rows[static_cast<std::size_t>(n)] / 3);
    const bool is_z = free_rows[static_cast<std::size_t>(n)] % 3 == 2;
    M[n] = mass[vertex];
    weight[n] = is_z ? -gravity * M[n] : 0;
    guess[n] = is_z ? -(top - bar.vertices[vertex].z()) : 0;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(
      K, Eigen::MatrixXd(M.asDiagonal()));
  // Eigenvectors are orthonormal in M: the one that a stretched bar has the most of is wanted;
  // slower ones bend it.
  Index found = 0;
  (modes.eigenvectors().transpose() * M.cwiseProduct(guess)).cwiseAbs().maxCoeff(&found);
  Eigen::VectorXd shape = modes.eigenvectors().col(found);
  shape /= std::copysign(shape.cwiseAbs().maxCoeff(), shape.dot(M.cwiseProduct(guess)));
  const Eigen::VectorXd sag = K.ldlt().solve(weight);

  BarMode mode{std::vector<Vec3>(mass.size(), Vec3::Zero()), {}, 0};
  mode.shape = mode.sag;
  mode.frequency = std::sqrt(modes.eigenvalues()[found]);
  for (Index n = 0; n < size; ++n) {
    const Index row = free_rows[static_cast<std::size_t>(n)];
    mode.sag[static_cast<std::size_t>(row / 3)][row % 3] = sag[n];
    mode.shape[static_cast<std::size_t>(row / 3)][row % 3] = shape[n];
  }
  return mode;
}

}  // namespace sluice::solid
