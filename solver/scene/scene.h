// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solver/field.h"
#include "solver/geometry/shape.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/scene/gas.h"
#include "solver/scene/time_span.h"
#include "solver/types.h"

/// Plain structs of a scene. Units SI, angles radians, right-handed, world frame. What a person
/// types, with units and defaults, is proto/sluice/v1/scene.proto; server/convert turns one into
/// the other, scene/validate.h checks it.
namespace sluice::scene {

/// B-spline that carries particles to the grid and back. [Jiang2015]
enum class Kernel { quadratic, cubic };

/// How fluid and solids meet at a wall.
enum class WallCondition {
  slip,      ///< Only the velocity into the wall is removed.
  no_slip,   ///< The whole velocity is removed.
  friction,  ///< As slip; Coulomb friction removes some of the rest.
};

/// What a side of the domain is to fluid. To solids it is a wall.
enum class Side {
  wall,
  open,      ///< Fluid goes out.
  periodic,  ///< Fluid goes out, and comes in by the side opposite, which is periodic too.
};

/// A liquid with a yield stress; its viscosity and volume are the fluid's.
struct Bingham {
  double yield_stress = 100;    ///< [Pa] of shear
  double shear_modulus = 5000;  ///< [Pa]
};

/// Compressible neo-Hookean.
struct Jelly {
  double young_modulus = 1e5;  ///< [Pa]
  double poisson_ratio = 0.3;
};

/// Drucker and Prager's grains. [Klar2016]
struct Sand {
  double young_modulus = 3.5e5;  ///< [Pa]
  double poisson_ratio = 0.3;
  double friction_angle = 0.6108652381980153;  ///< [rad] 35 degrees
};

/// [Stomakhin2013]
struct Snow {
  double young_modulus = 1.4e5;  ///< [Pa] before it is packed
  double poisson_ratio = 0.2;
  double critical_compression = 0.025;
  double critical_stretch = 0.0075;
  double hardening = 10;
};

/// What the particles of a fluid are made of; without one of them, a Newtonian liquid.
using FluidMaterial = std::variant<std::monostate, Bingham, Jelly, Sand, Snow>;

/// A piece of pipe that fluid comes in by: what is in it moves with its velocity.
struct Emitter {
  std::string name;
  geometry::Shape shape;                                  ///< Bounded.
  Vec3 velocity = Vec3::Zero();                           ///< [m/s]
  double rate = std::numeric_limits<double>::infinity();  ///< [m^3/s] at most
  TimeSpan open;
};

/// Where fluid goes out.
struct Drain {
  geometry::Shape shape;  ///< Bounded.
  TimeSpan open;
};

struct Fluid {
  std::string name;
  std::vector<geometry::Shape> regions;  ///< Filled with particles at time 0: seeding.h says which.
  std::vector<Emitter> emitters = {};
  Vec3 velocity = Vec3::Zero();  ///< [m/s] at time 0
  double density = 1000;         ///< [kg/m^3]
  FluidMaterial material = std::monostate{};
  // Of liquids, Bingham's among them:
  double sound_speed = 20;          ///< [m/s]; stiffness of the equation of state: K = density c^2
  double eos_exponent = 7;          ///< Tait's gamma, dimensionless
  double dynamic_viscosity = 1e-3;  ///< [Pa s]

  [[nodiscard]] bool is_liquid() const {
    return std::holds_alternative<std::monostate>(material) ||
           std::holds_alternative<Bingham>(material);
  }
};

/// How fluids flow.
enum class FluidSolver {
  mpm,             ///< fluid/mpm
  incompressible,  ///< fluid/grid
};

/// How particles and a grid exchange velocities. [Jiang2015]
enum class Transfer { apic, flip, pic };

/// How ways through a flow that stays as it is are followed, by Runge and Kutta.
enum class PathIntegrator {
  rk2,  ///< The midpoint rule: two stages, of second order.
  rk3,  ///< Three stages, of third order. [Ralston1962]
};

/// Of conjugate gradients for the pressure.
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
  double tolerance = 1e-6;  ///< Of the residual, over the divergence before.
  int max_iterations = 1000;
};

/// What gas does at a wall of the domain.
struct SideVelocity {
  Vec3 velocity = Vec3::Zero();  ///< [m/s] through the side, and of the wall along itself
  bool is_parabolic = false;     ///< 0 at the side's rims; `velocity` in its middle.

  friend bool operator==(const SideVelocity& a, const SideVelocity& b) {
    return a.velocity == b.velocity && a.is_parabolic == b.is_parabolic;
  }
};

