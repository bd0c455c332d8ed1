// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

using Ties = std::span<const std::span<const std::uint32_t>>;

/// The null space of a system: where unknowns that are tied to each other are tied to nothing
/// fixed, all may be raised by any number, and b has to sum up to 0 for a solution to exist. `ties`
/// are groups of unknowns that something else ties together: those on a body that moves.
template <int D>
class NullSpace {
 public:
  /// Serial; looks at the cells of tiles that are not uniform. `system` must outlive this.
  explicit NullSpace(const PoissonSystem<D>& system, Ties ties = {});

  /// Subtracts the mean where b has to sum up to 0: what is left is the part of b that has a
  /// solution. b is 0 where there is no unknown.
  void remove(std::span<double> b) const;

  /// Scales `inflow`, >= 0, down where it does not fit in: for each group of tied unknowns by the
  /// largest factor in [0, 1] for which b + inflow sums up to no more than 0, or else by 0.
  void fit(std::span<const double> b, std::span<float> inflow) const;

 private:
  struct InPiece {
    std::uint32_t index, piece;
  };

  template <typename T>
  [[nodiscard]] std::vector<double> sums(std::span<const T> values) const;
  template <typename Change>
  void for_each_unknown(const Change& change) const;

  const PoissonSystem<D>* system_;
  std::vector<InPiece> tiles_;        // Tiles whose unknowns are all of one piece,
  std::vector<InPiece> cells_;        // and cells of others: indices in arrays.
  std::vector<std::int64_t> counts_;  // By piece: the number of its unknowns.
};

extern template class NullSpace<2>;
extern template class NullSpace<3>;

}  // namespace sluice::fluid::grid
