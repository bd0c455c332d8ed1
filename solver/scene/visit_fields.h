// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/geometry/shape.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/scene/scene.h"
#include "solver/scene/visitable.h"

/// visit_fields() of the shapes and meshes in a scene; the scene's own structs have theirs beside
/// them (visitable.h).
namespace sluice::scene {

template <Of<geometry::Box> Self, typename Visit>
void visit_fields(Self& box, Visit&& visit) {
  auto& [half_extents] = box;
  visit(half_extents);
}

template <Of<geometry::Sphere> Self, typename Visit>
void visit_fields(Self& sphere, Visit&& visit) {
  auto& [radius] = sphere;
  visit(radius);
}

template <Of<geometry::Capsule> Self, typename Visit>
void visit_fields(Self& capsule, Visit&& visit) {
  auto& [radius, half_length] = capsule;
  visit(radius, half_length);
}

template <Of<geometry::Cylinder> Self, typename Visit>
void visit_fields(Self& cylinder, Visit&& visit) {
  auto& [radius, half_length] = cylinder;
  visit(radius, half_length);
}

template <Of<geometry::HalfSpace> Self, typename Visit>
void visit_fields(Self& /*half_space*/, Visit&& /*visit*/) {}

template <Of<geometry::Shape> Self, typename Visit>
void visit_fields(Self& shape, Visit&& visit) {
  auto& [form, translation, rotation] = shape;
  visit(form, translation, rotation);
}

template <Of<geometry::TriangleMesh> Self, typename Visit>
void visit_fields(Self& mesh, Visit&& visit) {
  auto& [vertices, triangles] = mesh;
  visit(vertices, triangles);
}

template <Of<geometry::TetMesh> Self, typename Visit>
void visit_fields(Self& mesh, Visit&& visit) {
  auto& [vertices, tets] = mesh;
  visit(vertices, tets);
}

}  // namespace sluice::scene
