// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/render/cell_lattice.h"

namespace sluice::cli {

/// Numbers of each point or cell, with the name that files give them.
struct PointField {
  std::string name;  ///< For example `pressure`.
  int component_count;
  std::span<const float> values;
};

/// A body in one frame, for writers of files.
struct BodyGeometry {
  std::span<const float> positions;            ///< x y z of each point, in metres.
  std::span<const float> velocities;           ///< x y z of each point, in m/s; or empty.
  std::span<const std::int32_t> triangles;     ///< Three points each; empty for particles.
  double time_seconds;                         ///< Simulated time.
  std::vector<PointField> extra{};             ///< Other fields of the frame.
  std::span<const std::int32_t> tetrahedra{};  ///< Four points each; of volumes.
  std::span<const std::int32_t> ids{};         ///< Which particle each point is; or empty.
};

/// A VTK XML PolyData file (.vtp): points with their velocity, extra fields and `id`;
/// triangles, or a vertex each for particles. Numbers are appended in base64, which any XML reader
/// takes and ParaView reads fast. Source: "VTK XML File Formats", VTK documentation, section on
/// appended data.
[[nodiscard]] std::string make_vtp(const BodyGeometry& body);

/// A VTK XML UnstructuredGrid file (.vtu) of the tetrahedra of a volume, as `make_vtp` otherwise.
[[nodiscard]] std::string make_vtu(const BodyGeometry& body);

/// A body of cells in one frame, for writers of files.
struct CellFields {
  render::CellLattice lattice;
  double time_seconds;             ///< Simulated time.
  std::vector<PointField> fields;  ///< Their numbers are those of the cells.
};

/// A VTK XML ImageData file (.vti) with the fields of cells as cell data; `make_vtp` otherwise.
[[nodiscard]] std::string make_vti(const CellFields& cells);

/// A VTK XML UnstructuredGrid file (.vtu) of cells of many sizes, a voxel each, with the means of
/// the fields over each cell as cell data; `make_vtp` otherwise. `levels` has, by cell of the
/// lattice, the level of the cell that it is in: FIELD_CELL_LEVEL.
[[nodiscard]] std::string make_vtu(const CellFields& cells, std::span<const float> levels);

/// The cells of a liquid without particles, in one frame.
struct InteriorCells {
  std::span<const float> cells;  ///< [m] FIELD_INTERIOR_CELL.
  double time_seconds;           ///< Simulated time.
  /// [m] In two dimensions, how far they reach along y.
  std::optional<std::pair<double, double>> slab;
};

/// The same of a liquid's cells without particles, with their edges in metres as cell data.
[[nodiscard]] std::string make_vtu(const InteriorCells& interior);

/// One file of a time series.
struct SeriesEntry {
  double time_seconds;
  int part;          ///< Which body, for a series of several.
  std::string file;  ///< Relative to the .pvd.
};

/// A ParaView data file (.pvd): which file is which time.
[[nodiscard]] std::string make_pvd(const std::vector<SeriesEntry>& entries);

/// The entries of a file that `make_pvd` made; what else is in it is left out.
[[nodiscard]] std::vector<SeriesEntry> read_pvd(const std::string& text);

}  // namespace sluice::cli
