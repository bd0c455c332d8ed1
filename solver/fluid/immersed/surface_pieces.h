// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/immersed/cube_filling.h"
#include "solver/fluid/immersed/elastic_bodies.h"
#include "solver/fluid/immersed/surface_place.h"

namespace sluice::fluid::grid {

/// Elastic bodies by the pieces of their surfaces in the cubes of volume around faces (squares in
/// two dimensions): outlines and surfaces are treated the same.
///
/// Faces are open as far as the cubes around them are (Filling), and a piece of surface in such a
/// cube drives its velocity along the cube's axis into the two cells there, by how near it is to
/// the middle of each. So a cell's flow is closed exactly, and pressure that grows along an axis
/// lifts by exactly the displaced volume, wherever that is between the cells.
///
/// A sheet, or a thin part of a body, closes each face between two cells' middles that it parts:
/// nothing gets through, and each side has a pressure of its own. Fluid between, where a face was
/// open, goes along with it: without its weight, still water would lift it by a layer of cells.
template <int D>
class SurfacePieces : public ElasticBodies<D> {
 public:
  [[nodiscard]] bool is_empty() const noexcept override { return elements_.empty(); }

  /// For liquids, to be called after `grid` knows where they are.
  void attach(const MacGrid<D>& grid) override;

 protected:
  using typename ElasticBodies<D>::InCell;
  using Place = SurfacePlace<D>;
  using Corners = std::array<std::int32_t, D>;  ///< Vertices as in EdgeIndices and TriangleIndices.

  /// A piece of a surface, which drives fluid into the two cells at a face.
  struct Piece {
    Cell<D> face;
    int axis;
    Vec3 direction;                   ///< Its velocity's product with this is the face's velocity,
    std::array<double, 2> weights{};  ///< which, times these, goes into the lower and upper cell.
    Place place{};
    std::array<double, 2> attached{};  ///< [cells] Fluid on either side that goes along with it.
  };
  /// Where a line through the middles of cells crosses a surface.
  struct Hit {
    double at;  ///< [cells] along the line
    Place place;
    bool is_front;  ///< Whether the normal there points up the line.
  };
  /// A crossing that closes a face.
  struct Parting {
    std::int32_t at;  ///< The face's place along the line.
    Place place;
    double below, above;  ///< [cells] Fluid between it and the middles of the cells there.
  };
  /// A share of a closed face's velocity: `part` of a place's. Parts of a face add up to 2.
  struct Mover {
    Place place;
    double part;
  };

  using ElasticBodies<D>::ElasticBodies;

  /// The normal of an element, of unit length, out of the solid.
  [[nodiscard]] virtual Vec3 normal(std::uint32_t element) const = 0;
  /// Whether an element is of a surface that encloses a body.
  [[nodiscard]] virtual bool encloses(std::uint32_t element) const = 0;
  /// Piece::direction of an element that closes a face across `axis`.
  [[nodiscard]] virtual Vec3 driven(std::uint32_t element, int axis) const = 0;
  /// The movers of a face, given the first and the last of its partings along the line.
  [[nodiscard]] virtual std::vector<Mover> movers(const Cell<D>& face, int axis,
                                                  const Parting& first, const Parting& last) const;

  /// The first cell along an axis, and the number of cells, that a surface between `low` and `high`
  /// [cells] is in, with two more on each side, within the grid.
  [[nodiscard]] static std::array<std::int32_t, 2> cells_around(double low, double high,
                                                                std::size_t axis,
                                                                const Tiles<D>& tiles);
  /// Takes what is filled of a block of cells from `grid`'s open, room and is_clear.
  static void take(const Filling<D>& filling, const Cell<D>& first, const Cell<D>& count,
                   MacGrid<D>& grid);
  /// Closes what is still open of the faces across an axis that something thin parts, on the line
  /// through the middle of `on_line`. `hits` ascend.
  void part(int axis, const Cell<D>& on_line, std::span<const Hit> hits, MacGrid<D>& grid);

  static bool comes_before(const Piece& a, const Piece& b);  ///< By axis, then face.
  /// Finds a piece in the cube around a face; null if there is none.
  [[nodiscard]] const Piece* find_piece(const Cell<D>& face, int axis) const;

  std::vector<Corners> elements_;
  std::vector<Piece> pieces_;  ///< By axis, then face, once all are there.

 private:
  [[nodiscard]] std::vector<InCell> entries(const Tiles<D>& tiles) const override;
  [[nodiscard]] std::vector<Parting> find_partings(int axis, std::span<const Hit> hits) const;
};

extern template class SurfacePieces<2>;
extern template class SurfacePieces<3>;

}  // namespace sluice::fluid::grid