/// The grid shared by all fluids, or that of the gas.
struct FluidGrid {
  double cell_size = 0.02;  ///< [m]
  Kernel kernel = Kernel::quadratic;
  int particles_per_axis = 2;  ///< Seeds per cell and axis: 2 gives 8 a cell.
  double cfl = 0.4;            ///< Cells that flow, and sound with `mpm`, may cross in a substep.
  WallCondition wall = WallCondition::slip;    ///< At the sides of the domain.
  double wall_friction = 0.3;                  ///< Coulomb coefficient there, of that condition.
  std::array<std::array<Side, 2>, 3> sides{};  ///< By axis; lower, upper.
  std::int64_t max_particles = 1'000'000;      ///< At a time; emitters let no more in.
  int dimensions = 3;                          ///< 2: along x and z.
  FluidSolver solver = FluidSolver::mpm;
  // Of incompressible liquids:
  Transfer transfer = Transfer::apic;
  double flip_ratio =
      0.97;  ///< Of Transfer::flip: the part of a velocity that is the particle's own.
  // Of those and of gas:
  PressureSettings pressure;
  PathIntegrator path_integrator = PathIntegrator::rk3;
  // Of gas:
  std::array<std::array<SideVelocity, 2>, 3> side_velocities{};  ///< As `sides`, of walls.
};

/// Vertices held in place, or moved and turned at constant velocities.
struct Pin {
  std::string name;
  std::vector<std::int32_t> vertices;
  Vec3 velocity = Vec3::Zero();          ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s] about `center`
  Vec3 center = Vec3::Zero();            ///< [m] at time 0; moves with `velocity`.
};

/// How stress follows from deformation; all agree where it is small. scene.proto describes each.
enum class ElasticModel {
  stable_neo_hookean,
  neo_hookean,
  st_venant_kirchhoff,
  fixed_corotated,
  linear,
};

/// Towards 1/2 a solid becomes incompressible, and linear tetrahedra lock.
inline constexpr double largest_poisson_ratio = 0.499;

struct ElasticMaterial {
  ElasticModel model = ElasticModel::stable_neo_hookean;
  double young_modulus = 1e5;      ///< [Pa]
  double poisson_ratio = 0.4;      ///< In (-1, largest_poisson_ratio].
  double stiffness_damping = 0;    ///< [s] Rayleigh's, proportional to stiffness
  double kelvin_voigt_lambda = 0;  ///< [Pa s] added to it, in the place of Lame's lambda
  double kelvin_voigt_mu = 0;      ///< [Pa s] and of mu

  [[nodiscard]] bool is_damped() const { return stiffness_damping > 0 || kelvin_voigt_mu > 0; }
};

/// What a sheet of finite elements is made of.
struct ShellMaterial {
  ElasticMaterial material;   ///< Not linear.
  double bend_scale = 1;      ///< Bending stiffness over that of a plate.
  bool plane_strain = false;  ///< Keeps its thickness; otherwise free of stress across it.
};

struct Cloth {
  std::string name;
  geometry::TriangleMesh mesh;               ///< World frame at time 0; also the rest shape.
  Vec3 velocity = Vec3::Zero();              ///< [m/s] at time 0
  double area_density = 0.2;                 ///< [kg/m^2]
  double structural_stiffness = 50;          ///< [N/m] of mesh edges
  double shear_stiffness = 20;               ///< [N/m] of diagonals
  double bend_stiffness = 0.5;               ///< [N/m] between vertices opposite an edge
  double damping = 0;                        ///< [1/s] mass-proportional damping rate
  double thickness = 1e-3;                   ///< [m] full thickness
  double gravity_scale = 1;                  ///< Part of gravity that it feels.
  double friction = 0.3;                     ///< Coulomb coefficient: see ContactPair.
  WallCondition wall = WallCondition::slip;  ///< For fluid, with `friction`.
  std::optional<ShellMaterial> shell;        ///< Finite elements instead of springs.
  std::vector<Pin> pins;
};

/// A solid of tetrahedra that deforms.
struct SoftBody {
  std::string name;
  geometry::TetMesh mesh;        ///< World frame at time 0; also the rest shape.
  Vec3 velocity = Vec3::Zero();  ///< [m/s] at time 0
  double density = 1000;         ///< [kg/m^3]
  ElasticMaterial material;
  double damping = 0;                        ///< [1/s] mass-proportional damping rate
  double gravity_scale = 1;                  ///< Part of gravity that it feels.
  double friction = 0.3;                     ///< Coulomb coefficient: see ContactPair.
  WallCondition wall = WallCondition::slip;  ///< For fluid, with `friction`.
  std::vector<Pin> pins;
};

