// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/grid_frame.h"
#include "solver/fluid/particles/particle_search.h"
#include "solver/fluid/particles/particles.h"
#include "solver/scene/scene.h"

namespace sluice::fluid {

/// The ways by which fluid goes out, drains and open sides, and comes back, periodic sides.
class Outlets {
 public:
  Outlets(const scene::Scene& scene, const GridFrame& frame);

  /// True if fluid goes neither out nor through a side anywhere.
  [[nodiscard]] bool empty() const noexcept {
    return !has_periodic_ && !has_open_ && drains_.empty();
  }

  /// Puts particles that have gone out by a periodic side in by the one opposite.
  void put_back(Particles& particles) const;

  /// The indices of particles that are out at `time` [s], ascending. Valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> find_gone(double time, const Particles& particles);

 private:
  struct Drain {
    scene::Drain drain;
    geometry::Bounds bounds;
  };

  GridFrame frame_;
  bool has_periodic_ = false, has_open_ = false;
  Vec3f lower_,
      upper_;  ///< [m] limits beyond which a particle is out; infinite at sides that are not open
  std::vector<Drain> drains_;
  ParticleSearch search_;
};

}  // namespace sluice::fluid
