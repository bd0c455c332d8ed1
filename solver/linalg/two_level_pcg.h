// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/linalg/block_matrix.h"
#include "solver/linalg/rigid_patches.h"
#include "solver/types.h"

namespace sluice::linalg {

struct TwoLevelReport {
  int iterations = 0;
  double residual = 1;        ///< |b - A x| / |b|, measured in double.
  bool is_converged = false;  ///< If not, too few iterations, or float cannot tell A from singular.
};

/// Conjugate gradients for the Hessians of elastic bodies in single precision, which halves what a
/// product reads, preconditioned by block Jacobi and RigidPatches, and refined with residuals in
/// double. [Hestenes1952], [Langou2006]
///
/// Keeps its vectors between calls. Same bits for any number of threads.
class TwoLevelPcg {
 public:
  explicit TwoLevelPcg(const SparsePattern& pattern);

  /// Takes a positive definite matrix over the pattern, and the positions of the vertices that it
  /// belongs to.
  void prepare(const BlockMatrix& A, std::span<const Vec3> positions);

  /// Solves A x = b for the prepared A, until |b - A x| is some `tolerance` (to a factor of 2) of
  /// |b|. b is 0 at held vertices. If it is not converged, x need not be of any use.
  TwoLevelReport solve(const BlockMatrix& A, std::span<const Vec3> b, double tolerance,
                       int max_iterations, std::span<Vec3> x);

 private:
  int iterate(double tolerance, int max_iterations);
  double multiply();
  void advance(float alpha, double& rz, double& rr);
  void turn(float beta);

  std::size_t vertex_count_;
  std::vector<std::int32_t> row_starts_, columns_;
  std::vector<float> blocks_, inverses_;  ///< 9 a block, and three more: read as 4 + 4 + 4.
  RigidPatches patches_;
  std::vector<float> residual_, preconditioned_, direction_, image_, answer_;  ///< 4 a vertex.
  std::vector<Vec3> left_;
};

}  // namespace sluice::linalg