/// Where a scripted body is at one time.
struct PoseKey {
  double time;                              ///< [s] > 0: at 0 a body is where its mesh has it.
  Vec3 offset = Vec3::Zero();               ///< [m] of its centre of mass from there
  Eigen::Quaterniond rotation{1, 0, 0, 0};  ///< About its centre of mass, from there; unit.
};

/// A solid that does not deform.
struct RigidBody {
  std::string name;
  geometry::TriangleMesh mesh;   ///< Closed, counterclockwise from outside; world frame at time 0.
  double density = 1000;         ///< [kg/m^3] throughout
  Vec3 velocity = Vec3::Zero();  ///< [m/s] of its centre of mass at time 0
  Vec3 angular_velocity = Vec3::Zero();      ///< [rad/s] at time 0
  double friction = 0.3;                     ///< Coulomb coefficient: see ContactPair.
  double restitution = 0;                    ///< See ContactPair.
  WallCondition wall = WallCondition::slip;  ///< For fluid, with `friction`.
  double damping = 0;                        ///< [1/s] rate at which it loses its momenta
  double gravity_scale = 1;                  ///< Part of gravity that it feels.
  std::vector<PoseKey> script;  ///< By ascending time: it moves as told. Empty: it moves freely.
};

/// Moving air, everywhere the same. scene.proto has the formula of its force.
struct Wind {
  Vec3 velocity = Vec3::Zero();   ///< [m/s] without gusts
  double gust_strength = 0;       ///< Part of the velocity that comes and goes.
  double gust_period = 1;         ///< [s]
  double density = 1.2;           ///< [kg/m^3]
  double normal_drag = 1;         ///< Coefficient across a triangle.
  double tangential_drag = 0.05;  ///< Coefficient along a triangle.
};

/// One end of a spring between bodies.
struct SpringEnd {
  std::string body;  ///< Name of a cloth or soft body.
  std::int32_t vertex;
};

/// A spring between vertices of cloths and soft bodies.
struct BodySpring {
  SpringEnd a, b;
  double stiffness;                   ///< [N/m]
  std::optional<double> rest_length;  ///< [m] their distance at the start where it is not given
};

struct Obstacle {
  std::string name;
  geometry::Shape shape;
  WallCondition wall = WallCondition::slip;  ///< For fluid, with `friction`.
  double friction = 0.3;                     ///< Coulomb coefficient: see ContactPair.
  double restitution = 0;                    ///< See ContactPair.
  Vec3 velocity = Vec3::Zero();  ///< [m/s] 0 at time 0; the Simulation moves what people steer.
};

/// What two bodies, or a body and an obstacle, have in contact. Without one of these: Coulomb
/// friction of the root of the product of both coefficients, and of rigid bodies and obstacles the
/// larger of both restitutions: the part of the speed of an impact that they come apart with. What
/// deforms has none. The sides of the domain have what the body has.
struct ContactPair {
  std::string body_a;  ///< A cloth, soft body or rigid body.
  std::string body_b;  ///< One of those, also the same, or an obstacle.
  std::optional<double> friction;
  std::optional<double> restitution;
};

enum class CouplingMethod {
  admm_ipc,           ///< [Yang2023] Algorithm 5
  newton_ipc,         ///< [Yang2023] Algorithm 4
  weak,               ///< [Yang2023] 2.2.2
  one_way,            ///< [Yang2023] 2.2.1
  variational_rigid,  ///< [Batty2007] 4
  boundary_map,       ///< [Imamura2008]
  immersed_boundary,  ///< [Peskin2002]
};

/// How far a step goes that would let something cross.
enum class StepFilter {
  local,   ///< Each contact stops what it is between.
  global,  ///< The first one stops everything. [Yang2023] (3.11)
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

/// How a step of the deformable solids is solved; scene.proto describes each.
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
  // Of the others:
  int max_iterations = 200;
  double tolerance = 1e-3;  ///< Relative residual: integrator/integrator.h.
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

/// Whether cloths are slices of elastic bodies, in the plane of a flow in two dimensions.
[[nodiscard]] inline bool are_cloths_slices(const Scene& scene) {
  return (scene.gas || !scene.fluids.empty()) && scene.grid.dimensions == 2;
}

/// [m] Along y, where the particles of a flow in two dimensions are, exactly.
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
