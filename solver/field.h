// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice {

/// What the numbers of a frame are; sluice.v1.Field has the definitions.
enum class Field {
  position,       ///< [m], 3 components
  velocity,       ///< [m/s], 3 components
  pressure,       ///< [Pa] of a fluid
  density,        ///< [kg/m^3] of a fluid
  contact_force,  ///< [N] magnitude, in the last substep of the frame
};

/// Numbers a particle or vertex has of it.
[[nodiscard]] constexpr int component_count(Field field) noexcept {
  return field == Field::position || field == Field::velocity ? 3 : 1;
}

}  // namespace sluice
