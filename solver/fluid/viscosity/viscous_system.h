// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/viscosity/viscous_volumes.h"

namespace sluice::fluid::grid {

/// Implicit viscosity of a liquid with a free surface [Batty2008]. With V the volumes around faces,
/// cells and edges, and N = mu h / (density dx^2), the new velocities u minimise
///
///     sum of faces V (u - u*)^2 + 2 N (sum of cells V |strain|^2 + sum of edges V |strain|^2)
///
/// where u* are the velocities before and strains are in velocity units per cell. The minimum has
/// A u = V u*, with A symmetric and positive definite; it couples all axes' velocities. The free
/// surface is without stress by itself, and rigid motions, which have no strain, stay as they are.
///
/// A vector of the system is D arrays over tiles(), one per axis, one behind the other.
template <int D>
class ViscousSystem {
 public:
  static constexpr std::size_t components = D;

  ViscousSystem(ViscousVolumes<D> volumes, float number);

  [[nodiscard]] const Tiles<D>& tiles() const noexcept { return volumes_.tiles; }
  [[nodiscard]] const ViscousVolumes<D>& volumes() const noexcept { return volumes_; }
  [[nodiscard]] float number() const noexcept { return number_; }
  [[nodiscard]] std::size_t vector_size() const noexcept { return D * tiles().array_size(); }

  /// The weights of a tile's faces, and of the cells and edges in and around the tile. Where a face
  /// is no unknown, `faces` and `inverse_diagonals` are 0.
  struct alignas(64) General {
    std::array<std::array<float, tile_size<D>>, D> faces;  ///< V
    std::array<std::array<float, tile_size<D>>, D> inverse_diagonals;
    std::array<float, padded_size<D>> cells;                              ///< 2 N V
    std::array<std::array<float, padded_size<D>>, plane_count<D>> edges;  ///< N V
  };
  /// A tile's weights; null where all volumes in and around it are 1, or nothing is unknown.
  [[nodiscard]] const General* general(std::size_t tile) const noexcept {
    return general_[tile].get();
  }
  /// The tiles that have unknowns, ascending.
  [[nodiscard]] std::span<const std::uint32_t> solved_tiles() const noexcept { return solved_; }
  [[nodiscard]] bool is_solved(std::size_t tile) const noexcept { return is_solved_[tile] != 0; }
  [[nodiscard]] std::int64_t unknown_count() const;
  [[nodiscard]] const Surroundings<D>& around(std::size_t tile) const noexcept {
    return around_[tile];
  }

  /// Writes A x to `image` in solved_tiles() only, and 0 where there is no unknown. In double, so
  /// that residuals are exact for the float x. On a solid's face, x must be the solid's velocity.
  /// Returns x . A x over the unknowns.
  double apply(std::span<const float> x, std::span<double> image) const;

  /// Returns the system on cells twice as large.
  [[nodiscard]] ViscousSystem coarsened() const;

 private:
  ViscousVolumes<D> volumes_;
  float number_;
  std::vector<std::unique_ptr<const General>> general_;  // By tile.
  std::vector<Surroundings<D>> around_;
  std::vector<std::uint8_t> is_solved_;
  std::vector<std::uint32_t> solved_;
};

extern template class ViscousSystem<2>;
extern template class ViscousSystem<3>;

}  // namespace sluice::fluid::grid
