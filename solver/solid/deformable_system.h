// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/geometry/tet_mesh.h"
#include "solver/scene/scene.h"
#include "solver/solid/potential.h"
#include "solver/solid/rigid/pose_track.h"
#include "solver/solid/rigid/rigid_body.h"
#include "solver/solid/spring.h"
#include "solver/types.h"

namespace sluice::solid {

/// One body's part of the arrays of a DeformableSystem.
struct BodyRange {
  std::string name;
  std::int32_t first_vertex, vertex_count;
  std::int32_t first_triangle, triangle_count;  ///< Triangles of the surface.
  std::int32_t first_tet, tet_count;            ///< None in a cloth.
  double damping;                               ///< [1/s]
  double half_thickness;                        ///< [m] 0 but for cloths
  double gravity_scale;                         ///< Part of gravity that it feels.
  std::int32_t rigid_body = -1;  ///< Index into DeformableSystem::rigid_bodies; -1 if it deforms.
};

/// A body whose vertices follow the motion of one frame.
struct RigidMember {
  std::int32_t body;  ///< Index into DeformableSystem::bodies.
  RigidBody inertia;
  RigidState state;
  std::optional<PoseTrack> script;  ///< world_from_body over time, for a body that moves as told.
  std::vector<Vec3> points;         ///< [m] The body's vertices in its own frame.
};

/// Vertices with infinite mass that move together: at a velocity, and about a point that has it.
struct BodyPin {
  std::int32_t body;  ///< Index into DeformableSystem::bodies.
  std::string name;
  std::vector<std::int32_t> vertices;  ///< Indices into the system's arrays.
  Vec3 velocity;                       ///< [m/s] of `center`
  Vec3 angular_velocity;               ///< [rad/s]
  Vec3 center;                         ///< [m] now

  [[nodiscard]] bool is_turning() const { return angular_velocity != Vec3::Zero(); }
};

/// A spring of rest length 0 from a vertex to a point of the world: how a person drags a body.
struct Anchor {
  std::int32_t vertex;
  double stiffness;  ///< [N/m], >= 0
  Vec3 point;        ///< [m]
};

/// All solids of a scene as one set of vertices, masses, elements and triangles: cloths, soft
/// bodies, then rigid bodies, each in the scene's order.
///
/// Masses are lumped: each triangle of a cloth gives a third of area x area density to its corners,
/// each tetrahedron a quarter of volume x density. A vertex of no element has no mass and is held
/// where it is; a vertex of several pins is held by the last of them. Vertices of rigid bodies
/// count as held, by their body, which has the mass; theirs are equal parts of it.
struct DeformableSystem {
  std::vector<BodyRange> bodies;
  std::vector<BodyPin> pins;
  std::vector<RigidMember> rigid_bodies;
  std::vector<Spring> springs;  ///< Springs of cloths, cloth by cloth, then between bodies.
  std::vector<std::unique_ptr<Potential>> elements;  ///< Elastic elements besides springs.
  std::vector<std::unique_ptr<Potential>> dampers;   ///< Dampers of strain rates: kelvin_voigt.h.
  std::vector<TriangleIndices>
      triangles;                   ///< Surfaces, into the vertex arrays; outwards around a volume.
  std::vector<EdgeIndices> edges;  ///< Edges of the triangles, each once.
  std::vector<geometry::TetIndices> tets;  ///< Corners, into the vertex arrays.
  std::vector<std::int32_t> body_of_vertex;
  std::vector<double> mass;           ///< [kg] lumped, also of held vertices
  std::vector<std::uint8_t> is_held;  ///< 1 for a pinned, massless or rigid vertex
  std::vector<Vec3> positions;        ///< [m]
  std::vector<Vec3> velocities;       ///< [m/s]
};

/// Makes the system of a scene that is valid.
[[nodiscard]] DeformableSystem make_deformable_system(const scene::Scene& scene);

/// Gives the vertices of each pin the velocities by its present motion, as after a change of it.
void apply_pin_velocities(DeformableSystem& system);

/// Moves the centres of pins on by a step of `h` seconds that has moved their vertices.
void advance_pins(DeformableSystem& system, double h);

/// Puts the vertices of a rigid body where its state has them, with their velocities.
void place_vertices(const RigidMember& member, DeformableSystem& system);

/// [J] Returns the energy of springs and elements.
[[nodiscard]] double elastic_energy(const DeformableSystem& system);

/// The quadratic part of an implicit step, sum_i inertia_i / 2 |x_i - target_i|^2, [N/m] and [m].
/// [Yang2023] (2.15)
struct InertialTerm {
  std::vector<double> inertia;  ///< m / h^2 + anchors; infinite for a held vertex.
  std::vector<Vec3> targets;    ///< y = x + h v + h^2 g, drawn towards the anchors.
};

/// How a step weighs its end against its start: x' = x + h (part v' + (1 - part) v), and v'
/// likewise with the accelerations by elasticity. 1 is implicit Euler. Near 1/2 it is of second
/// order but for (part - 1/2), and a motion of angular frequency w loses (part - 1/2) h w of its
/// amplitude each radian. [Hairer1996] IV.3
struct ThetaRule {
  double part = 1;  ///< In [1/2, 1], theta.
  /// [N] Elastic forces at the start, by vertex; may be empty where `part` is 1.
  std::span<const Vec3> elastic_forces = {};
};

/// Fills `term` for a step of `h` seconds: y = x + h e^(-damping h) v + h^2 (gravity + forces / m);
/// held vertices go where their pin takes them. `forces` [N] has one entry a vertex, or none.
/// `anchors` may name a vertex more than once. No allocation once `term` has its size.
///
/// With `rule` other than implicit Euler inertia is m / (theta h)^2; forces of the whole step are
/// weighed by theta, elastic ones at its start by theta (1 - theta): the same minimisation.
void set_inertial_term(const DeformableSystem& system, double h, const Vec3& gravity,
                       std::span<const Vec3> forces, std::span<const Anchor> anchors,
                       InertialTerm& term, const ThetaRule& rule = {});

/// [m/s] Returns the velocity of a vertex that is not held where it ends a step of `h` [s], at `x`.
[[nodiscard]] Vec3 end_velocity(const DeformableSystem& system, double h, std::size_t vertex,
                                const Vec3& x, const ThetaRule& rule = {});

}  // namespace sluice::solid
