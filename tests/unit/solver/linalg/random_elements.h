// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "solver/linalg/block_matrix.h"
#include "solver/linalg/elements.h"
#include "solver/types.h"

namespace sluice::linalg {

/// Elements of k vertices and r rows over vertices in random places of a strip, so that neighbours
/// in number are neighbours in the matrix; seeded.
struct RandomElements {
  int k, r;
  std::vector<std::int32_t> stencils;
  std::vector<double> maps, weights, hessians;  ///< Weights and Hessians positive definite.

  RandomElements(int vertices, int rows, int vertex_count, int element_count, unsigned seed)
      : k(vertices), r(rows) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const int reach = std::min(vertex_count, 40);
    for (int e = 0; e < element_count; ++e) {
      const int first =
          static_cast<int>(random() % static_cast<unsigned>(vertex_count - reach + 1));
      std::vector<std::int32_t> near;
      while (near.size() < static_cast<std::size_t>(k)) {
        const int vertex = first + static_cast<int>(random() % static_cast<unsigned>(reach));
        if (std::find(near.begin(), near.end(), vertex) == near.end()) near.push_back(vertex);
      }
      stencils.insert(stencils.end(), near.begin(), near.end());
      for (int n = 0; n < k * r; ++n)
        maps.push_back(uniform(random));
      weights.push_back(2 + uniform(random));
      const Eigen::Index size = Eigen::Index{3} * r;
      Eigen::MatrixXd root(size, size);
      for (Eigen::Index n = 0; n < root.size(); ++n)
        root.data()[n] = uniform(random);
      const Eigen::MatrixXd H = root * root.transpose();
      hessians.insert(hessians.end(), H.data(), H.data() + H.size());
    }
  }
  ElementGroup group() const { return {k, r, stencils, maps}; }
  HessianSource source() const {
    return [this](std::size_t first, std::size_t last, std::span<double> out) {
      const auto size = 9 * static_cast<std::size_t>(r) * static_cast<std::size_t>(r);
      std::copy_n(&hessians[size * first], size * (last - first), out.begin());
    };
  }
};

/// sum_e (G_e x I)^T H_e (G_e x I) + diag(inertia) x I as a dense matrix, the textbook's way; held
/// vertices as BlockMatrix has them.
inline Eigen::MatrixXd dense_hessian(const std::vector<const RandomElements*>& groups,
                                     const std::vector<double>& inertia) {
  const auto n = static_cast<Eigen::Index>(inertia.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (const RandomElements* group : groups) {
    const int k = group->k, r = group->r;
    const Eigen::Index rows = Eigen::Index{3} * r, coordinates = Eigen::Index{3} * k;
    for (std::size_t e = 0; e < group->weights.size(); ++e) {
      // G_e x I over the element's own vertices, and where those stand.
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(rows, coordinates);
      std::vector<Eigen::Index> columns;
      for (int a = 0; a < k; ++a) {
        const std::size_t place = e * static_cast<std::size_t>(k) + static_cast<std::size_t>(a);
        for (int p = 0; p < r; ++p) {
          const std::size_t entry =
              e * static_cast<std::size_t>(r * k) + static_cast<std::size_t>(p * k + a);
          G.block<3, 3>(Eigen::Index{3} * p, Eigen::Index{3} * a) =
              group->maps[entry] * Mat3::Identity();
        }
        for (int c = 0; c < 3; ++c)
          columns.push_back(Eigen::Index{3} * group->stencils[place] + c);
      }
      const Eigen::Map<const Eigen::MatrixXd> H(
          &group->hessians[e * static_cast<std::size_t>(rows * rows)], rows, rows);
      A(columns, columns) += G.transpose() * H * G;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double m = inertia[static_cast<std::size_t>(i)];
    if (m == std::numeric_limits<double>::infinity()) {
      A.middleRows(3 * i, 3).setZero();
      A.middleCols(3 * i, 3).setZero();
      A.block<3, 3>(3 * i, 3 * i).setIdentity();
    } else {
      A.block<3, 3>(3 * i, 3 * i) += m * Mat3::Identity();
    }
  }
  return A;
}

inline std::vector<Vec3> random_vectors(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vec3> vectors;
  vectors.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    vectors.emplace_back(uniform(random), uniform(random), uniform(random));
  return vectors;
}

inline Eigen::Map<const Eigen::VectorXd> flat(const std::vector<Vec3>& vectors) {
  return {vectors.front().data(), static_cast<Eigen::Index>(3 * vectors.size())};
}

}  // namespace sluice::linalg
