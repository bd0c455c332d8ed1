// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/mac_transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fluid/lattice/eight_places.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/obstacles/seen_flow.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t mac_transfer_grain = 2;  // Tiles.

// Corners of a cell of faces, but for x: pairs of neighbours along x are taken at once.
template <int D>
inline constexpr std::size_t pair_count = D == 3 ? 4 : 2;

// Instead of an axis: of the values at cells' middles.
constexpr int middles = no_axis;

// In parts of a substep before its end: where particles are, and solids on the grid.
constexpr double at_start = 1, at_end = 0;

// The cell of an axis's faces that a place is in: of a padded tile, where its first corner is, and
// how far along each axis of the grid the place is, in [0, 1].
template <int D>
struct Place {
  std::size_t first;
  Vec<D> part;
  Cell<D> corner;  // The first one, from the tile's first cell on.
};

// `X` in cells from the tile's first cell on, within it but for rounding.
template <int D>
Place<D> place_of(const Vec<D>& X, int axis) {
  Place<D> place{0, {}, {}};
  for (int a = D - 1; a >= 0; --a) {
    const float shifted = X[a] + (a == axis ? 1.0F : 0.5F);  // In the padded tile.
    const auto low = std::clamp(static_cast<int>(shifted), 0, static_cast<int>(padded_edge<D>) - 2);
    place.part[a] = shifted - static_cast<float>(low);
    place.first = place.first * padded_edge<D> + static_cast<std::size_t>(low);
    place.corner[static_cast<std::size_t>(a)] = low - 1;
  }
  return place;
}

// The offset of a pair of corners from the first one, by whether it is the upper one along y and z.
template <int D>
std::size_t offset_of(std::size_t pair) {
  std::size_t offset = 0;
  for (int a = 1; a < D; ++a) {
    if ((pair >> (a - 1) & 1U) != 0) offset += padded_stride<D>(a);
  }
  return offset;
}

template <int D>
float weight_of(std::size_t pair, const Vec<D>& part) {
  float weight = 1;
  for (int a = 1; a < D; ++a)
    weight *= (pair >> (a - 1) & 1U) != 0 ? part[a] : 1 - part[a];
  return weight;
}

// The gradient of a component along the grid's axes, which C has; times the edge of a cell.
template <int D>
Vec<D> gradient_of(const Affine& affine, int component, float cell_size) {
  Vec<D> gradient;
  for (int a = 0; a < D; ++a)
    gradient[a] = cell_size * affine.c[3 * world_axis<D>(a) + world_axis<D>(component)];
  return gradient;
}

// 0 for a corner of a pair along x that is hidden, else 1.
float seen(std::uint32_t hidden, std::size_t pair, std::size_t end) {
  return (hidden >> (2 * pair + end) & 1U) != 0 ? 0.0F : 1.0F;
}

// The solids that may hide corners from a particle, which is at `X` in cells from `first_cell` on.
template <int D>
std::vector<std::uint32_t> close_to(const Screens<D>& screens, const Tiles<D>& tiles,
                                    const Vec3f& position, const Vec<D>& X,
                                    const Cell<D>& first_cell) {
  Cell<D> cell = cell_at<D>(X);
  for (std::size_t a = 0; a < D; ++a)
    cell[a] += first_cell[a];
  return screens.close_to(screens.near(tiles.find_cell(cell)), {position.cast<double>(), at_start});
}

// The corners around a particle that it does not see.
template <int D>
std::uint32_t hidden_from(const Screens<D>& screens, std::span<const std::uint32_t> close,
                          const Vec3f& position, const Cell<D>& first_cell, const Place<D>& place,
                          int axis) {
  if (close.empty()) return 0;
  Cell<D> low = place.corner;
  for (std::size_t a = 0; a < D; ++a)
    low[a] += first_cell[a];
  return hidden_corners<D>(screens, close, {position.cast<double>(), at_start}, low, axis, at_end);
}

}  // namespace

