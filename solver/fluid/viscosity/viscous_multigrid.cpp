// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/viscosity/viscous_multigrid.h"

#include <algorithm>
#include <utility>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/viscosity/viscous_stencil.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t viscous_multigrid_grain = 4;  // Tiles.

// Each over all axes' velocities, red and black. One takes twice the iterations.
constexpr int sweeps = 2;

// There and back, of the coarsest level.
constexpr int coarsest_sweeps = 8;

// With less, the system is hardly more than its diagonal: sweeps alone do.
constexpr float least_number = 0.1F;

// The whole lattice comes down to some faces around the origin, or to a period that has no half.
template <int D>
bool is_coarsest(const ViscousSystem<D>& system) {
  constexpr std::int64_t few = 64;
  const Cell<D>& period = system.tiles().period();
  return system.number() < least_number || system.unknown_count() <= few ||
         std::ranges::any_of(period, [](std::int32_t p) { return p % 2 != 0; });
}

// Whether faces of a tile are tied to some of the tile at an offset: itself, e_a and e_a - e_b
// away. Those of other tiles, which may have its colour and then be changed at the same time, are
// not even looked at.
template <int D>
bool is_tied(const Cell<D>& offset) {
  return std::ranges::count(offset, 1) <= 1 && std::ranges::count(offset, -1) <= 1;
}

// Others for tiles that are e_a apart and those that are e_a - e_b apart. With a period, others for
// all that touch: even and odd, and the last of an odd period by itself.
template <int D>
std::size_t colour_of(const Cell<D>& tile, const Cell<D>& period) {
  if (period != Cell<D>{}) {
    std::size_t colour = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const bool is_odd_one_out = period[axis] % 2 != 0 && tile[axis] == period[axis] - 1;
      colour = 3 * colour + (is_odd_one_out ? 2U : static_cast<std::size_t>(tile[axis] & 1));
    }
    return colour;
  }
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < D; ++axis)
    sum += static_cast<std::int64_t>(axis + 1) * tile[axis];
  constexpr std::int64_t count = D + 1;
  return static_cast<std::size_t>((sum % count + count) % count);
}

// Whether the rows along x of a tile that a cell is in are of a colour: every other along y and z.
template <int D>
bool is_row_of_colour(std::size_t cell, unsigned colour) {
  std::size_t sum = colour;
  for (int axis = 1; axis < D; ++axis)
    sum += cell / stride<D>(axis) % tile_edge<D>;
  return sum % 2 == 0;
}

// A step of Gauss and Seidel's method for the faces of one axis and colour; or, by rows, for every
// other row, and Jacobi's within rows: no lane is computed in vain.
template <int D, std::size_t axis, bool by_rows, typename Weights>
void relax(const Weights& weights, unsigned colour, const float* b, PaddedFaces<D>& x) {
  for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
    if (by_rows && !is_row_of_colour<D>(cell, colour)) continue;
    const std::size_t place = padded_place<D>(cell);
    float* const here = x[axis].data() + place;
    const Float8 value = load8(here);
    const Float8 rest = load8(b + cell) - weights.face(axis, cell) * value -
                        minus_stress<D, axis, Float8>(x, weights, place);
    const Float8 result = value + weights.inverse_diagonal(axis, cell) * rest;
    if constexpr (by_rows) {
      store8(here, result);
    } else {
      store8(here, of_colour<D>(cell, colour) ? result : value);
    }
  }
}

template <int D, bool by_rows, typename Weights>
void relax_tile(const Weights& weights, std::size_t array_size, bool is_forward, const float* b,
                PaddedFaces<D>& x) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for_each_axis<D>([&](auto n) {
      const auto relax_axis = [&](auto axis) {
        for (const unsigned colour : {is_forward ? 0U : 1U, is_forward ? 1U : 0U})
          relax<D, axis, by_rows>(weights, colour, b + axis * array_size, x);
      };
      if (is_forward) {
        relax_axis(n);
      } else {
        relax_axis(std::integral_constant<std::size_t, D - 1 - n>{});
      }
    });
  }
}

