// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/outside.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/lattice/tiles.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/octree/tree.h"

namespace sluice::fluid::adaptive {

/// The sides of a box of as many finest cells as `sides` have, in cells of a level, rounded up.
template <int D>
[[nodiscard]] Sides<D> sides_of_level(Sides<D> sides, std::size_t level) {
  for (std::int32_t& c : sides.cells)
    c = static_cast<std::int32_t>(((std::int64_t{c} - 1) >> level) + 1);
  return sides;
}

/// What a cell of a layer is.
enum class CellKind : std::uint8_t {
  outside,  ///< of the domain
  around,   ///< In a larger leaf: its value follows from that leaf and those near it.
  leaf,
  divided,  ///< Its value is the mean of its children's.
};

/// What a face of a layer is.
enum class FaceKind : std::uint8_t {
  outside,  ///< of the domain: no cell in it is on either side.
  around,   ///< In a larger leaf, or between two: its value follows from faces near it.
  whole,    ///< Of a leaf of the level, to a leaf at least as large or to the end of the domain.
  parts,    ///< Of a divided cell: its value is the mean of the smaller faces'.
};

/// The lattice of a level of a tree: all of the level's cells, and cells around them.
template <int D>
struct Layer {
  grid::Tiles<D> tiles;
  Sides<D> sides;                        ///< Numbers of cells of this level, rounded up.
  Array<CellKind> cells;                 ///< By cell.
  std::array<Array<FaceKind>, D> faces;  ///< By axis and face, on the lower sides of cells.
  std::vector<std::uint32_t> in_tree;    ///< By tile: that of the tree, which may have none.

  // Layers::find_fluid(). Empty where solids are in no cell of the level.
  Array<std::uint8_t> fluid_cells;  ///< Cells of the domain that are not wholly in solids.
  /// Faces of the domain that solids do not close, and those in walls.
  std::array<Array<std::uint8_t>, D> fluid_faces;
  std::vector<std::uint32_t> at_solids;  ///< Tiles that have others.

  [[nodiscard]] bool has_fluid(std::size_t cell) const noexcept {
    return fluid_cells.empty() ? cells[cell] != CellKind::outside : fluid_cells[cell] != 0;
  }
  [[nodiscard]] bool has_fluid(std::size_t axis, std::size_t face) const noexcept {
    return fluid_faces[axis].empty() ? faces[axis][face] != FaceKind::outside
                                     : fluid_faces[axis][face] != 0;
  }
  /// Whether a face of the layer is in a wall.
  [[nodiscard]] bool is_in_wall(std::size_t axis, std::size_t face) const noexcept {
    const std::int32_t at = tiles.cell(face)[axis];
    return (at == 0 && sides.is_wall[axis][0]) ||
           (at == sides.cells[axis] && sides.is_wall[axis][1]);
  }
};

/// An array of each level.
using ByLevel = std::vector<Array<float>*>;

/// The lattices that values of a tree are carried on, one a level, so that on each of them code for
/// a grid of equal cells finds a value wherever it looks within `reach` cells of the level's own,
/// and 3 beyond the domain: fill() finds them from those at leaves and at whole faces.
template <int D>
class Layers {
 public:
  /// No layers.
  Layers() = default;
  /// `sides` have the number of cells of level 0, those of the tree, and no periodic ones. `reach`
  /// is by level.
  Layers(const octree::Tree<D>& tree, const Sides<D>& sides, std::span<const std::int32_t> reach);

  [[nodiscard]] std::size_t count() const noexcept { return layers_.size(); }
  [[nodiscard]] const Layer<D>& operator[](std::size_t level) const noexcept {
    return layers_[level];
  }

  /// Finds where solids leave room for fluid. `open` are the open parts of level 0's faces, 0 in
  /// walls; only there may a solid cut a leaf. `is_solid` tells it of larger leaves.
  void find_fluid(const std::array<Array<float>, D>& open,
                  const std::function<bool(std::size_t level, const Cell<D>& cell)>& is_solid);

  /// The same where no solid cuts a leaf.
  void find_fluid(const std::function<bool(std::size_t level, const Cell<D>& cell)>& is_solid);
  /// Whether the domain ends within cells of a level: what these have beyond its end follows, as in
  /// solids, from what is next to it, once find_fluid() was called.
  [[nodiscard]] bool are_cells_cut() const noexcept;

  /// From the values at leaves with fluid: those of other cells; in solids they go on as they are
  /// next to them. Beyond sides that fluid can pass, `ambient`.
  void fill(float ambient, const ByLevel& values) const;
  /// The same of a pressure, which is 0 on open sides.
  void fill_pressure(const ByLevel& pressure) const;
  /// From velocities along `axis` at whole faces with fluid: those at others.
  void fill_faces(std::size_t axis, const ByLevel& velocities) const;
  /// What a level has beyond the domain's sides.
  [[nodiscard]] const Outside<D>& outside(std::size_t level) const noexcept {
    return outside_[level];
  }

  /// From values at whole faces, also closed ones: those of faces of divided cells.
  void average_faces(std::size_t axis, const ByLevel& values) const;

  /// Moves values of cells from these layers to those of another tree over the same domain. Whole
  /// cells keep theirs, parts of a leaf get what is there by interpolation.
  void move_cells(const Layers& to, const ByLevel& values) const;
  /// The same of values of faces across `axis`.
  void move_faces(const Layers& to, std::size_t axis, const ByLevel& values) const;

 private:
  struct Family {
    std::vector<std::uint32_t> parent;  // By tile; the next level's number of tiles if it has none.
    std::vector<std::array<std::uint32_t, std::size_t{1} << D>> children;
    std::vector<std::uint8_t> has_around, has_divided;  // By tile.
  };

  void find_kinds(const octree::Tree<D>& tree, std::size_t level);
  void find_family(std::size_t level);
  void average_cells(const ByLevel& values) const;
  void average_open_faces(std::size_t axis, const ByLevel& velocities) const;
  template <typename Kind, typename Counts>
  void average(std::size_t level, std::size_t own, Kind divided, const Array<Kind>& kinds,
               const Counts& counts, const ByLevel& values) const;
  template <typename Kind, typename Visit>
  void for_each_divided(std::size_t level, std::size_t own, Kind divided, const Array<Kind>& kinds,
                        const Visit& visit) const;
  void find_fluid_in_leaves(
      std::size_t level, const std::array<Array<float>, D>& open,
      const std::function<bool(std::size_t level, const Cell<D>& cell)>& is_solid);
  void fill_cells(std::size_t level, const ByLevel& values) const;
  void sharpen(std::size_t level, std::size_t axis, Array<float>& velocities) const;
  void refine(std::size_t level, std::size_t tile, std::size_t own, const Array<float>& coarser,
              std::array<float, grid::tile_size<D>>& values) const;
  template <typename Kind>
  void refine_around(std::size_t level, std::size_t own, const Array<Kind>& kinds,
                     const ByLevel& values) const;
  void move(const Layers& to, std::size_t own, const ByLevel& values) const;

  std::vector<Layer<D>> layers_;
  std::vector<Family> families_;     // By level.
  std::vector<Outside<D>> outside_;  // By level.
};

extern template class Layers<2>;
extern template class Layers<3>;

}  // namespace sluice::fluid::adaptive
