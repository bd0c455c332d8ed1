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
/// two dimensions): of outlines and of surfaces the same.
///
/// Faces are open as far as the cubes around them are (Filling), and a piece of surface in such a
/// cube drives its velocity along the cube's axis into the two cells there, by how near it is to
/// the middle of each. So a cell's flow is closed exactly, and pressure that grows along an axis
/// lifts by exactly what is displaced, wherever that is between the cells.
///
/// What is thin closes each face between two cells' middles that it parts: nothing gets through,
/// and each side has a pressure of its own. Fluid that was open there, between the middles and the
/// surface, goes along with it: without its weight, still water would lift it by a layer of cells.
template <int D>
class ElasticPieces : public ElasticBodies<D> {
 public:
  [[nodiscard]] bool is_empty() const noexcept override { return elements_.empty(); }

  /// For liquids, after `grid` knows where they are.
  void attach(const MacGrid<D>& grid) override;

 protected:
  using typename ElasticBodies<D>::InCell;
  using Place = SurfacePlace<D>;
  using Corners = std::array<std::int32_t, D>;  ///< As EdgeIndices and TriangleIndices.

  /// What drives fluid into the two cells at a face.
  struct Piece {
    Cell<D> face;
    int axis;
    Vec3 direction;                   ///< Of its velocity, the part along this is the face's,
    std::array<double, 2> weights{};  ///< times this into the lower cell, into the upper one.
    Place place{};
    std::array<double, 2> attached{};  ///< [cells] Of fluid on both sides that goes with it.
  };
  /// Where a line through the middles of cells crosses a surface.
  struct Hit {
    double at;  ///< [cells] along the line
    Place place;
    bool is_front;  ///< Whether the normal there points up the line.
  };
  /// What closes a face.
  struct Parting {
    std::int32_t at;  ///< Of the face, along the line.
    Place place;
    double below, above;  ///< [cells] Of fluid up to it from the middles of the cells there.
  };
  /// What a closed face's velocity is made of: `part`s of places' that add up to 2.
  struct Mover {
    Place place;
    double part;
  };

  using ElasticBodies<D>::ElasticBodies;

  /// Of unit length, out of what is solid.
  [[nodiscard]] virtual Vec3 normal(std::uint32_t element) const = 0;
  /// Whether it is of a surface that encloses a body.
  [[nodiscard]] virtual bool encloses(std::uint32_t element) const = 0;
  /// As Piece::direction, of an element that closes a face.
  [[nodiscard]] virtual Vec3 driven(std::uint32_t element, int axis) const = 0;
  /// Of a face that these are the first and the last to close.
  [[nodiscard]] virtual std::vector<Mover> movers(const Cell<D>& face, int axis,
                                                  const Parting& first, const Parting& last) const;

  /// Along an axis of the grid, of the cells that a surface encloses between `low` and `high`
  /// [cells]: the first, and how many, with two more on each side, within the grid.
  [[nodiscard]] static std::array<std::int32_t, 2> cells_around(double low, double high,
                                                                std::size_t axis,
                                                                const Tiles<D>& tiles);
  /// Takes what is filled of a block of cells from `grid`'s open, room and is_clear.
  static void take(const Filling<D>& filling, const Cell<D>& first, const Cell<D>& count,
                   MacGrid<D>& grid);
  /// Closes what is open yet of the faces across an axis that something thin parts, on the line
  /// through the middle of `on_line` [ascending].
  void part(int axis, const Cell<D>& on_line, std::span<const Hit> hits, MacGrid<D>& grid);

  static bool comes_before(const Piece& a, const Piece& b);  ///< By axis, then face.
  /// One in the cube around a face; null for none.
  [[nodiscard]] const Piece* find_piece(const Cell<D>& face, int axis) const;

  std::vector<Corners> elements_;
  std::vector<Piece> pieces_;  ///< By axis, then face, once all are there.

 private:
  [[nodiscard]] std::vector<InCell> entries(const Tiles<D>& tiles) const override;
  [[nodiscard]] std::vector<Parting> find_partings(int axis, std::span<const Hit> hits) const;
};

extern template class ElasticPieces<2>;
extern template class ElasticPieces<3>;

}  // namespace sluice::fluid::grid
