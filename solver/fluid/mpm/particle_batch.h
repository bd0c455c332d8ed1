// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "solver/fluid/mpm/elastic_flow.h"
#include "solver/fluid/mpm/grid.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/transfers.h"
#include "solver/simd/particle_lanes.h"

/// Private to transfers: loads `width` particles from memory into lanes, and stores them again.
/// Offsets are in cells: a particle stands at `offset` from its node (1, 1, 1), in a support of
/// nodes 0 .. support - 1.
namespace sluice::fluid {

using namespace simd;

/// The places of a batch's particles, and their weights. Lanes beyond `count` repeat the last
/// particle.
template <typename Spline, int width>
struct BatchSupport {
  using F = FloatLanes<width>;
  using I = IntLanes<width>;
  static constexpr int support = Spline::support;

  alignas(64) std::int32_t cell[width];  ///< The first node's place in the block: (4 i + j) 4 + k.
  F offset[3];
  F weights[3][support];       ///< Weights of the nodes, by axis.
  Float4 row_weights[width];   ///< Each particle's weights along z; 0 beyond the support.
  std::uint32_t index[width];  ///< The particles' indices.

  // The first node is kept within the block, as it might differ by one: rounded here other than in
  // assign_blocks, a position within a rounding of a cell's edge may be in either cell. Weights
  // hold on both sides, and what is written stays in the tile whatever the position.
  [[gnu::always_inline]] void find(const GridFrame& frame,
                                   const std::array<std::int32_t, 3>& block_base,
                                   const Vec3f* positions, const std::uint32_t* order,
                                   std::size_t count) noexcept {
    find(frame, block_base, positions, order, count, [](F X, int, std::int32_t low) {
      const I free = Spline::template base<I>(X);
      const std::int32_t high = low + block_edge - 1;
      const I at_least = free > low ? free : low + I{};
      return at_least < high ? at_least : high + I{};
    });
  }

  // Finds places and weights from the first nodes that assign_blocks found: hidden nodes are
  // counted from those.
  [[gnu::always_inline]] void find(const GridFrame& frame,
                                   const std::array<std::int32_t, 3>& block_base,
                                   const Vec3f* positions, const std::uint32_t* order,
                                   const Sight* sights, std::size_t count) noexcept {
    find(frame, block_base, positions, order, count, [&](F, int axis, std::int32_t low) {
      I base;
      for (int n = 0; n < width; ++n) {
        const std::uint32_t c = sights[std::min<std::size_t>(n, count - 1)].cell;
        base[n] = low + static_cast<std::int32_t>(c >> (4 - 2 * axis) & 3);
      }
      return base;
    });
  }

  template <typename Base>
  [[gnu::always_inline]] void find(const GridFrame& frame,
                                   const std::array<std::int32_t, 3>& block_base,
                                   const Vec3f* positions, const std::uint32_t* order,
                                   std::size_t count, const Base& base_of) noexcept {
    for (std::size_t n = 0; n < width; ++n)
      index[n] = order[std::min(n, count - 1)];
    F x[4];
    load_columns<width>([&](int n) { return positions[index[n]].data(); }, x);
    I first_node{};
    for (int axis = 0; axis < 3; ++axis) {
      const F X = (x[axis] - frame.origin[axis]) * frame.inverse_cell[axis];
      const std::int32_t low = block_base[static_cast<std::size_t>(axis)];
      const I base = base_of(X, axis, low);
      offset[axis] = X - __builtin_convertvector(base, F) - 1.0F;
      Spline::weights(offset[axis], weights[axis]);
      if (frame.is_across(axis)) {
        offset[axis] = F{};
        for (int k = 0; k < support; ++k)
          weights[axis][k] = F{} + (k == 1 ? 1.0F : 0.0F);
      }
      first_node = first_node * block_edge + (base - low);
    }
    std::memcpy(cell, &first_node, sizeof cell);
    F z[4]{};
    for (int k = 0; k < support; ++k)
      z[k] = weights[2][k];
    store_rows<width>(z, [&](int n, Float4 row) { row_weights[n] = row; });
  }

  /// Returns the index of the tile's node where supports of cell `c` begin.
  [[gnu::always_inline]] static std::size_t corner(std::int32_t c) noexcept {
    constexpr std::size_t edge = Tile<support>::edge, own = block_edge;
    const auto at = static_cast<std::size_t>(c);
    return (at / (own * own) * edge + at / own % own) * edge + at % own;
  }
};

/// The materials of a batch.
template <int width>
struct BatchMaterials {
  using F = FloatLanes<width>;
  const Substep& step;
  std::uint8_t of[width];
  bool is_uniform = true;

  [[gnu::always_inline]] BatchMaterials(const Substep& substep, const std::uint8_t* materials,
                                        const std::uint32_t (&index)[width]) noexcept
      : step(substep) {
    for (int n = 0; n < width; ++n) {
      of[n] = materials[index[n]];
      is_uniform &= of[n] == of[0];
    }
  }

