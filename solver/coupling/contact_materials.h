// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solver/scene/scene.h"

namespace sluice::coupling {

/// The friction and restitution of a contact.
struct ContactMaterial {
  double friction = 0;     ///< Coulomb coefficient
  double restitution = 0;  ///< Part of an impact's speed with which both come apart.
};

/// The materials of all contacts of a scene: scene::ContactPair says how they follow from it.
class ContactMaterials {
 public:
  explicit ContactMaterials(const scene::Scene& scene);

  /// Returns the material between two bodies, by index as in solid::DeformableSystem.
  [[nodiscard]] ContactMaterial between(std::int32_t body_a, std::int32_t body_b) const;
  /// Returns the material between a body and one of the scene's obstacles.
  [[nodiscard]] ContactMaterial at_obstacle(std::int32_t body, std::size_t obstacle) const {
    return between(body, body_count_ + static_cast<std::int32_t>(obstacle));
  }
  /// Returns the material between a body and fluid: no restitution, as pressure drives fluid off.
  [[nodiscard]] ContactMaterial at_fluid(std::int32_t body) const {
    return {fluid_friction_[static_cast<std::size_t>(body)], 0};
  }
  /// Returns the material between a body and the sides of the domain.
  [[nodiscard]] ContactMaterial at_domain(std::int32_t body) const {
    return own_[static_cast<std::size_t>(body)];
  }

 private:
  struct Pair {
    std::int32_t first, second;  ///< first <= second
    ContactMaterial material;
  };

  std::int32_t body_count_ = 0;
  std::vector<ContactMaterial> own_;    ///< Materials of bodies, then obstacles.
  std::vector<double> fluid_friction_;  ///< Coefficients with fluid, by the same index.
  std::int32_t deformable_count_ = 0;   ///< Number of bodies that deform: they come first.
  std::vector<Pair> pairs_;             ///< The pairs that the scene names, in order.
};

}  // namespace sluice::coupling
