// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/field.h"
#include "solver/geometry/shape.h"
#include "solver/scene/fluid.h"
#include "solver/scene/gas.h"
#include "solver/scene/solids.h"
#include "solver/scene/visitable.h"
#include "solver/scene/walls.h"
#include "solver/types.h"

/// Plain structs of a scene. Units SI, angles radians, right-handed, world frame. The form that
/// people type, with units and defaults, is proto/sluice/v1/scene.proto; server/convert turns one
/// into the other, scene/validate.h checks it.
namespace sluice::scene {

struct Obstacle {
  std::string name;
  geometry::Shape shape;
  WallCondition wall = WallCondition::slip;  ///< For fluid, with `friction`.
  double friction = 0.3;                     ///< Coulomb coefficient: see ContactPair.
  double restitution = 0;                    ///< See ContactPair.
  Vec3 velocity = Vec3::Zero();  ///< [m/s] 0 at time 0; the Simulation moves what people steer.
};

template <Of<Obstacle> Self, typename Visit>
void visit_fields(Self& obstacle, Visit&& visit) {
  auto& [name, shape, wall, friction, restitution, velocity] = obstacle;
  visit(name, shape, wall, friction, restitution, velocity);
}

/// The contact of two bodies, or of a body and an obstacle. Without one of these, the Coulomb
/// coefficient is the root of the product of both, and the restitution (the part of an impact's
/// speed with which they come apart) of rigid bodies and obstacles the larger of both; bodies that
/// deform have none. At the sides of the domain a body's own numbers count.
struct ContactPair {
  std::string body_a;  ///< A cloth, soft body or rigid body.
  std::string body_b;  ///< One of those, also the same, or an obstacle.
  std::optional<double> friction;
  std::optional<double> restitution;
};

template <Of<ContactPair> Self, typename Visit>
void visit_fields(Self& pair, Visit&& visit) {
  auto& [body_a, body_b, friction, restitution] = pair;
  visit(body_a, body_b, friction, restitution);
}

enum class CouplingMethod {
  admm_ipc,           ///< [Yang2023] Algorithm 5
  newton_ipc,         ///< [Yang2023] Algorithm 4
  weak,               ///< [Yang2023] 2.2.2
  one_way,            ///< [Yang2023] 2.2.1
  variational_rigid,  ///< [Batty2007] 4
  boundary_map,       ///< [Imamura2008]
  immersed_boundary,  ///< [Peskin2002]
};

/// How a step is shortened that would let something cross.
enum class StepFilter {
  local,   ///< Each contact stops its own points.
  global,  ///< The first contact stops everything. [Yang2023] (3.11)
};

/// How the scene's bodies are stepped together.
struct Coupling {
  CouplingMethod method = CouplingMethod::admm_ipc;
  double contact_distance =
      1e-3;  ///< [m] d_hat: gap that contact projects to, on top of half the cloth's thickness.
  int max_iterations = 30;         ///< of Algorithm 5 in a substep
  double tolerance = 1e-3;         ///< Residual at which a substep's iterations stop, relative (see
                                   ///< coupling/solid_step.h).
  double max_substep = 1.0 / 240;  ///< [s]
  StepFilter step_filter = StepFilter::local;
  double drag = 1000;  ///< [Pa s/m] of one_way: on a surface in fluid that moves against it
};

template <Of<Coupling> Self, typename Visit>
void visit_fields(Self& coupling, Visit&& visit) {
  auto& [method, contact_distance, max_iterations, tolerance, max_substep, step_filter, drag] =
      coupling;
  visit(method, contact_distance, max_iterations, tolerance, max_substep, step_filter, drag);
}

/// The method that solves a step of the deformable solids; scene.proto describes each.
enum class Integrator {
  consensus_admm,
  accelerated_consensus_admm,
  admm,
  projective_dynamics,
  lbfgs,
  newton,
  newton_pcg,
  steepest_descent,
  symplectic_euler,
};

struct SolidSolver {
  Integrator integrator = Integrator::consensus_admm;
  // For all but consensus ADMM:
  int max_iterations = 200;
  double tolerance = 1e-3;  ///< Relative residual: integrator/integrator.h.
};

template <Of<SolidSolver> Self, typename Visit>
void visit_fields(Self& solver, Visit&& visit) {
  auto& [integrator, max_iterations, tolerance] = solver;
  visit(integrator, max_iterations, tolerance);
}

/// The fields that frames hold besides positions and velocities.
struct Output {
  std::vector<Field> fields;  ///< Each once, of those that a body of the scene can have.

  [[nodiscard]] bool has(Field field) const {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }
};

template <Of<Output> Self, typename Visit>
void visit_fields(Self& output, Visit&& visit) {
  auto& [fields] = output;
  visit(fields);
}

struct Scene {
  std::string name;
  Vec3 gravity{0, 0, -9.81};       ///< [m/s^2]
  Vec3 domain_lower{-1, -1, -1};   ///< [m] walls for solids; for fluid: grid.sides
  Vec3 domain_upper{1, 1, 1};      ///< [m]
  std::int64_t frame_count = 120;  ///< Frames after the initial one, which is frame 0.
  double frame_rate = 60;          ///< [1/s]
  FluidGrid grid;
  Coupling coupling;
  SolidSolver solid_solver;
  std::vector<Fluid> fluids;
  std::vector<Drain> drains;
  std::optional<Gas> gas;  ///< Without fluids and rigid bodies; in two dimensions with cloths.
  std::vector<Cloth> cloths;
  std::vector<SoftBody> soft_bodies;
  std::vector<RigidBody> rigid_bodies;
  std::vector<Obstacle> obstacles;
  std::optional<Wind> wind;  ///< Without one the air does nothing to solids.
  std::vector<BodySpring> springs;
  std::vector<ContactPair> contact_pairs;
  Output output;
};

/// Leaves out the scene's name, and its number of frames, which may be raised to go on.
template <Of<Scene> Self, typename Visit>
void visit_fields(Self& scene, Visit&& visit) {
  auto& [name, gravity, domain_lower, domain_upper, frame_count, frame_rate, grid, coupling,
         solid_solver, fluids, drains, gas, cloths, soft_bodies, rigid_bodies, obstacles, wind,
         springs, contact_pairs, output] = scene;
  visit(gravity, domain_lower, domain_upper, frame_rate, grid, coupling, solid_solver, fluids,
        drains, gas, cloths, soft_bodies, rigid_bodies, obstacles, wind, springs, contact_pairs,
        output);
}

/// Whether cloths are slices of elastic bodies, in the plane of a flow in two dimensions.
[[nodiscard]] inline bool are_cloths_slices(const Scene& scene) {
  return (scene.gas || !scene.fluids.empty()) && scene.grid.dimensions == 2;
}

/// [m] Returns the y at which the particles of a flow in two dimensions are, exactly.
[[nodiscard]] inline float plane_of_particles(const Scene& scene) {
  return static_cast<float>(scene.domain_lower.y() +
                            0.5 * (scene.domain_upper.y() - scene.domain_lower.y()));
}

/// Whether cloths or soft bodies are in a fluid whose pressure is solved for on a grid.
[[nodiscard]] inline bool is_elastic_on_grid(const Scene& scene) {
  const bool has_grid =
      scene.gas || (!scene.fluids.empty() && scene.grid.solver == FluidSolver::incompressible);
  return has_grid && !(scene.cloths.empty() && scene.soft_bodies.empty());
}

}  // namespace sluice::scene
