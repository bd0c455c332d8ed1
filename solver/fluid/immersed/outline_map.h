// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// The boundary map [Imamura2008]: where the lines of a grid in two dimensions cross the outlines
/// of solids. Sorted along its line, each odd crossing goes into a solid and each even one out of
/// it, so that no place needs to be looked for in a solid's elements.
///
/// A map also tells how far a place is from the outlines.
///
/// Lines go through the corners of cells and through their middles: along an axis, the line number
/// n is n halves of a cell up the other axis. Places along a line are in cells. Each question about
/// a line costs a search among its crossings.
class OutlineMap {
 public:
  /// A place on an edge of the outlines.
  struct Place {
    std::uint32_t edge = 0;
    double part = 0;  ///< The part of the way from the edge's first end to its second.
  };
  /// The next crossing, as seen from a place on a line.
  struct Sight {
    double way = std::numeric_limits<double>::infinity();  ///< [cells] to it
    Place place;
  };
  /// The point of the outlines that is nearest to a place.
  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();  ///< [cells], >= 0
    Place place;
    /// If it is a corner, how sharp that is: 0 for none, 1 for a right angle, 2 for a needle.
    double sharpness = 0;
  };
  /// A place where a line crosses an edge.
  struct Crossing {
    double at;  ///< [cells] along the line
    Place place;
  };
  /// The part of an edge in a cell.
  struct Piece {
    Cell<2> cell;
    Place middle;
    std::array<double, 2> normal;  ///< [cells] Out of the solid, as long as the piece.
  };

  /// Makes the map of `outline`, which is as ImmersedSolids::rim: closed, solid on the left.
  void set(const CellFrame<2>& frame, std::span<const Vec3> positions,
           std::span<const EdgeIndices> outline);

  /// The box of cells around all outlines: from first() on to before end().
  [[nodiscard]] const Cell<2>& first() const noexcept { return first_; }
  [[nodiscard]] const Cell<2>& end() const noexcept { return end_; }
  [[nodiscard]] std::span<const Piece> pieces() const noexcept { return pieces_; }
  /// [cells] The ends of edges: those of edge n are 2n and 2n + 1.
  [[nodiscard]] std::span<const std::array<double, 2>> ends() const noexcept { return ends_; }
  /// The crossings on a line, ascending.
  [[nodiscard]] std::span<const Crossing> crossings(int axis, std::int32_t line) const noexcept;

  [[nodiscard]] bool is_inside(int axis, std::int32_t line, double at) const noexcept;
  /// [cells] How much of the line from `begin` to `end` is in solids.
  [[nodiscard]] double covered(int axis, std::int32_t line, double begin,
                               double end) const noexcept;
  /// Finds the next crossing from `at` on: downwards (`side` 0) or upwards (1).
  [[nodiscard]] Sight look(int axis, std::int32_t line, double at, std::size_t side) const noexcept;
  /// Finds the point nearest to a place `at` [cells] in the plane, within a cell of it, on the
  /// edges that `counts` (by edge) has 1 for.
  [[nodiscard]] Nearest nearest(const std::array<double, 2>& at,
                                std::span<const std::uint8_t> counts) const noexcept;

 private:
  void add_edge(std::uint32_t edge, const std::array<double, 2>& a, const std::array<double, 2>& b);
  void find_corners(std::span<const EdgeIndices> outline);
  void sort_lines();
  void sort_pieces();

  Cell<2> first_{}, end_{};
  std::vector<std::array<double, 2>> ends_;       // [cells] By edge, both ends.
  std::vector<std::array<double, 2>> sharpness_;  // At those ends.
  struct OnLine {
    std::int32_t line;
    Crossing crossing;
  };
  std::array<std::vector<OnLine>, 2> found_;          // By axis, by edge.
  std::array<std::vector<Crossing>, 2> crossings_;    // By axis, line by line.
  std::array<std::vector<std::size_t>, 2> first_of_;  // By line from 2 first_ on, and one more.
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> by_cell_;    // Pieces, sorted by the cell they are in,
  std::vector<std::size_t> first_piece_;  // where a cell's begin, by cell of the box; one more.
};

}  // namespace sluice::fluid::grid
