// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice {

/// The quantities that a frame can hold; sluice.v1.Field has their definitions.
enum class Field {
  position,       ///< [m], 3 components
  velocity,       ///< [m/s], 3 components
  pressure,       ///< [Pa] of a fluid or gas
  density,        ///< [kg/m^3] of a fluid
  contact_force,  ///< [N] magnitude of contact's force in the last substep of the frame
  smoke,          ///< Concentration of smoke in a gas.
  temperature,    ///< [K] of a gas
  dye,            ///< Linear red, green and blue of the dye in a gas, 3 components.
  cell_level,     ///< Of a gas on cells of many sizes: that of the cell.
  /// [m] The middles and the edges of a liquid's cells without particles, 4 numbers a cell.
  interior_cell,
};

/// Returns how many numbers of the field a particle, vertex or cell has.
[[nodiscard]] constexpr int component_count(Field field) noexcept {
  if (field == Field::interior_cell) return 4;
  return field == Field::position || field == Field::velocity || field == Field::dye ? 3 : 1;
}

}  // namespace sluice