template <int D, typename Weights>
void find_residual_of_tile(const Weights& weights, std::size_t array_size, const PaddedFaces<D>& x,
                           const float* b, const float* shares, float* residual) {
  for_each_axis<D>([&](auto axis) {
    for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
      const std::size_t place = padded_place<D>(cell), at = axis * array_size + cell;
      const Float8 rest = load8(b + at) - weights.face(axis, cell) * load8(x[axis].data() + place) -
                          minus_stress<D, axis, Float8>(x, weights, place);
      store8(residual + at, load8(shares + at) * rest);
    }
  });
}

template <int D>
void load_faces(const Surroundings<D>& around, std::size_t array_size, const float* x,
                PaddedFaces<D>& padded) {
  for (std::size_t axis = 0; axis < D; ++axis)
    around.load(x + axis * array_size, padded[axis].data());
}

template <typename Body>
void for_each_tile(std::size_t count, const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), viscous_multigrid_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             body(i);
                         });
}

// 1 for those faces of an axis, in and around a tile, that have a value to interpolate from: an
// unknown, or that of a solid which what is next to it is tied to. 0 for others.
template <int D>
void find_known(const ViscousSystem<D>& system, std::size_t tile, std::size_t axis,
                std::array<float, padded_size<D>>& known) {
  const ViscousVolumes<D>& volumes = system.volumes();
  const Surroundings<D>& around = system.around(tile);
  std::array<float, padded_size<D>> faces, weights;
  around.load(volumes.faces[axis].data(), faces.data());
  for (std::size_t face = 0; face < padded_size<D>; ++face)
    known[face] = faces[face] > 0 ? 1.0F : 0.0F;
  // By what is at a face, or one after it along an axis, or before; beyond the padding it is not
  // seen, but from there nothing is interpolated.
  const auto tie = [&](const Array<float>& array, std::size_t along, int offset) {
    around.load(array.data(), weights.data());
    const std::size_t step = padded_stride<D>(static_cast<int>(along));
    for (std::size_t face = 0; face < padded_size<D>; ++face) {
      if (!(faces[face] < 0)) continue;
      const auto at = static_cast<int>(face / step % padded_edge<D>) + offset;
      if (at < 0 || at >= static_cast<int>(padded_edge<D>)) continue;
      const std::size_t other = offset < 0 ? face - step : offset > 0 ? face + step : face;
      if (weights[other] > 0) known[face] = 1;
    }
  };
  tie(volumes.cells, axis, 0);
  tie(volumes.cells, axis, -1);
  for (std::size_t across = 0; across < D; ++across) {
    if (across == axis) continue;
    const Array<float>& edges = volumes.edges[plane_of<D>(axis, across)];
    tie(edges, across, 0);
    tie(edges, across, 1);
  }
}

}  // namespace

template <int D>
ViscousMultigrid<D>::ViscousMultigrid(const ViscousSystem<D>& finest) {
  coarse_.reserve(32);  // More levels than an int32 has bits there are not: addresses stay.
  for (const ViscousSystem<D>* system = &finest;;) {
    Level level{system, {}, {}, {}, {}, {}, {}};
    const Tiles<D>& tiles = system->tiles();
    for (const std::uint32_t tile : system->solved_tiles()) {
      const std::size_t colour = colour_of<D>(tiles.coordinates(tile), tiles.period());
      if (level.tiles_of_colour.size() <= colour) level.tiles_of_colour.resize(colour + 1);
      level.tiles_of_colour[colour].push_back({tile, Surroundings<D>(tiles, tile, is_tied<D>)});
    }
    level.residual.assign(system->vector_size(), 0);
    if (!levels_.empty()) {
      level.x.resize(system->vector_size());
      level.b.assign(system->vector_size(), 0);
      const ViscousSystem<D>& fine = *levels_.back().system;
      for (std::size_t tile = 0; tile < tiles.count(); ++tile) {
        auto& children = level.children.emplace_back();
        for (std::size_t child = 0; child < children.size(); ++child) {
          children[child] = static_cast<std::uint32_t>(
              fine.tiles().find(child_of<D>(tiles.coordinates(tile), child)));
        }
      }
    }
    levels_.push_back(std::move(level));
    if (tiles.count() == 0 || is_coarsest(*system)) break;
    system = &coarse_.emplace_back(system->coarsened());
    find_shares(levels_.back(), *system);
  }
}

