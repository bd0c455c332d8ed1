// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/fluid/lattice/cell_frame.h"
#include "solver/geometry/cell_parts.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// The place and the thickness of the plane of a grid in 2D.
struct Slab {
  double lower = -0.5;  ///< [m] along y
  double depth = 1;     ///< [m]

  [[nodiscard]] double middle() const noexcept { return lower + 0.5 * depth; }
};

/// The index of a cell of a block, from its first one on, in arrays with x fastest.
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

/// The part that a solid fills of the cube of volume around a face.
struct Filled {
  float part = 0;                ///< The part of the cube, in [0, 1].
  Vec3f moment = Vec3f::Zero();  ///< [m] Integral of x - the face's middle, over the cube's volume.
};

/// The parts of a block of cells that closed surfaces fill, exactly. For cells and faces in the
/// outermost layer, the space beyond the block counts as empty.
template <int D>
class Filling {
 public:
  /// Surfaces as geometry::find_cell_parts() takes them; in 2D the slab cuts them. `count` >= 1.
  Filling(const CellFrame<D>& frame, const Slab& slab, std::span<const Vec3> vertices,
          std::span<const TriangleIndices> triangles, const Cell<D>& first, const Cell<D>& count);

  /// The filled part of the cube around the face across `axis` on the lower side of a cell.
  [[nodiscard]] Filled at_face(Cell<D> local, std::size_t axis) const;

  /// The filled part of the volume that a particle's weight at the middle of a cell of the block is
  /// spread over.
  [[nodiscard]] float around(const Cell<D>& local) const;

 private:
  [[nodiscard]] const geometry::CellPart& part_of(const Cell<D>& half) const;

  float half_;  // [m] half of a cell's edge
  Cell<D> count_;
  std::vector<geometry::CellPart> parts_;  // By half of a cell.
  std::vector<float> around_;              // By cell.
  geometry::CellPart nothing_;
};

extern template class Filling<2>;
extern template class Filling<3>;

}  // namespace sluice::fluid::grid
