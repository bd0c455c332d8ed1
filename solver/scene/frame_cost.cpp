// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/frame_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "solver/scene/capabilities.h"

namespace sluice::scene {
namespace {

// The same as in coupling/solid_step.cpp.
constexpr double stiffest_ratio = 32;

// [s] Times by the element that the cases of tests/e2e/solids_cases_test.cpp took: an iteration of
// consensus ADMM, and an iteration of Newton's method with its share of the linear solve.
constexpr double seconds_of_iteration = 2.5e-7, seconds_of_newton_iteration = 1.2e-5;
constexpr double newton_iterations = 8;  // In a substep, over all rounds of contact.

// Rounds of a substep in which particles press on solids, each with a minimisation of its own.
constexpr double rounds_with_particles = 10;

/// The vertices of a body: for each its mass [kg] and the stiffness of what meets there [N/m].
struct Vertices {
  std::vector<double> mass, stiffness;
  double element_count = 0;

  explicit Vertices(std::size_t count) : mass(count, 0.0), stiffness(count, 0.0) {}
};

// [Pa] The modulus of a wave that presses.
double wave_modulus(const ElasticMaterial& material) {
  const double E = material.young_modulus, nu = material.poisson_ratio;
  return E * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
}

Vertices vertices_of(const Cloth& cloth) {
  Vertices found(cloth.mesh.vertices.size());
  for (const TriangleIndices& triangle : cloth.mesh.triangles) {
    const std::array<Vec3, 3> x{cloth.mesh.vertices[at(triangle[0])],
                                cloth.mesh.vertices[at(triangle[1])],
                                cloth.mesh.vertices[at(triangle[2])]};
    const double twice_area = (x[1] - x[0]).cross(x[2] - x[0]).norm();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t v = at(triangle[static_cast<Eigen::Index>(k)]);
      found.mass[v] += cloth.area_density * twice_area / 6;
      if (cloth.shell) {
        // A gradient of 1 / height, the height twice the area over the side across.
        const double side = (x[(k + 1) % 3] - x[(k + 2) % 3]).norm();
        found.stiffness[v] +=
            wave_modulus(cloth.shell->material) * cloth.thickness * side * side / (2 * twice_area);
      } else {
        // A triangle has half of two edges and of a diagonal, as a grid's.
        found.stiffness[v] +=
            0.5 * (cloth.structural_stiffness + cloth.shear_stiffness) + cloth.bend_stiffness;
      }
    }
  }
  found.element_count = (cloth.shell ? 2.5 : 3) * static_cast<double>(cloth.mesh.triangles.size());
  return found;
}

Vertices vertices_of(const SoftBody& body) {
  Vertices found(body.mesh.vertices.size());
  const double modulus = wave_modulus(body.material);
  for (const geometry::TetIndices& tet : body.mesh.tets) {
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k)
      x[k] = body.mesh.vertices[at(tet[k])];
    const double volume = std::abs((x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]))) / 6;
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 &a = x[(k + 1) % 4], &b = x[(k + 2) % 4], &c = x[(k + 3) % 4];
      const double gradient = (b - a).cross(c - a).norm() / (6 * volume);
      found.mass[at(tet[k])] += body.density * volume / 4;
      found.stiffness[at(tet[k])] += modulus * volume * gradient * gradient;
    }
  }
  found.element_count = static_cast<double>(body.mesh.tets.size());
  return found;
}

/// Calls visit(vertices, name, damping time) for all that deforms.
template <typename Visit>
void for_each_body(const Scene& scene, const Visit& visit) {
  for (const Cloth& cloth : scene.cloths)
    visit(vertices_of(cloth), cloth.name,
          cloth.shell ? cloth.shell->material.stiffness_damping : 0);
  for (const SoftBody& body : scene.soft_bodies)
    visit(vertices_of(body), body.name, body.material.stiffness_damping);
}

// [s] The longest substep without solids: sound may cross `cfl` cells in an explicit step.
double substep_without_solids(const Scene& scene) {
  double substep = scene.coupling.max_substep;
  if (!fluid_row_of(scene).has_sound) return substep;
  for (const Fluid& fluid : scene.fluids) {
    if (fluid.is_liquid())
      substep = std::min(substep, scene.grid.cfl * scene.grid.cell_size / fluid.sound_speed);
  }
  return substep;
}

double substeps_in_frame(const Scene& scene, double substep) {
  return std::ceil(1 / (scene.frame_rate * substep));
}

}  // namespace

FrameCost cost_of_consensus_admm(const Scene& scene) {
  FrameCost cost;
  double substep = substep_without_solids(scene), element_count = 0;
  for_each_body(scene, [&](const Vertices& body, const std::string& name, double damping) {
    element_count += body.element_count;
    for (std::size_t v = 0; v < body.mass.size(); ++v) {
      const double k = body.stiffness[v], c = damping * k, limit = stiffest_ratio * body.mass[v];
      if (!(k > 0)) continue;
      // The positive root of k h^2 + c h = 32 m.
      const double longest = 2 * limit / (c + std::sqrt(c * c + 4 * k * limit));
      if (!(longest < substep)) continue;
      substep = longest;
      cost.stiffest_body = name;
    }
  });
  cost.substep_count = substeps_in_frame(scene, substep);
  cost.seconds =
      cost.substep_count * scene.coupling.max_iterations * seconds_of_iteration * element_count;
  return cost;
}

FrameCost cost_of_newton(const Scene& scene) {
  FrameCost cost;
  cost.substep_count = substeps_in_frame(scene, substep_without_solids(scene));
  double element_count = 0;
  for_each_body(scene, [&](const Vertices& body, const std::string&, double) {
    element_count += body.element_count;
  });
  cost.seconds = cost.substep_count * newton_iterations * seconds_of_newton_iteration *
                 element_count * (scene.fluids.empty() ? 1 : rounds_with_particles);
  return cost;
}

}  // namespace sluice::scene