// An interpolated value is divided by the weight of the known values that it is made of, so that
// constants come out as they are next to air and along solids that liquid slips along.
template <int D>
void ViscousMultigrid<D>::find_shares(Level& level, const ViscousSystem<D>& coarse) {
  const ViscousVolumes<D>& fine = level.system->volumes();
  level.shares.assign(level.system->vector_size(), 0);
  for_each_tile(level.system->solved_tiles().size(), [&](std::size_t n) {
    const std::size_t tile = level.system->solved_tiles()[n];
    Cell<D> parent = fine.tiles.coordinates(tile), place;
    for (std::size_t axis = 0; axis < D; ++axis) {
      place[axis] = (parent[axis] & 1) * tile_edge<D> / 2;
      parent[axis] >>= 1;
    }
    const std::size_t from = coarse.tiles().find(parent);
    std::array<float, padded_size<D>> known;
    std::array<float, tile_size<D>> sums;
    for (std::size_t axis = 0; axis < D; ++axis) {
      find_known(coarse, from, axis, known);
      interpolate<D>(known.data(), place, axis, sums);
      const std::size_t first = axis * fine.tiles.array_size() + tile * tile_size<D>;
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        if (fine.faces[axis][tile * tile_size<D> + cell] > 0 && sums[cell] > 0)
          level.shares[first + cell] = 1 / sums[cell];
      }
    }
  });
}

template <int D>
void ViscousMultigrid<D>::apply(std::span<const float> r, std::span<float> z) {
  cycle(0, r.data(), z.data());
}

template <int D>
void ViscousMultigrid<D>::cycle(std::size_t index, const float* b, float* x) {
  Level& level = levels_[index];
  std::fill_n(x, level.system->vector_size(), 0.0F);
  if (index + 1 == levels_.size()) {
    for (int sweep = 0; sweep < coarsest_sweeps; ++sweep)
      smooth(level, b, x, Order::forward);
    for (int sweep = 0; sweep < coarsest_sweeps; ++sweep)
      smooth(level, b, x, Order::backward);
    return;
  }
  smooth(level, b, x, Order::forward);
  find_residual(level, b, x);
  restrict_residual(index);
  cycle(index + 1, levels_[index + 1].b.data(), levels_[index + 1].x.data());
  add_correction(index, x);
  smooth(level, b, x, Order::backward);
}

template <int D>
void ViscousMultigrid<D>::smooth(const Level& level, const float* b, float* x, Order order) const {
  const ViscousSystem<D>& system = *level.system;
  const bool is_finest = level.system == levels_.front().system;
  const std::size_t array_size = system.tiles().array_size();
  const bool is_forward = order == Order::forward;
  const std::size_t colours = level.tiles_of_colour.size();
  for (std::size_t n = 0; n < colours; ++n) {
    const std::vector<TiedTile>& of_colour =
        level.tiles_of_colour[is_forward ? n : colours - 1 - n];
    for_each_tile(of_colour.size(), [&](std::size_t i) {
      const std::size_t tile = of_colour[i].tile;
      PaddedFaces<D> padded;
      load_faces<D>(of_colour[i].tied, array_size, x, padded);
      const float* const b_here = b + tile * tile_size<D>;
      const auto relax_by = [&](const auto& weights) {
        if (D == 3 && is_finest) {
          relax_tile<D, true>(weights, array_size, is_forward, b_here, padded);
        } else {
          relax_tile<D, false>(weights, array_size, is_forward, b_here, padded);
        }
      };
      if (system.general(tile) == nullptr) {
        relax_by(UniformWeights<D, Float8>(system.number()));
      } else {
        relax_by(GeneralWeights<D, Float8>(*system.general(tile)));
      }
      for (std::size_t axis = 0; axis < D; ++axis) {
        float* const out = x + axis * array_size + tile * tile_size<D>;
        for (std::size_t cell = 0; cell < tile_size<D>; cell += 8)
          store8(out + cell, load8(padded[axis].data() + padded_place<D>(cell)));
      }
    });
  }
}

