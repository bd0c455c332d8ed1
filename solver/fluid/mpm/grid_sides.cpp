// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/grid_sides.h"

#include <atomic>

#include "solver/fluid/mpm/kernel.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t grid_sides_grain = 16;
constexpr std::size_t no_block = ~std::size_t{0};

constexpr std::size_t row_nodes = block_edge;
constexpr std::size_t layer_nodes = row_nodes * row_nodes;
constexpr std::array<std::size_t, 3> node_strides{layer_nodes, row_nodes, 1};

// The node of a block with local index `layer` along `axis`, at place `n` in [0, 16) of that layer.
std::size_t node_in_layer(int axis, int layer, std::size_t n) {
  const auto a = static_cast<std::size_t>(axis);
  return static_cast<std::size_t>(layer) * node_strides[a] +
         (n / row_nodes) * node_strides[(a + 1) % 3] + (n % row_nodes) * node_strides[(a + 2) % 3];
}

// The factors by which a mirror at a wall across `axis` changes (velocity or momentum, mass).
Float4 reflection(int axis, scene::WallCondition wall) {
  Float4 signs = splat(wall == scene::WallCondition::no_slip ? -1.0F : 1.0F);
  signs[axis] = -1;
  signs[3] = 1;
  return signs;
}

bool contains(int base, int index) { return base <= index && index < base + block_edge; }

bool has(NodeBits nodes, std::size_t node) { return (nodes >> node & 1) != 0; }

}  // namespace

void HeldNodes::find(const GridFrame& frame, scene::Kernel kernel,
                     std::span<const Material> materials, const Particles& particles,
                     const ParticleBlocks& blocks, const Grid& grid) {
  const int support = kernel == scene::Kernel::quadratic
                          ? BSpline<scene::Kernel::quadratic>::support
                          : BSpline<scene::Kernel::cubic>::support;
  for (std::vector<NodeBits>& held : held_)
    held.assign(grid.block_count(), 0);
  const auto mark = [&](std::size_t block, const std::array<int, 3>& first, int axis, int layer) {
    const auto a = static_cast<std::size_t>(axis);
    std::array<NodeBits, 8> nodes{};
    for (int m = 0; m < support * support; ++m) {
      std::array<int, 3> node = first;
      node[a] += layer;
      node[(a + 1) % 3] += m / support;
      node[(a + 2) % 3] += m % support;
      const std::size_t around = (node[0] >= block_edge ? 4U : 0U) +
                                 (node[1] >= block_edge ? 2U : 0U) +
                                 (node[2] >= block_edge ? 1U : 0U);
      nodes[around] |=
          NodeBits{1} << node_bit(node[0] % block_edge, node[1] % block_edge, node[2] % block_edge);
    }
    for (std::size_t around = 0; around < nodes.size(); ++around) {
      if (nodes[around] == 0) continue;
      std::atomic_ref(held_[a][grid.neighbours()[block][around]])
          .fetch_or(nodes[around], std::memory_order_relaxed);
    }
  };
  parallel::for_each_index(blocks.blocks.size(), grid_sides_grain, [&](std::size_t b) {
    const ParticleBlock& block = blocks.blocks[b];
    const auto base = frame.block_base(block.key);
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::array<int, 2> planes{GridFrame::wall_lower, frame.wall_upper[a]};
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const int plane = planes[side] - base[a];
        if (!frame.mirrors[a][side] || plane < 0 || plane >= block_edge + support - 1) continue;
        int marked = -1;  // The cell that was marked last: particles of one follow each other.
        for (std::uint32_t o = block.first; o < block.last; ++o) {
          const std::uint32_t i = blocks.order[o];
          const int cell = blocks.cells[i];
          if (cell == marked) continue;
          const auto first = node_of_bit(cell);
          const int layer = plane - first[a];
          if (layer < 0 || layer >= support) continue;
          if (is_loose(materials[particles.materials[i]], particles.affine[i].strain)) continue;
          mark(b, first, axis, layer);
          marked = cell;
        }
      }
    }
  });
}

// Whether a side is a mirror, its plane of nodes, and the neighbours of that inside and behind.
struct GridSides::Wall {
  bool is_mirror;
  int plane, inside, image;
  int inwards;  // 1 at a lower side, -1 at an upper one
};

std::array<GridSides::Wall, 2> GridSides::walls_across(int axis) const {
  const int lower = GridFrame::wall_lower;
  const int upper = frame_.wall_upper[static_cast<std::size_t>(axis)];
  const auto& mirrors = frame_.mirrors[static_cast<std::size_t>(axis)];
  return {Wall{mirrors[0], lower, lower + 1, lower - 1, 1},
          Wall{mirrors[1], upper, upper - 1, upper + 1, -1}};
}

GridSides::GridSides(const GridFrame& frame, scene::WallCondition wall, const HeldNodes& held,
                     Grid& grid)
    : frame_(frame), wall_(wall), held_(held), grid_(grid) {}

// The block at node `index` along `axis` that is otherwise where `block` is; `no_block` if it is
// not active.
std::size_t GridSides::find_along(std::size_t block, int axis, int index) const {
  const auto a = static_cast<std::size_t>(axis);
  const std::uint64_t key = grid_.keys()[block];
  const std::int64_t steps = index / block_edge - frame_.block_base(key)[a] / block_edge;
  if (steps == 0) return block;
  const std::array<std::int64_t, 3> strides{static_cast<std::int64_t>(frame_.strides[0]),
                                            static_cast<std::int64_t>(frame_.strides[1]), 1};
  const std::uint32_t found = grid_.index_of(key + static_cast<std::uint64_t>(steps * strides[a]));
  return found == KeyIndex::none ? no_block : found;
}

