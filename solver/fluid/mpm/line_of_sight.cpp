// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/line_of_sight.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/wall_images.h"

namespace sluice::fluid {

namespace {

// [cells] A node that is nearer to a triangle's plane than this counts as on the side that
// `aside` points to, so that triangles in a plane agree about it however they round.
constexpr double on_plane = 1e-9;
const Vec3 aside(0.79, 0.53, 0.31);

// Of the product of the distances of an edge's ends, what the volume of its tetrahedron with a
// particle and a node may be off by: some roundings, for ways of up to 6 cells.
constexpr float on_edge = 8e-6F;

using Corners = std::array<Vec3, 3>;

struct Box {
  Vec3 lower, upper;
};

struct Facet {
  Corners corners;
  Box box;
};

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

Vec3 cells_of(const GridFrame& frame, const Vec3& x) {
  return (x - Vec3(frame.origin[0], frame.origin[1], frame.origin[2])) / frame.cell_size;
}

Facet facet_of(const GridFrame& frame, const Surfaces& surfaces, std::size_t triangle) {
  const TriangleIndices& corners = surfaces.triangles[triangle];
  const Corners x{cells_of(frame, surfaces.positions[at(corners[0])]),
                  cells_of(frame, surfaces.positions[at(corners[1])]),
                  cells_of(frame, surfaces.positions[at(corners[2])])};
  return {x, {x[0].cwiseMin(x[1]).cwiseMin(x[2]), x[0].cwiseMax(x[1]).cwiseMax(x[2])}};
}

bool meet(const Box& box, const Vec3& lower, const Vec3& upper) {
  return box.lower[0] <= upper[0] && box.upper[0] >= lower[0] && box.lower[1] <= upper[1] &&
         box.upper[1] >= lower[1] && box.lower[2] <= upper[2] && box.upper[2] >= lower[2];
}

// Bit n: whether lane n is set.
NodeBits bits_of(Int8 mask) {
#ifdef __AVX__
  return static_cast<NodeBits>(_mm256_movemask_ps(std::bit_cast<__m256>(mask)));
#else
  NodeBits bits = 0;
  for (int n = 0; n < 8; ++n)
    bits |= static_cast<NodeBits>(mask[n] & 1) << n;
  return bits;
#endif
}

// slope . (X - origin) at the nodes (i, 0 .. 1, 0 .. 3) of a kernel, and at (i, 2 .. 3, 0 .. 3).
class NodeFunction {
 public:
  NodeFunction(const Vec3f& slope, const Vec3f& origin)
      : along_x_(slope[0]), further_(2 * slope[1]) {
    constexpr Float8 j{0, 0, 0, 0, 1, 1, 1, 1}, k{0, 1, 2, 3, 0, 1, 2, 3};
    first_ = slope[1] * j + slope[2] * k - slope.dot(origin);
  }
  [[nodiscard]] Float8 rows(int i, int half) const {
    const Float8 here = first_ + static_cast<float>(i) * along_x_;
    return half == 0 ? here : here + further_;
  }

