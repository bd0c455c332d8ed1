// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "solver/fluid/mpm/node_rows.h"
#include "solver/fluid/mpm/particle_batch.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/simd/particle_lanes.h"

/// The scatter of one block's particles; transfer_kernels.h says how it works.
namespace sluice::fluid {

/// Finds each particle's change of velocity, h times its acceleration, by axis.
template <int width>
[[gnu::always_inline]] inline void velocity_gain(const Substep& step, const Vec3f* positions,
                                                 const std::uint32_t (&index)[width],
                                                 FloatLanes<width> (&gain)[3]) noexcept {
  for (int axis = 0; axis < 3; ++axis)
    gain[axis] = FloatLanes<width>{} + step.duration * step.gravity[axis];
  for (const Push& push : step.pushes) {
    for (int n = 0; n < width; ++n) {
      const Vec3f& x = positions[index[n]];
      double squared = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double along = static_cast<double>(x[axis]) - push.center[axis];
        squared += along * along;
      }
      if (squared > push.radius * push.radius) continue;
      for (int axis = 0; axis < 3; ++axis)
        gain[axis][n] += step.duration * static_cast<float>(push.acceleration[axis]);
    }
  }
}

/// Particles' momenta as affine functions of the offset from their node (1, 1, 1), in cells; lane 3
/// of a row: the mass.
template <int width>
struct BatchMomentum {
  Float4 constant[width];
  Float4 slope[3][width];
};

template <typename Spline, int width>
[[gnu::always_inline]] inline void find_momentum(const Substep& step, const Particles& particles,
                                                 const BatchSupport<Spline, width>& at,
                                                 BatchMomentum<width>& momentum) noexcept {
  using F = FloatLanes<width>;
  const BatchMaterials<width> material(step, particles.materials.data(), at.index);
  F c[10], v[4];
  load_affine<width>(particles.affine.data(), at.index, c);
  load_columns<width>([&](int n) { return particles.velocities[at.index[n]].data(); }, v);
  const F mass = material(&Material::mass);
  const F strain = c[9];
  const F divergence = c[0] + c[4] + c[8];

  // m C dx + h V D_inv (p I - mu (C + C^T - 2/3 tr C I)) dx, less the elastic stress: Kirchhoff's,
  // on V0. Offsets in cells.
  const float dx = step.frame.cell_size;
  const F impulse = material(&Material::rest_volume) *
                    (step.duration * Spline::inertia_inverse * step.frame.inverse_cell[0]);
  const F scale = impulse * (1.0F + strain);
  const F viscous = -scale * material(&Material::viscosity);
  const F diagonal =
      scale * material.pressure(strain, divergence) - viscous * (2.0F / 3) * divergence;
  const F carried = mass * dx + viscous;
  F slope[3][4];
  for (int a = 0; a < 3; ++a) {
    for (int r = 0; r < 3; ++r)
      slope[a][r] = carried * c[3 * a + r] + viscous * c[3 * r + a];
    slope[a][a] += diagonal;
    slope[a][3] = F{};
  }
  if (!particles.elastic.empty()) {
    Symmetric<width> stress;
    load_stress<width>(particles.elastic.data(), at.index, stress);
    for (int a = 0; a < 3; ++a) {
      for (int r = 0; r < 3; ++r)
        slope[a][r] -= impulse * stress.of[symmetric_place[r][a]];
    }
  }
  F gain[3];
  velocity_gain<width>(step, particles.positions.data(), at.index, gain);
  F constant[4];
  for (int r = 0; r < 3; ++r) {
    constant[r] = mass * (v[r] + gain[r]) - slope[0][r] * at.offset[0] -
                  slope[1][r] * at.offset[1] - slope[2][r] * at.offset[2];
  }
  constant[3] = mass;
  store_rows<width>(constant, [&](int n, Float4 row) { momentum.constant[n] = row; });
  for (int a = 0; a < 3; ++a)
    store_rows<width>(slope[a], [&](int n, Float4 row) { momentum.slope[a][n] = row; });
}

/// Returns a mask of the lanes of part q of row (i, j, ...) whose nodes are hidden.
template <int width>
[[gnu::always_inline]] inline IntLanes<width> hidden_lanes(std::uint64_t hidden, int i, int j,
                                                           int q) noexcept {
  using I = IntLanes<width>;
  const auto row = static_cast<std::int32_t>(hidden >> (4 * (block_edge * i + j)) & 15);
  if constexpr (width == 8) {
    const I nodes = q == 0 ? I{1, 1, 1, 1, 2, 2, 2, 2} : I{4, 4, 4, 4, 8, 8, 8, 8};
    return (nodes & row) != 0;
  } else {
    return (I{1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8} & row) != 0;
  }
}

