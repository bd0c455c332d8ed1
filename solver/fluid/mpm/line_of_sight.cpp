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

// A volume in EdgeVolumes may be off by this part of the product of the distances from the particle
// to the edge's two ends: some roundings, for ways of up to 6 cells.
constexpr float on_edge = 8e-6F;

using Corners = std::array<Vec3, 3>;

struct Box {
  Vec3 lower, upper;
};

// A triangle, in cells from the grid's first node.
struct Facet {
  Corners corners;
  Vec3 normal;
  double shift;    // Added to normal . X of its plane, so that nodes on it are on one side.
  NodeBits cells;  // The cells of the block whose kernels its box meets.
};

Vec3 cells_of(const GridFrame& frame, const Vec3& x) {
  return (x - Vec3(frame.origin[0], frame.origin[1], frame.origin[2])) / frame.cell_size;
}

Corners corners_of(const GridFrame& frame, const Surfaces& surfaces, std::size_t triangle) {
  const TriangleIndices& corners = surfaces.triangles[triangle];
  return {cells_of(frame, surfaces.positions[at(corners[0])]),
          cells_of(frame, surfaces.positions[at(corners[1])]),
          cells_of(frame, surfaces.positions[at(corners[2])])};
}

Box box_of(const Corners& x) {
  return {x[0].cwiseMin(x[1]).cwiseMin(x[2]), x[0].cwiseMax(x[1]).cwiseMax(x[2])};
}

// Facet::cells for the block that begins at `base`.
NodeBits cells_that_meet(const Box& box, const std::array<std::int32_t, 3>& base, int support) {
  NodeBits cells = ~NodeBits{0};
  for (int axis = 0; axis < 3; ++axis) {
    const double begin = base[at(axis)];
    const double first = std::ceil(box.lower[axis] - begin - (support - 1) - on_plane);
    const double last = std::floor(box.upper[axis] - begin + on_plane);
    NodeBits layers = 0;
    for (int layer = 0; layer < block_edge; ++layer)
      layers |= first <= layer && layer <= last ? nodes_in_layer(axis, layer) : 0;
    cells &= layers;
  }
  return cells;
}

Facet facet_of(const Corners& corners, NodeBits cells) {
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double size = on_plane * normal.lpNorm<1>();
  return {corners, normal, normal.dot(aside) > 0 ? -size : size, cells};
}

// Bit n: whether lane n is set.
NodeBits bits_of(Long4 mask) {
#ifdef __AVX__
  return static_cast<NodeBits>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
#else
  NodeBits bits = 0;
  for (int n = 0; n < 4; ++n)
    bits |= static_cast<NodeBits>(mask[n] & 1) << n;
  return bits;
#endif
}

// A triangle between the nodes of a kernel, in cells from the first of them.
struct Screen {
  std::array<Vec3f, 3> corners;
  Vec3 corner, normal;
  NodeBits before;  // Nodes on the side that the normal points to.
};

// Nodes (i, j, k) of a kernel with slope . (i, j, k) > least, and some beyond the kernel.
NodeBits nodes_beyond(const Vec3& slope, double least, int support) {
  const Double4 along_z = slope[2] * Double4{0, 1, 2, 3};
  NodeBits nodes = 0;
  for (int i = 0; i < support; ++i) {
    for (int j = 0; j < support; ++j) {
      const Long4 is_beyond = (i * slope[0] + j * slope[1]) + along_z > least;
      nodes |= bits_of(is_beyond) << node_bit(i, j, 0);
    }
  }
  return nodes;
}

// The triangle as the kernels of a cell see it; its `before` is none or all of the nodes where it
// cannot hide any.
Screen screen_at(const Vec3& first_node, int support, const Facet& facet) {
  Screen screen;
  for (std::size_t c = 0; c < screen.corners.size(); ++c)
    screen.corners[c] = (facet.corners[c] - first_node).cast<float>();
  screen.corner = facet.corners[0] - first_node;
  screen.normal = facet.normal;
  screen.before =
      nodes_beyond(facet.normal, facet.normal.dot(screen.corner) + facet.shift, support) &
      all_nodes(support);
  return screen;
}

using Lanes3 = std::array<Float8, 3>;

