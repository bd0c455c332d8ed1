// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/geometry/cell_parts.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// Where the plane of a grid in 2D is, and how thick.
struct Slab {
  double lower = -0.5;  ///< [m] along y
  double depth = 1;     ///< [m]

  [[nodiscard]] double middle() const noexcept { return lower + 0.5 * depth; }
};

/// A block of cells by its first one, in arrays x fastest.
template <int D>
[[nodiscard]] std::size_t index_in_block(const Cell<D>& local, const Cell<D>& count) noexcept {
  std::size_t index = 0;
  for (std::size_t axis = D; axis-- > 0;)
    index = index * static_cast<std::size_t>(count[axis]) + static_cast<std::size_t>(local[axis]);
  return index;
}

template <int D>
[[nodiscard]] std::size_t size_of_block(const Cell<D>& count) noexcept {
  std::size_t size = 1;
  for (const std::int32_t n : count)
    size *= static_cast<std::size_t>(n);
  return size;
}

template <int D>
[[nodiscard]] Cell<D> sum(Cell<D> a, const Cell<D>& b) noexcept {
  for (std::size_t axis = 0; axis < D; ++axis)
    a[axis] += b[axis];
  return a;
}

/// What a solid fills of the cube of volume around a face.
struct Filled {
  float part = 0;                ///< Of the cube, in [0, 1].
  Vec3f moment = Vec3f::Zero();  ///< [m] Integral of the place, from the face's middle.
};

/// What closed surfaces fill in a block of cells, exactly. Of cells and faces in the outermost
/// layer what is beyond the block counts as empty.
template <int D>
class Filling {
 public:
  /// Surfaces as geometry::find_cell_parts has them; in 2D the slab cuts them. `count` >= 1.
  Filling(const CellFrame<D>& frame, const Slab& slab, std::span<const Vec3> vertices,
          std::span<const TriangleIndices> triangles, const Cell<D>& first, const Cell<D>& count);

  /// Of the cube around the face across `axis` on the lower side of a cell of the block.
  [[nodiscard]] Filled at_face(Cell<D> local, std::size_t axis) const;

  /// Of what a particle's weight at the middle of a cell of the block is spread over, the part that
  /// is filled.
  [[nodiscard]] float around(const Cell<D>& local) const;

 private:
  [[nodiscard]] const geometry::CellPart& part_of(const Cell<D>& half) const;

  float half_;  // [m] of a cell
  Cell<D> count_;
  std::vector<geometry::CellPart> parts_;  // By half of a cell.
  std::vector<float> around_;              // By cell.
  geometry::CellPart nothing_;
};

extern template class Filling<2>;
extern template class Filling<3>;

}  // namespace sluice::fluid::grid
