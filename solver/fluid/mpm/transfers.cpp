// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/transfers.h"

#include <algorithm>
#include <cstddef>

#include "solver/fluid/mpm/kernel.h"
#include "solver/parallel/parallel_for.h"

// Symbols: m mass, v velocity, C affine velocity, J volume ratio, p pressure, h duration, D_inv =
// inertia_inverse / dx^2. Offsets are in cells: a particle stands at `offset` from its node (1, 1,
// 1), in a support of nodes 0 .. support - 1.
namespace sluice::fluid {

namespace {

constexpr std::int64_t blocks_at_once = 4;

// J - 1 stays in this range. Below, a substep would have to be absurdly short; above, spray would
// remember an expansion that it had in flight, and be compressed by as much before it has a
// pressure again.
constexpr float least_strain = -0.5F;
constexpr float greatest_strain = 0.05F;

Float4 acceleration_at(const Substep& step, const Vec3f& position) {
  Vec3f a = step.gravity;
  for (const Push& push : step.pushes) {
    if ((position.cast<double>() - push.center).squaredNorm() <= push.radius * push.radius) {
      a += push.acceleration.cast<float>();
    }
  }
  return Float4{a[0], a[1], a[2], 0};
}

// A particle's momentum as an affine function of the offset from its node (1, 1, 1), in cells; lane
// 3: its mass.
struct AffineMomentum {
  Float4 constant;
  Float4 slope[3];
};

template <typename Spline>
AffineMomentum momentum_of(const Substep& step, const Particles& particles, std::size_t i,
                           Float4 offset) {
  const Material& material = step.materials[particles.materials[i]];
  const Affine& affine = particles.affine[i];
  const float dx = step.frame.cell_size;
  Float4 c0 = load4(&affine.c[0]), c1 = load4(&affine.c[3]), c2 = load4(&affine.c[6]);
  Float4 t0 = c0, t1 = c1, t2 = c2;
  transpose3(t0, t1, t2);

  // m C dx + h V D_inv (p I - mu (C + C^T - 2/3 tr C I)) dx: Kirchhoff stress on V0, offsets in
  // cells.
  const float J = 1 + affine.strain;
  const float scale = step.duration * material.rest_volume * J * Spline::inertia_inverse * (1 / dx);
  const float viscous = -scale * material.viscosity;
  const float trace = c0[0] + c1[1] + c2[2];
  const float diagonal =
      scale * damped_pressure(material, affine.strain, trace) - viscous * (2.0F / 3) * trace;
  const Float4 carried = splat(material.mass * dx + viscous), sheared = splat(viscous);
  AffineMomentum result;
  result.slope[0] = with_lane3(carried * c0 + sheared * t0 + Float4{diagonal, 0, 0, 0}, 0);
  result.slope[1] = with_lane3(carried * c1 + sheared * t1 + Float4{0, diagonal, 0, 0}, 0);
  result.slope[2] = with_lane3(carried * c2 + sheared * t2 + Float4{0, 0, diagonal, 0}, 0);

  const Float4 a = step.pushes.empty()
                       ? Float4{step.gravity[0], step.gravity[1], step.gravity[2], 0}
                       : acceleration_at(step, particles.positions[i]);
  const Float4 v = load4(particles.velocities[i].data()) + splat(step.duration) * a;
  result.constant = splat(material.mass) * with_lane3(v, 1) -
                    result.slope[0] * broadcast<0>(offset) -
                    result.slope[1] * broadcast<1>(offset) - result.slope[2] * broadcast<2>(offset);
  return result;
}

// a + k b, for a k that the unrolled loop knows.
[[gnu::always_inline]] inline Float4 plus(Float4 a, int k, Float4 b) {
  return k == 0 ? a : k == 1 ? a + b : k == -1 ? a - b : a + splat(static_cast<float>(k)) * b;
}

template <typename Spline>
void scatter(const Weights<Spline::support>& weights, const AffineMomentum& p, Float4* corner) {
  constexpr int support = Spline::support;
  constexpr int edge = Tile<support>::edge;
#pragma GCC unroll 4
  for (int i = 0; i < support; ++i) {
    const Float4 wx = broadcast<0>(weights.w[i]);
    const Float4 px = wx * plus(p.constant, i - 1, p.slope[0]);
    const Float4 sy = wx * p.slope[1], sz = wx * p.slope[2];
#pragma GCC unroll 4
    for (int j = 0; j < support; ++j) {
      const Float4 wy = broadcast<1>(weights.w[j]);
      const Float4 pxy = wy * plus(px, j - 1, sy);
      const Float4 s = wy * sz;
#pragma GCC unroll 4
      for (int k = 0; k < support; ++k) {
        corner[(i * edge + j) * edge + k] += broadcast<2>(weights.w[k]) * plus(pxy, k - 1, s);
      }
    }
  }
}

// Moments of the nodes' values (velocity, mass) about node (1, 1, 1): 0th, and 1st along the three
// axes.
struct Moments {
  Float4 sum;
  Float4 first[3];
};

template <typename Spline>
Moments gather(const Weights<Spline::support>& weights, const Float4* corner) {
  constexpr int support = Spline::support;
  constexpr int edge = Tile<support>::edge;
  Moments m{splat(0), {splat(0), splat(0), splat(0)}};
#pragma GCC unroll 4
  for (int i = 0; i < support; ++i) {
    Float4 sum = splat(0), along_y = splat(0), along_z = splat(0);
#pragma GCC unroll 4
    for (int j = 0; j < support; ++j) {
      Float4 row_sum = splat(0), row_first = splat(0);
#pragma GCC unroll 4
      for (int k = 0; k < support; ++k) {
        const Float4 value = broadcast<2>(weights.w[k]) * corner[(i * edge + j) * edge + k];
        row_sum += value;
        row_first = plus(row_first, k - 1, value);
      }
      const Float4 wy = broadcast<1>(weights.w[j]);
      const Float4 row = wy * row_sum;
      sum += row;
      along_y = plus(along_y, j - 1, row);
      along_z += wy * row_first;
    }
    const Float4 wx = broadcast<0>(weights.w[i]);
    const Float4 slab = wx * sum;
    m.sum += slab;
    m.first[0] = plus(m.first[0], i - 1, slab);
    m.first[1] += wx * along_y;
    m.first[2] += wx * along_z;
  }
  return m;
}

// Where particle i's support begins in its block's tile, and its weights.
template <typename Spline>
struct Support {
  Weights<Spline::support> weights;
  std::size_t corner;
};
template <typename Spline>
Support<Spline> support_of(const GridFrame& frame, const std::array<std::int32_t, 3>& block_base,
                           const Vec3f& position) {
  constexpr int edge = Tile<Spline::support>::edge;
  const Float4 X = frame.from_world(load4(position.data()));
  const Int4 base = frame.base<Spline>(X);
  const int corner =
      ((base[0] - block_base[0]) * edge + base[1] - block_base[1]) * edge + base[2] - block_base[2];
  return {Spline::weights(X, base), static_cast<std::size_t>(corner)};
}

template <typename Spline>
void update_particle(const Substep& step, const Moments& m, Float4 offset, std::size_t i,
                     Particles& particles) {
  const GridFrame& frame = step.frame;
  const float D_inv = Spline::inertia_inverse / frame.cell_size;
  // B about the particle instead of node (1, 1, 1), then C = B D^-1.
  const Float4 c0 = splat(D_inv) * (m.first[0] - m.sum * broadcast<0>(offset));
  const Float4 c1 = splat(D_inv) * (m.first[1] - m.sum * broadcast<1>(offset));
  const Float4 c2 = splat(D_inv) * (m.first[2] - m.sum * broadcast<2>(offset));
  Affine& affine = particles.affine[i];
  const float growth = step.duration * (c0[0] + c1[1] + c2[2]);
  const Material& material = step.materials[particles.materials[i]];
  const float grown = affine.strain + growth * (1 + affine.strain);
  const float density = m.sum[3] * step.nodes_per_volume;
  const float crowded = std::min(0.0F, material.rest_density / density - 1);
  const float strain = grown + step.duration * material.density_feedback * (crowded - grown);
  store4(&affine.c[0], c0);
  store4(&affine.c[3], c1);
  store4(&affine.c[6], with_lane3(c2, std::clamp(strain, least_strain, greatest_strain)));

  const Float4 free = load4(particles.positions[i].data()) + splat(step.duration) * m.sum;
  const Float4 target = min4(max4(free, frame.particle_lower), frame.particle_upper);
  store3(particles.targets[i].data(), target);
  store3(particles.velocities[i].data(), target == free ? m.sum : splat(0));
}

template <typename Spline>
void scatter_all(const Substep& step, const Particles& particles, const ParticleBlocks& blocks,
                 Grid& grid) {
  for (const std::vector<std::uint32_t>& list : blocks.by_parity) {
    const auto count = static_cast<std::int64_t>(list.size());
    parallel::parallel_for(0, count, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t at = first; at < last; ++at) {
        const std::uint32_t b = list[static_cast<std::size_t>(at)];
        const ParticleBlock& block = blocks.blocks[b];
        const auto block_base = step.frame.block_base(block.key);
        Tile<Spline::support> tile{};
        for (std::uint32_t o = block.first; o < block.last; ++o) {
          const std::size_t i = blocks.order[o];
          const auto s = support_of<Spline>(step.frame, block_base, particles.positions[i]);
          scatter<Spline>(s.weights, momentum_of<Spline>(step, particles, i, s.weights.offset),
                          &tile.nodes[s.corner]);
        }
        add_tile(grid, b, tile);
      }
    });
  }
}

