// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/fluid/immersed/surface_place.h"
#include "solver/fluid/lattice/cell.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// The boundary map (outline_map.h) of a grid in three dimensions: where its lines cross
/// triangles.
///
/// Lines go through the middles of cells and of their faces: along an axis, line (i, j) is i halves
/// of a cell up axis (axis + 1) % 3, and j halves up axis (axis + 2) % 3; not both are even. Places
/// along a line are in cells.
///
/// A line that goes through a surface crosses exactly one of its triangles there, also where it
/// meets an edge or a corner of them: signs are exact, and a corner that lies on the line counts as
/// beside it, on the same side for all triangles [Edelsbrunner1990].
class SurfaceMap {
 public:
  using Line = std::array<std::int32_t, 2>;

  using Place = SurfacePlace<3>;
  struct Crossing {
    double at = 0;  ///< [cells] along the line
    Place place;
    bool is_front = false;  ///< Whether the triangle's normal points up the line.
  };
  /// All crossings of a line, ascending.
  struct OnLine {
    Line line;
    std::span<const Crossing> crossings;
  };

  /// Makes the map of triangles with corners at `positions` [m].
  void set(const CellFrame<3>& frame, std::span<const Vec3> positions,
           std::span<const TriangleIndices> triangles);

  /// [cells] The places of vertices.
  [[nodiscard]] std::span<const Vec3> vertices() const noexcept { return vertices_; }

  /// The lines along an axis that have a crossing.
  [[nodiscard]] std::span<const OnLine> lines(int axis) const noexcept {
    return lines_[static_cast<std::size_t>(axis)];
  }
  /// The crossings on a line, ascending; empty if there is none.
  [[nodiscard]] std::span<const Crossing> crossings(int axis, const Line& line) const noexcept;

 private:
  struct Found {
    Line line;
    Crossing crossing;
  };
  void add_triangle(std::uint32_t triangle, const TriangleIndices& corners, int axis,
                    std::vector<Found>& found) const;
  void sort(int axis, std::vector<Found>& found);

  std::vector<Vec3> vertices_;
  std::array<std::vector<Crossing>, 3> crossings_;  // By axis, line by line.
  std::array<std::vector<OnLine>, 3> lines_;        // By axis; ascending.
  struct Bounds {
    Line first{}, count{};
  };
  std::array<Bounds, 3> bounds_;                       // By axis: the range of its lines.
  std::array<std::vector<std::uint32_t>, 3> line_at_;  // Within those: 1 + place in lines_, or 0.
};

}  // namespace sluice::fluid::grid
