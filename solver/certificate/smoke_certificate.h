// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/cell_lattice.h"
#include "solver/simulation.h"
#include "solver/types.h"

namespace sluice::certificate {

/// A gas and the solids in it at the end of a frame.
struct SmokeState {
  CellLattice lattice;
  std::span<const float> smoke;                ///< Concentration by cell.
  std::span<const scene::Obstacle> obstacles;  ///< The scene's obstacles where they are.
  std::span<const Vec3> vertices;              ///< [m] of all solids
  std::span<const TriangleIndices> triangles;  ///< Surfaces of all solids, into the vertices.
  std::array<bool, 3> is_periodic = {};        ///< By axis, whether the domain is periodic.
  /// The triangles that are the outer surfaces of volumes, facing outwards; in two dimensions, the
  /// triangles that slices are made of.
  std::span<const TriangleIndices> around_volumes = {};
};

/// Findings about the smoke of a frame.
struct SmokeFindings {
  std::int64_t face_count = 0;  ///< Pairs of cells side by side that were looked at anew.
  double beyond_part = 0;       ///< The part of all smoke in cells that no way leads to, in [0, 1].
};

/// Measures how much smoke is beyond closed walls: in cells that no way leads to from where smoke
/// was at the start or comes in. A way goes from the middle of a cell to that of the next one along
/// an axis where no obstacle and no triangle of a solid is between the two. A cell that a way has
/// led to once counts as reached for good, for solids move.
///
/// Values of cells whose middles are in an obstacle, or in a body that is a volume, are no smoke:
/// solvers write there what advection needs, and the content of the part of such a cell that is
/// outside. A closed surface is no volume: its inside is beyond it. Up to 1e-6 of all smoke counts
/// as rounding. A gap that no line between two middles goes through counts as closed, as it does
/// for the solver.
class SmokeCertificate {
 public:
  /// `sources` are the shapes that smoke comes in by, `at_start` the first state that is known:
  /// where it has smoke, smoke may be.
  SmokeCertificate(const std::vector<geometry::Shape>& sources, const SmokeState& at_start);

  /// Smoke may be in cells within `radius` [m] of the line from `from` to `to`, from now on.
  void allow(const Vec3& from, const Vec3& to, double radius);

  [[nodiscard]] SmokeFindings check(const SmokeState& state);

 private:
  void set_walls(const SmokeState& state, SmokeFindings& findings);
  void close_by_obstacle(const geometry::Shape& shape);
  void close_by_triangle(const std::array<Vec3, 3>& corners);
  void mark_volumes(const SmokeState& state);
  /// Closes a cell of a flat gas on all sides, as its middle is in a slice of a body.
  void close_around(const std::array<std::int64_t, 3>& cell);
  void flood(const SmokeState& state);
  void reach(std::size_t cell);
  [[nodiscard]] std::size_t index_of(const std::array<std::int64_t, 3>& cell) const;
  [[nodiscard]] Vec3 middle_of(const std::array<std::int64_t, 3>& cell) const;
  /// The cells whose middles are in a box, as a half-open range on each axis.
  struct Range {
    std::array<std::int64_t, 3> begin, end;
  };
  [[nodiscard]] Range cells_within(const Vec3& lower, const Vec3& upper) const;

  CellLattice lattice_;
  std::vector<std::uint8_t> is_reached_;
  std::vector<std::size_t> front_;  ///< Cells reached whose neighbours were not looked at yet.
  /// By cell, a bit for each axis: whether anything is between its middle and the next one's along
  /// the axis; and a bit for a middle in an obstacle or a volume.
  std::vector<std::uint8_t> is_closed_;
  std::vector<Vec3> last_vertices_;
  std::vector<Vec3> last_obstacles_;  ///< [m] Translations of the obstacles.
  bool has_walls_ = false;
};

}  // namespace sluice::certificate
