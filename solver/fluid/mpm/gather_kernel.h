// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "solver/fluid/mpm/crowding.h"
#include "solver/fluid/mpm/elastic_flow.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/node_rows.h"
#include "solver/fluid/mpm/particle_batch.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/simd/particle_lanes.h"

/// The gather of one block's particles; transfer_kernels.h says how it works.
namespace sluice::fluid {

/// Moments of the nodes' values (velocity, mass) about each particle's node (1, 1, 1): the 0th, and
/// the 1st along the three axes.
template <int width>
struct BatchMoments {
  alignas(64) float of[width][16];
};

/// Loads the rows of the nodes that a cell's particles use.
template <typename Spline, int width>
[[gnu::always_inline]] inline void load_rows(const Float4* nodes, std::size_t corner,
                                             Rows<Spline, width>& rows) noexcept {
  constexpr int support = Spline::support;
  const auto* first = reinterpret_cast<const float*>(nodes + corner);
#pragma GCC unroll 4
  for (int i = 0; i < support; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < support; ++j) {
#pragma GCC unroll 2
      for (int q = 0; q < row_parts<width>; ++q)
        rows[i * support + j][q] = load_lanes<width>(first + row_place<support, width>(i, j, q));
    }
  }
}

/// Sums the moments of the batch's particle n.
template <typename Spline, int width>
[[gnu::always_inline]] inline void sum_moments(const BatchSupport<Spline, width>& at, std::size_t n,
                                               const Rows<Spline, width>& rows,
                                               BatchMoments<width>& moments) noexcept {
  using F = FloatLanes<width>;
  constexpr int support = Spline::support;
  F all{}, along_x{}, along_y{}, along_z{};
#pragma GCC unroll 2
  for (int q = 0; q < row_parts<width>; ++q) {
    F sum{}, first_x{}, first_y{};
#pragma GCC unroll 4
    for (int i = 0; i < support; ++i) {
      F slab{}, slab_y{};
#pragma GCC unroll 4
      for (int j = 0; j < support; ++j) {
        const F row = at.weights[1][j][n] * rows[i * support + j][q];
        slab += row;
        slab_y = plus_times(slab_y, j - 1, row);
      }
      const float wx = at.weights[0][i][n];
      const F weighted = wx * slab;
      sum += weighted;
      first_x = plus_times(first_x, i - 1, weighted);
      first_y += wx * slab_y;
    }
    const F wz = spread<width>(at.row_weights[n], q);
    sum *= wz;
    all += sum;
    along_x += wz * first_x;
    along_y += wz * first_y;
    along_z += node_offsets<width>(q) * sum;
  }
  store_node_sums<width>(all, along_x, along_y, along_z, moments.of[n]);
}

template <typename Spline, int width>
[[gnu::always_inline]] inline void find_moments(const BatchSupport<Spline, width>& at,
                                                std::size_t count, const Float4* nodes,
                                                std::int32_t& cell, Rows<Spline, width>& rows,
                                                BatchMoments<width>& moments) noexcept {
  for (std::size_t n = 0; n < count; ++n) {
    if (at.cell[n] != cell) {
      cell = at.cell[n];
      load_rows<Spline, width>(nodes, at.corner(cell), rows);
    }
    sum_moments<Spline, width>(at, n, rows, moments);
  }
}