  [[gnu::always_inline]] F operator()(float Material::* number) const noexcept {
    if (is_uniform) return F{} + step.materials[of[0]].*number;
    alignas(64) float numbers[width];
    for (int n = 0; n < width; ++n)
      numbers[n] = step.materials[of[n]].*number;
    return load_lanes<width>(numbers);
  }

  [[gnu::always_inline]] IntLanes<width> models() const noexcept {
    alignas(64) std::int32_t models[width];
    for (int n = 0; n < width; ++n)
      models[n] = static_cast<std::int32_t>(step.materials[of[n]].model);
    IntLanes<width> result;
    std::memcpy(&result, models, sizeof result);
    return result;
  }

  [[gnu::always_inline]] F pressure(F strain, F divergence) const noexcept {
    F p = damped_pressure(step.materials[of[0]], strain, divergence);
    if (is_uniform) return p;
    for (std::size_t m = 0; m < step.materials.size(); ++m) {
      const F of_m = damped_pressure(step.materials[m], strain, divergence);
      for (int n = 0; n < width; ++n)
        p[n] = of[n] == m ? of_m[n] : p[n];
    }
    return p;
  }
};

/// Loads the C of particles, by columns: c[3 a + r] = dv_r/dx_a; c[9]: the strain.
template <int width>
[[gnu::always_inline]] inline void load_affine(const Affine* affine,
                                               const std::uint32_t (&index)[width],
                                               FloatLanes<width> (&c)[10]) noexcept {
  FloatLanes<width> fours[4];
  load_columns<width>([&](int n) { return affine[index[n]].c; }, fours);
  std::copy(fours, fours + 4, c);
  load_columns<width>([&](int n) { return affine[index[n]].c + 4; }, fours);
  std::copy(fours, fours + 4, c + 4);
  load_columns<width>([&](int n) { return affine[index[n]].c + 6; }, fours);
  std::copy(fours + 2, fours + 4, c + 8);
}

/// Loads the stress of a batch's Elastic.
template <int width>
[[gnu::always_inline]] inline void load_stress(const Elastic* elastic,
                                               const std::uint32_t (&index)[width],
                                               Symmetric<width>& stress) noexcept {
  FloatLanes<width> fours[4];
  load_columns<width>([&](int n) { return elastic[index[n]].stress; }, fours);
  std::copy(fours, fours + 4, stress.of);
  load_columns<width>([&](int n) { return elastic[index[n]].stress + 4; }, fours);
  std::copy(fours, fours + 2, stress.of + 4);
}

/// Loads all numbers of a batch's Elastic.
template <int width>
[[gnu::always_inline]] inline ElasticLanes<width> load_elastic(
    const Elastic* elastic, const std::uint32_t (&index)[width]) noexcept {
  ElasticLanes<width> state;
  FloatLanes<width> fours[4];
  load_columns<width>([&](int n) { return elastic[index[n]].left_cauchy_green; }, fours);
  std::copy(fours, fours + 4, state.e.of);
  load_columns<width>([&](int n) { return elastic[index[n]].left_cauchy_green + 4; }, fours);
  std::copy(fours, fours + 2, state.e.of + 4);
  state.plastic = fours[2];
  state.wave_speed_squared = fours[3];
  load_stress<width>(elastic, index, state.stress);
  return state;
}

/// Stores the state of the first `count` particles.
template <int width>
[[gnu::always_inline]] inline void store_elastic(const ElasticLanes<width>& state,
                                                 std::size_t count,
                                                 const std::uint32_t (&index)[width],
                                                 Elastic* elastic) noexcept {
  using F = FloatLanes<width>;
  const auto store = [&](F a, F b, F c, F d, std::size_t first) {
    F fours[4] = {a, b, c, d};
    store_rows<width>(fours, [&](int n, Float4 row) {
      if (static_cast<std::size_t>(n) < count)
        store4(reinterpret_cast<float*>(elastic + index[n]) + first, row);
    });
  };
  const F(&e)[6] = state.e.of;
  const F(&s)[6] = state.stress.of;
  store(e[0], e[1], e[2], e[3], 0);
  store(e[4], e[5], state.plastic, state.wave_speed_squared, 4);
  store(s[0], s[1], s[2], s[3], 8);
  store(s[4], s[5], F{}, F{}, 12);
}

/// Prefetches the particles after this batch: their order jumps about within a block.
[[gnu::always_inline]] inline void prefetch(const Particles& particles,
                                            std::span<const std::uint32_t> next) noexcept {
  for (const std::uint32_t i : next) {
    __builtin_prefetch(&particles.positions[i]);
    __builtin_prefetch(&particles.velocities[i]);
    __builtin_prefetch(&particles.affine[i]);
    __builtin_prefetch(&particles.affine[i].strain);
  }
}

}  // namespace sluice::fluid
