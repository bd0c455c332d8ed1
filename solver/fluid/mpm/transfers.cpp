// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/transfers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "solver/fluid/mpm/kernel.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

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

// Where the density feedback takes a strain: `seen` is what the grid's density would make it.
// Particles are never quite even, so that a little is no news; news is that they are crowded (more
// pressure), that pressure stands in a gap or at a surface (none), and any expansion (forgotten:
// nothing shows whether it is still there). Next to what presses on the fluid (`is_pressed`) a
// density that is too low tells of that alone.
float fed_back(float strain, float seen, bool is_pressed) {
  constexpr float unevenness = 0.02F;
  if (seen < -unevenness) return std::min(strain, seen + unevenness);
  return seen > unevenness && !is_pressed ? 0 : std::min(strain, 0.0F);
}

float trace_of(const Affine& affine) { return affine.c[0] + affine.c[4] + affine.c[8]; }

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

// `p`: the particle's pressure.
template <typename Spline>
[[gnu::always_inline]] inline AffineMomentum momentum_of(const Substep& step,
                                                         const Particles& particles, std::size_t i,
                                                         Float4 offset, float p) {
  const Material& material = step.materials[particles.materials[i]];
  const Affine& affine = particles.affine[i];
  const float dx = step.frame.cell_size;
  const Float4 c0 = load4(&affine.c[0]), c1 = load4(&affine.c[3]), c2 = load4(&affine.c[6]);
  Float4 t0 = c0, t1 = c1, t2 = c2;
  transpose3(t0, t1, t2);

  // m C dx + h V D_inv (p I - mu (C + C^T - 2/3 tr C I)) dx: Kirchhoff stress on V0, offsets in
  // cells.
  const float scale = step.duration * material.rest_volume * (1 + affine.strain) *
                      (Spline::inertia_inverse * step.frame.inverse_cell[0]);
  const float viscous = -scale * material.viscosity;
  const float diagonal = scale * p - viscous * (2.0F / 3) * trace_of(affine);
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
template <typename Lanes>
[[gnu::always_inline]] inline Lanes plus(Lanes a, int k, Lanes b) {
  return k == 0 ? a : k == 1 ? a + b : k == -1 ? a - b : a + static_cast<float>(k) * b;
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

// Where a particle's support begins in its block's tile, and its weights.
template <typename Spline>
struct Support {
  Weights<Spline::support> weights;
  std::size_t corner;
  int cell;  // PressedCells: its bit.
};

// The first node is taken from the block, where it might differ by one: fused or rounded here and
// not in assign_blocks, a position within a rounding of a cell's edge may be in either cell.
// Weights hold on both sides, and what is written stays in the tile whatever the position.
template <typename Spline>
[[gnu::always_inline]] inline Support<Spline> support_of(const GridFrame& frame, Int4 block_base,
                                                         const Vec3f& position) {
  constexpr int edge = Tile<Spline::support>::edge;
  const Int4 block_last = block_base + (block_edge - 1);
  const Float4 X = frame.from_world(load4(position.data()));
  const Int4 free = Spline::base(X);
  const Int4 at_least = free > block_base ? free : block_base;
  const Int4 base = at_least < block_last ? at_least : block_last;
  const Int4 local = base - block_base;
  return {Spline::weights(X, base),
          static_cast<std::size_t>((local[0] * edge + local[1]) * edge + local[2]),
          (local[0] * block_edge + local[1]) * block_edge + local[2]};
}

// Moments of the nodes' values (velocity, mass) about node (1, 1, 1): 0th, and 1st along the three
// axes. Of two particles at once, one in each half.
struct Moments {
  Float8 sum;
  Float8 first[3];
};

template <typename Spline>
[[gnu::always_inline]] inline Moments gather(const Support<Spline>& a, const Support<Spline>& b,
                                             const Float4* nodes) {
  constexpr int support = Spline::support;
  constexpr int edge = Tile<support>::edge;
  const Float4 *corner_a = nodes + a.corner, *corner_b = nodes + b.corner;
  Float8 w[support];
  for (int k = 0; k < support; ++k)
    w[k] = join(a.weights.w[k], b.weights.w[k]);
  Moments m{};
#pragma GCC unroll 4
  for (int i = 0; i < support; ++i) {
    Float8 sum{}, along_y{}, along_z{};
#pragma GCC unroll 4
    for (int j = 0; j < support; ++j) {
      Float8 row_sum{}, row_first{};
#pragma GCC unroll 4
      for (int k = 0; k < support; ++k) {
        const int node = (i * edge + j) * edge + k;
        const Float8 value = broadcast<2>(w[k]) * join(corner_a[node], corner_b[node]);
        row_sum += value;
        row_first = plus(row_first, k - 1, value);
      }
      const Float8 wy = broadcast<1>(w[j]);
      const Float8 row = wy * row_sum;
      sum += row;
      along_y = plus(along_y, j - 1, row);
      along_z += wy * row_first;
    }
    const Float8 wx = broadcast<0>(w[i]);
    const Float8 slab = wx * sum;
    m.sum += slab;
    m.first[0] = plus(m.first[0], i - 1, slab);
    m.first[1] += wx * along_y;
    m.first[2] += wx * along_z;
  }
  // About the particles instead.
  const Float8 offset = join(a.weights.offset, b.weights.offset);
  m.first[0] -= m.sum * broadcast<0>(offset);
  m.first[1] -= m.sum * broadcast<1>(offset);
  m.first[2] -= m.sum * broadcast<2>(offset);
  return m;
}

// What scatter() needs of a particle.
template <typename Spline>
struct Prepared {
  Support<Spline> support;
  AffineMomentum momentum;
};

// Particles at a time: stage by stage, so that the long chains of one particle's numbers overlap
// with the next one's.
constexpr std::size_t batch_size = 16;

template <typename Spline>
void prepare(const Substep& step, const Particles& particles, Int4 block_base,
             std::span<const std::uint32_t> batch, Prepared<Spline>* prepared) {
  constexpr std::size_t width = sizeof(Float8) / sizeof(float);
  alignas(Float8) std::array<float, batch_size> strains{}, divergences{}, pressures;
  for (std::size_t n = 0; n < batch.size(); ++n) {
    strains[n] = particles.affine[batch[n]].strain;
    divergences[n] = trace_of(particles.affine[batch[n]]);
  }
  const std::uint8_t material = particles.materials[batch[0]];
  for (std::size_t n = 0; n < batch_size; n += width) {
    Float8 strain, divergence;
    std::memcpy(&strain, &strains[n], sizeof strain);
    std::memcpy(&divergence, &divergences[n], sizeof divergence);
    const Float8 p = damped_pressure(step.materials[material], strain, divergence);
    std::memcpy(&pressures[n], &p, sizeof p);
  }
  for (std::size_t n = 0; n < batch.size(); ++n) {
    const std::size_t i = batch[n];
    if (particles.materials[i] != material) {
      pressures[n] =
          damped_pressure(step.materials[particles.materials[i]], strains[n], divergences[n]);
    }
    const auto support = support_of<Spline>(step.frame, block_base, particles.positions[i]);
    prepared[n] = {support,
                   momentum_of<Spline>(step, particles, i, support.weights.offset, pressures[n])};
  }
}

template <typename Spline>
void scatter_block(const Substep& step, const Particles& particles, const ParticleBlocks& blocks,
                   const ParticleBlock& block, Tile<Spline::support>& tile) {
  const auto base = step.frame.block_base(block.key);
  const Int4 block_base{base[0], base[1], base[2], 0};
  std::array<Prepared<Spline>, batch_size> prepared;
  for (std::size_t first = block.first; first < block.last; first += batch_size) {
    const std::size_t count = std::min<std::size_t>(batch_size, block.last - first);
    prepare<Spline>(step, particles, block_base, std::span(blocks.order).subspan(first, count),
                    prepared.data());
    for (std::size_t n = 0; n < count; ++n) {
      scatter<Spline>(prepared[n].support.weights, prepared[n].momentum,
                      &tile.nodes[prepared[n].support.corner]);
    }
  }
}

template <typename Spline>
void scatter_all(const Substep& step, const Particles& particles, const ParticleBlocks& blocks,
                 Grid& grid) {
  for (const std::vector<std::uint32_t>& list : blocks.by_parity) {
    const auto count = static_cast<std::int64_t>(list.size());
    parallel::parallel_for(0, count, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t at = first; at < last; ++at) {
        const std::uint32_t b = list[static_cast<std::size_t>(at)];
        Tile<Spline::support> tile{};
        scatter_block<Spline>(step, particles, blocks, blocks.blocks[b], tile);
        add_tile(grid, b, tile);
      }
    });
  }
}

}  // namespace

