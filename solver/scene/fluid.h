// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/adaptive.h"
#include "solver/scene/time_span.h"
#include "solver/scene/visitable.h"
#include "solver/scene/walls.h"
#include "solver/types.h"

/// The liquids of a scene and the grid that fluids are computed on. A gas is in gas.h.
namespace sluice::scene {

/// B-spline that carries particles to the grid and back. [Jiang2015]
enum class Kernel { quadratic, cubic };

/// A liquid with a yield stress; its viscosity and volume are the fluid's.
struct Bingham {
  double yield_stress = 100;    ///< [Pa] of shear
  double shear_modulus = 5000;  ///< [Pa]
};

template <Of<Bingham> Self, typename Visit>
void visit_fields(Self& bingham, Visit&& visit) {
  auto& [yield_stress, shear_modulus] = bingham;
  visit(yield_stress, shear_modulus);
}

/// Compressible neo-Hookean.
struct Jelly {
  double young_modulus = 1e5;  ///< [Pa]
  double poisson_ratio = 0.3;
};

template <Of<Jelly> Self, typename Visit>
void visit_fields(Self& jelly, Visit&& visit) {
  auto& [young_modulus, poisson_ratio] = jelly;
  visit(young_modulus, poisson_ratio);
}

/// Drucker and Prager's grains. [Klar2016]
struct Sand {
  double young_modulus = 3.5e5;  ///< [Pa]
  double poisson_ratio = 0.3;
  double friction_angle = 0.6108652381980153;  ///< [rad] 35 degrees
};

template <Of<Sand> Self, typename Visit>
void visit_fields(Self& sand, Visit&& visit) {
  auto& [young_modulus, poisson_ratio, friction_angle] = sand;
  visit(young_modulus, poisson_ratio, friction_angle);
}

/// [Stomakhin2013]
struct Snow {
  double young_modulus = 1.4e5;  ///< [Pa] before it is packed
  double poisson_ratio = 0.2;
  double critical_compression = 0.025;
  double critical_stretch = 0.0075;
  double hardening = 10;
};

template <Of<Snow> Self, typename Visit>
void visit_fields(Self& snow, Visit&& visit) {
  auto& [young_modulus, poisson_ratio, critical_compression, critical_stretch, hardening] = snow;
  visit(young_modulus, poisson_ratio, critical_compression, critical_stretch, hardening);
}

/// The material of a fluid's particles; std::monostate is a Newtonian liquid.
using FluidMaterial = std::variant<std::monostate, Bingham, Jelly, Sand, Snow>;

/// A piece of pipe that fluid comes in by: fluid in it moves with its velocity.
struct Emitter {
  std::string name;
  geometry::Shape shape;                                  ///< Bounded.
  Vec3 velocity = Vec3::Zero();                           ///< [m/s]
  double rate = std::numeric_limits<double>::infinity();  ///< [m^3/s] at most
  TimeSpan open;
};

template <Of<Emitter> Self, typename Visit>
void visit_fields(Self& emitter, Visit&& visit) {
  auto& [name, shape, velocity, rate, open] = emitter;
  visit(name, shape, velocity, rate, open);
}

/// A region where fluid goes out.
struct Drain {
  geometry::Shape shape;  ///< Bounded.
  TimeSpan open;
};

template <Of<Drain> Self, typename Visit>
void visit_fields(Self& drain, Visit&& visit) {
  auto& [shape, open] = drain;
  visit(shape, open);
}

struct Fluid {
  std::string name;
  std::vector<geometry::Shape> regions;  ///< Filled with particles at time 0: seeding.h says which.
  std::vector<Emitter> emitters = {};
  Vec3 velocity = Vec3::Zero();  ///< [m/s] at time 0
  double density = 1000;         ///< [kg/m^3]
  FluidMaterial material = std::monostate{};
  // For liquids, Bingham's among them:
  double sound_speed = 20;          ///< [m/s]; stiffness of the equation of state: K = density c^2
  double eos_exponent = 7;          ///< Tait's gamma, dimensionless
  double dynamic_viscosity = 1e-3;  ///< [Pa s]