/// Finds the moments of particles that do not see all nodes: copies stand for hidden ones.
template <typename Spline, int width>
[[gnu::always_inline]] inline void find_moments(const Substep& step,
                                                const BatchSupport<Spline, width>& at,
                                                const ParticleBlocks& blocks, std::size_t first,
                                                std::size_t count, const Float4* nodes,
                                                const Float4* copies,
                                                BatchMoments<width>& moments) noexcept {
  constexpr int support = Spline::support;
  constexpr std::size_t edge = Tile<support>::edge;
  Rows<Spline, width> rows{};
  for (std::size_t n = 0; n < count; ++n) {
    Float4 own[support * support * 4];
    for (std::size_t i = 0; i < support; ++i) {
      for (std::size_t j = 0; j < support; ++j)
        std::memcpy(&own[(support * i + j) * 4],
                    nodes + at.corner(at.cell[n]) + (i * edge + j) * edge, 4 * sizeof(Float4));
    }
    const Sight& sight = blocks.sights[first + n];
    const NodeCopy* copy = &blocks.copies[sight.first_copy];
    for (std::uint64_t bits = sight.hidden; bits != 0; bits &= bits - 1, ++copy) {
      const int bit = std::countr_zero(bits);
      // The velocity on a wall has no part across it left to take away.
      const std::uint32_t behind = copy->mirrors & behind_walls;
      own[(support * (bit / 16) + bit / 4 % 4) * 4 + bit % 4] =
          mirrored(behind, step.wall, copies[copy->index]);
    }
    for (int row = 0; row < support * support; ++row) {
      for (int q = 0; q < row_parts<width>; ++q) {
        const auto* of_row = reinterpret_cast<const float*>(&own[std::ptrdiff_t{4} * row]);
        rows[row][q] = load_lanes<width>(of_row + std::ptrdiff_t{width} * q);
      }
    }
    sum_moments<Spline, width>(at, n, rows, moments);
  }
}

/// Returns the strain that the density feedback drives a strain to; `seen` is what the grid's
/// density makes it. Particles are never quite even, so that small differences do not count.
/// Crowding adds pressure; a gap between them has none until it is filled, a surface has none, and
/// an expansion that the density does not show is forgotten. Next to a solid that presses on the
/// fluid (`is_pressed`) a density that is too low only tells of the solid.
template <typename F, typename I>
[[gnu::always_inline]] inline F fed_back(F strain, F seen, I is_pressed) noexcept {
  constexpr float unevenness = 0.01F, at_surface = 0.1F;
  const F crowded = seen + unevenness;
  const F not_expanded = strain < 0 ? strain : F{};
  const I is_sparse = (seen > unevenness) & (is_pressed == 0);
  const F sparse = seen < at_surface ? seen - unevenness : F{};
  const F elsewhere = is_sparse ? sparse : not_expanded;
  const F less = crowded < strain ? crowded : strain;
  return seen < -unevenness ? less : elsewhere;
}

/// J - 1 stays in this range. Below, a substep would have to be absurdly short; above, spray would
/// remember an expansion that it had in flight, and be compressed by as much before it has a
/// pressure again.
constexpr float least_strain = -0.5F;
constexpr float greatest_strain = 0.05F;

/// J - 1 of materials that are no liquids serves pictures only, and stays in this range.
constexpr float least_solid_strain = -0.9F;
constexpr float greatest_solid_strain = 9;

/// Deforms the elastic particles of a batch by their new C; c[a][r] = dv_r/dx_a. Their strain
/// becomes `grown`, within its range. Returns the largest square of a wave's speed among them.
template <int width>
[[gnu::always_inline]] inline float deform_elastic(
    const Substep& step, const BatchMaterials<width>& material, const FloatLanes<width> (&c)[3][4],
    const std::uint32_t (&index)[width], std::size_t count, FloatLanes<width> grown,
    FloatLanes<width>& strain, Elastic* elastic) noexcept {
  using F = FloatLanes<width>;
  const IntLanes<width> models = material.models();
  F growth[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int a = 0; a < 3; ++a)
      growth[r][a] = step.duration * c[a][r];
  }
  const ElasticParameters<width> parameters{
      material(&Material::shear_modulus),   material(&Material::lame_lambda),
      material(&Material::rest_density),    material(&Material::yield),
      material(&Material::relaxation),      material(&Material::least_growth),
      material(&Material::greatest_growth), material(&Material::hardening)};
  ElasticLanes<width> state = load_elastic<width>(elastic, index);
  flow_elastic<width>(parameters, step.duration, growth, models, state);
  store_elastic<width>(state, count, index, elastic);
  const F at_least = grown > least_solid_strain ? grown : F{} + least_solid_strain;
  const F kept = at_least < greatest_solid_strain ? at_least : F{} + greatest_solid_strain;
  strain = models > static_cast<std::int32_t>(Model::bingham) ? kept : strain;
  float fastest = 0;
  for (int n = 0; n < width; ++n)
    fastest = std::max(fastest, state.wave_speed_squared[n]);
  return fastest;
}