template <int D>
void ViscousMultigrid<D>::find_residual(Level& level, const float* b, const float* x) {
  const ViscousSystem<D>& system = *level.system;
  const std::size_t array_size = system.tiles().array_size();
  for_each_tile(system.solved_tiles().size(), [&](std::size_t i) {
    const std::size_t tile = system.solved_tiles()[i], first = tile * tile_size<D>;
    PaddedFaces<D> padded;
    load_faces<D>(system.around(tile), array_size, x, padded);
    float* const residual = level.residual.data() + first;
    if (system.general(tile) == nullptr) {
      find_residual_of_tile<D>(UniformWeights<D, Float8>(system.number()), array_size, padded,
                               b + first, level.shares.data() + first, residual);
    } else {
      find_residual_of_tile<D>(GeneralWeights<D, Float8>(*system.general(tile)), array_size, padded,
                               b + first, level.shares.data() + first, residual);
    }
  });
}

// The sums of what add_correction() spreads, over the cells that a coarse one has.
template <int D>
void ViscousMultigrid<D>::restrict_residual(std::size_t index) {
  const ViscousSystem<D>& fine = *levels_[index].system;
  const float* const residual = levels_[index].residual.data();
  Level& coarse = levels_[index + 1];
  const std::size_t coarse_size = coarse.system->tiles().array_size();
  for_each_tile(coarse.children.size(), [&](std::size_t tile) {
    if (!coarse.system->is_solved(tile)) return;
    std::array<float, padded_size<D>> padded;
    for (std::size_t axis = 0; axis < D; ++axis) {
      float* const sums = coarse.b.data() + axis * coarse_size + tile * tile_size<D>;
      std::fill_n(sums, tile_size<D>, 0.0F);
      for (std::size_t child = 0; child < coarse.children[tile].size(); ++child) {
        const std::size_t from = coarse.children[tile][child];
        if (from == fine.tiles().count()) continue;
        fine.around(from).load(residual + axis * fine.tiles().array_size(), padded.data());
        std::array<Along, D> along;
        along.fill(Along::cell);
        along[axis] = Along::node;
        coarsen<D>(along, padded.data());
        constexpr std::size_t half = half_tile_edge<D>;
        for (std::size_t row = 0; row < half_tile_size<D>; row += half) {
          Cell<D> to = place_of_child<D>(child);
          std::size_t rest = row / half;
          for (std::size_t a = 1; a < D; ++a) {
            to[a] += static_cast<std::int32_t>(rest % half);
            rest /= half;
          }
          std::copy_n(padded.data() + row, half, sums + index_in_tile<D>(to));
        }
      }
    }
  });
}

template <int D>
void ViscousMultigrid<D>::add_correction(std::size_t index, float* x) {
  const ViscousSystem<D>& fine = *levels_[index].system;
  const Level& coarse = levels_[index + 1];
  const std::size_t coarse_size = coarse.system->tiles().array_size();
  for_each_tile(coarse.children.size(), [&](std::size_t tile) {
    std::array<float, padded_size<D>> padded;
    std::array<float, tile_size<D>> correction;
    for (std::size_t axis = 0; axis < D; ++axis) {
      coarse.system->around(tile).load(coarse.x.data() + axis * coarse_size, padded.data());
      for (std::size_t child = 0; child < coarse.children[tile].size(); ++child) {
        const std::size_t to = coarse.children[tile][child];
        if (to == fine.tiles().count() || !fine.is_solved(to)) continue;
        interpolate<D>(padded.data(), place_of_child<D>(child), axis, correction);
        const std::size_t at = axis * fine.tiles().array_size() + to * tile_size<D>;
        float* const values = x + at;
        const float* const shares = levels_[index].shares.data() + at;
        for (std::size_t cell = 0; cell < tile_size<D>; ++cell)
          values[cell] += shares[cell] * correction[cell];
      }
    }
  });
}

template class ViscousMultigrid<2>;
template class ViscousMultigrid<3>;

}  // namespace sluice::fluid::grid
