// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "solver/fluid/gas.h"
#include "solver/fluid/gas/gas_step.h"

namespace sluice::fluid::grid {

/// A gas on a MAC grid, in D dimensions.
template <int D>
class GridGas final : public Gas, public MovesSolids {
 public:
  explicit GridGas(const scene::Scene& scene);

  void set_obstacles(std::span<const scene::Obstacle> obstacles) override {
    step_.set_obstacles(obstacles);
  }
  void set_solids(const ImmersedSolids& solids) override;
  [[nodiscard]] std::span<const Vec3> impulses_on_solids() const noexcept override {
    return step_.impulses_on_solids();
  }
  [[nodiscard]] std::span<const Vec3> velocities_of_solids() const noexcept override {
    return step_.velocities_of_solids();
  }
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] Vec3 momentum() const override;

 private:
  SolveReport step(const GasActions& actions, StageTimer* timer) override;
  [[nodiscard]] double fastest() const noexcept override { return fastest_; }
  void read_channels(scene::Carried what, std::span<float> values) const override;
  void read_pressure(std::span<float> values) const override;
  void read_velocity(std::span<float> values) const override;
  void read_levels(std::span<float> values) const override { std::ranges::fill(values, 0.0F); }
  void save_grid(ByteWriter& out) const override { step_.save(out); }
  [[nodiscard]] bool restore_grid(ByteReader& in) override;

  template <typename Value>
  void read_cells(int components, std::span<float> values, const Value& value) const;
  void find_fastest();

  void start();

  GasStep<D> step_;
  double fastest_ = 0;
};

extern template class GridGas<2>;
extern template class GridGas<3>;

}  // namespace sluice::fluid::grid
