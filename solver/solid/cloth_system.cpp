// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/cloth_system.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "solver/parallel/parallel_for.h"

namespace sluice::solid {

namespace {

constexpr std::int64_t grain = 2048;

void add_masses(const scene::Cloth& cloth, std::size_t first_vertex, std::vector<double>& mass) {
  const auto& x = cloth.mesh.vertices;
  for (const auto& [a, b, c] : cloth.mesh.triangles) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b),
               k = static_cast<std::size_t>(c);
    const double share = (x[j] - x[i]).cross(x[k] - x[i]).norm() / 6 * cloth.area_density;
    mass[first_vertex + i] += share;
    mass[first_vertex + j] += share;
    mass[first_vertex + k] += share;
  }
}

void add_cloth(const scene::Cloth& cloth, ClothSystem& system) {
  const auto index = static_cast<std::int32_t>(system.cloths.size());
  const auto first_vertex = static_cast<std::int32_t>(system.positions.size());
  const std::size_t count = cloth.mesh.vertices.size();
  system.cloths.push_back({cloth.name, first_vertex, static_cast<std::int32_t>(count),
                           static_cast<std::int32_t>(system.triangles.size()),
                           static_cast<std::int32_t>(cloth.mesh.triangles.size()), cloth.damping,
                           cloth.thickness / 2});
  system.positions.insert(system.positions.end(), cloth.mesh.vertices.begin(),
                          cloth.mesh.vertices.end());
  system.velocities.insert(system.velocities.end(), count, cloth.velocity);
  system.cloth_of_vertex.insert(system.cloth_of_vertex.end(), count, index);
  system.mass.insert(system.mass.end(), count, 0.0);
  add_masses(cloth, static_cast<std::size_t>(first_vertex), system.mass);
  for (std::size_t i = 0; i < count; ++i) {
    const bool massless = !(system.mass[static_cast<std::size_t>(first_vertex) + i] > 0);
    system.is_held.push_back(massless ? 1 : 0);
    if (massless) system.velocities[static_cast<std::size_t>(first_vertex) + i].setZero();
  }
  for (const auto& [a, b, c] : cloth.mesh.triangles) {
    system.triangles.push_back({a + first_vertex, b + first_vertex, c + first_vertex});
  }
  for (Spring spring : lay_springs(
           cloth.mesh, {cloth.structural_stiffness, cloth.shear_stiffness, cloth.bend_stiffness})) {
    spring.a += first_vertex;
    spring.b += first_vertex;
    system.springs.push_back(spring);
  }
  for (const scene::Pin& pin : cloth.pins) {
    ClothPin held{index, pin.name, pin.vertices, pin.velocity};
    for (std::int32_t& vertex : held.vertices) {
      vertex += first_vertex;
      system.is_held[static_cast<std::size_t>(vertex)] = 1;
      system.velocities[static_cast<std::size_t>(vertex)] = pin.velocity;
    }
    system.pins.push_back(std::move(held));
  }
}

}  // namespace

ClothSystem make_cloth_system(std::span<const scene::Cloth> cloths) {
  ClothSystem system;
  for (const scene::Cloth& cloth : cloths)
    add_cloth(cloth, system);
  return system;
}

void apply_pin_velocities(ClothSystem& system) {
  for (const ClothPin& pin : system.pins) {
    for (const std::int32_t vertex : pin.vertices) {
      system.velocities[static_cast<std::size_t>(vertex)] = pin.velocity;
    }
  }
}

void set_inertial_term(const ClothSystem& system, double h, const Vec3& gravity,
                       std::span<const Anchor> anchors, InertialTerm& term) {
  const std::size_t count = system.positions.size();
  term.inertia.resize(count);
  term.targets.resize(count);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(count), grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (system.is_held[i] != 0) {
            term.inertia[i] = std::numeric_limits<double>::infinity();
            term.targets[i] = system.positions[i] + h * system.velocities[i];
            continue;
          }
          const double damping =
              system.cloths[static_cast<std::size_t>(system.cloth_of_vertex[i])].damping;
          const double kept = damping == 0 ? 1 : std::exp(-damping * h);
          term.inertia[i] = system.mass[i] / (h * h);
          term.targets[i] = system.positions[i] + h * kept * system.velocities[i] + h * h * gravity;
        }
      });
  for (const Anchor& anchor : anchors) {
    const auto i = static_cast<std::size_t>(anchor.vertex);
    if (system.is_held[i] != 0 || anchor.stiffness == 0) continue;
    const double sum = term.inertia[i] + anchor.stiffness;
    term.targets[i] += anchor.stiffness / sum * (anchor.point - term.targets[i]);
    term.inertia[i] = sum;
  }
}

}  // namespace sluice::solid