 private:
  float along_x_, further_;
  Float8 first_;
};

// A triangle between the nodes of a kernel, in cells from the first of them.
struct Screen {
  std::array<Vec3f, 3> corners;
  Vec3 corner, normal;
  NodeBits before;  // Nodes on the side that the normal points to.
};

// The triangle as the kernels of a cell see it; its `before` is none or all of the nodes where it
// cannot hide any.
Screen screen_at(const Vec3& first_node, int support, const Corners& corners) {
  Screen screen;
  for (std::size_t c = 0; c < corners.size(); ++c)
    screen.corners[c] = (corners[c] - first_node).cast<float>();
  screen.corner = corners[0] - first_node;
  screen.normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const Vec3& n = screen.normal;
  const double size = on_plane * n.lpNorm<1>();
  const double least = n.dot(screen.corner) + (n.dot(aside) > 0 ? -size : size);
  screen.before = 0;
  for (int i = 0; i < support; ++i) {
    for (int j = 0; j < support; ++j) {
      for (int k = 0; k < support; ++k)
        screen.before |= NodeBits{i * n[0] + j * n[1] + k * n[2] > least} << node_bit(i, j, k);
    }
  }
  return screen;
}

// Those of `nodes` that the triangle hides from a particle at `p`: on the other side of its plane,
// with the three tetrahedra of particle, node and an edge turning the same way round, but for what
// floats may have rounded: there is no seeing between two triangles, nor through a corner.
NodeBits hidden_by(const Screen& screen, const Vec3& p, NodeBits nodes) {
  const bool is_before = screen.normal.dot(p - screen.corner) > 0;
  nodes &= is_before ? ~screen.before : screen.before;
  if (nodes == 0) return 0;
  const Vec3f from = p.cast<float>();
  const Vec3f a = screen.corners[0] - from, b = screen.corners[1] - from,
              c = screen.corners[2] - from;
  const NodeFunction ab(a.cross(b), from), bc(b.cross(c), from), ca(c.cross(a), from);
  const float of_a = on_edge * a.norm(), of_b = b.norm(), of_c = c.norm();
  const float at_ab = of_a * of_b, at_bc = on_edge * of_b * of_c, at_ca = of_a * of_c;
  NodeBits hidden = 0;
  for (int half = 0; half < 2 * block_edge; ++half) {
    if ((nodes >> (8 * half) & 255) == 0) continue;
    const Float8 u = ab.rows(half / 2, half % 2), v = bc.rows(half / 2, half % 2),
                 w = ca.rows(half / 2, half % 2);
    const Int8 is_crossed = ((u >= -at_ab) & (v >= -at_bc) & (w >= -at_ca)) |
                            ((u <= at_ab) & (v <= at_bc) & (w <= at_ca));
    hidden |= bits_of(is_crossed) << (8 * half);
  }
  return hidden & nodes;
}

}  // namespace

void LineOfSight::look_around(const GridFrame& frame, scene::Kernel kernel,
                              const Surfaces& surfaces, const ParticleBlocks& blocks) {
  support_ = kernel == scene::Kernel::quadratic ? BSpline<scene::Kernel::quadratic>::support
                                                : BSpline<scene::Kernel::cubic>::support;
  block_index_.clear();
  for (std::size_t b = 0; b < blocks.blocks.size(); ++b)
    block_index_.find_or_insert(blocks.blocks[b].key, static_cast<std::uint32_t>(b));
  nearby_.clear();
  first_.assign(blocks.blocks.size() + 1, 0);
  const double reach = block_edge + support_ - 2;  // [cells] from a block's first to its last node
  const auto note = [&](std::size_t block, std::size_t triangle) {
    nearby_.push_back({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(triangle)});
    ++first_[block + 1];
  };
  for (std::size_t t = 0; t < surfaces.triangles.size(); ++t) {
    const Box box = facet_of(frame, surfaces, t).box;
    std::array<std::int32_t, 3> low{}, high{};
    double block_count = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double most = frame.max_base[axis];
      low[a] = static_cast<std::int32_t>(
          std::min(most, std::max(0.0, std::ceil((box.lower[axis] - reach) / block_edge))));
      high[a] = static_cast<std::int32_t>(
          std::min(most, std::max(-1.0, std::floor(box.upper[axis] / block_edge))));
      block_count *= std::max(0, high[a] - low[a] + 1);
    }
    if (block_count > static_cast<double>(blocks.blocks.size())) {
      for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
        const auto base = frame.block_base(blocks.blocks[b].key);
        bool is_near = true;
        for (std::size_t a = 0; a < 3; ++a)
          is_near &= low[a] <= base[a] / block_edge && base[a] / block_edge <= high[a];
        if (is_near) note(b, t);
      }
      continue;
    }
    for (std::int32_t i = low[0]; i <= high[0]; ++i) {
      for (std::int32_t j = low[1]; j <= high[1]; ++j) {
        for (std::int32_t k = low[2]; k <= high[2]; ++k) {
          const std::uint32_t b = block_index_.find(frame.block_key(std::array{i, j, k}));
          if (b != KeyIndex::none) note(b, t);
        }
      }
    }
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  triangles_.resize(nearby_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Nearby& near : nearby_)
    triangles_[next[near.block]++] = near.triangle;
}

void LineOfSight::find_hidden(const GridFrame& frame, std::span<const Vec3f> positions,
                              const Surfaces& surfaces, const ParticleBlocks& blocks,
                              std::size_t block, std::vector<NodeBits>& hidden) const {
  std::vector<Facet> facets;
  for (std::uint32_t n = first_[block]; n < first_[block + 1]; ++n)
    facets.push_back(facet_of(frame, surfaces, triangles_[n]));
  const ParticleBlock& particles = blocks.blocks[block];
  hidden.assign(particles.last - particles.first, 0);
  const auto block_base = frame.block_base(particles.key);
  const NodeBits all = all_nodes(support_);
  std::vector<Screen> screens;
  std::array<std::int32_t, 3> first_node{};
  Vec3 origin = Vec3::Zero();
  int cell = -1;
  for (std::uint32_t o = particles.first; o < particles.last; ++o) {
    const std::uint32_t i = blocks.order[o];
    if (blocks.cells[i] != cell) {
      cell = blocks.cells[i];
      const auto local = node_of_bit(cell);
      for (std::size_t a = 0; a < 3; ++a)
        first_node[a] = block_base[a] + local[a];
      origin = Vec3(first_node[0], first_node[1], first_node[2]);
      const Vec3 last_node = origin.array() + (support_ - 1);
      screens.clear();
      for (const auto& [corners, box] : facets) {
        if (!meet(box, origin, last_node)) continue;
        const Screen screen = screen_at(origin, support_, corners);
        if (screen.before != 0 && screen.before != all) screens.push_back(screen);
      }
    }
    if (screens.empty()) continue;
    const Vec3 p = cells_of(frame, positions[i].cast<double>()) - origin;
    NodeBits& nodes = hidden[o - particles.first];
    for (const Screen& screen : screens)
      nodes |= hidden_by(screen, p, all & ~nodes);
    if (nodes != 0) nodes = with_images(frame, support_, first_node, nodes);
  }
}

}  // namespace sluice::fluid
