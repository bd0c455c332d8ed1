// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/uniform_box.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>

#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// Whether a cell may be one of any box.
template <int D>
bool may_fit(const PoissonSystem<D>& system, std::size_t tile, std::size_t cell) {
  const auto* const general = system.general(tile);
  if (general == nullptr) return true;
  const float uniform = system.uniform(), fixed = general->fixed(cell);
  bool fits = fixed == 0 || fixed == 2 * uniform || fixed == 4 * uniform || fixed == 6 * uniform;
  for (std::size_t side = 0; side < side_count<D>; ++side) {
    const float next = general->next(side, cell);
    fits = fits && (next == 0 || next == uniform);
  }
  return fits;
}

// The box around all unknowns; nothing if one of them does not fit. From above: there liquids have
// their surface, which fits no box.
template <int D>
std::optional<UniformBox<D>> bounds_of(const PoissonSystem<D>& system) {
  const Tiles<D>& tiles = system.tiles();
  Cell<D> lower, upper;
  lower.fill(std::numeric_limits<std::int32_t>::max());
  upper.fill(std::numeric_limits<std::int32_t>::lowest());
  for (const std::uint32_t tile : std::views::reverse(system.solved_tiles())) {
    const bool is_uniform = system.general(tile) == nullptr;
    // In a uniform tile two corners are enough.
    for (std::size_t cell = 0; cell < tile_size<D>; cell += is_uniform ? tile_size<D> - 1 : 1) {
      if (!system.is_unknown(tile, cell)) continue;
      if (!may_fit(system, tile, cell)) return std::nullopt;
      const Cell<D> at = tiles.cell(tile * tile_size<D> + cell);
      for (std::size_t axis = 0; axis < D; ++axis) {
        lower[axis] = std::min(lower[axis], at[axis]);
        upper[axis] = std::max(upper[axis], at[axis]);
      }
    }
  }
  UniformBox<D> box;
  box.first = lower;
  for (std::size_t axis = 0; axis < D; ++axis) {
    box.count[axis] = upper[axis] - lower[axis] + 1;
    box.ends[axis].is_periodic = tiles.period()[axis] != 0;
  }
  return box;
}

// Whether a cell's weights are those that the box gives it. `index` is its own in arrays.
template <int D>
bool fits(const PoissonSystem<D>& system, const UniformBox<D>& box, std::size_t index) {
  const Cell<D> cell = system.tiles().cell(index);
  const std::size_t tile = index / tile_size<D>, local = index % tile_size<D>;
  const auto* const general = system.general(tile);
  int open_sides = 0;
  for (std::size_t side = 0; side < side_count<D>; ++side) {
    const std::size_t axis = side / 2;
    const LineEnds& ends = box.ends[axis];
    const std::int32_t last = side % 2 == 0 ? 0 : box.count[axis] - 1;
    const bool is_at_end = !ends.is_periodic && cell[axis] - box.first[axis] == last;
    if (is_at_end && ends.is_open[side % 2]) ++open_sides;
    const float next = general == nullptr ? system.uniform() : general->next(side, local);
    if (next != (is_at_end ? 0.0F : system.uniform())) return false;
  }
  const float fixed = general == nullptr ? 0.0F : general->fixed(local);
  return fixed == 2 * system.uniform() * static_cast<float>(open_sides);
}

// At corners, and in the middle of edges and sides.
template <int D>
bool fits_at_corners(const PoissonSystem<D>& system, const UniformBox<D>& box) {
  Cell<D> begin{}, three;
  three.fill(3);
  bool all_fit = true;
  for_each_in_box<D>(begin, three, [&](const Cell<D>& part) {
    Cell<D> cell = box.first;
    for (std::size_t axis = 0; axis < D; ++axis)
      cell[axis] += part[axis] * (box.count[axis] - 1) / 2;
    const std::size_t index = system.tiles().find_cell(cell);
    const bool is_there = index < system.tiles().count() * tile_size<D>;
    all_fit = all_fit && is_there && fits<D>(system, box, index);
  });
  return all_fit;
}

template <int D>
bool fits_everywhere(const PoissonSystem<D>& system, const UniformBox<D>& box) {
  std::int64_t count = 1;
  for (const std::int32_t along : box.count)
    count *= along;
  for (const std::uint32_t tile : system.solved_tiles()) {
    const bool is_uniform = system.general(tile) == nullptr;
    if (is_uniform) count -= static_cast<std::int64_t>(tile_size<D>);
    for (std::size_t cell = 0; !is_uniform && cell < tile_size<D>; ++cell) {
      if (!system.is_unknown(tile, cell)) continue;
      if (!fits<D>(system, box, tile * tile_size<D> + cell)) return false;
      --count;
    }
  }
  return count == 0;
}

}  // namespace

template <int D>
std::optional<UniformBox<D>> find_uniform_box(const PoissonSystem<D>& system) {
  if (system.solved_tiles().empty()) return std::nullopt;
  std::optional<UniformBox<D>> bounds = bounds_of(system);
  if (!bounds) return std::nullopt;
  UniformBox<D>& box = *bounds;
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (box.first[axis] % tile_edge<D> != 0) return std::nullopt;
    if (box.ends[axis].is_periodic &&
        box.count[axis] != system.tiles().period()[axis] * tile_edge<D>)
      return std::nullopt;
  }
  // A corner does not tell which of its sides are open: whichever explain them all, are.
  for (unsigned open = 0; open < 1U << side_count<D>; ++open) {
    bool is_possible = true;
    for (std::size_t side = 0; side < side_count<D>; ++side) {
      LineEnds& ends = box.ends[side / 2];
      const bool is_open = (open >> side & 1U) != 0;
      is_possible = is_possible && !(is_open && ends.is_periodic);
      ends.is_open[side % 2] = is_open;
    }
    if (!is_possible || !fits_at_corners(system, box)) continue;
    if (fits_everywhere(system, box)) return box;
  }
  return std::nullopt;
}

template std::optional<UniformBox<2>> find_uniform_box(const PoissonSystem<2>&);
template std::optional<UniformBox<3>> find_uniform_box(const PoissonSystem<3>&);

}  // namespace sluice::fluid::grid
