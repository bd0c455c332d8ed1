// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/octree/tree.h"
#include "solver/fluid/octree/tree_poisson.h"

namespace sluice::fluid::octree {

/// The null space of a TreePoisson: leaves that open faces tie together, and that are tied to
/// nothing fixed, are a room that nothing can leave. What comes into all of its leaves has to sum
/// up to 0 for a solution to exist.
template <int D>
class ClosedRooms {
 public:
  ClosedRooms() = default;
  /// Serial. Of the system that is made of the same.
  ClosedRooms(const Tree<D>& tree, const UnevenFaces& uneven, const TreeWeights<D>& weights);

  /// Takes off the source of each leaf, an array of the tree, what is too much in its room: by
  /// volume, so that the flow is equally far from free of divergence everywhere.
  void balance(std::span<double> source) const;

  /// Scales `inflow`, an array of the tree, >= 0, down where it does not fit in: in each room by
  /// the largest factor in [0, 1] for which source + inflow sums up to no more than 0, or else by
  /// 0.
  void fit(std::span<const double> source, std::span<float> inflow) const;

 private:
  struct InRoom {
    std::uint32_t leaf, room;
    float volume;  // [finest cells]
  };
  template <typename T>
  [[nodiscard]] std::vector<double> sums(std::span<const T> values) const;

  std::vector<InRoom> leaves_;
  std::vector<double> volumes_;  // By room.
};

extern template class ClosedRooms<2>;
extern template class ClosedRooms<3>;

}  // namespace sluice::fluid::octree
