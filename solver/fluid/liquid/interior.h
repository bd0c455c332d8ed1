// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/abilities.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/particles/emitters.h"
#include "solver/fluid/particles/particles.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/push.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::fluid::grid {

/// The part of a liquid deep below its surface: larger cells have it, and no particles. Particles
/// carry the liquid around it, and ghosts of particles stand for it where they look at it.
///
/// A substep of the liquid, in which LiquidStep calls enter() to project():
///
///     interior.add_ghosts(...);         // GridFluid: behind the particles.
///     interior.enter(...);              // The grid of the finest cells sees what it has of them.
///     interior.accelerate(...);
///     interior.project(...);            // One pressure for all, and the way along the flow.
///     interior.take_ghosts(...);        // GridFluid: some have come out.
///     interior.settle(...);             // After commit(): particles come out and go in.
template <int D>
class Interior {
 public:
  virtual ~Interior() = default;

  /// Sets what is there at time 0: cells well inside the fluid's regions.
  virtual void start(const scene::Scene& scene) = 0;
  /// Whether a place [m] is in it.
  [[nodiscard]] virtual bool has(const Vec3f& x) const noexcept = 0;

  /// Whether it has no cells: then only settle() does something.
  [[nodiscard]] virtual bool is_empty() const noexcept = 0;

  /// Sets where the obstacles are at the end of the next substep.
  virtual void set_obstacles(std::span<const scene::Obstacle> obstacles) = 0;

  /// Adds, behind the particles, ghosts in the interior's cells that particles look at in a substep
  /// of `h` [s], in which the fastest go at `fastest` [m/s]. They are of `material`.
  virtual void add_ghosts(float h, float fastest, std::uint8_t material, Particles& particles) = 0;
  /// Keeps the ghosts, from number `first` on, whose targets are outside, and removes all.
  virtual void take_ghosts(std::size_t first, Particles& particles) = 0;

  /// Marks the cells of `grid` that it has, and gives the faces between two of them its velocity,
  /// and the `mass` of a face in liquid in `weights`.
  virtual void enter(float mass, MacGrid<D>& grid,
                     typename MacGrid<D>::template Faces<float>& weights) = 0;
  /// Adds `change` [m/s] to its velocity, and what pushes do in `h` [s].
  virtual void accelerate(const Vec<D>& change, std::span<const Push> pushes, float h) = 0;
  /// Makes its flow, and that of `grid`, free of divergence, as PressureSolver does. `inflow` is as
  /// for PressureSolver::set_inflow(). Then carries its velocity along the flow for `h` [s]; the
  /// grid's is that before.
  virtual SolveReport project(const scene::PressureSettings& settings, std::span<float> inflow,
                              float h, MacGrid<D>& grid) = 0;
  /// After project(): does what PressureSolver::even_out() does.
  virtual void even_out(float part, float h, float spacing, MacGrid<D>& grid) = 0;

  /// Lets particles in, and out, as cells of the interior change, after project() and when
  /// `particles` are at their targets: sets `gone`, ascending, and adds to `births`, which are as
  /// many as its volume changes by. `grid` is that of the substep.
  virtual void settle(const MacGrid<D>& grid, const Particles& particles,
                      std::vector<std::uint32_t>& gone, std::vector<Birth>& births) = 0;

  [[nodiscard]] virtual double fastest() const noexcept = 0;  ///< [m/s] along an axis
  [[nodiscard]] virtual SumsWithoutParticles sums() const = 0;
  /// Its numbers of cells by level.
  [[nodiscard]] virtual std::span<const std::int64_t> cell_counts() const noexcept = 0;
  [[nodiscard]] virtual std::vector<HasInterior::InteriorCell> cells() const = 0;
  /// The liquid that it has, in particles.
  [[nodiscard]] virtual std::int64_t volume() const noexcept = 0;

  virtual void save(ByteWriter& out) const = 0;
  [[nodiscard]] virtual bool restore(ByteReader& in) = 0;
};

}  // namespace sluice::fluid::grid
