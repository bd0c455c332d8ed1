// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/integrator/lane_vector.h"
#include "solver/integrator/spring_lanes.h"
#include "solver/linalg/sparse_cholesky.h"

namespace sluice::integrator {

/// The second level of a preconditioner for spring networks: moves patches of some hundred vertices
/// as wholes, exactly. Added to block Jacobi, it takes away the long waves, which cost that the
/// most iterations: 43 products in place of 366 on the stiff cloth of 100 x 100 vertices.
/// [Nicolaides1987]; [Toselli2005] 3
///
/// z += Z (Z^T H Z)^-1 Z^T r, where Z has a column a patch and axis, 1 at its vertices that are not
/// held. A spring within a patch does not resist its moving: the coarse matrix is that of the
/// springs from patch to patch.
class SpringCoarse {
 public:
  SpringCoarse(const SpringLanes& springs, std::size_t vertex_count);

  /// Takes the Hessian that `springs` has kept, with inertia, 0 where `is_free` is 0.
  void prepare(const SpringLanes& springs, std::span<const float> inertia,
               std::span<const float> is_free);

  /// Adds the correction for `r`, 0 at held vertices, to `z`, and returns their scalar product.
  double correct(const LaneVector& r, std::span<const float> is_free, LaneVector& z);

 private:
  /// The entries that a tie between two patches adds to; -1 for a tie within a patch.
  struct Place {
    std::int32_t forth, back;
  };

  std::vector<std::int32_t> patches_;  ///< Patch of each vertex.
  linalg::SparsePattern pattern_;      ///< Tied patches. Without rows there is no second level.
  std::unique_ptr<linalg::SparseCholesky<float>> cholesky_;
  std::vector<Place> places_;  ///< Entries of each tie.
  std::vector<double> entries_;
  std::vector<Vec3> sums_, moves_;  ///< Sums and motions by patch.
  bool is_ready_ = false;
};

}  // namespace sluice::integrator
