// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/geometry/file_cursor.h"
#include "solver/geometry/volume_readers.h"

/// Private to the readers of VTK files: what the legacy and the XML form have in common.
namespace sluice::geometry::vtk {

enum class Type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// The type of a legacy file's name (int, double, vtktypeint64), if it is one of these.
[[nodiscard]] std::optional<Type> type_of_legacy_name(std::string_view name);

[[nodiscard]] inline bool is_integer(Type type) {
  return type != Type::float32 && type != Type::float64;
}

/// The next number of that type; text may spell it in any way that a double has.
[[nodiscard]] std::optional<double> next_real(mesh_text::FileCursor& cursor, Type type);
/// The next number of an integer type, if it is one of 64 bits with a sign.
[[nodiscard]] std::optional<std::int64_t> next_integer(mesh_text::FileCursor& cursor, Type type);

/// The cells of an unstructured grid as a file has them.
struct Grid {
  std::vector<Vec3> points;
  std::vector<std::int64_t> connectivity;  ///< Points of all cells, one cell after the other.
  std::vector<std::int64_t> ends;          ///< By cell: where its points end in `connectivity`.
  std::vector<std::int64_t> types;         ///< By cell: VTK's number of its type.
};

/// Checks the grid and sorts its cells by kind.
[[nodiscard]] Result<volume_readers::Cells> sort_cells(Grid grid);

}  // namespace sluice::geometry::vtk
