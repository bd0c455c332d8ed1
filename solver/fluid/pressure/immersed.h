// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// A velocity and a turn rate of a rigid body, or six numbers that stand for their like.
using Motion = std::array<double, 6>;

/// The part that a rigid body adds to the pressure's system: immersed_bodies.h.
struct RigidTie {
  std::span<const std::uint32_t> cells;  ///< The unknowns that press on it,
  std::span<const Motion> rows;          ///< and for each its row of K^T.
  double inverse_mass;                   ///< m over its mass,
  Mat3 inverse_inertia;                  ///< [1/m^2] and m times its inverse inertia.
};

/// Solids that are solved for together with pressure p: K p is its impulse on them, V' = V + R K p
/// with their response R, and the flow that V' drives through cells puts K^T R K into the system.
template <int D>
class Immersed {
 public:
  virtual ~Immersed() = default;

  [[nodiscard]] virtual bool is_empty() const noexcept = 0;

  /// Finds K for the unknowns of the system.
  virtual void tie(const PoissonSystem<D>& system) = 0;
  /// Groups of unknowns, each of which solids tie together.
  [[nodiscard]] virtual std::vector<std::span<const std::uint32_t>> tied_cells() const = 0;
  /// The ties of rigid bodies, as coarse levels of the system can use them (coarse_ties.h).
  [[nodiscard]] virtual std::vector<RigidTie> rigid_ties() const { return {}; }

  /// Adds the flow that the solids' surfaces drive into cells (an array of velocities times parts
  /// of faces), as far as it is not in MacGrid::solid_flow.
  virtual void add_inflow(std::span<double> inflow) const { static_cast<void>(inflow); }

  /// Adds K^T R K x to `image`. Returns x . K^T R K x.
  virtual double apply(std::span<const float> x, std::span<double> image) const = 0;

  /// Gives the solids the velocities that `pressure` (scaled as in pressure.h) leads to.
  virtual void accelerate(std::span<const double> pressure, MacGrid<D>& grid) = 0;

 protected:
  Immersed() = default;
  Immersed(const Immersed&) = default;
  Immersed(Immersed&&) = default;
  Immersed& operator=(const Immersed&) = default;
  Immersed& operator=(Immersed&&) = default;
};

/// Solids of two kinds that know nothing of each other: pressure moves both.
template <int D>
class ImmersedTogether final : public Immersed<D> {
 public:
  /// Keeps references to both.
  ImmersedTogether(Immersed<D>& first, Immersed<D>& second) : all_{&first, &second} {}

  [[nodiscard]] bool is_empty() const noexcept override {
    return all_[0]->is_empty() && all_[1]->is_empty();
  }
  void tie(const PoissonSystem<D>& system) override {
    for (Immersed<D>* const solids : all_)
      solids->tie(system);
  }
  [[nodiscard]] std::vector<std::span<const std::uint32_t>> tied_cells() const override {
    return joined(all_[0]->tied_cells(), all_[1]->tied_cells());
  }
  [[nodiscard]] std::vector<RigidTie> rigid_ties() const override {
    return joined(all_[0]->rigid_ties(), all_[1]->rigid_ties());
  }
  void add_inflow(std::span<double> inflow) const override {
    for (const Immersed<D>* const solids : all_)
      solids->add_inflow(inflow);
  }
  double apply(std::span<const float> x, std::span<double> image) const override {
    double energy = 0;
    for (const Immersed<D>* const solids : all_)
      energy += solids->is_empty() ? 0 : solids->apply(x, image);
    return energy;
  }
  void accelerate(std::span<const double> pressure, MacGrid<D>& grid) override {
    for (Immersed<D>* const solids : all_)
      solids->accelerate(pressure, grid);
  }

 private:
  template <typename T>
  static std::vector<T> joined(std::vector<T> all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::array<Immersed<D>*, 2> all_;
};

/// A PoissonSystem with solids in the fluid: its vectors are the same.
template <int D>
class CoupledSystem {
 public:
  static constexpr std::size_t components = 1;

  CoupledSystem(const PoissonSystem<D>& fluid, const Immersed<D>& solids)
      : fluid_(fluid), solids_(solids) {}

  [[nodiscard]] const Tiles<D>& tiles() const noexcept { return fluid_.tiles(); }
  [[nodiscard]] std::span<const std::uint32_t> solved_tiles() const noexcept {
    return fluid_.solved_tiles();
  }
  /// Does what PoissonSystem::apply() does, for the fluid with the solids.
  double apply(std::span<const float> x, std::span<double> image) const {
    const double energy = fluid_.apply(x, image);
    return energy + solids_.apply(x, image);
  }

 private:
  const PoissonSystem<D>& fluid_;
  const Immersed<D>& solids_;
};

}  // namespace sluice::fluid::grid
