// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/scene/scene.h"
#include "solver/solid/spring.h"
#include "solver/types.h"

namespace sluice::solid {

/// One cloth's part of the arrays of a ClothSystem.
struct ClothRange {
  std::string name;
  std::int32_t first_vertex, vertex_count;
  std::int32_t first_triangle, triangle_count;
  double damping;         ///< [1/s]
  double half_thickness;  ///< [m]
};

/// Vertices with infinite mass that move at a common velocity.
struct ClothPin {
  std::int32_t cloth;  ///< Index into ClothSystem::cloths.
  std::string name;
  std::vector<std::int32_t> vertices;  ///< Into the system's arrays.
  Vec3 velocity;                       ///< [m/s]
};

/// A spring of rest length 0 from a vertex to a point of the world: how a person drags cloth.
struct Anchor {
  std::int32_t vertex;
  double stiffness;  ///< [N/m], >= 0
  Vec3 point;        ///< [m]
};

/// All cloths of a scene as one set of vertices, masses, springs and triangles.
///
/// Masses are lumped: each triangle gives a third of area x area density to its corners. A vertex
/// of no triangle has no mass and is held where it is, as are pins of several names at once by the
/// last one.
struct ClothSystem {
  std::vector<ClothRange> cloths;
  std::vector<ClothPin> pins;
  std::vector<Spring> springs;             ///< Of all cloths, cloth by cloth.
  std::vector<TriangleIndices> triangles;  ///< Into the vertex arrays.
  std::vector<std::int32_t> cloth_of_vertex;
  std::vector<double> mass;           ///< [kg] lumped, also of held vertices
  std::vector<std::uint8_t> is_held;  ///< 1 for a pinned or massless vertex
  std::vector<Vec3> positions;        ///< [m]
  std::vector<Vec3> velocities;       ///< [m/s]
};

[[nodiscard]] ClothSystem make_cloth_system(std::span<const scene::Cloth> cloths);

/// Gives the vertices of each pin its velocity, as after a change of it.
void apply_pin_velocities(ClothSystem& system);

/// The quadratic part of an implicit step, sum_i inertia_i / 2 |x_i - target_i|^2, [N/m] and [m].
/// [Yang2023] (2.15)
struct InertialTerm {
  std::vector<double> inertia;  ///< m / h^2 + anchors; infinite for a held vertex.
  std::vector<Vec3> targets;    ///< y = x + h v + h^2 g, drawn towards the anchors.
};

/// Fills `term` for a step of `h` seconds: y = x + h e^(-damping h) v + h^2 gravity; held vertices
/// go where their pin does. `anchors` may name a vertex more than once. No allocation once `term`
/// has its size.
void set_inertial_term(const ClothSystem& system, double h, const Vec3& gravity,
                       std::span<const Anchor> anchors, InertialTerm& term);

}  // namespace sluice::solid
