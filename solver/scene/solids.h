// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/scene/visitable.h"
#include "solver/scene/walls.h"
#include "solver/types.h"

/// The solids of a scene: cloths, soft bodies, rigid bodies, their materials and the pins that hold
/// them.
namespace sluice::scene {

/// Vertices held in place, or moved and turned at constant velocities.
struct Pin {
  std::string name;
  std::vector<std::int32_t> vertices;
  Vec3 velocity = Vec3::Zero();          ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s] about `center`
  Vec3 center = Vec3::Zero();            ///< [m] at time 0; moves with `velocity`.
};

template <Of<Pin> Self, typename Visit>
void visit_fields(Self& pin, Visit&& visit) {
  auto& [name, vertices, velocity, angular_velocity, center] = pin;
  visit(name, vertices, velocity, angular_velocity, center);
}

/// Towards 1/2 a solid becomes incompressible, and linear tetrahedra lock.
inline constexpr double largest_poisson_ratio = 0.499;

struct ElasticMaterial {
  /// How stress follows from deformation: the name of an energy of solid/isotropic/energies.h,
  /// which is that of scene.proto's ElasticModel in small letters.
  std::string model = "stable_neo_hookean";
  double young_modulus = 1e5;      ///< [Pa]
  double poisson_ratio = 0.4;      ///< In (-1, largest_poisson_ratio].
  double stiffness_damping = 0;    ///< [s] Rayleigh's, proportional to stiffness
  double kelvin_voigt_lambda = 0;  ///< [Pa s] added damping, in the place of Lame's lambda
  double kelvin_voigt_mu = 0;      ///< [Pa s] added damping, in the place of Lame's mu

  [[nodiscard]] bool is_damped() const { return stiffness_damping > 0 || kelvin_voigt_mu > 0; }
};

template <Of<ElasticMaterial> Self, typename Visit>
void visit_fields(Self& material, Visit&& visit) {
  auto& [model, young_modulus, poisson_ratio, stiffness_damping, kelvin_voigt_lambda,
         kelvin_voigt_mu] = material;
  visit(model, young_modulus, poisson_ratio, stiffness_damping, kelvin_voigt_lambda,
        kelvin_voigt_mu);
}

/// The material of a sheet of finite elements.
struct ShellMaterial {
  ElasticMaterial material;   ///< Any model but the linear one.
  double bend_scale = 1;      ///< Bending stiffness over that of a plate.
  bool plane_strain = false;  ///< Keeps its thickness; otherwise free of stress across it.
};

template <Of<ShellMaterial> Self, typename Visit>
void visit_fields(Self& shell, Visit&& visit) {
  auto& [material, bend_scale, plane_strain] = shell;
  visit(material, bend_scale, plane_strain);
}

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

template <Of<Cloth> Self, typename Visit>
void visit_fields(Self& cloth, Visit&& visit) {
  auto& [name, mesh, velocity, area_density, structural_stiffness, shear_stiffness, bend_stiffness,
         damping, thickness, gravity_scale, friction, wall, shell, pins] = cloth;
  visit(name, mesh, velocity, area_density, structural_stiffness, shear_stiffness, bend_stiffness,
        damping, thickness, gravity_scale, friction, wall, shell, pins);
}

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

template <Of<SoftBody> Self, typename Visit>
void visit_fields(Self& body, Visit&& visit) {
  auto& [name, mesh, velocity, density, material, damping, gravity_scale, friction, wall, pins] =
      body;
  visit(name, mesh, velocity, density, material, damping, gravity_scale, friction, wall, pins);
}

/// The pose of a scripted body at one time.
struct PoseKey {
  double time;                              ///< [s] > 0: at 0 a body is where its mesh has it.
  Vec3 offset = Vec3::Zero();               ///< [m] of its centre of mass from there
  Eigen::Quaterniond rotation{1, 0, 0, 0};  ///< About its centre of mass, from there; unit.
};

template <Of<PoseKey> Self, typename Visit>
void visit_fields(Self& key, Visit&& visit) {
  auto& [time, offset, rotation] = key;
  visit(time, offset, rotation);
}

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

template <Of<RigidBody> Self, typename Visit>
void visit_fields(Self& body, Visit&& visit) {
  auto& [name, mesh, density, velocity, angular_velocity, friction, restitution, wall, damping,
         gravity_scale, script] = body;
  visit(name, mesh, density, velocity, angular_velocity, friction, restitution, wall, damping,
        gravity_scale, script);
}

/// Moving air, everywhere the same. scene.proto has the formula of its force.
struct Wind {
  Vec3 velocity = Vec3::Zero();   ///< [m/s] without gusts
  double gust_strength = 0;       ///< Part of the velocity that comes and goes.
  double gust_period = 1;         ///< [s]
  double density = 1.2;           ///< [kg/m^3]
  double normal_drag = 1;         ///< Coefficient across a triangle.
  double tangential_drag = 0.05;  ///< Coefficient along a triangle.
};

template <Of<Wind> Self, typename Visit>
void visit_fields(Self& wind, Visit&& visit) {
  auto& [velocity, gust_strength, gust_period, density, normal_drag, tangential_drag] = wind;
  visit(velocity, gust_strength, gust_period, density, normal_drag, tangential_drag);
}

/// One end of a spring between bodies.
struct SpringEnd {
  std::string body;  ///< Name of a cloth or soft body.
  std::int32_t vertex;
};

template <Of<SpringEnd> Self, typename Visit>
void visit_fields(Self& end, Visit&& visit) {
  auto& [body, vertex] = end;
  visit(body, vertex);
}

/// A spring between vertices of cloths and soft bodies.
struct BodySpring {
  SpringEnd a, b;
  double stiffness;                   ///< [N/m]
  std::optional<double> rest_length;  ///< [m] their distance at the start where it is not given
};

template <Of<BodySpring> Self, typename Visit>
void visit_fields(Self& spring, Visit&& visit) {
  auto& [a, b, stiffness, rest_length] = spring;
  visit(a, b, stiffness, rest_length);
}

}  // namespace sluice::scene
