// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/immersed/elastic_in_fluid.h"
#include "solver/fluid/immersed/immersed_bodies.h"
#include "solver/fluid/liquid/inlets.h"
#include "solver/fluid/liquid/interior.h"
#include "solver/fluid/liquid/letting_go.h"
#include "solver/fluid/liquid/liquid_settings.h"
#include "solver/fluid/liquid/screened_particles.h"
#include "solver/fluid/liquid/shallow_cells.h"
#include "solver/fluid/liquid/slits.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/pressure.h"
#include "solver/fluid/push.h"
#include "solver/fluid/viscosity/viscosity.h"
#include "solver/stages.h"

namespace sluice::fluid::grid {

/// The inputs of a substep: what acts on the liquid.
struct LiquidActions {
  float duration;  ///< [s] h
  Vec3f gravity;   ///< [m/s^2]
  std::span<const Push> pushes;
  float largest_speed;  ///< [m/s] of the particles, and of the interior
  // The emitters, the places [m] of the particles that open ones hold, and a test whether walls and
  // obstacles leave a place [m] to the liquid.
  std::span<const Inlet> inlets = {};
  std::span<const Vec3f> held = {};
  std::function<bool(const Vec3&)> is_outside = {};
};

/// The outcome of a substep.
struct LiquidReport {
  SolveReport pressure;  ///< Iterations of all its solves; the last one's residual.
  SolveReport viscosity;
  bool is_finite = true;
  std::vector<Inflow> inflows;  ///< The inflow of each emitter, in order.
};

/// A substep of an incompressible liquid with particles [Zhu2005], [Jiang2015]: momenta to the
/// faces, forces, pressure and viscosity, velocities back, and the way along the flow.
template <int D>
class LiquidStep {
 public:
  explicit LiquidStep(LiquidSettings<D> settings);

  /// Sets where the obstacles are at the end of the next substep, and their velocities in it.
  void set_obstacles(std::span<const scene::Obstacle> obstacles) {
    solids_.set_obstacles(obstacles);
    screens_.set_obstacles(obstacles);
  }

  /// Sets what has the liquid deep below the surface; null for particles alone. It must outlive
  /// this. Its ghosts are of the material that follows those of the scene's fluids.
  void set_interior(Interior<D>* interior) { interior_ = interior; }

  /// Sets the bodies that the next advance() moves; what they refer to must live until then.
  void set_bodies(std::span<const ImmersedBody> bodies) { bodies_.set(bodies); }
  /// The impulses that the pressure of the last advance() gave to each body.
  [[nodiscard]] std::span<const Wrench> impulses() const noexcept { return bodies_.impulses(); }

  /// Sets the elastic solids: see MovesSolids::set_solids().
  void set_solids(const ImmersedSolids& solids) { elastic_.set(solids); }
  [[nodiscard]] const ElasticInLiquid<D>& elastic() const noexcept { return elastic_; }

  /// Sets the particles' new velocities and the targets that these lead to, wherever those lie.
  /// Positions stay as they are.
  LiquidReport advance(const LiquidActions& actions, Particles& particles,
                       StageTimer* timer = nullptr);

  /// The particles' indices in the order of the cells that they were in before advance().
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return cells_.order; }
  /// After advance(): returns the obstacles that something at `x` [m] may be in or next to.
  [[nodiscard]] const ObstacleList& obstacles_near(const Vec3f& x) const noexcept;
  /// Returns the obstacles that a straight way between two places [m] may lead through.
  [[nodiscard]] const ObstacleList& obstacles_on_way(const Vec3f& from,
                                                     const Vec3f& to) const noexcept;
  [[nodiscard]] const MacGrid<D>& grid() const noexcept { return grid_; }
  [[nodiscard]] const CellFrame<D>& frame() const noexcept { return settings_.frame; }

  /// Returns the pressure [Pa] at `x` [m] after advance().
  [[nodiscard]] float pressure_at(const Vec3f& x) const;
  /// Returns the density [kg/m^3] near `x` [m]: the liquid's at rest times the part that it fills.
  [[nodiscard]] float density_at(const Vec3f& x) const;

 private:
  void find_before(int layers);
  void find_bodiless();
  void add_gravity(const Vec3f& change);
  void fill_in_missing();
  void find_flow(LiquidReport& report);
  [[nodiscard]] bool has_interior() const { return interior_ != nullptr && !interior_->is_empty(); }

  LiquidSettings<D> settings_;
  std::vector<float> mass_, volume_;  // [kg], [cells] of a particle, by material.
  Interior<D>* interior_ = nullptr;
  SolidFaces<D> solids_;
  Screens<D> screens_;
  ImmersedBodies<D> bodies_;
  ElasticInLiquid<D> elastic_;
  Inlets<D> inlets_;
  LettingGo<D> letting_go_;
  ShallowCells<D> shallow_cells_;
  PressureSolver<D> pressure_solver_;
  ViscositySolver<D> viscosity_solver_;
  ParticleCells<D> cells_;
  MacGrid<D> grid_;
  typename MacGrid<D>::template Faces<float> weights_, before_;
  typename MacGrid<D>::template Faces<std::uint8_t> known_;
  Slits<D> slits_;
  ScreenedParticles<D> screened_;
  float duration_ = 0;  // [s] of the last substep
};

extern template class LiquidStep<2>;
extern template class LiquidStep<3>;

}  // namespace sluice::fluid::grid