void GridSides::find_released(int axis) {
  std::vector<NodeBits>& released = released_[static_cast<std::size_t>(axis)];
  released.assign(grid_.block_count(), 0);
  parallel::for_each_index(grid_.block_count(), grid_sides_grain, [&](std::size_t block) {
    const int base = frame_.block_base(grid_.keys()[block])[static_cast<std::size_t>(axis)];
    for (const Wall& wall : walls_across(axis)) {
      if (!wall.is_mirror || !contains(base, wall.plane)) continue;
      const NodeBits held = held_.in_block(block, axis);
      for (std::size_t n = 0; n < layer_nodes; ++n) {
        const std::size_t node = node_in_layer(axis, wall.plane - base, n);
        const float away = static_cast<float>(wall.inwards) * grid_.nodes(block)[node][axis];
        if (!has(held, node) && away > 0) released[block] |= NodeBits{1} << node;
      }
    }
  });
}

// One axis after the other, so that edges and corners get images of images.
void GridSides::fold() {
  for (int axis = 0; axis < 3; ++axis) {
    if (frame_.sides[static_cast<std::size_t>(axis)][0] == scene::Side::periodic) {
      join(axis);
    } else {
      find_released(axis);
      fold_images(axis);
    }
  }
}

void GridSides::draw() const {
  for (int axis = 0; axis < 3; ++axis)
    draw_images(axis);
}

// By symmetry, images scatter before the wall what the real particles scattered behind it,
// reflected. On the wall itself the two meet: twice the mass, no momentum across.
void GridSides::fold_images(int axis) {
  const std::vector<NodeBits>& released = released_[static_cast<std::size_t>(axis)];
  const Float4 reflect = reflection(axis, wall_);
  const Float4 on_wall = splat(1.0F) + reflect;
  parallel::for_each_index(grid_.block_count(), grid_sides_grain, [&](std::size_t block) {
    NodeBlock& nodes = grid_.nodes(block);
    const int base = frame_.block_base(grid_.keys()[block])[static_cast<std::size_t>(axis)];
    for (const Wall& wall : walls_across(axis)) {
      if (!wall.is_mirror) continue;
      if (contains(base, wall.plane)) {
        for (std::size_t n = 0; n < layer_nodes; ++n) {
          const std::size_t node = node_in_layer(axis, wall.plane - base, n);
          nodes[node] *= has(released[block], node) ? splat(2) : on_wall;
        }
      }
      if (!contains(base, wall.inside)) continue;
      const std::size_t behind = find_along(block, axis, wall.image);
      const std::size_t on = find_along(block, axis, wall.plane);
      if (behind == no_block || on == no_block) continue;
      for (std::size_t n = 0; n < layer_nodes; ++n) {
        Float4& node = nodes[node_in_layer(axis, wall.inside - base, n)];
        const Float4& image = grid_.nodes(behind)[node_in_layer(axis, wall.image % block_edge, n)];
        if (!has(released[on], node_in_layer(axis, wall.plane % block_edge, n))) {
          node += reflect * image;
        } else if (node[3] > 0) {
          node *= splat((node[3] + image[3]) / node[3]);
        }
      }
    }
  });
}

// The three node planes that kernels reach around one of two periodic sides are those around the
// other.
void GridSides::join(int axis) {
  const int lower = GridFrame::wall_lower;
  const int upper = frame_.wall_upper[static_cast<std::size_t>(axis)];
  static_assert(
      (GridFrame::wall_lower - 1) / block_edge == (GridFrame::wall_lower + 1) / block_edge,
      "a block has all three planes of the lower side");
  parallel::for_each_index(grid_.block_count(), grid_sides_grain, [&](std::size_t block) {
    NodeBlock& nodes = grid_.nodes(block);
    const int base = frame_.block_base(grid_.keys()[block])[static_cast<std::size_t>(axis)];
    if (!contains(base, lower)) return;
    for (int step = -1; step <= 1; ++step) {
      const std::size_t others = find_along(block, axis, upper + step);
      if (others == no_block) continue;
      for (std::size_t n = 0; n < layer_nodes; ++n) {
        Float4& here = nodes[node_in_layer(axis, lower + step - base, n)];
        Float4& there = grid_.nodes(others)[node_in_layer(axis, (upper + step) % block_edge, n)];
        here = there = here + there;
      }
    }
  });
}

void GridSides::draw_images(int axis) const {
  const std::vector<NodeBits>& released = released_[static_cast<std::size_t>(axis)];
  if (released.empty()) return;  // A periodic side, which has no mirrors.
  const Float4 reflect = reflection(axis, wall_);
  parallel::for_each_index(grid_.block_count(), grid_sides_grain, [&](std::size_t block) {
    NodeBlock& nodes = grid_.nodes(block);
    const int base = frame_.block_base(grid_.keys()[block])[static_cast<std::size_t>(axis)];
    for (const Wall& wall : walls_across(axis)) {
      if (!wall.is_mirror || !contains(base, wall.image)) continue;
      const std::size_t before = find_along(block, axis, wall.inside);
      const std::size_t on = find_along(block, axis, wall.plane);
      if (before == no_block || on == no_block) continue;
      for (std::size_t n = 0; n < layer_nodes; ++n) {
        Float4& image = nodes[node_in_layer(axis, wall.image - base, n)];
        const Float4& source =
            grid_.nodes(before)[node_in_layer(axis, wall.inside % block_edge, n)];
        const bool is_free = has(released[on], node_in_layer(axis, wall.plane % block_edge, n));
        image = is_free ? with_lane3(image, source[3]) : reflect * source;
      }
    }
  });
}

}  // namespace sluice::fluid
