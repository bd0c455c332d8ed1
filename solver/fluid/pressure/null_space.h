// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/pressure/poisson.h"

namespace sluice::fluid::grid {

using Ties = std::span<const std::span<const std::uint32_t>>;

/// Where unknowns that are tied to each other are tied to nothing fixed, all of them may be raised
/// by any number, and b has to sum up to 0 for a solution to be there. `ties` are unknowns that
/// something else ties together: those on a body that moves.
template <int D>
class NullSpace {
 public:
  /// Serial; looks at the cells of tiles that are not uniform. `system` outlives this.
  explicit NullSpace(const PoissonSystem<D>& system, Ties ties = {});

  /// Takes the mean off where b has to sum up to 0: what is left is the part of b that has a
  /// solution. b is 0 where there is no unknown.
  void remove(std::span<double> b) const;

  /// Cuts `inflow`, >= 0, where it does not fit in: to what is nearest to it, and at least 0, for
  /// which b + inflow sums up to no more than 0.
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
  std::vector<InPiece> tiles_;        // All of whose unknowns are of one piece,
  std::vector<InPiece> cells_;        // and the others' cells: indices in arrays.
  std::vector<std::int64_t> counts_;  // By piece, of its cells.
};

extern template class NullSpace<2>;
extern template class NullSpace<3>;

}  // namespace sluice::fluid::grid
