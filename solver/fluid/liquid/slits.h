// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid::grid {

/// Slits: faces next to liquid of which solids leave little open, and their velocity for particles.
///
/// In the pressure's system a face has the mass of its open part, whose energy pressure minimises.
/// The velocity is carried on by particles, whose mass is that of the liquid in the room around the
/// face, however little of the face is open. In a slit between two solids it is many times as much:
/// particles would leave it with more energy than pressure gave, in the next substep they would
/// have pressure drive even more through, and liquid that solids shut in as they close in on each
/// other would get faster without end. So particles get a part of a slit's velocity that is in
/// proportion to its open over its filled part, and for the rest the velocity of a closed face,
/// which a slit that closes becomes.
template <int D>
class Slits {
 public:
  template <typename T>
  using Faces = typename MacGrid<D>::template Faces<T>;

  /// After pressure: closes the slits, whose velocities are then unknown. `weights` [kg] are
  /// particles' masses on faces; `full` is a face's between cells full of liquid of lightness 1.
  void shut(const Faces<float>& weights, float full, MacGrid<D>& grid, Faces<std::uint8_t>& known);
  /// Opens the slits again, with the velocity for particles; after velocities went on into solids.
  void open(MacGrid<D>& grid) const;

 private:
  struct Slit {
    std::size_t axis, face;
    float open;
    float velocity;  ///< [m/s] By pressure.
    float part;      ///< The part of `velocity` that particles get.
  };

  parallel::Collector<Slit> collector_;
  std::vector<Slit> slits_;
};

extern template class Slits<2>;
extern template class Slits<3>;

}  // namespace sluice::fluid::grid
