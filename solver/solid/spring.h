// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/geometry/triangle_mesh.h"
#include "solver/types.h"

namespace sluice::solid {

enum class SpringKind { structural, shear, bend };

/// A linear spring between two vertices: energy k/2 (|x_a - x_b| - l0)^2. [Yang2023] (2.17) with k.
struct Spring {
  std::int32_t a, b;   ///< a < b
  double stiffness;    ///< k [N/m], > 0
  double rest_length;  ///< l0 [m], > 0
  SpringKind kind;
};

/// [N/m] of each kind; a kind with 0 gets no springs.
struct SpringStiffness {
  double structural, shear, bend;
};

/// Lays springs over any triangle mesh; the mesh is the rest shape.
///
/// Each edge with two triangles is judged once. It is the diagonal of a near-quad when it is the
/// longest edge of both of its triangles (ties go to the smaller vertex pair), the quad is folded
/// by less than 30 degrees, and the quad's other diagonal has 0.8 to 1.25 times its length. Then
/// the edge and the other diagonal are shear springs. Every other edge of the mesh is structural;
/// and where it has two triangles or more, the vertices opposite to it in successive triangles are
/// joined by a bend spring. A pair of vertices gets one spring: structural before shear before
/// bend. Pairs that coincide at rest get none. Order: by kind, then by vertex pair.
[[nodiscard]] std::vector<Spring> lay_springs(const geometry::TriangleMesh& mesh,
                                              const SpringStiffness& stiffness);

/// Energy of one spring, [J].
[[nodiscard]] double energy(const Spring& spring, const Vec3& x_a, const Vec3& x_b) noexcept;

/// Gradient of `energy` by x_a, [N]; by x_b it is the opposite. Zero where the ends coincide.
/// [Yang2023] (2.19)
[[nodiscard]] Vec3 gradient(const Spring& spring, const Vec3& x_a, const Vec3& x_b) noexcept;

/// [J] Returns the sum of the springs' energies, in order.
[[nodiscard]] double energy(std::span<const Spring> springs,
                            std::span<const Vec3> positions) noexcept;

/// Adds the gradient of the sum to `out` (one entry a vertex), in order.
void add_gradient(std::span<const Spring> springs, std::span<const Vec3> positions,
                  std::span<Vec3> out) noexcept;

}  // namespace sluice::solid
