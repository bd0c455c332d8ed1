// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/solid/continuum_potential.h"
#include "solver/solid/packet_kernels.h"

namespace sluice::solid {

/// Tets of a model of material.h, four at a time: the loops that ContinuumPotential runs one
/// element after another, ten times as fast and more. What differs is rounding, of which a
/// projected Hessian may show the square root, and which minimum `local_step` finds where there are
/// several. Neo-Hookean ones with lambda >= 0 only (asserted).
template <typename Energy>
class PacketTets final : public ContinuumPotential<Energy, 3, 3> {
  using Base = ContinuumPotential<Energy, 3, 3>;

 public:
  PacketTets(const Energy& energy, RestShapes<3> shapes);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x, HessianForm form,
                std::span<double> out) const override;
  void map(std::size_t first, std::size_t last, std::span<const Vec3> x,
           std::span<double> out) const override;
  void map_back(std::size_t first, std::size_t last, std::span<const double> S,
                std::span<Vec3> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  /// From the tet `begin` on, a multiple of four.
  [[nodiscard]] TetArrays arrays(std::size_t begin) const;

  double stiffness_;                 ///< [Pa] weight over volume, the same for all.
  std::vector<double> packed_maps_;  ///< Of whole packets: see TetArrays.
};

}  // namespace sluice::solid
