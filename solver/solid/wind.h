// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/vertex_gather.h"
#include "solver/types.h"

namespace sluice::solid {

/// The force of moving air on the surfaces of solids, by the formula of sluice.v1.Wind.
///
/// Each triangle gives a third of its force to each corner. The force grows with the square of the
/// velocity and is taken at the start of a step, so each part is divided by 1 + h c / m, c the
/// drag's constant and m the triangle's part of its corners' masses: that is the force in the
/// implicit step of a triangle alone, and never enough to drive it past the air.
/// Same bits for any number of threads. No allocation after construction.
class WindForce {
 public:
  /// Without `wind` there is nothing to add.
  WindForce(const std::optional<scene::Wind>& wind, const DeformableSystem& system);

  /// Whether there is anything to add.
  [[nodiscard]] bool is_blowing() const { return wind_.has_value(); }

  /// Adds the force [N] on each vertex in a step of `h` seconds that begins at `time` [s].
  void add(const DeformableSystem& system, double time, double h, std::span<Vec3> forces);

 private:
  std::optional<scene::Wind> wind_;
  VertexGather gather_;
  std::vector<double> masses_;  ///< [kg] by triangle
};

}  // namespace sluice::solid
