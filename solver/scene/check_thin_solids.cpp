// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <numbers>
#include <string>

#include "solver/geometry/shape.h"
#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

// Of a cell: obstacles and rigid bodies are on a grid as the parts of faces and cells that they
// cover, and what is thinner than a cell covers no face for sure. Fluid then goes through.
constexpr double least_on_grid = 1;
// MPM cuts the ways of its particles at obstacles, substep by substep: nothing leaks through a
// tenth of a cell, 9 to 65 % through a hundredth.
constexpr double least_for_particles = 0.1;

// What a body's volume is of that of a ball with its surface, squared, from where on it is compact
// and no shell: a ball has 1, a cube 0.52, a plate ten times as wide as thick 0.08.
constexpr double least_compactness = 0.3;

// [m] Of a shell, the thickness of its walls: twice its volume over its surface. Of a compact body
// thrice that, which is a ball's diameter and a cube's edge.
double thickness_of(const geometry::TriangleMesh& mesh) {
  double volume = 0, area = 0;
  for (const TriangleIndices& triangle : mesh.triangles) {
    const Vec3& a = mesh.vertices[static_cast<std::size_t>(triangle[0])];
    const Vec3& b = mesh.vertices[static_cast<std::size_t>(triangle[1])];
    const Vec3& c = mesh.vertices[static_cast<std::size_t>(triangle[2])];
    volume += a.dot(b.cross(c)) / 6;
    area += (b - a).cross(c - a).norm() / 2;
  }
  if (!(area > 0)) return 0;
  const double compactness = 36 * std::numbers::pi * volume * volume / (area * area * area);
  return (compactness < least_compactness ? 2 : 6) * volume / area;
}

std::string words(double thickness, double least, double cell) {
  return fmt::format(
      "is {:.3g} m thick, less than {:.3g} m, with cells of {:.3g} m: fluid may go through it; "
      "make it thicker, or fluid_grid.cell_size smaller, or use a cloth, which lets nothing "
      "through",
      thickness, least, cell);
}

}  // namespace

void check_thin_solids(const Scene& scene, ProblemList& problems) {
  const bool is_particles = !scene.fluids.empty() && scene.grid.solver == FluidSolver::mpm;
  if ((scene.fluids.empty() && !scene.gas) || !problems.sound("fluid_grid")) return;
  const double cell = scene.grid.cell_size;
  const double least = cell * (is_particles ? least_for_particles : least_on_grid);
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const std::string path = fmt::format("obstacles[{}]", i);
    if (!problems.sound(path)) continue;
    const double thickness = 2 * geometry::smallest_half_extent(scene.obstacles[i].shape);
    if (thickness < least) problems.warn(path + ".shape", words(thickness, least, cell));
  }
  if (is_particles) return;  // Contact stops them at triangles, however thin a body is.
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    const std::string path = fmt::format("rigid_bodies[{}].mesh", i);
    if (!problems.sound(path)) continue;
    const double thickness = thickness_of(scene.rigid_bodies[i].mesh);
    if (thickness > 0 && thickness < least) problems.warn(path, words(thickness, least, cell));
  }
}

}  // namespace sluice::scene
