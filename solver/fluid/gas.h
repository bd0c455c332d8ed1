// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "solver/fluid/abilities.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/gas/gas_settings.h"
#include "solver/fluid/pressure/conjugate_gradients.h"

namespace sluice::fluid {

/// The gas of a scene, which fills its domain. What is on its grid is in the classes below it.
class Gas : public Fluid, public HasCells, public TakesStrokes {
 public:
  [[nodiscard]] double stable_substep(double obstacle_speed = 0) const noexcept final;
  [[nodiscard]] std::string what_shortens_substeps() const final;
  Result<std::monostate> advance(const FluidActions& actions, StageTimer* timer = nullptr) final;
  void commit() final {}  // Solids that deform are in its pressure: nothing is left to change.
  [[nodiscard]] PressureReport pressure_report() const noexcept final { return report_; }
  [[nodiscard]] double potential_energy(const Vec3& /*gravity*/) const final { return 0; }
  void set_strokes(std::span<const Stroke> strokes, double frame_duration) final {
    strokes_ = strokes;
    frame_duration_ = frame_duration;
  }
  [[nodiscard]] const CellLattice& lattice() const noexcept final { return lattice_; }
  void read(Field field, std::span<float> values) const final;
  void save(ByteWriter& out) const final;
  [[nodiscard]] bool restore(ByteReader& in) final;

 protected:
  /// For a scene that has a gas; `lattice` is its finest cells.
  Gas(const scene::Scene& scene, const CellLattice& lattice);

  /// Advances what is on the grid.
  virtual grid::SolveReport step(const grid::GasActions& actions, StageTimer* timer) = 0;
  /// [m/s] The largest velocity along an axis; NaN if one is not finite.
  [[nodiscard]] virtual double fastest() const noexcept = 0;
  /// Reads one component a cell from each channel of a quantity; see HasCells::read().
  virtual void read_channels(scene::Carried what, std::span<float> values) const = 0;
  virtual void read_pressure(std::span<float> values) const = 0;
  virtual void read_velocity(std::span<float> values) const = 0;
  /// Of DividesCells; 0 for cells of one size.
  virtual void read_levels(std::span<float> values) const = 0;
  virtual void save_grid(ByteWriter& out) const = 0;
  [[nodiscard]] virtual bool restore_grid(ByteReader& in) = 0;

 private:
  std::string name_;
  double cfl_;
  double cell_size_;  ///< [m]
  CellLattice lattice_;
  PressureReport report_;
  double gained_ = 0;  ///< [m/s] by how much fastest() grew in the last substep, at least 0.
  std::span<const Stroke> strokes_;
  double frame_duration_ = 0;  ///< [s] duration of a frame, for strokes_.
};

/// The gas of a scene that has one, at time 0.
[[nodiscard]] std::unique_ptr<Gas> make_gas(const scene::Scene& scene);

}  // namespace sluice::fluid
