// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/field.h"
#include "solver/geometry/shape.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/types.h"

/// Plain structs of a scene. Units SI, angles radians, right-handed, world frame. What a person
/// types, with units and defaults, is proto/sluice/v1/scene.proto; server/convert turns one into
/// the other, scene/validate.h checks it.
namespace sluice::scene {

/// B-spline that carries particles to the grid and back. [Jiang2015]
enum class Kernel { quadratic, cubic };

/// How fluid and solids meet at a wall.
enum class WallCondition {
  slip,     ///< Only the velocity into the wall is removed.
  no_slip,  ///< The whole velocity is removed.
};

struct Fluid {
  std::string name;
  std::vector<geometry::Shape> regions;  ///< Filled with particles at time 0: seeding.h says which.
  Vec3 velocity = Vec3::Zero();          ///< [m/s] at time 0
  double density = 1000;                 ///< [kg/m^3]
  double sound_speed = 20;          ///< [m/s]; stiffness of the equation of state: K = density c^2
  double eos_exponent = 7;          ///< Tait's gamma, dimensionless
  double dynamic_viscosity = 1e-3;  ///< [Pa s]
};

/// The grid shared by all fluids.
struct FluidGrid {
  double cell_size = 0.02;  ///< [m]
  Kernel kernel = Kernel::quadratic;
  int particles_per_axis = 2;                ///< Seeds per cell and axis: 2 gives 8 a cell.
  double cfl = 0.4;                          ///< Cells that sound and flow may cross in a substep.
  WallCondition wall = WallCondition::slip;  ///< At the sides of the domain.
};

/// Vertices held in place, or moved at a constant velocity.
struct Pin {
  std::string name;
  std::vector<std::int32_t> vertices;
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
};

struct Cloth {
  std::string name;
  geometry::TriangleMesh mesh;       ///< World frame at time 0; also the rest shape.
  Vec3 velocity = Vec3::Zero();      ///< [m/s] at time 0
  double area_density = 0.2;         ///< [kg/m^2]
  double structural_stiffness = 50;  ///< [N/m] of mesh edges
  double shear_stiffness = 20;       ///< [N/m] of diagonals
  double bend_stiffness = 0.5;       ///< [N/m] between vertices opposite an edge
  double damping = 0;                ///< [1/s] mass-proportional damping rate
  double thickness = 1e-3;           ///< [m] full thickness
  std::vector<Pin> pins;
};

struct Obstacle {
  std::string name;
  geometry::Shape shape;
  WallCondition wall = WallCondition::slip;  ///< For fluid.
  double friction = 0.3;                     ///< Coulomb coefficient for cloth, >= 0
  Vec3 velocity = Vec3::Zero();  ///< [m/s] 0 at time 0; the Simulation moves what people steer.
};

enum class CouplingMethod {
  admm_ipc,  ///< [Yang2023] Algorithm 5
};

/// How the scene's bodies are stepped together.
struct Coupling {
  CouplingMethod method = CouplingMethod::admm_ipc;
  double contact_distance =
      2e-3;  ///< [m] d_hat: gap that contact projects to, on top of half the cloth's thickness.
  int max_iterations = 30;  ///< of Algorithm 5 in a substep
  double tolerance =
      1e-3;  ///< Residual at which a substep's iterations stop, relative (see coupling/admm_ipc.h).
  double max_substep = 1.0 / 240;  ///< [s]
};

/// What frames hold besides positions and velocities.
struct Output {
  std::vector<Field> fields;  ///< Each once, of those that a body of the scene can have.

  [[nodiscard]] bool has(Field field) const {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }
};

struct Scene {
  std::string name;
  Vec3 gravity{0, 0, -9.81};      ///< [m/s^2]
  Vec3 domain_lower{-1, -1, -1};  ///< [m] closed walls for fluid and cloth alike
  Vec3 domain_upper{1, 1, 1};     ///< [m]
  std::int64_t frame_count = 60;  ///< Frames after the initial one, which is frame 0.
  double frame_rate = 60;         ///< [1/s]
  FluidGrid grid;
  Coupling coupling;
  std::vector<Fluid> fluids;
  std::vector<Cloth> cloths;
  std::vector<Obstacle> obstacles;
  Output output;
};

}  // namespace sluice::scene
