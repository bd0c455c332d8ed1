// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// Where solids leave room for a particle that comes in: farther from all surfaces than contact
/// keeps particles, and in no closed body.
class FreePlaces {
 public:
  explicit FreePlaces(const scene::Scene& scene);

  /// Solids stand as they do now until the next call.
  void set_solids(const solid::DeformableSystem& solids);

  /// Of `x` [m] in the bounds of an emitter.
  [[nodiscard]] bool has(const Vec3& x) const;

 private:
  struct NearTriangle {
    std::size_t index;
    double gap;  ///< [m]
  };

  double contact_distance_;  ///< [m]
  bool ignores_solids_;      ///< Fluid goes through them.
  std::vector<geometry::Bounds> emitters_;
  const solid::DeformableSystem* solids_ = nullptr;
  std::vector<NearTriangle> near_;
  std::vector<std::size_t> near_bodies_;  ///< Closed ones.
};

}  // namespace sluice::simulation