/// Scatters particle n of a batch to the copies of the nodes that it does not see; `parts` are
/// those of its group (Grid::scattered_copies).
template <typename Spline, int width>
[[gnu::always_inline]] inline void scatter_hidden(const Substep& step,
                                                  const BatchSupport<Spline, width>& at,
                                                  const BatchMomentum<width>& momentum,
                                                  std::size_t n, const Sight& sight,
                                                  const NodeCopy* copy, Float4* parts) noexcept {
  for (std::uint64_t bits = sight.hidden; bits != 0; bits &= bits - 1, ++copy, ++parts) {
    const int bit = std::countr_zero(bits), i = bit / 16, j = bit / 4 % 4, k = bit % 4;
    const Float4 p = momentum.constant[n] + static_cast<float>(i - 1) * momentum.slope[0][n] +
                     static_cast<float>(j - 1) * momentum.slope[1][n] +
                     static_cast<float>(k - 1) * momentum.slope[2][n];
    const float weight = at.weights[0][i][n] * at.weights[1][j][n] * at.row_weights[n][k];
    *parts += mirrored(copy->mirrors, step.wall, splat(weight) * p);
  }
}

/// Scatters the particles at [begin, end) of ParticleBlocks::order. If they are not `is_sighted`,
/// their parts for hidden nodes go to `copies` (Grid::scattered_copies).
template <typename Spline, int width, bool is_sighted>
void scatter_some(const Substep& step, const Particles& particles, const ParticleBlocks& blocks,
                  const ParticleBlock& block, std::size_t begin, std::size_t end,
                  Tile<Spline::support>& tile, Float4* copies) {
  using F = FloatLanes<width>;
  constexpr int support = Spline::support;
  const auto block_base = step.frame.block_base(block.key);
  BatchSupport<Spline, width> at;
  BatchMomentum<width> momentum;
  alignas(64) float column_weights[support * support][width];
  Rows<Spline, width> rows{};
  std::int32_t cell = -1;
  const auto flush = [&] {
    if (cell < 0) return;
    auto* corner = reinterpret_cast<float*>(&tile.nodes[at.corner(cell)]);
#pragma GCC unroll 4
    for (int i = 0; i < support; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < support; ++j) {
#pragma GCC unroll 2
        for (int q = 0; q < row_parts<width>; ++q) {
          float* nodes = corner + row_place<support, width>(i, j, q);
          store_lanes(nodes, load_lanes<width>(nodes) + rows[i * support + j][q]);
          rows[i * support + j][q] = F{};
        }
      }
    }
  };
  for (std::size_t first = begin; first < end; first += width) {
    const std::size_t count = std::min<std::size_t>(width, end - first);
    prefetch(particles,
             std::span(blocks.order)
                 .subspan(first + count, std::min<std::size_t>(width, end - first - count)));
    if constexpr (is_sighted) {
      at.find(step.frame, block_base, particles.positions.data(), &blocks.order[first], count);
    } else {
      at.find(step.frame, block_base, particles.positions.data(), &blocks.order[first],
              &blocks.sights[first], count);
    }
    find_momentum<Spline, width>(step, particles, at, momentum);
    for (int i = 0; i < support; ++i) {
      for (int j = 0; j < support; ++j) {
        const F w = at.weights[0][i] * at.weights[1][j];
        std::memcpy(column_weights[i * support + j], &w, sizeof w);
      }
    }
    for (std::size_t n = 0; n < count; ++n) {
      if (at.cell[n] != cell) {
        flush();
        cell = at.cell[n];
      }
#pragma GCC unroll 2
      for (int q = 0; q < row_parts<width>; ++q) {
        const F wz = spread<width>(at.row_weights[n], q);
        const F p = wz * (repeat<width>(momentum.constant[n]) +
                          node_offsets<width>(q) * repeat<width>(momentum.slope[2][n]));
        const F along_x = wz * repeat<width>(momentum.slope[0][n]);
        const F along_y = wz * repeat<width>(momentum.slope[1][n]);
#pragma GCC unroll 4
        for (int i = 0; i < support; ++i) {
          const F slab = plus_times(p, i - 1, along_x);
#pragma GCC unroll 4
          for (int j = 0; j < support; ++j) {
            const F part = column_weights[i * support + j][n] * plus_times(slab, j - 1, along_y);
            if constexpr (is_sighted) {
              rows[i * support + j][q] += part;
            } else {
              const auto is_hidden = hidden_lanes<width>(blocks.sights[first + n].hidden, i, j, q);
              rows[i * support + j][q] += is_hidden ? F{} : part;
            }
          }
        }
      }
      if constexpr (!is_sighted) {
        const Sight& sight = blocks.sights[first + n];
        scatter_hidden<Spline, width>(step, at, momentum, n, sight,
                                      &blocks.copies[sight.first_copy], copies + sight.first_copy);
      }
    }
  }
  flush();
}

template <typename Spline, int width>
void scatter_block(const Substep& step, const Particles& particles, const ParticleBlocks& blocks,
                   const ParticleBlock& block, Tile<Spline::support>& tile, Float4* copies) {
  scatter_some<Spline, width, true>(step, particles, blocks, block, block.first, block.sighted_last,
                                    tile, copies);
  scatter_some<Spline, width, false>(step, particles, blocks, block, block.sighted_last, block.last,
                                     tile, copies);
}

}  // namespace sluice::fluid
