// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/viscosity/viscous_system.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "solver/fluid/viscosity/viscous_stencil.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/simd/eight_doubles.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

constexpr std::int64_t viscous_system_grain = 4;  // Tiles.

template <int D>
bool has_liquid(const ViscousVolumes<D>& volumes, std::size_t tile) {
  return std::ranges::any_of(volumes.faces, [&](const Array<float>& faces) {
    const float* const first = faces.data() + tile * tile_size<D>;
    return std::any_of(first, first + tile_size<D>, [](float volume) { return volume > 0; });
  });
}

// Null where all volumes, those of cells and edges around the tile that its faces are next to too,
// are 1.
template <int D>
std::unique_ptr<typename ViscousSystem<D>::General> make_general(const ViscousVolumes<D>& volumes,
                                                                 const Surroundings<D>& around,
                                                                 std::size_t tile, float number) {
  auto general = std::make_unique<typename ViscousSystem<D>::General>();
  bool is_uniform = true;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const float volume = volumes.faces[axis][tile * tile_size<D> + cell];
      is_uniform = is_uniform && volume == 1;
      general->faces[axis][cell] = std::max(volume, 0.0F);
    }
  }
  const auto load = [&](const Array<float>& array, float scale, auto& padded) {
    around.load(array.data(), padded.data());
    for (float& weight : padded) {
      is_uniform = is_uniform && weight == 1;
      weight = scale * std::max(weight, 0.0F);
    }
  };
  load(volumes.cells, 2 * number, general->cells);
  for (std::size_t plane = 0; plane < plane_count<D>; ++plane)
    load(volumes.edges[plane], number, general->edges[plane]);
  if (is_uniform) return nullptr;
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t here = padded_index<D>(local_cell<D>(cell));
      float diagonal = general->faces[a][cell] + general->cells[here - padded_stride<D>(axis)] +
                       general->cells[here];
      for (int across = 0; across < D; ++across) {
        if (across == axis) continue;
        const auto& edges = general->edges[plane_of<D>(a, static_cast<std::size_t>(across))];
        diagonal += edges[here] + edges[here + padded_stride<D>(across)];
      }
      general->inverse_diagonals[a][cell] = general->faces[a][cell] > 0 ? 1 / diagonal : 0.0F;
    }
  }
  return general;
}

// Sets A x for one tile; returns the tile's part of x . A x.
template <int D, typename Weights>
double apply_tile(const PaddedFaces<D>& x, const Weights& weights, std::size_t array_size,
                  double* image) {
  Double8 product;
  for_each_axis<D>([&](auto axis) {
    for (std::size_t cell = 0; cell < tile_size<D>; cell += 8) {
      const std::size_t place = padded_place<D>(cell);
      const Double8 volume = weights.face(axis, cell);
      const Double8 here(load8(x[axis].data() + place));
      Double8 result = volume * here + minus_stress<D, axis, Double8>(x, weights, place);
      result.low = volume.low > 0 ? result.low : Double4{};
      result.high = volume.high > 0 ? result.high : Double4{};
      std::memcpy(image + axis * array_size + cell, &result, sizeof result);
      product = product + here * result;
    }
  });
  return sum(product);
}

}  // namespace

template <int D>
ViscousSystem<D>::ViscousSystem(ViscousVolumes<D> volumes, float number)
    : volumes_(std::move(volumes)),
      number_(number),
      general_(tiles().count()),
      is_solved_(tiles().count() + 1, 0) {
  around_.reserve(tiles().count());
  for (std::size_t tile = 0; tile < tiles().count(); ++tile)
    around_.emplace_back(tiles(), tile);
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles().count()), viscous_system_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (auto tile = static_cast<std::size_t>(begin);
                                tile < static_cast<std::size_t>(end); ++tile) {
                             if (!has_liquid(volumes_, tile)) continue;
                             is_solved_[tile] = 1;
                             general_[tile] = make_general(volumes_, around_[tile], tile, number_);
                           }
                         });
  for (std::uint32_t tile = 0; tile < tiles().count(); ++tile) {
    if (is_solved(tile)) solved_.push_back(tile);
  }
}

template <int D>
std::int64_t ViscousSystem<D>::unknown_count() const {
  std::int64_t count = 0;
  for (const Array<float>& faces : volumes_.faces)
    count += std::ranges::count_if(faces, [](float volume) { return volume > 0; });
  return count;
}

template <int D>
double ViscousSystem<D>::apply(std::span<const float> x, std::span<double> image) const {
  const std::size_t array_size = tiles().array_size();
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(solved_.size()), viscous_system_grain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double total = 0;
        PaddedFaces<D> padded;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          const std::size_t tile = solved_[i];
          for (std::size_t axis = 0; axis < D; ++axis)
            around(tile).load(x.data() + axis * array_size, padded[axis].data());
          double* const out = image.data() + tile * tile_size<D>;
          total += general(tile) == nullptr
                       ? apply_tile<D>(padded, UniformWeights<D, Double8>(number_), array_size, out)
                       : apply_tile<D>(padded, GeneralWeights<D, Double8>(*general(tile)),
                                       array_size, out);
        }
        return total;
      },
      [](double a, double b) { return a + b; });
}

template <int D>
ViscousSystem<D> ViscousSystem<D>::coarsened() const {
  return ViscousSystem(grid::coarsened(volumes_), 0.25F * number_);
}

template class ViscousSystem<2>;
template class ViscousSystem<3>;

}  // namespace sluice::fluid::grid
