// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/types.h"

namespace sluice::fluid {

/// The nodes that a point's kernel reaches, and their weights.
template <typename Spline>
struct ParticleWeights {
  ParticleWeights(const GridFrame& frame, const Vec3f& x) {
    Float4 X = frame.from_world(Float4{x[0], x[1], x[2], 0});
    if (frame.is_flat) X[1] = GridFrame::flat_place;
    base = frame.template base<Spline>(X);
    of_axes = weights_around<Spline>(X, base);
    for (int j = 0; frame.is_flat && j < Spline::support; ++j)
      of_axes.w[j][1] = j == 1 ? 1.0F : 0.0F;
  }
  /// Returns the weight of node base + (i, j, k).
  [[nodiscard]] float weight(int i, int j, int k) const noexcept {
    return of_axes.w[i][0] * of_axes.w[j][1] * of_axes.w[k][2];
  }

  Int4 base;
  Weights<Spline::support> of_axes;
};

}  // namespace sluice::fluid