template <typename Spline, int width, bool is_sighted>
GatherReport gather_some(const Substep& step, const Tile<Spline::support>& tile,
                         const Float4* copies, const ParticleBlocks& blocks,
                         const ParticleBlock& block, std::size_t begin, std::size_t end,
                         Particles& particles) {
  using F = FloatLanes<width>;
  using I = IntLanes<width>;
  const float D_inv = Spline::inertia_inverse * step.frame.inverse_cell[0];
  const auto block_base = step.frame.block_base(block.key);
  const std::uint64_t pressed = step.pressed.in_block(block.key);
  // [s^2/m^2] One over the pressure of a layer of one cell, per density.
  const float layer = step.gravity.norm() * step.frame.cell_size;
  const float per_cell_deep = layer > 0 ? 1 / layer : 0;
  // Without weight nothing turns a crowd into flow.
  const std::int32_t is_heavy = layer > 0 ? -1 : 0;
  BatchSupport<Spline, width> at;
  BatchMoments<width> moments{};
  Rows<Spline, width> rows{};
  std::int32_t cell = -1;
  F least{}, spoilt{};
  float fastest = 0;
  for (std::size_t first = begin; first < end; first += width) {
    const std::size_t count = std::min<std::size_t>(width, end - first);
    prefetch(particles,
             std::span(blocks.order)
                 .subspan(first + count, std::min<std::size_t>(width, end - first - count)));
    if constexpr (is_sighted) {
      at.find(step.frame, block_base, particles.positions.data(), &blocks.order[first], count);
      find_moments<Spline, width>(at, count, tile.nodes.data(), cell, rows, moments);
    } else {
      at.find(step.frame, block_base, particles.positions.data(), &blocks.order[first],
              &blocks.sights[first], count);
      find_moments<Spline, width>(step, at, blocks, first, count, tile.nodes.data(), copies,
                                  moments);
    }
    F mean[4], c[3][4];
    const auto last = static_cast<int>(count) - 1;
    load_columns<width>([&](int n) { return moments.of[std::min(n, last)]; }, mean);
    for (int a = 0; a < 3; ++a) {
      load_columns<width>([&](int n) { return moments.of[std::min(n, last)] + 4 * (a + 1); }, c[a]);
      for (int r = 0; r < 3; ++r) {
        c[a][r] = D_inv * (c[a][r] - mean[r] * at.offset[a]);  // About the particle instead.
        spoilt += c[a][r] - c[a][r];                           // 0 of finite numbers, else NaN.
      }
    }
    for (int r = 0; r < 4; ++r)
      spoilt += mean[r] - mean[r];

    const BatchMaterials<width> material(step, particles.materials.data(), at.index);
    alignas(64) float strains[width];
    alignas(64) std::int32_t press[width];
    for (int n = 0; n < width; ++n) {
      strains[n] = particles.affine[at.index[n]].strain;
      press[n] = static_cast<std::int32_t>(pressed >> at.cell[n] & 1);
    }
    const F strain_before = load_lanes<width>(strains);
    I is_pressed;
    std::memcpy(&is_pressed, press, sizeof is_pressed);
    const F growth = step.duration * (c[0][0] + c[1][1] + c[2][2]);
    const F grown = strain_before + growth * (1.0F + strain_before);
    const F seen = material(&Material::gathered_density) / (mean[3] * step.nodes_per_volume) - 1.0F;
    const F feedback =
        material(&Material::density_feedback) * (fed_back(grown, seen, is_pressed) - grown);
    const F fed = grown + step.duration * feedback;
    const F at_least = fed > least_strain ? fed : least_strain + F{};
    F strain = at_least < greatest_strain ? at_least : greatest_strain + F{};
    F of_liquid = strain;
    if (!particles.elastic.empty()) {
      of_liquid = material.models() > static_cast<std::int32_t>(Model::bingham) ? F{} : strain;
      fastest = std::max(fastest, deform_elastic<width>(step, material, c, at.index, count, grown,
                                                        strain, particles.elastic.data()));
    }
    least = of_liquid < least ? of_liquid : least;

    const F rate = material(&Material::shift_rate), speed = material(&Material::sound_speed);
    I is_crowd = (seen < sparsest_crowd) & (seen > densest_crowd) & (is_pressed == 0) & (rate > 0) &
                 is_heavy;
    if constexpr (!is_sighted) {
      for (int n = 0; n < width; ++n) {
        const std::size_t own = first + std::min<std::size_t>(n, count - 1);
        is_crowd[n] &= blocks.sights[own].is_beside_sheet ? 0 : -1;
      }
    }
    F slope[3], slope_squared{};
    for (int a = 0; a < 3; ++a) {
      slope[a] = Spline::inertia_inverse * (c[a][3] / mean[3] - at.offset[a]);
      slope_squared += slope[a] * slope[a];
    }
    const F factor = shift_by_slope(slope_squared, rate, step.duration, step.frame.cell_size);
    const F cells_deep = -strain * speed * speed * per_cell_deep;
    const F shift = is_crowd ? factor : F{};
    const F lacks = is_crowd ? missing_weight(seen, strain, cells_deep) : F{};

    F x[4], target[4]{}, velocity[4]{};
    load_columns<width>([&](int n) { return particles.positions[at.index[n]].data(); }, x);
    for (int r = 0; r < 3; ++r) {
      const F free = x[r] + step.duration * mean[r];
      const F low = F{} + step.frame.particle_lower[r], high = F{} + step.frame.particle_upper[r];
      const F carried = mean[r] + lacks * (step.duration * step.gravity[r]);
      velocity[r] = (free < low) | (free > high) ? F{} : carried;
      const F shifted = free + shift * slope[r];
      const F above = shifted > low ? shifted : low;
      target[r] = above < high ? above : high;
    }
    const auto is_particle = [&](int n) { return static_cast<std::size_t>(n) < count; };
    store_rows<width>(target, [&](int n, Float4 row) {
      if (is_particle(n)) store3(particles.targets[at.index[n]].data(), row);
    });
    store_rows<width>(velocity, [&](int n, Float4 row) {
      if (is_particle(n)) store3(particles.velocities[at.index[n]].data(), row);
    });
    F fours[4] = {c[0][0], c[0][1], c[0][2], c[1][0]};
    store_rows<width>(fours, [&](int n, Float4 row) {
      if (is_particle(n)) store4(particles.affine[at.index[n]].c, row);
    });
    F middle[4] = {c[1][1], c[1][2], c[2][0], c[2][1]};
    store_rows<width>(middle, [&](int n, Float4 row) {
      if (is_particle(n)) store4(particles.affine[at.index[n]].c + 4, row);
    });
    F rest[4] = {c[2][0], c[2][1], c[2][2], strain};
    store_rows<width>(rest, [&](int n, Float4 row) {
      if (is_particle(n)) store4(particles.affine[at.index[n]].c + 6, row);
    });
  }
  GatherReport report;
  report.wave_speed_squared = fastest;
  for (int n = 0; n < width; ++n) {
    report.least_strain = std::min(report.least_strain, least[n]);
    report.is_finite &= spoilt[n] == 0;
  }
  return report;
}

template <typename Spline, int width>
GatherReport gather_block(const Substep& step, const Tile<Spline::support>& tile,
                          const Float4* copies, const ParticleBlocks& blocks,
                          const ParticleBlock& block, Particles& particles) {
  return both(gather_some<Spline, width, true>(step, tile, copies, blocks, block, block.first,
                                               block.sighted_last, particles),
              gather_some<Spline, width, false>(step, tile, copies, blocks, block,
                                                block.sighted_last, block.last, particles));
}

}  // namespace sluice::fluid
