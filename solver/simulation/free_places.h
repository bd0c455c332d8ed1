// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// The places that solids leave free for a particle that comes in: farther from all surfaces than
/// contact keeps particles, and in no closed body.
class FreePlaces {
 public:
  explicit FreePlaces(const scene::Scene& scene);

  /// Takes the places of solids, which stay as they are until the next call.
  void set_solids(const solid::DeformableSystem& solids);

  /// Whether the place `x` [m], in the bounds of an emitter, is free.
  [[nodiscard]] bool has(const Vec3& x) const;

 private:
  struct NearTriangle {
    std::size_t index;
    double gap;  ///< [m] that must be kept
  };

  double contact_distance_;  ///< [m]
  bool ignores_solids_;      ///< Whether fluid goes through solids.
  std::vector<geometry::Bounds> emitters_;
  const solid::DeformableSystem* solids_ = nullptr;
  std::vector<NearTriangle> near_;
  std::vector<std::size_t> near_bodies_;  ///< Closed bodies near emitters.
};

}  // namespace sluice::simulation
