// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/gas.h"
#include "solver/fluid/gas/gas_step.h"

namespace sluice::fluid::grid {

/// A gas on a MAC grid, in D dimensions.
template <int D>
class GridGas final : public Gas {
 public:
  explicit GridGas(const scene::Scene& scene);

  [[nodiscard]] double stable_substep(double obstacle_speed = 0) const noexcept override;
  [[nodiscard]] std::string what_shortens_substeps() const override;
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
  void set_strokes(std::span<const Stroke> strokes, double frame_duration) override {
    strokes_ = strokes;
    frame_duration_ = frame_duration;
  }
  Result<std::monostate> advance(const FluidActions& actions, StageTimer* timer) override;
  [[nodiscard]] const CellLattice& lattice() const noexcept override { return lattice_; }
  void read(Field field, std::span<float> values) const override;
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] Vec3 momentum() const override;
  [[nodiscard]] PressureReport pressure_report() const noexcept override { return report_; }
  void save(ByteWriter& out) const override;
  [[nodiscard]] bool restore(ByteReader& in) override;

 private:
  GridGas(const scene::Scene& scene, const GasSettings<D>& settings);

  template <typename Value>
  void read_cells(int components, std::span<float> values, const Value& value) const;
  void find_fastest();

  void start();

  std::string name_;
  double cfl_;
  Vec3 velocity_;  ///< [m/s] at time 0
  CellLattice lattice_;
  GasStep<D> step_;
  PressureReport report_;
  double fastest_ = 0;  ///< [m/s] largest velocity along an axis; NaN if one is not finite.
  double gained_ = 0;   ///< [m/s] by how much fastest_ grew in the last substep, at least 0.
  std::span<const Stroke> strokes_;
  double frame_duration_ = 0;  ///< [s] duration of a frame, for strokes_.
};

extern template class GridGas<2>;
extern template class GridGas<3>;

}  // namespace sluice::fluid::grid
