// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "client/cli/export/vtk.h"

namespace sluice::cli {

/// Writes an OpenVDB file with a grid for each field of a gas, called as programs for effects look
/// for them: `density` (smoke), `vel` (velocity), others by their names. A voxel is a cell, its
/// middle where the transform puts its index; cells as it is around are not stored: without smoke,
/// dye and motion, and at `ambient_temperature` in kelvin. Throws `CommandError` when it cannot; no
/// file is there then.
void write_gas_vdb(const std::filesystem::path& path, const CellFields& gas,
                   float ambient_temperature);

}  // namespace sluice::cli