template <int D>
void particles_to_faces(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                        const Screens<D>& screens, std::span<const float> mass,
                        std::span<const float> volume, const Particles& particles, MacGrid<D>& grid,
                        typename MacGrid<D>::template Faces<float>& weights) {
  const bool is_mixed = !grid.lightness[0].empty();
  // A padded tile reaches into the tiles next to it: tiles of one parity along every axis do not
  // meet.
  std::array<std::vector<std::uint32_t>, std::size_t{1} << D> of_parity;
  for (const std::uint32_t tile : cells.occupied) {
    std::size_t parity = 0;
    for (std::size_t axis = 0; axis < D; ++axis)
      parity |= (static_cast<std::size_t>(cells.tiles.coordinates(tile)[axis]) & 1U) << axis;
    of_parity[parity].push_back(tile);
  }
  for (const std::vector<std::uint32_t>& tiles : of_parity) {
    parallel::parallel_for(
        0, static_cast<std::int64_t>(tiles.size()), mac_transfer_grain,
        [&](std::int64_t begin, std::int64_t end) {
          // By axis and face, momentum and mass side by side.
          std::array<std::array<float, 2 * padded_size<D>>, D> sums;
          std::array<std::array<float, padded_size<D>>, D> volumes;
          std::array<float, padded_size<D>> density, one;
          for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
            for (auto& of_axis : sums)
              of_axis.fill(0);
            density.fill(0);
            for (std::size_t axis = 0; is_mixed && axis < D; ++axis)
              volumes[axis].fill(0);
            const std::size_t tile = tiles[t];
            const Cell<D> first_cell = cells.tiles.first_cell(tile);
            const bool is_screened = screens.has_near(tile);
            for (const std::uint32_t i : cells.in_tile(tile)) {
              const Vec<D> X = frame.coordinates(particles.positions[i], first_cell);
              const Place<D> middle = place_of<D>(X, middles);
              std::vector<std::uint32_t> close;
              if (is_screened)
                close = close_to<D>(screens, cells.tiles, particles.positions[i], X, first_cell);
              // Bit by bit, what corners of those cells get nothing.
              const auto hidden_of = [&](const Place<D>& place, int axis) {
                return hidden_from<D>(screens, close, particles.positions[i], first_cell, place,
                                      axis);
              };
              const std::uint32_t hidden = hidden_of(middle, middles);
              const float of_volume = volume[particles.materials[i]];
              for (std::size_t pair = 0; pair < pair_count<D>; ++pair) {
                const float weight = of_volume * weight_of<D>(pair, middle.part);
                float* const to = density.data() + middle.first + offset_of<D>(pair);
                to[0] += seen(hidden, pair, 0) * weight * (1 - middle.part[0]);
                to[1] += seen(hidden, pair, 1) * weight * middle.part[0];
              }
              const float m = mass[particles.materials[i]];
              for (int axis = 0; axis < D; ++axis) {
                const Place<D> place = place_of<D>(X, axis);
                const Vec<D> gradient = gradient_of<D>(particles.affine[i], axis, frame.cell_size);
                // The velocity of the affine motion at the first corner.
                const float v =
                    particles.velocities[i][world_axis<D>(axis)] - gradient.dot(place.part);
                float* const to = sums[static_cast<std::size_t>(axis)].data() + 2 * place.first;
                const std::uint32_t hidden_faces = hidden_of(place, axis);
                for (std::size_t pair = 0; pair < pair_count<D>; ++pair) {
                  const float weight = m * weight_of<D>(pair, place.part);
                  float at_pair = v;
                  for (int a = 1; a < D; ++a) {
                    if ((pair >> (a - 1) & 1U) != 0) at_pair += gradient[a];
                  }
                  const float of_low = seen(hidden_faces, pair, 0) * (1 - place.part[0]);
                  const float of_high = seen(hidden_faces, pair, 1) * place.part[0];
                  const float low = weight * of_low, high = weight * of_high;
                  float* const out = to + 2 * offset_of<D>(pair);
                  store4(out, load4(out) +
                                  Float4{low * at_pair, low, high * (at_pair + gradient[0]), high});
                  if (!is_mixed) continue;
                  const float filled = of_volume * weight_of<D>(pair, place.part);
                  float* const into = volumes[static_cast<std::size_t>(axis)].data() + place.first +
                                      offset_of<D>(pair);
                  into[0] += filled * of_low;
                  into[1] += filled * of_high;
                }
              }
            }
            const Surroundings<D> around(cells.tiles, tile);
            around.add(density.data(), grid.density.data());
            for (std::size_t axis = 0; axis < D; ++axis) {
              if (is_mixed) around.add(volumes[axis].data(), grid.lightness[axis].data());
              for (std::size_t k = 0; k < 2; ++k) {
                for (std::size_t face = 0; face < padded_size<D>; ++face)
                  one[face] = sums[axis][2 * face + k];
                around.add(one.data(), (k == 0 ? grid.velocity : weights)[axis].data());
              }
            }
          }
        });
  }
  for (std::size_t axis = 0; axis < D; ++axis) {
    parallel::parallel_for(0, static_cast<std::int64_t>(grid.tiles.count()), 16,
                           [&](std::int64_t begin, std::int64_t end) {
                             for (auto face = static_cast<std::size_t>(begin) * tile_size<D>;
                                  face < static_cast<std::size_t>(end) * tile_size<D>; ++face) {
                               const float w = weights[axis][face];
                               grid.velocity[axis][face] =
                                   w > 0 ? grid.velocity[axis][face] / w : 0.0F;
                             }
                           });
  }
}

