// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/viscosity/viscous_system.h"

/// The rows of a ViscousSystem, eight faces at a time: V is a vector of eight floats or doubles.
namespace sluice::fluid::grid {

/// The velocities of a tile's faces and of those around the tile (padded_tile.h), by axis.
template <int D>
using PaddedFaces = std::array<std::array<float, padded_size<D>>, D>;

template <typename V>
[[nodiscard]] inline V load_as(const float* p) noexcept {
  return V(load8(p));
}

/// The weights of a tile in which all volumes are 1.
template <int D, typename V>
struct UniformWeights {
  explicit UniformWeights(float number)
      : of_cell(Float8{} + 2 * number),
        of_edge(Float8{} + number),
        of_face(Float8{} + 1),
        of_diagonal(Float8{} + 1 / (1 + 2 * (D + 1) * number)) {}
  [[nodiscard]] V face(std::size_t, std::size_t) const noexcept { return of_face; }
  [[nodiscard]] V cell(std::size_t) const noexcept { return of_cell; }
  [[nodiscard]] V edge(std::size_t, std::size_t) const noexcept { return of_edge; }
  [[nodiscard]] V inverse_diagonal(std::size_t, std::size_t) const noexcept { return of_diagonal; }
  V of_cell, of_edge, of_face, of_diagonal;
};

template <int D, typename V>
struct GeneralWeights {
  explicit GeneralWeights(const typename ViscousSystem<D>::General& g) : general(&g) {}
  [[nodiscard]] V face(std::size_t axis, std::size_t cell) const noexcept {
    return load_as<V>(general->faces[axis].data() + cell);
  }
  [[nodiscard]] V inverse_diagonal(std::size_t axis, std::size_t cell) const noexcept {
    return load_as<V>(general->inverse_diagonals[axis].data() + cell);
  }
  [[nodiscard]] V cell(std::size_t padded) const noexcept {
    return load_as<V>(general->cells.data() + padded);
  }
  [[nodiscard]] V edge(std::size_t plane, std::size_t padded) const noexcept {
    return load_as<V>(general->edges[plane].data() + padded);
  }
  const typename ViscousSystem<D>::General* general;
};

/// Calls body(axis) with each axis as a constant.
template <int D, typename Body>
inline void for_each_axis(const Body& body) {
  [&]<std::size_t... axis>(std::index_sequence<axis...>) {
    (body(std::integral_constant<std::size_t, axis>{}), ...);
  }(std::make_index_sequence<D>{});
}

/// Returns minus the viscous force on eight faces of axis `a`, from `here` of a padded tile on: the
/// weighted rates of strain before the faces less those after them, summed over all axes.
template <int D, std::size_t a, typename V, typename Weights>
[[nodiscard]] inline V minus_stress(const PaddedFaces<D>& x, const Weights& weights,
                                    std::size_t here) noexcept {
  constexpr std::size_t step = padded_stride<D>(a);
  const float* const u = x[a].data() + here;
  const V middle = load_as<V>(u);
  V result = weights.cell(here - step) * (middle - load_as<V>(u - step)) -
             weights.cell(here) * (load_as<V>(u + step) - middle);
  for_each_axis<D>([&](auto other) {
    constexpr std::size_t b = other;
    if constexpr (a != b) {
      constexpr std::size_t across = padded_stride<D>(b), plane = plane_of<D>(a, b);
      const float* const v = x[b].data() + here;
      const V before = (middle - load_as<V>(u - across)) + (load_as<V>(v) - load_as<V>(v - step));
      const V after = (load_as<V>(u + across) - middle) +
                      (load_as<V>(v + across) - load_as<V>(v + across - step));
      result = result +
               (weights.edge(plane, here) * before - weights.edge(plane, here + across) * after);
    }
  });
  return result;
}

/// Returns the index in a padded tile of `cell`, the first of eight cells of a tile.
template <int D>
[[nodiscard]] inline std::size_t padded_place(std::size_t cell) noexcept {
  static constexpr auto table = [] {
    std::array<std::size_t, tile_size<D> / 8> places{};
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] = padded_index<D>(local_cell<D>(8 * i));
    return places;
  }();
  return table[cell / 8];
}

}  // namespace sluice::fluid::grid
