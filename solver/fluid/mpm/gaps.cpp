// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/gaps.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 16;

// The part of its mass at rest that a node in a gap counts with: the feedback closes gaps that have
// more than 1 / 1.1 (fed_back in transfer_kernels.h).
constexpr float narrowed = 0.92F;

// There is liquid on a side of a node if the next node there has more than this part of its mass at
// rest, or the one beyond. Below a flat surface, wherever it is between nodes, the first row that
// has less than `narrowed` has a row above it with less than these, so that it is in no gap.
constexpr float least_next = 0.3F, least_beyond = 0.05F;

// Tells whether there is liquid around nodes.
class Surrounding {
 public:
  Surrounding(const GridFrame& frame, float full, Grid& grid)
      : frame_(frame), full_(full), grid_(grid) {}

  // Whether there is liquid on all sides of a node. Above it there is most rarely some.
  [[nodiscard]] bool is_inside(const std::array<std::int32_t, 3>& node) const {
    const std::array<std::int32_t, 3> place = before_walls(node);
    for (std::size_t axis = 3; axis-- > 0;) {
      if (frame_.is_across(static_cast<int>(axis))) continue;
      if (!has_liquid(place, axis, 1) || !has_liquid(place, axis, -1)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool has_liquid(std::array<std::int32_t, 3> place, std::size_t axis,
                                int sign) const {
    place[axis] += sign;
    if (part_at(place) > least_next) return true;
    place[axis] += sign;
    return part_at(place) > least_beyond;
  }

  // The mass of a node as a part of that at rest.
  [[nodiscard]] float part_at(const std::array<std::int32_t, 3>& place) const {
    const std::uint32_t node = grid_.node_at(frame_, before_walls(place));
    return node == KeyIndex::none ? 0
                                  : grid_.nodes(node / block_nodes)[node % block_nodes][3] / full_;
  }

  // The place that one behind a wall that is a mirror is the image of.
  [[nodiscard]] std::array<std::int32_t, 3> before_walls(std::array<std::int32_t, 3> place) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int32_t lower = GridFrame::wall_lower, upper = frame_.wall_upper[a];
      if (frame_.mirrors[a][0] && place[a] < lower) place[a] = 2 * lower - place[a];
      if (frame_.mirrors[a][1] && place[a] > upper) place[a] = 2 * upper - place[a];
    }
    return place;
  }

  const GridFrame& frame_;
  float full_;
  Grid& grid_;
};

}  // namespace

void Gaps::narrow(const GridFrame& frame, float density, Grid& grid) {
  const float full = density * frame.node_volume();
  const Surrounding surrounding(frame, full, grid);
  nodes_.assign(grid.block_count(), 0);
  parallel::for_each_index(grid.block_count(), blocks_at_once, [&](std::size_t b) {
    const NodeBlock& nodes = grid.nodes(b);
    const auto base = frame.block_base(grid.keys()[b]);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!(nodes[n][3] > 0 && nodes[n][3] < narrowed * full)) continue;
      const auto local = node_of_bit(static_cast<int>(n));
      if (surrounding.is_inside({base[0] + local[0], base[1] + local[1], base[2] + local[2]}))
        nodes_[b] |= NodeBits{1} << n;
    }
  });
  parallel::for_each_index(grid.block_count(), blocks_at_once, [&](std::size_t b) {
    for (NodeBits left = nodes_[b]; left != 0; left &= left - 1)
      grid.nodes(b)[static_cast<std::size_t>(std::countr_zero(left))][3] = narrowed * full;
  });
}

}  // namespace sluice::fluid