namespace {

// A component of velocity at eight particles, and its change along each axis in a cell.
template <int D>
struct Gathered {
  Float8 value;
  Places<D> gradient;
};

// Linear along each axis. `padded` are an axis's faces around a tile, `part` how far along the axes
// each particle is from its first corner.
template <int D>
Gathered<D> gather(const float* padded, Int8 corner, const Places<D>& part) {
  return look_from<2>(padded, corner, [&](const auto& row) {
    // By row along x: the value there, and how it grows along x.
    std::array<Float8, pair_count<D>> value, growth;
    for (std::size_t r = 0; r < pair_count<D>; ++r) {
      const Taps<2> ends = row(row_offset<D, 1, 2>(r));
      growth[r] = ends[1] - ends[0];
      value[r] = ends[0] + part[0] * growth[r];
    }
    Gathered<D> out;
    if constexpr (D == 2) {
      out.gradient = {growth[0] + part[1] * (growth[1] - growth[0]), value[1] - value[0]};
      out.value = value[0] + part[1] * out.gradient[1];
    } else {
      const Float8 low = value[1] - value[0], high = value[3] - value[2];  // Along y.
      const Float8 below = value[0] + part[1] * low, above = value[2] + part[1] * high;
      const Float8 growth_below = growth[0] + part[1] * (growth[1] - growth[0]);
      const Float8 growth_above = growth[2] + part[1] * (growth[3] - growth[2]);
      out.gradient = {growth_below + part[2] * (growth_above - growth_below),
                      low + part[2] * (high - low), above - below};
      out.value = below + part[2] * out.gradient[2];
    }
    return out;
  });
}

// The corner of an axis's faces that eight particles are in, within a padded tile: also of those
// that rounding puts right outside of the tile.
template <int D>
Int8 corner_in_padded(const Places<D>& X, int axis, Places<D>& part) {
  constexpr int most = static_cast<int>(padded_edge<D>) - 2;
  Int8 corner{};
  for (int a = D - 1; a >= 0; --a) {
    const auto at = static_cast<std::size_t>(a);
    const Float8 shifted = X[at] + (a == axis ? 1.0F : 0.5F);
    Int8 low = __builtin_convertvector(shifted, Int8);
    low = low > 0 ? low : Int8{};
    low = low < most ? low : Int8{} + most;
    part[at] = shifted - __builtin_convertvector(low, Float8);
    corner = corner * static_cast<int>(padded_edge<D>) + low;
  }
  return corner;
}

}  // namespace

