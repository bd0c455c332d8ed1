// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid::grid {

/// Faces that solids leave little of, next to liquid, and what particles get of their velocities.
///
/// What pressure drives through a face weighs as much as is open of it, and it makes the energy of
/// that least. What carries the velocity on are particles, which weigh as much as liquid fills of
/// the room around the face, however little of the face is open. In a slit between two solids that
/// is many times as much: particles would leave it with more energy than pressure gave, in the next
/// substep they would have pressure drive even more through, and what solids shut in as they close
/// in on each other would get faster without end. So particles get of a slit's velocity a part
/// that goes with what its open part is of what is filled, and else what they get of a closed face,
/// which is also what becomes of a slit that closes.
template <int D>
class Slits {
 public:
  template <typename T>
  using Faces = typename MacGrid<D>::template Faces<T>;

  /// After pressure: makes slits closed faces, whose velocities are not known. `weights` [kg] are
  /// those of particles on faces, `full` that of a face between cells full of what lightness 1 is.
  void shut(const Faces<float>& weights, float full, MacGrid<D>& grid, Faces<std::uint8_t>& known);
  /// After velocities were continued into solids: opens them again, with what particles get.
  void open(MacGrid<D>& grid) const;

 private:
  struct Slit {
    std::size_t axis, face;
    float open;
    float velocity;  ///< [m/s] By pressure.
    float part;      ///< Of that, for particles.
  };

  parallel::Collector<Slit> collector_;
  std::vector<Slit> slits_;
};

extern template class Slits<2>;
extern template class Slits<3>;

}  // namespace sluice::fluid::grid
