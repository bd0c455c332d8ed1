// SPDX-License-Identifier: Apache-2.0
// Water at rest on what gives way: a sheet of springs and an elastic plate that fill the cross
// section of a tank, held at its walls. Oracle: the same solid without any fluid, under the forces
// of p = density gravity depth for that volume of water, which only knows the solid's part of the
// solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solver/coupling/admm_ipc.h"
#include "solver/geometry/box_tets.h"
#include "tests/validation/contact/watched.h"

namespace sluice::hydrostatics_test {
namespace {

constexpr double gravity = 9.81, density = 1000;
constexpr double cell = 0.02;
constexpr double half_width = 7.5 * cell;
constexpr double floor_height = 6 * cell;  ///< Height of the solid below the water, at the start.
constexpr double depth = 8 * cell;

/// A tank with water from `floor_height` on. What it stands on is still to come.
scene::Scene make_tank(double half_thickness) {
  scene::Scene scene;
  scene.domain_lower = Vec3(-half_width, -half_width, 0);
  scene.domain_upper = Vec3(half_width, half_width, floor_height + 2 * depth);
  scene.grid.cell_size = cell;
  // Half of the particles' spacing: then the particles' volume ends where the solid begins.
  scene.coupling.contact_distance = cell / 4 - half_thickness - 1e-6;
  scene.fluids.push_back({"water",
                          {test::make_box({-half_width, -half_width, floor_height},
                                          {half_width, half_width, floor_height + depth})}});
  scene.fluids[0].density = density;
  return scene;
}

/// The triangles that face the water.
std::vector<TriangleIndices> wetted(const solid::DeformableSystem& solids) {
  std::vector<TriangleIndices> found;
  std::ranges::copy_if(solids.triangles, std::back_inserter(found), [&](const TriangleIndices& t) {
    return std::ranges::all_of(t, [&](std::int32_t v) {
      return std::abs(solids.positions[static_cast<std::size_t>(v)].z() - floor_height) < 1e-9;
    });
  });
  return found;
}

/// [N] on each vertex, of the tank's volume of water above `floor`.
std::vector<Vec3> forces_of_water(std::span<const TriangleIndices> floor,
                                  std::span<const Vec3> vertices) {
  const auto corner = [&](const TriangleIndices& t, int k) -> const Vec3& {
    return vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
  };
  const auto area = [&](const TriangleIndices& t) {
    const Vec3 normal = (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)) / 2;
    return normal.z() < 0 ? normal : Vec3(-normal);  // Down, as the pressure.
  };
  const auto height = [&](const TriangleIndices& t) {
    return (corner(t, 0).z() + corner(t, 1).z() + corner(t, 2).z()) / 3;
  };
  double volume_below = 0;
  for (const TriangleIndices& t : floor)
    volume_below -= area(t).z() * height(t);
  const double surface = depth + volume_below / (4 * half_width * half_width);
  std::vector<Vec3> forces(vertices.size(), Vec3::Zero());
  for (const TriangleIndices& t : floor) {
    for (int k = 0; k < 3; ++k) {
      // The share of a corner in a pressure that is linear over the triangle.
      const double mean = (3 * height(t) + corner(t, k).z()) / 4;
      forces[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])] +=
          density * gravity * (surface - mean) / 3 * area(t);
    }
  }
  return forces;
}

double sag(std::span<const TriangleIndices> floor, std::span<const Vec3> vertices) {
  double lowest = floor_height;
  for (const TriangleIndices& t : floor) {
    for (const std::int32_t v : t)
      lowest = std::min(lowest, vertices[static_cast<std::size_t>(v)].z());
  }
  return floor_height - lowest;
}

/// [m] Under forces_of_water, from a march with much damping.
double sag_under_pressure(scene::Scene scene) {
  scene.fluids.clear();
  for (scene::Cloth& cloth : scene.cloths)
    cloth.damping = 20;
  for (scene::SoftBody& body : scene.soft_bodies)
    body.damping = 20;
  solid::DeformableSystem solids = solid::make_deformable_system(scene);
  const std::vector<TriangleIndices> floor = wetted(solids);
  coupling::AdmmIpc method(scene, solids);
  const double h = method.longest_substep(solids);
  for (int step = 0; step * h < 1; ++step) {
    const std::vector<Vec3> forces = forces_of_water(floor, solids.positions);
    coupling::ExternalActions actions;
    actions.gravity = scene.gravity;
    actions.forces = forces;
    const auto report = method.step(h, actions, solids, nullptr);
    if (!report) throw std::runtime_error(report.error().message);
  }
  return sag(floor, solids.positions);
}

/// [m] Under the water, over the last third of a second. Damping, which takes no part in what is at
/// rest, ends the swings within the two thirds before: it acts on the solid alone, and has to be
/// the higher, the more water there is to a solid's mass.
double sag_under_water(scene::Scene scene) {
  for (scene::Cloth& cloth : scene.cloths)
    cloth.damping = 1000;
  for (scene::SoftBody& body : scene.soft_bodies)
    body.damping = 40;
  const std::vector<TriangleIndices> floor = wetted(solid::make_deformable_system(scene));
  test::Watched watched(scene);
  constexpr int count = 20;
  watched.advance(60 - count);
  double mean = 0;
  for (int i = 0; i < count; ++i) {
    watched.advance(1);
    mean += sag(floor, test::positions(watched.simulation(), 1)) / count;
  }
  return mean;
}

TEST(Hydrostatics, a_held_sheet_sags_as_under_the_pressure_of_water) {
  constexpr int vertices = 19;
  constexpr double thickness = 1e-4;
  scene::Scene scene = make_tank(thickness / 2);
  scene::Cloth sheet = test::make_sheet(vertices, vertices, 2 * half_width / (vertices - 1),
                                        Vec3(0, 0, floor_height));
  sheet.thickness = thickness;
  sheet.area_density = 2;
  sheet.structural_stiffness = 8000;
  sheet.shear_stiffness = 3000;
  sheet.pins = {test::make_pin(test::rim(vertices, vertices))};
  scene.cloths = {sheet};
  const double expected = sag_under_pressure(scene);
  EXPECT_GT(expected, cell);  // It is no plane any more.
  EXPECT_NEAR(sag_under_water(scene), expected, 0.03 * expected);
}

TEST(Hydrostatics, an_elastic_plate_bends_as_under_the_pressure_of_water) {
  constexpr double thickness = 3 * cell;
  scene::Scene scene = make_tank(0);
  scene::SoftBody plate;
  plate.name = "plate";
  plate.mesh = geometry::box_tets({half_width, half_width, thickness / 2}, cell, 100'000).value();
  for (Vec3& x : plate.mesh.vertices)
    x.z() += floor_height - thickness / 2;
  plate.material.young_modulus = 2e5;
  plate.material.poisson_ratio = 0.3;
  plate.pins = {test::make_pin({})};
  for (std::size_t i = 0; i < plate.mesh.vertices.size(); ++i) {
    const Vec3& x = plate.mesh.vertices[i];
    if (std::max(std::abs(x.x()), std::abs(x.y())) > half_width - 1e-9)
      plate.pins[0].vertices.push_back(static_cast<std::int32_t>(i));
  }
  scene.soft_bodies = {plate};
  const double expected = sag_under_pressure(scene);
  EXPECT_GT(expected, 5e-3);
  EXPECT_NEAR(sag_under_water(scene), expected, 0.03 * expected);
}

}  // namespace
}  // namespace sluice::hydrostatics_test