template <int D>
bool faces_to_particles(const CellFrame<D>& frame, const ParticleCells<D>& cells,
                        const MacGrid<D>& grid,
                        const typename MacGrid<D>::template Faces<float>& before,
                        const Blend& blend, Particles& particles) {
  using Lanes = std::array<float, 8>;
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(cells.occupied.size()), mac_transfer_grain, true,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<std::array<float, padded_size<D>>, D> now, change;
        std::array<Lanes, D> x, velocity, kept;
        std::array<std::array<Lanes, D>, D> gradient;  // By component and axis.
        bool is_finite = true;
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t tile = cells.occupied[t];
          const Surroundings<D> around(cells.tiles, tile);
          for (std::size_t axis = 0; axis < D; ++axis) {
            around.load(grid.velocity[axis].data(), now[axis].data());
            if (blend.flip == 0) continue;
            around.load(before[axis].data(), change[axis].data());
            for (std::size_t face = 0; face < padded_size<D>; ++face)
              change[axis][face] = now[axis][face] - change[axis][face];
          }
          const Cell<D> first_cell = cells.tiles.first_cell(tile);
          const std::span<const std::uint32_t> in_tile = cells.in_tile(tile);
          for (std::size_t first = 0; first < in_tile.size(); first += 8) {
            const std::size_t count = std::min<std::size_t>(8, in_tile.size() - first);
            for (std::size_t lane = 0; lane < 8; ++lane) {
              const std::uint32_t i = in_tile[first + std::min(lane, count - 1)];
              for (std::size_t axis = 0; axis < D; ++axis) {
                const int world = world_axis<D>(static_cast<int>(axis));
                x[axis][lane] = particles.positions[i][world];
                if (blend.flip > 0) kept[axis][lane] = particles.velocities[i][world];
              }
            }
            Places<D> X, part;
            for (std::size_t axis = 0; axis < D; ++axis) {
              const float origin = frame.origin[world_axis<D>(static_cast<int>(axis))];
              X[axis] = (load8(x[axis].data()) - origin) / frame.cell_size -
                        static_cast<float>(first_cell[axis]);
            }
            for (int component = 0; component < D; ++component) {
              const auto c = static_cast<std::size_t>(component);
              const Int8 corner = corner_in_padded<D>(X, component, part);
              const Gathered<D> of_grid = gather<D>(now[c].data(), corner, part);
              Float8 v = of_grid.value;
              if (blend.flip > 0) {
                const Float8 changed = gather<D>(change[c].data(), corner, part).value;
                v = v + blend.flip * (load8(kept[c].data()) + changed - v);
              }
              store8(velocity[c].data(), v);
              for (std::size_t a = 0; blend.is_affine && a < D; ++a)
                store8(gradient[c][a].data(), of_grid.gradient[a] / frame.cell_size);
            }
            for (std::size_t lane = 0; lane < count; ++lane) {
              const std::uint32_t i = in_tile[first + lane];
              Affine& affine = particles.affine[i];
              std::fill(std::begin(affine.c), std::end(affine.c), 0.0F);
              for (std::size_t c = 0; c < D; ++c) {
                const int world = world_axis<D>(static_cast<int>(c));
                particles.velocities[i][world] = velocity[c][lane];
                is_finite = is_finite && std::isfinite(velocity[c][lane]);
                for (std::size_t a = 0; blend.is_affine && a < D; ++a)
                  affine.c[3 * world_axis<D>(static_cast<int>(a)) + world] = gradient[c][a][lane];
              }
            }
          }
        }
        return is_finite;
      },
      [](bool a, bool b) { return a && b; });
}

template void particles_to_faces<2>(const CellFrame<2>&, const ParticleCells<2>&, const Screens<2>&,
                                    std::span<const float>, std::span<const float>,
                                    const Particles&, MacGrid<2>&, MacGrid<2>::Faces<float>&);
template void particles_to_faces<3>(const CellFrame<3>&, const ParticleCells<3>&, const Screens<3>&,
                                    std::span<const float>, std::span<const float>,
                                    const Particles&, MacGrid<3>&, MacGrid<3>::Faces<float>&);
template bool faces_to_particles<2>(const CellFrame<2>&, const ParticleCells<2>&, const MacGrid<2>&,
                                    const MacGrid<2>::Faces<float>&, const Blend&, Particles&);
template bool faces_to_particles<3>(const CellFrame<3>&, const ParticleCells<3>&, const MacGrid<3>&,
                                    const MacGrid<3>::Faces<float>&, const Blend&, Particles&);

}  // namespace sluice::fluid::grid
