// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice {

/// What the numbers of a frame are; sluice.v1.Field has the definitions.
enum class Field {
  position,       ///< [m], 3 components
  velocity,       ///< [m/s], 3 components
  pressure,       ///< [Pa] of a fluid or gas
  density,        ///< [kg/m^3] of a fluid
  contact_force,  ///< [N] magnitude, in the last substep of the frame
  smoke,          ///< Concentration, of a gas.
  temperature,    ///< [K] of a gas
  dye,            ///< Linear red, green and blue of a gas, 3 components.
};

/// Numbers a particle, vertex or cell has of it.
[[nodiscard]] constexpr int component_count(Field field) noexcept {
  return field == Field::position || field == Field::velocity || field == Field::dye ? 3 : 1;
}

}  // namespace sluice
