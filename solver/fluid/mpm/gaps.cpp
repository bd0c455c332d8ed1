// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/gaps.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/fluid/mpm/thin_nodes.h"
#include "solver/parallel/for_each_index.h"
#include "solver/types.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t gaps_grain = 16;

// The part of its mass at rest that a node in a gap counts with: the feedback closes gaps that have
// more than 1 / 1.1 (fed_back in gather_kernel.h).
constexpr float narrowed = 0.92F;

// There is liquid on a side of a node if the next node there has more than this part of its mass at
// rest, or the one beyond. Below a flat surface, wherever it is between nodes, the first row that
// has less than `narrowed` has a row above it with less than these, so that it is in no gap.
constexpr float least_next = 0.3F, least_beyond = 0.05F;

// Tells whether there is liquid around nodes.
class Surrounding {
 public:
  Surrounding(const GridFrame& frame, float full, const ObstacleLinks& links, Grid& grid)
      : frame_(frame), full_(full), links_(links), grid_(grid) {}

  // Whether there is liquid on all sides of a node. Above it there is most rarely some.
  [[nodiscard]] bool is_inside(const std::array<std::int32_t, 3>& node) const {
    const std::array<std::int32_t, 3> place = before_walls(node);
    return is_inside(place, in_world(place));
  }

  // The same for those copies of a node that are on the far side of something thin.
  [[nodiscard]] bool is_inside(std::uint32_t node, const ThinNode::Side& far) const {
    const auto base = frame_.block_base(grid_.keys()[node / block_nodes]);
    const auto local = node_of_bit(static_cast<int>(node % block_nodes));
    const std::array<std::int32_t, 3> place{base[0] + local[0], base[1] + local[1],
                                            base[2] + local[2]};
    const Vec3f x = in_world(place);
    return is_inside(place, x - far.height_of(x) * far.normal);
  }

 private:
  // `eye` [m] tells on which side of something thin the liquid must be.
  [[nodiscard]] bool is_inside(const std::array<std::int32_t, 3>& place, const Vec3f& eye) const {
    for (std::size_t axis = 3; axis-- > 0;) {
      if (frame_.is_across(static_cast<int>(axis))) continue;
      if (!has_liquid(place, axis, 1, eye) || !has_liquid(place, axis, -1, eye)) return false;
    }
    return true;
  }

  [[nodiscard]] bool has_liquid(std::array<std::int32_t, 3> place, std::size_t axis, int sign,
                                const Vec3f& eye) const {
    place[axis] += sign;
    if (part_at(place, eye) > least_next) return true;
    place[axis] += sign;
    return part_at(place, eye) > least_beyond;
  }

  // The mass of a node as a part of that at rest. What is behind something thin counts as filled.
  [[nodiscard]] float part_at(const std::array<std::int32_t, 3>& place, const Vec3f& eye) const {
    const std::uint32_t node = grid_.node_at(frame_, before_walls(place));
    if (node == KeyIndex::none) return 0;
    const ThinNode* thin = links_.parted(node);
    if (thin == nullptr || !thin->is_far(eye))
      return grid_.nodes(node / block_nodes)[node % block_nodes][3] / full_;
    const ObstacleLinks::Inner& far = links_.inner()[thin->far_inner];
    const std::span<const std::uint32_t> copies = links_.copies_of(far);
    return copies.empty() ? links_.solid_part(node) + links_.filled_behind(far)
                          : grid_.copies()[copies.front()][3] / full_;
  }

  // [m]
  [[nodiscard]] Vec3f in_world(const std::array<std::int32_t, 3>& place) const {
    Vec3f x;
    for (int axis = 0; axis < 3; ++axis) {
      x[axis] = frame_.origin[axis] + static_cast<float>(place[static_cast<std::size_t>(axis)]) /
                                          frame_.inverse_cell[axis];
    }
    return x;
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
  const ObstacleLinks& links_;
  Grid& grid_;
};

}  // namespace

void Gaps::narrow(const GridFrame& frame, float density, const ObstacleLinks& links, Grid& grid) {
  const float full = density * frame.node_volume();
  const Surrounding surrounding(frame, full, links, grid);
  const auto is_sparse = [full](float mass) { return mass > 0 && mass < narrowed * full; };
  nodes_.assign(grid.block_count(), 0);
  parallel::for_each_index(grid.block_count(), gaps_grain, [&](std::size_t b) {
    const NodeBlock& nodes = grid.nodes(b);
    const auto base = frame.block_base(grid.keys()[b]);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!is_sparse(nodes[n][3])) continue;
      const auto local = node_of_bit(static_cast<int>(n));
      if (surrounding.is_inside({base[0] + local[0], base[1] + local[1], base[2] + local[2]}))
        nodes_[b] |= NodeBits{1} << n;
    }
  });
  copies_.clear();
  for (std::uint32_t copy = 0; copy < grid.copies().size(); ++copy) {
    const std::uint32_t node = grid.copied_nodes()[copy];
    const ThinNode* thin = grid.is_behind()[copy] != 0 ? links.parted(node) : nullptr;
    if (thin != nullptr && is_sparse(grid.copies()[copy][3]) &&
        surrounding.is_inside(node, thin->far))
      copies_.push_back(copy);
  }
  for (const std::uint32_t copy : copies_)
    grid.copies()[copy][3] = narrowed * full;
  parallel::for_each_index(grid.block_count(), gaps_grain, [&](std::size_t b) {
    for (NodeBits left = nodes_[b]; left != 0; left &= left - 1)
      grid.nodes(b)[static_cast<std::size_t>(std::countr_zero(left))][3] = narrowed * full;
  });
}

}  // namespace sluice::fluid
