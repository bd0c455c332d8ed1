// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "solver/scene/scene.h"

namespace sluice::test {

/// A gas in two dimensions, in a domain from the origin to (width, ., height), 1 cm deep around y =
/// 0, without gravity.
inline scene::Scene flat_gas(double width, double height, double cell, double density) {
  scene::Scene scene;
  scene.domain_lower = Vec3(0, -0.005, 0);
  scene.domain_upper = Vec3(width, 0.005, height);
  scene.gravity = Vec3::Zero();
  scene.grid.cell_size = cell;
  scene.grid.dimensions = 2;
  scene.grid.cfl = 2;
  scene.gas.emplace();
  scene.gas->name = "gas";
  scene.gas->carries = {};
  scene.gas->density = density;
  scene.coupling.method = scene::CouplingMethod::boundary_map;
  scene.coupling.contact_distance = 0.1 * cell;
  scene.coupling.max_substep = 0.1;
  scene.solid_solver.integrator = scene::Integrator::newton;
  scene.solid_solver.tolerance = 1e-6;
  return scene;
}

/// A slice of an elastic body for `flat_gas`: nx x nz cells of four triangles around a midpoint,
/// which have no preferred diagonal. at(u, v) is a place of it [m], for u and v in [0, 1].
template <typename At>
scene::Cloth make_slice(const char* name, int nx, int nz, const At& at, double density,
                        const scene::ElasticMaterial& material) {
  scene::Cloth cloth;
  cloth.name = name;
  const auto add = [&](double i, double j) {
    cloth.mesh.vertices.push_back(at(i / nx, j / nz));
    return static_cast<std::int32_t>(cloth.mesh.vertices.size()) - 1;
  };
  for (int j = 0; j <= nz; ++j) {
    for (int i = 0; i <= nx; ++i)
      add(i, j);
  }
  for (int j = 0; j < nz; ++j) {
    for (int i = 0; i < nx; ++i) {
      const std::int32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      const std::int32_t middle = add(i + 0.5, j + 0.5);
      for (const auto& [p, q] : {std::array{a, b}, {b, d}, {d, c}, {c, a}})
        cloth.mesh.triangles.push_back({p, q, middle});
    }
  }
  cloth.thickness = 0.01;
  cloth.area_density = density * cloth.thickness;
  cloth.shell.emplace();
  cloth.shell->plane_strain = true;
  cloth.shell->material = material;
  return cloth;
}

/// A slice of a disc: a square whose rings are mapped to circles.
inline scene::Cloth make_disc(const char* name, int count, const Vec3& centre, double radius,
                              double density, const scene::ElasticMaterial& material) {
  return make_slice(
      name, count, count,
      [&](double u, double v) {
        const double x = 2 * u - 1, z = 2 * v - 1;
        const double out = std::max(std::abs(x), std::abs(z)), length = std::hypot(x, z);
        return Vec3(centre + (length > 0 ? radius * out / length : 0) * Vec3(x, 0, z));
      },
      density, material);
}

/// Holds the vertices of the first column.
inline void clamp_start(int nx, int nz, scene::Cloth& cloth) {
  scene::Pin clamp;
  clamp.name = "clamp";
  for (std::int32_t j = 0; j <= nz; ++j)
    clamp.vertices.push_back(j * (nx + 1));
  cloth.pins = {clamp};
}

}  // namespace sluice::test
