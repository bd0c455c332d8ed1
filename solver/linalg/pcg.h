// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solver/linalg/block_matrix.h"
#include "solver/types.h"

namespace sluice::linalg {

/// A linear map: writes the image of the first vector to the second.
using LinearMap = std::function<void(std::span<const Vec3>, std::span<Vec3>)>;

struct PcgReport {
  int iterations = 0;
  double residual = 0;         ///< |b - A x| over |b|, both in the norm of the preconditioner
  bool is_indefinite = false;  ///< Whether a direction of no positive curvature ended it early.
};

/// The conjugate gradient method with a preconditioner, for symmetric positive definite A. Keeps
/// its vectors between calls. [Hestenes1952]
///
/// Same bits for any number of threads, if `A` and `preconditioner` are so.
class Pcg {
 public:
  /// Solves A x = b from x = 0, until the residual is at most `tolerance` or `max_iterations` are
  /// done. On a direction of no positive curvature it ends with what it has, or with the
  /// preconditioned b if that is the first: a direction of descent in either case.
  PcgReport solve(const LinearMap& A, const LinearMap& preconditioner, std::span<const Vec3> b,
                  double tolerance, int max_iterations, std::span<Vec3> x);

 private:
  std::vector<Vec3> residual_, preconditioned_, direction_, image_;
};

/// The inverses of a matrix's diagonal blocks, as a preconditioner (block Jacobi).
class BlockJacobi {
 public:
  /// A block that is not positive definite counts as its trace times the identity, or as I.
  explicit BlockJacobi(const BlockMatrix& A);

  void operator()(std::span<const Vec3> r, std::span<Vec3> z) const;

 private:
  std::vector<Mat3> inverses_;
};

}  // namespace sluice::linalg
