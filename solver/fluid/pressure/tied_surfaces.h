// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/pressure/immersed.h"
#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

/// Corrects a preconditioner for bodies in the liquid right at their surfaces, where no coarse
/// lattice sees them (coarse_ties.h): B, of the pressure's system without bodies, is made
///
///     Q + (I - Q A') B (I - A' Q),      Q = Z (Z^T A' Z)^-1 Z^T,
///
/// the symmetric multiplicative correction of [Toselli2005] in the space of Z, A' being the system
/// with the bodies; but that a cell presses on a second body, too, is left out of A' Z. Z are the
/// six columns of each body's K^T over A's diagonal, the cells that its six motions press on: as
/// sparse as those columns.
template <int D>
class TiedSurfaces {
 public:
  /// Sets z = B r: arrays of the system.
  using Inverse = std::function<void(std::span<const float> r, std::span<float> z)>;

  /// Whether the correction pays: for so few bodies it costs no more than some percent of a solve.
  [[nodiscard]] static bool are_few(std::size_t body_count) noexcept;

  TiedSurfaces(const PoissonSystem<D>& system, std::span<const RigidTie> ties);

  void apply(std::span<const float> r, std::span<float> z, const Inverse& inverse);

 private:
  // The entries of a body's six columns in a cell.
  struct Entry {
    std::uint32_t cell;
    Motion values;
  };
  using Columns = std::vector<Entry>;

  static void find_columns(const PoissonSystem<D>& system, const RigidTie& tie, Columns& modes,
                           Columns& images);
  [[nodiscard]] Eigen::VectorXd press(const std::vector<Columns>& all,
                                      std::span<const float> values) const;
  void add(const std::vector<Columns>& all, const Eigen::VectorXd& factors,
           std::span<float> values) const;

  std::vector<Columns> modes_, images_;  // By body, columns of Z and A' Z; cells ascend.
  Eigen::LLT<Eigen::MatrixXd> inner_;    // Z^T A' Z
  Array<float> rest_;
};

extern template class TiedSurfaces<2>;
extern template class TiedSurfaces<3>;

}  // namespace sluice::fluid::grid
