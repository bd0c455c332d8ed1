// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/cube_filling.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t cube_filling_grain = 2;  // Rows or layers.

// The part of a tent, which is as wide as two cells, that lies in each of the four halves of cells.
constexpr std::array<float, 4> tent{0.125F, 0.375F, 0.375F, 0.125F};

// Sums halves along an axis, of which there are `size`, to cells: each with one more on both of
// its sides.
template <int D>
std::vector<float> under_tents(const std::vector<float>& halves, Cell<D>& size, std::size_t axis) {
  std::size_t step = 1;
  for (std::size_t a = 0; a < axis; ++a)
    step *= static_cast<std::size_t>(size[a]);
  const auto from = static_cast<std::size_t>(size[axis]), to = from / 2;
  size[axis] /= 2;
  std::vector<float> cells(halves.size() / 2);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(halves.size() / (from * step)), cube_filling_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end);
             ++row) {
          for (std::size_t i = 0; i < to; ++i) {
            float* const out = cells.data() + (row * to + i) * step;
            for (std::size_t k = i == 0 ? 1 : 0; k < tent.size() && 2 * i + k <= from; ++k) {
              const float* const in = halves.data() + (row * from + 2 * i + k - 1) * step;
              for (std::size_t j = 0; j < step; ++j)
                out[j] += tent[k] * in[j];
            }
          }
        }
      });
  return cells;
}

}  // namespace

template <int D>
Filling<D>::Filling(const CellFrame<D>& frame, const Slab& slab, std::span<const Vec3> vertices,
                    std::span<const TriangleIndices> triangles, const Cell<D>& first,
                    const Cell<D>& count)
    : half_(0.5F * frame.cell_size), count_(count) {
  geometry::CellBlock block{frame.place(first, Vec<D>::Zero(), slab.lower),
                            Vec3::Constant(0.5 * static_cast<double>(frame.cell_size)),
                            {1, 1, 1}};
  if constexpr (D == 2) block.cell_size[1] = slab.depth;
  for (std::size_t axis = 0; axis < D; ++axis) {
    count_[axis] *= 2;
    block.counts[static_cast<std::size_t>(world_axis<D>(static_cast<int>(axis)))] = count_[axis];
  }
  parts_.resize(size_of_block<D>(count_));
  geometry::find_cell_parts(vertices, triangles, block, parts_);
  around_.resize(parts_.size());
  std::ranges::transform(parts_, around_.begin(), &geometry::CellPart::volume);
  Cell<D> size = count_;
  for (std::size_t axis = 0; axis < D; ++axis)
    around_ = under_tents<D>(around_, size, axis);
}

template <int D>
Filled Filling<D>::at_face(Cell<D> local, std::size_t axis) const {
  const float all = around(local);
  if (all == 0 || all == 1) return {.part = all};
  constexpr float each = D == 3 ? 0.125F : 0.25F;
  for (std::int32_t& c : local)
    c *= 2;
  local[axis] -= 1;
  Filled filled;
  Cell<D> end;
  end.fill(2);
  for_each_in_box<D>(Cell<D>{}, end, [&](const Cell<D>& at) {
    const geometry::CellPart& part = part_of(sum<D>(local, at));
    if (part.volume == 0) return;
    filled.part += each * part.volume;
    for (int a = 0; a < D; ++a) {
      const int w = world_axis<D>(a);
      const float middle = at[static_cast<std::size_t>(a)] == 0 ? -0.5F : 0.5F;
      filled.moment[w] += each * half_ * (part.volume * middle + part.moment[w]);
    }
  });
  return filled;
}

template <int D>
float Filling<D>::around(const Cell<D>& local) const {
  Cell<D> cells = count_;
  for (std::int32_t& c : cells)
    c /= 2;
  return around_[index_in_block<D>(local, cells)];
}

template <int D>
const geometry::CellPart& Filling<D>::part_of(const Cell<D>& half) const {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (half[axis] < 0 || half[axis] >= count_[axis]) return nothing_;
  }
  return parts_[index_in_block<D>(half, count_)];
}

template class Filling<2>;
template class Filling<3>;

}  // namespace sluice::fluid::grid