  [[nodiscard]] bool is_liquid() const {
    return std::holds_alternative<std::monostate>(material) ||
           std::holds_alternative<Bingham>(material);
  }
};

template <Of<Fluid> Self, typename Visit>
void visit_fields(Self& fluid, Visit&& visit) {
  auto& [name, regions, emitters, velocity, density, material, sound_speed, eos_exponent,
         dynamic_viscosity] = fluid;
  visit(name, regions, emitters, velocity, density, material, sound_speed, eos_exponent,
        dynamic_viscosity);
}

/// The solver of the scene's fluids.
enum class FluidSolver {
  none,            ///< For a scene without fluid.
  mpm,             ///< fluid/mpm
  incompressible,  ///< fluid/liquid
  gas,             ///< fluid/gas; the last one, by which they are counted.
};
inline constexpr std::size_t fluid_solver_count = static_cast<std::size_t>(FluidSolver::gas) + 1;

/// How particles and a grid exchange velocities. [Jiang2015]
enum class Transfer { apic, flip, pic };

/// The Runge-Kutta method by which paths through a flow are followed while it stays as it is.
enum class PathIntegrator {
  rk2,  ///< The midpoint rule: two stages, of second order.
  rk3,  ///< Three stages, of third order. [Ralston1962]
};

/// The preconditioner of conjugate gradients for the pressure.
enum class Preconditioner {
  automatic,  ///< fast_poisson where the fluid fills a box and that is fast, else multigrid.
  multigrid,
  incomplete_cholesky,
  jacobi,
  fast_poisson,  ///< Where the fluid fills a box, else multigrid.
};

/// How the pressure of an incompressible liquid is solved for.
struct PressureSettings {
  Preconditioner preconditioner = Preconditioner::automatic;
  double tolerance = 1e-6;  ///< Residual left, over the divergence before.
  int max_iterations = 1000;
};

template <Of<PressureSettings> Self, typename Visit>
void visit_fields(Self& pressure, Visit&& visit) {
  auto& [preconditioner, tolerance, max_iterations] = pressure;
  visit(preconditioner, tolerance, max_iterations);
}

/// The velocity that gas has at a wall of the domain.
struct SideVelocity {
  Vec3 velocity = Vec3::Zero();  ///< [m/s] through the side, and of the wall along itself
  bool is_parabolic = false;     ///< 0 at the side's rims; `velocity` in its middle.

  friend bool operator==(const SideVelocity& a, const SideVelocity& b) {
    return a.velocity == b.velocity && a.is_parabolic == b.is_parabolic;
  }
};

template <Of<SideVelocity> Self, typename Visit>
void visit_fields(Self& side, Visit&& visit) {
  auto& [velocity, is_parabolic] = side;
  visit(velocity, is_parabolic);
}

/// The grid shared by all fluids, or that of the gas.
struct FluidGrid {
  double cell_size = 0.02;  ///< [m]
  Kernel kernel = Kernel::quadratic;
  int particles_per_axis = 2;  ///< Seeds per cell and axis: 2 gives 8 a cell.
  double cfl = 0.4;            ///< Cells that flow, and sound with `mpm`, may cross in a substep.
  WallCondition wall = WallCondition::slip;    ///< At the sides of the domain.
  double wall_friction = 0.3;                  ///< Coulomb coefficient for WallCondition::friction.
  std::array<std::array<Side, 2>, 3> sides{};  ///< By axis; lower, upper.
  std::int64_t max_particles = 1'000'000;      ///< At a time; emitters let no more in.
  int dimensions = 3;                          ///< 2: along x and z.
  FluidSolver solver = FluidSolver::mpm;       ///< The liquids' solver; unused without liquids.
  // For incompressible liquids:
  Transfer transfer = Transfer::apic;
  double flip_ratio =
      0.97;  ///< For Transfer::flip: the part of a velocity that is the particle's own.
  // For these and for gas:
  PressureSettings pressure;
  PathIntegrator path_integrator = PathIntegrator::rk3;
  // For gas:
  std::array<std::array<SideVelocity, 2>, 3> side_velocities{};  ///< Like `sides`; for walls.
  std::optional<Adaptive> adaptive;  ///< Cells of many sizes; `cell_size` is that of the finest.
};

template <Of<FluidGrid> Self, typename Visit>
void visit_fields(Self& grid, Visit&& visit) {
  auto& [cell_size, kernel, particles_per_axis, cfl, wall, wall_friction, sides, max_particles,
         dimensions, solver, transfer, flip_ratio, pressure, path_integrator, side_velocities,
         adaptive] = grid;
  visit(cell_size, kernel, particles_per_axis, cfl, wall, wall_friction, sides, max_particles,
        dimensions, solver, transfer, flip_ratio, pressure, path_integrator, side_velocities,
        adaptive);
}

}  // namespace sluice::scene