template <typename Spline>
void gather_all(const Substep& step, const Boundary& boundary, Grid& grid,
                const ParticleBlocks& blocks, Particles& particles) {
  const auto count = static_cast<std::int64_t>(blocks.blocks.size());
  parallel::parallel_for(0, count, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const ParticleBlock& block = blocks.blocks[b];
      const auto block_base = step.frame.block_base(block.key);
      Tile<Spline::support> tile;
      load_tile(grid, b, tile);
      for (std::uint32_t o = block.first; o < block.last; ++o) {
        const std::size_t i = blocks.order[o];
        const auto s = support_of<Spline>(step.frame, block_base, particles.positions[i]);
        update_particle<Spline>(step, gather<Spline>(s.weights, &tile.nodes[s.corner]),
                                s.weights.offset, i, particles);
      }
      if (!boundary.is_near_obstacle(block.key)) continue;
      for (std::uint32_t o = block.first; o < block.last; ++o) {
        const std::size_t i = blocks.order[o];
        boundary.leave_obstacles(particles.positions[i], particles.targets[i],
                                 particles.velocities[i]);
      }
    }
  });
}

}  // namespace

void particles_to_grid(const Substep& step, scene::Kernel kernel, const Particles& particles,
                       const ParticleBlocks& blocks, Grid& grid) {
  if (kernel == scene::Kernel::quadratic) {
    scatter_all<BSpline<scene::Kernel::quadratic>>(step, particles, blocks, grid);
  } else {
    scatter_all<BSpline<scene::Kernel::cubic>>(step, particles, blocks, grid);
  }
}

void grid_to_particles(const Substep& step, scene::Kernel kernel, const Boundary& boundary,
                       Grid& grid, const ParticleBlocks& blocks, Particles& particles) {
  if (kernel == scene::Kernel::quadratic) {
    gather_all<BSpline<scene::Kernel::quadratic>>(step, boundary, grid, blocks, particles);
  } else {
    gather_all<BSpline<scene::Kernel::cubic>>(step, boundary, grid, blocks, particles);
  }
}

}  // namespace sluice::fluid
