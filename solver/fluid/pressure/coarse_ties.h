// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/lattice/tiles.h"
#include "solver/fluid/pressure/immersed.h"

namespace sluice::fluid::grid {

/// Corrects an approximate inverse B of the pressure's system on a coarse lattice for bodies in the
/// liquid, by Woodbury's formula [Woodbury1950]: with K and M as in immersed_bodies.h,
///
///     (B^-1 + K^T m M^-1 K)^-1 = B - W (M / m + K W)^-1 W^T,      W = B K^T.
///
/// Its cost is six columns of W for each body: not for many bodies, and not on the finest lattice.
/// Without it, each light body would cost iterations: six eigenvalues of the system are far from
/// all others.
template <int D>
class CoarseTies {
 public:
  /// Sets x = B b: arrays of the coarse lattice, both.
  using Inverse = std::function<void(const float* b, float* x)>;

  /// The level of a multigrid, 0 being the finest, to use for so many bodies; 0 for no correction.
  [[nodiscard]] static std::size_t level_for(std::size_t body_count);

  /// A cell of `coarse` is 2^level cells of `fine` wide.
  CoarseTies(std::span<const RigidTie> ties, const Tiles<D>& fine, const Tiles<D>& coarse,
             std::size_t level, const Inverse& inverse);

  /// Changes x = B b to what it is with the bodies.
  void correct(float* x) const;

 private:
  struct Entry {
    std::size_t cell;
    double value;
  };

  [[nodiscard]] double press(std::size_t column, const float* x) const;

  std::vector<std::vector<Entry>> columns_;  // The columns of K^T.
  std::vector<Array<float>> answers_;        // The columns of W.
  std::size_t size_;                         // The size of arrays.
  Eigen::LLT<Eigen::MatrixXd> inertia_;      // M / m + K W
};

extern template class CoarseTies<2>;
extern template class CoarseTies<3>;

}  // namespace sluice::fluid::grid