void send_particle(const Substep& step, Float4 velocity, std::size_t i, Particles& particles) {
  const GridFrame& frame = step.frame;
  const Float4 free = load4(particles.positions[i].data()) + splat(step.duration) * velocity;
  const Float4 target = min4(max4(free, frame.particle_lower), frame.particle_upper);
  store3(particles.targets[i].data(), target);
  store3(particles.velocities[i].data(), target == free ? velocity : splat(0));
}

namespace {

// `mean`: velocity and mass gathered at particle i; `c0`, `c1`, `c2`: columns of C. Returns the new
// strain.
float update_particle(const Substep& step, Float4 mean, Float4 c0, Float4 c1, Float4 c2,
                      std::size_t i, bool is_pressed, Particles& particles) {
  const Material& material = step.materials[particles.materials[i]];
  Affine& affine = particles.affine[i];
  const float growth = step.duration * (c0[0] + c1[1] + c2[2]);
  const float grown = affine.strain + growth * (1 + affine.strain);
  const float seen = material.rest_density / (mean[3] * step.nodes_per_volume) - 1;
  const float feedback = material.density_feedback * (fed_back(grown, seen, is_pressed) - grown);
  const float strain = std::clamp(grown + step.duration * feedback, least_strain, greatest_strain);
  store4(&affine.c[0], c0);
  store4(&affine.c[3], c1);
  store4(&affine.c[6], with_lane3(c2, strain));

  send_particle(step, mean, i, particles);
  return strain;
}

// 0 in each lane with finite numbers only, else NaN.
[[gnu::always_inline]] inline Float8 spoiled(Float8 v) { return v - v; }

template <typename Spline>
GatherReport gather_block(const Substep& step, const Tile<Spline::support>& tile,
                          const ParticleBlocks& blocks, const ParticleBlock& block,
                          Particles& particles) {
  const float D_inv = Spline::inertia_inverse * step.frame.inverse_cell[0];
  const auto base = step.frame.block_base(block.key);
  const Int4 block_base{base[0], base[1], base[2], 0};
  std::array<Support<Spline>, batch_size> supports;
  const std::uint64_t pressed = step.pressed.in_block(block.key);
  const auto is_pressed = [&](std::size_t n) { return (pressed >> supports[n].cell & 1) != 0; };
  float least = 0;
  Float8 spoilt{};
  for (std::size_t first = block.first; first < block.last; first += batch_size) {
    const std::size_t count = std::min<std::size_t>(batch_size, block.last - first);
    const std::uint32_t* batch = &blocks.order[first];
    for (std::size_t n = 0; n < count; ++n) {
      supports[n] = support_of<Spline>(step.frame, block_base, particles.positions[batch[n]]);
    }
    for (std::size_t n = 0; n < count; n += 2) {
      const std::size_t other =
          std::min(n + 1, count - 1);  // The last one of an odd number: itself.
      const Moments m = gather<Spline>(supports[n], supports[other], tile.nodes.data());
      const Float8 c0 = D_inv * m.first[0], c1 = D_inv * m.first[1], c2 = D_inv * m.first[2];
      spoilt += (spoiled(m.sum) + spoiled(c0)) + (spoiled(c1) + spoiled(c2));
      const float low = update_particle(step, low_half(m.sum), low_half(c0), low_half(c1),
                                        low_half(c2), batch[n], is_pressed(n), particles);
      least = std::min(least, low);
      if (other == n) break;
      const float high = update_particle(step, high_half(m.sum), high_half(c0), high_half(c1),
                                         high_half(c2), batch[other], is_pressed(other), particles);
      least = std::min(least, high);
    }
  }
  bool is_finite = true;
  for (std::size_t lane = 0; lane < sizeof spoilt / sizeof(float); ++lane)
    is_finite &= spoilt[lane] == 0;
  return {least, is_finite};
}

GatherReport both(const GatherReport& a, const GatherReport& b) {
  return {std::min(a.least_strain, b.least_strain), a.is_finite && b.is_finite};
}

template <typename Spline>
GatherReport gather_all(const Substep& step, const Boundary& boundary, Grid& grid,
                        const ParticleBlocks& blocks, Particles& particles) {
  const auto gather_one = [&](const ParticleBlock& block, std::size_t b) {
    Tile<Spline::support> tile;
    load_tile(grid, b, tile);
    const GatherReport report = gather_block<Spline>(step, tile, blocks, block, particles);
    if (boundary.is_near_obstacle(block.key)) {
      for (std::uint32_t o = block.first; o < block.last; ++o) {
        const std::size_t i = blocks.order[o];
        boundary.leave_obstacles(particles.positions[i], particles.targets[i],
                                 particles.velocities[i]);
      }
    }
    return report;
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(blocks.blocks.size()), blocks_at_once, GatherReport{},
      [&](std::int64_t first, std::int64_t last) {
        GatherReport report;
        for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
          report = both(report, gather_one(blocks.blocks[b], b));
        }
        return report;
      },
      both);
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

GatherReport grid_to_particles(const Substep& step, scene::Kernel kernel, const Boundary& boundary,
                               Grid& grid, const ParticleBlocks& blocks, Particles& particles) {
  if (kernel == scene::Kernel::quadratic) {
    return gather_all<BSpline<scene::Kernel::quadratic>>(step, boundary, grid, blocks, particles);
  }
  return gather_all<BSpline<scene::Kernel::cubic>>(step, boundary, grid, blocks, particles);
}

}  // namespace sluice::fluid
