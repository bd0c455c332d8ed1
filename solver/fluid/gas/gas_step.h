// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/gas/confinement.h"
#include "solver/fluid/gas/diffusion.h"
#include "solver/fluid/gas/gas_box.h"
#include "solver/fluid/gas/gas_forces.h"
#include "solver/fluid/gas/gas_settings.h"
#include "solver/fluid/gas/semi_lagrangian.h"
#include "solver/fluid/immersed/elastic_in_fluid.h"
#include "solver/fluid/immersed/immersed_points.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/pressure.h"
#include "solver/stages.h"

namespace sluice::fluid::grid {

/// A substep of an incompressible gas on a grid that it fills [Stam1999], [Fedkiw2001]: advection,
/// then sources and people's strokes, buoyancy and pushes, viscosity, and pressure.
template <int D>
class GasStep {
 public:
  explicit GasStep(GasSettings<D> settings);

  /// The velocity [m/s] at a place [m].
  using VelocityField = std::function<Vec3(const Vec3& x)>;
  /// Sets the state at time 0: `velocity`, except in the gas's regions, projected to the nearest
  /// flow that is free of divergence.
  void start(const VelocityField& velocity);

  void set_obstacles(std::span<const scene::Obstacle> obstacles);

  /// See MovesSolids.
  void set_solids(const ImmersedSolids& solids);
  [[nodiscard]] std::span<const Vec3> impulses_on_solids() const noexcept {
    return points_.is_empty() ? elastic_.impulses() : points_.impulses();
  }
  [[nodiscard]] std::span<const Vec3> velocities_of_solids() const noexcept {
    return points_.is_empty() ? elastic_.velocities() : points_.velocities();
  }
  [[nodiscard]] const ImmersedPoints<D>& points() const noexcept { return points_; }

  /// Advances the gas by a substep. Returns the report of the pressure solve.
  SolveReport advance(const GasActions& actions, StageTimer* timer = nullptr);

  [[nodiscard]] const GasSettings<D>& settings() const noexcept { return settings_; }
  [[nodiscard]] const MacGrid<D>& grid() const noexcept { return grid_; }
  [[nodiscard]] const GasBox<D>& box() const noexcept { return box_; }
  [[nodiscard]] std::span<const Channel> channels() const noexcept { return channels_; }
  /// The pressure of the last substep times h / (density dx). [m/s]
  [[nodiscard]] const Array<float>& pressure() const noexcept { return pressure_; }
  [[nodiscard]] const Array<float>& values(std::size_t channel) const noexcept {
    return values_[channel];
  }
  /// The duration [s] of the last substep; 0 before the first.
  [[nodiscard]] float duration() const noexcept { return duration_; }

  void save(ByteWriter& out) const;
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  void find_solids();
  void fill_around();
  void carry(float h, float of_last);
  void find_flow(float of_last);
  void add_forces(const GasActions& actions, float h);
  void diffuse(float h);
  void subtract_last_pressure(float part);
  SolveReport project();
  void add_to_pressure(float of_last);
  [[nodiscard]] GasLattice<D> lattice();

  GasSettings<D> settings_;
  SolidFaces<D> solids_;
  Screens<D> screens_;
  GasBox<D> box_;
  SemiLagrangian<D> advection_;
  Confinement<D> confinement_;
  Diffusion<D> diffusion_;
  PressureSolver<D> pressure_solver_;
  ElasticInGas<D> elastic_;
  ImmersedPoints<D> points_;
  MacGrid<D> grid_;
  std::vector<Channel> channels_;
  std::vector<Array<float>> values_;                    // By channel.
  typename MacGrid<D>::template Faces<float> before_;   // Velocities a substep ago.
  typename MacGrid<D>::template Faces<float> carried_;  // Velocities that are carried.
  Array<float> pressure_;                               // Also in cells around the gas.
  bool have_solids_changed_ = true, are_solids_moving_ = false;
  float duration_ = 0;
};

extern template class GasStep<2>;
extern template class GasStep<3>;

}  // namespace sluice::fluid::grid