Lanes3 cross(const Lanes3& a, const Lanes3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Float8 dot(const Lanes3& a, const Lanes3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Float8 norm(const Lanes3& a) {
  const Float8 squared = dot(a, a);
#ifdef __AVX__
  return std::bit_cast<Float8>(_mm256_sqrt_ps(std::bit_cast<__m256>(squared)));
#else
  Float8 root{};
  for (int n = 0; n < 8; ++n)
    root[n] = std::sqrt(squared[n]);
  return root;
#endif
}

// Volumes, six times, of the tetrahedra of an edge with eight particles, one a lane, and any node
// X: slope . X - offset. Volumes within `error` of 0 may be of either sign.
struct EdgeVolumes {
  Lanes3 slope;
  Float8 offset, error;

  EdgeVolumes(const Lanes3& a, const Lanes3& b, const Lanes3& particles, Float8 may_be_off)
      : slope(cross(a, b)), offset(dot(slope, particles)), error(may_be_off) {}
  [[nodiscard]] Float8 at(float i, float j, float k) const {
    return i * slope[0] + (j * slope[1] - offset) + k * slope[2];
  }
};

// Up to eight particles of a cell, in cells from the first node of their kernels.
struct Onlookers {
  std::size_t count = 0;
  std::array<Vec3, 8> positions;
  Lanes3 lanes{};  // The same.
  std::array<NodeBits, 8> hidden{};

  void add(const Vec3& position) {
    positions[count] = position;
    for (int axis = 0; axis < 3; ++axis)
      lanes[at(axis)][count] = static_cast<float>(position[axis]);
    hidden[count++] = 0;
  }
};

// By bit: where the node is.
constexpr std::array<std::array<float, 3>, block_nodes> node_places = [] {
  std::array<std::array<float, 3>, block_nodes> places{};
  for (int bit = 0; bit < block_nodes; ++bit) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      places[static_cast<std::size_t>(bit)][axis] = static_cast<float>(node_of_bit(bit)[axis]);
  }
  return places;
}();

// Adds to what is hidden from the onlookers those of `nodes` that the triangle hides: on the other
// side of its plane, with the three tetrahedra of particle, node and an edge turning the same way
// round, but for what floats may have rounded: there is no seeing between two triangles, nor
// through a corner.
void hide(const Screen& screen, NodeBits nodes, Onlookers& onlookers) {
  std::array<NodeBits, 8> beyond{};
  NodeBits any = 0;
  for (std::size_t n = 0; n < onlookers.count; ++n) {
    const bool is_before = screen.normal.dot(onlookers.positions[n] - screen.corner) > 0;
    beyond[n] = nodes & ~onlookers.hidden[n] & (is_before ? ~screen.before : screen.before);
    any |= beyond[n];
  }
  if (any == 0) return;
  std::array<Lanes3, 3> to_corner;
  for (std::size_t c = 0; c < to_corner.size(); ++c) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      to_corner[c][axis] =
          screen.corners[c][static_cast<Eigen::Index>(axis)] - onlookers.lanes[axis];
  }
  const auto& [a, b, c] = to_corner;
  const Float8 of_a = on_edge * norm(a), of_b = norm(b), of_c = norm(c);
  const EdgeVolumes ab(a, b, onlookers.lanes, of_a * of_b);
  const EdgeVolumes bc(b, c, onlookers.lanes, on_edge * of_b * of_c);
  const EdgeVolumes ca(c, a, onlookers.lanes, of_a * of_c);
  std::array<Int8, 2> hidden{};  // Bits 0 to 31 and 32 to 63.
  for (; any != 0; any &= any - 1) {
    const int bit = std::countr_zero(any);
    const auto [i, j, k] = node_places[at(bit)];
    const Float8 u = ab.at(i, j, k), v = bc.at(i, j, k), w = ca.at(i, j, k);
    const Int8 is_crossed = ((u >= -ab.error) & (v >= -bc.error) & (w >= -ca.error)) |
                            ((u <= ab.error) & (v <= bc.error) & (w <= ca.error));
    hidden[bit < 32 ? 0 : 1] |= is_crossed & static_cast<std::int32_t>(1U << bit % 32);
  }
  for (std::size_t n = 0; n < onlookers.count; ++n) {
    const auto low = static_cast<std::uint32_t>(hidden[0][n]);
    const auto high = static_cast<std::uint32_t>(hidden[1][n]);
    onlookers.hidden[n] |= beyond[n] & (NodeBits{high} << 32 | low);
  }
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
    const Box box = box_of(corners_of(frame, surfaces, t));
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
  const ParticleBlock& particles = blocks.blocks[block];
  hidden.assign(particles.last - particles.first, 0);
  const auto block_base = frame.block_base(particles.key);
  std::vector<Facet> facets;
  for (std::uint32_t n = first_[block]; n < first_[block + 1]; ++n) {
    const Corners corners = corners_of(frame, surfaces, triangles_[n]);
    const NodeBits cells = cells_that_meet(box_of(corners), block_base, support_);
    if (cells != 0) facets.push_back(facet_of(corners, cells));
  }
  const NodeBits all = all_nodes(support_);
  std::vector<Screen> screens;
  std::array<std::int32_t, 3> first_node{};
  Vec3 origin = Vec3::Zero();
  int cell = -1;
  for (std::uint32_t o = particles.first; o < particles.last;) {
    if (const int own = blocks.cells[blocks.order[o]]; own != cell) {
      cell = own;
      const auto local = node_of_bit(cell);
      for (std::size_t a = 0; a < 3; ++a)
        first_node[a] = block_base[a] + local[a];
      origin = Vec3(first_node[0], first_node[1], first_node[2]);
      screens.clear();
      for (const Facet& facet : facets) {
        if ((facet.cells >> cell & 1) == 0) continue;
        const Screen screen = screen_at(origin, support_, facet);
        if (screen.before != 0 && screen.before != all) screens.push_back(screen);
      }
    }
    if (screens.empty()) {
      ++o;
      continue;
    }
    const std::uint32_t first = o;
    Onlookers onlookers;
    for (; o < particles.last && o < first + 8 && blocks.cells[blocks.order[o]] == cell; ++o)
      onlookers.add(cells_of(frame, positions[blocks.order[o]].cast<double>()) - origin);
    for (const Screen& screen : screens)
      hide(screen, all, onlookers);
    for (std::size_t n = 0; n < onlookers.count; ++n) {
      if (onlookers.hidden[n] != 0)
        hidden[first - particles.first + n] =
            with_images(frame, support_, first_node, onlookers.hidden[n]);
    }
  }
}

}  // namespace sluice::fluid
