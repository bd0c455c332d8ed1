// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/deformable_system.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "solver/geometry/mesh_edges.h"
#include "solver/geometry/tet_surface.h"
#include "solver/parallel/parallel_for.h"
#include "solver/solid/bending_potential.h"
#include "solver/solid/continuum.h"
#include "solver/solid/kelvin_voigt.h"

namespace sluice::solid {

namespace {

constexpr std::int64_t deformable_system_grain = 2048;

/// The data that all kinds of bodies have.
struct BodyFacts {
  const std::string& name;
  std::span<const Vec3> vertices;
  Vec3 velocity;
  double damping, half_thickness, gravity_scale;
  std::span<const scene::Pin> pins;
};

/// Appends the triangles of a body whose vertices begin at `first_vertex`.
void add_triangles(std::span<const TriangleIndices> triangles, std::int32_t first_vertex,
                   DeformableSystem& system) {
  for (const auto& [a, b, c] : triangles) {
    system.triangles.push_back({a + first_vertex, b + first_vertex, c + first_vertex});
  }
}

/// Appends a body's vertices, without mass yet, and makes its range, which begins where the
/// system's elements end.
BodyRange& add_body(const BodyFacts& body, DeformableSystem& system) {
  const auto index = static_cast<std::int32_t>(system.bodies.size());
  const std::size_t count = body.vertices.size();
  system.bodies.push_back({body.name, static_cast<std::int32_t>(system.positions.size()),
                           static_cast<std::int32_t>(count),
                           static_cast<std::int32_t>(system.triangles.size()), 0,
                           static_cast<std::int32_t>(system.tets.size()), 0, body.damping,
                           body.half_thickness, body.gravity_scale});
  system.positions.insert(system.positions.end(), body.vertices.begin(), body.vertices.end());
  system.velocities.insert(system.velocities.end(), count, body.velocity);
  system.body_of_vertex.insert(system.body_of_vertex.end(), count, index);
  system.mass.insert(system.mass.end(), count, 0.0);
  system.is_held.insert(system.is_held.end(), count, 0);
  return system.bodies.back();
}

/// Holds the last body's vertices without mass, and those of its pins.
void hold_vertices(const BodyFacts& body, DeformableSystem& system) {
  const auto index = static_cast<std::int32_t>(system.bodies.size()) - 1;
  const std::int32_t first_vertex = system.bodies.back().first_vertex;
  for (auto i = static_cast<std::size_t>(first_vertex); i < system.mass.size(); ++i) {
    if (system.mass[i] > 0) continue;
    system.is_held[i] = 1;
    system.velocities[i].setZero();
  }
  for (const scene::Pin& pin : body.pins) {
    BodyPin held{index, pin.name, pin.vertices, pin.velocity, pin.angular_velocity, pin.center};
    for (std::int32_t& vertex : held.vertices) {
      vertex += first_vertex;
      system.is_held[static_cast<std::size_t>(vertex)] = 1;
    }
    system.pins.push_back(std::move(held));
  }
}

IsotropicMaterial material_of(const scene::ElasticMaterial& material) {
  const auto lame = lame_of({material.young_modulus, material.poisson_ratio});
  assert(lame);  // The scene is valid.
  return {material.model, lame.value()};
}

/// `lame`: the constants that the damped elements have.
Viscosity viscosity_of(const scene::ElasticMaterial& material, const Lame& lame) {
  const Viscosity rayleigh = rayleigh_viscosity(lame, material.stiffness_damping);
  return {rayleigh.phi + material.kelvin_voigt_lambda, rayleigh.psi + material.kelvin_voigt_mu};
}

void add_springs(const scene::Cloth& cloth, std::int32_t first_vertex, DeformableSystem& system) {
  for (Spring spring : lay_springs(
           cloth.mesh, {cloth.structural_stiffness, cloth.shear_stiffness, cloth.bend_stiffness})) {
    spring.a += first_vertex;
    spring.b += first_vertex;
    system.springs.push_back(spring);
  }
}

/// `triangles` into the system's arrays.
void add_shell(const scene::ShellMaterial& shell, double thickness,
               std::span<const TriangleIndices> triangles, DeformableSystem& system) {
  const std::span<const Vec3> rest = system.positions;
  const IsotropicMaterial material = material_of(shell.material);
  system.elements.push_back(
      make_membrane(rest, triangles, material, thickness,
                    shell.plane_strain ? SheetState::plane_strain : SheetState::plane_stress));
  const double bending =
      shell.bend_scale *
      bending_stiffness({shell.material.young_modulus, shell.material.poisson_ratio}, thickness);
  if (bending > 0) {
    system.elements.push_back(std::make_unique<BendingPotential>(rest, triangles, bending));
  }
  if (shell.material.is_damped()) {
    const Lame lame = shell.plane_strain ? material.lame : plane_stress(material.lame);
    system.dampers.push_back(
        make_membrane_damping(rest, triangles, viscosity_of(shell.material, lame), thickness));
  }
}

/// Adds the elements of a slice, as add_shell does those of a shell.
void add_slice(const scene::ElasticMaterial& material, double thickness,
               std::span<const TriangleIndices> triangles, DeformableSystem& system) {
  const std::span<const Vec3> rest = system.positions;
  const IsotropicMaterial made_of = material_of(material);
  system.elements.push_back(make_slice(rest, triangles, made_of, thickness));
  if (material.is_damped()) {
    system.dampers.push_back(
        make_slice_damping(rest, triangles, viscosity_of(material, made_of.lame), thickness));
  }
}

/// A slice (scene::are_cloths_slices) is thick across its plane, and meets others in it: to the
/// last bit, so that nothing pushes it out.
void add_cloth(const scene::Cloth& cloth, std::optional<double> plane_of_slice,
               DeformableSystem& system) {
  const bool is_slice = plane_of_slice.has_value();
  const BodyFacts facts{cloth.name,
                        cloth.mesh.vertices,
                        cloth.velocity,
                        cloth.damping,
                        is_slice ? 0 : cloth.thickness / 2,
                        cloth.gravity_scale,
                        cloth.pins};
  BodyRange& range = add_body(facts, system);
  add_triangles(cloth.mesh.triangles, range.first_vertex, system);
  range.triangle_count = static_cast<std::int32_t>(cloth.mesh.triangles.size());
  const auto first = static_cast<std::size_t>(range.first_vertex);
  for (std::size_t i = first; is_slice && i < system.positions.size(); ++i)
    system.positions[i].y() = *plane_of_slice;
  const auto& x = cloth.mesh.vertices;
  for (const auto& [a, b, c] : cloth.mesh.triangles) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b),
               k = static_cast<std::size_t>(c);
    const double share = (x[j] - x[i]).cross(x[k] - x[i]).norm() / 6 * cloth.area_density;
    for (const std::size_t corner : {i, j, k})
      system.mass[first + corner] += share;
  }
  const std::span<const TriangleIndices> triangles =
      std::span(system.triangles).subspan(static_cast<std::size_t>(range.first_triangle));
  if (cloth.shell && is_slice) {
    add_slice(cloth.shell->material, cloth.thickness, triangles, system);
  } else if (cloth.shell) {
    add_shell(*cloth.shell, cloth.thickness, triangles, system);
  } else {
    add_springs(cloth, range.first_vertex, system);
  }
  hold_vertices(facts, system);
}

void add_soft_body(const scene::SoftBody& body, DeformableSystem& system) {
  const BodyFacts facts{body.name, body.mesh.vertices, body.velocity, body.damping,
                        0,         body.gravity_scale, body.pins};
  BodyRange& range = add_body(facts, system);
  const geometry::TetSurface surface = geometry::boundary_surface(body.mesh);
  for (const TriangleIndices& triangle : surface.mesh.triangles) {
    TriangleIndices corners{};
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = surface.vertex_of[static_cast<std::size_t>(triangle[i])] + range.first_vertex;
    }
    system.triangles.push_back(corners);
  }
  range.triangle_count = static_cast<std::int32_t>(surface.mesh.triangles.size());
  std::vector<geometry::TetIndices> tets = body.mesh.tets;
  for (geometry::TetIndices& tet : tets) {
    const double volume = geometry::signed_volume(geometry::corners_of(body.mesh, tet));
    for (std::int32_t& corner : tet) {
      corner += range.first_vertex;
      system.mass[static_cast<std::size_t>(corner)] += volume / 4 * body.density;
    }
  }
  range.tet_count = static_cast<std::int32_t>(tets.size());
  system.tets.insert(system.tets.end(), tets.begin(), tets.end());
  hold_vertices(facts, system);
  system.elements.push_back(make_tets(system.positions, tets, material_of(body.material)));
  if (body.material.is_damped()) {
    system.dampers.push_back(make_tet_damping(
        system.positions, tets, viscosity_of(body.material, material_of(body.material).lame)));
  }
}

PoseTrack track_of(const scene::RigidBody& body, const Pose& start) {
  std::vector<PoseKey> keys{{0, start}};
  for (const scene::PoseKey& key : body.script) {
    keys.push_back({key.time, {start.translation + key.offset, key.rotation * start.rotation}});
  }
  auto track = PoseTrack::make(std::move(keys));
  assert(track);  // The scene is valid.
  return std::move(track).value();
}

void add_rigid_body(const scene::RigidBody& body, DeformableSystem& system) {
  const BodyFacts facts{
      body.name, body.mesh.vertices, body.velocity, body.damping, 0, body.gravity_scale, {}};
  BodyRange& range = add_body(facts, system);
  range.rigid_body = static_cast<std::int32_t>(system.rigid_bodies.size());
  add_triangles(body.mesh.triangles, range.first_vertex, system);
  range.triangle_count = static_cast<std::int32_t>(body.mesh.triangles.size());
  const auto properties = mass_properties(body.mesh, body.density);
  assert(properties);  // The scene is valid.
  RigidMember member{static_cast<std::int32_t>(system.bodies.size()) - 1,
                     make_rigid_body(properties.value()),
                     {},
                     {},
                     {}};
  member.state = make_rigid_state(member.inertia, {}, body.velocity, body.angular_velocity);
  if (!body.script.empty()) member.script = track_of(body, member.state.world_from_body);
  const Pose body_from_world = inverse(member.state.world_from_body);
  const double share = member.inertia.mass / static_cast<double>(range.vertex_count);
  for (auto i = static_cast<std::size_t>(range.first_vertex); i < system.positions.size(); ++i) {
    member.points.push_back(transform(body_from_world, system.positions[i]));
    system.mass[i] = share;
    system.is_held[i] = 1;
  }
  place_vertices(member, system);
  system.rigid_bodies.push_back(std::move(member));
}

std::int32_t vertex_of(const scene::SpringEnd& end, const DeformableSystem& system) {
  const auto body = std::find_if(system.bodies.begin(), system.bodies.end(),
                                 [&](const BodyRange& range) { return range.name == end.body; });
  assert(body != system.bodies.end());
  return body->first_vertex + end.vertex;
}

void add_springs_between(const scene::Scene& scene, DeformableSystem& system) {
  for (const scene::BodySpring& spring : scene.springs) {
    const std::int32_t a = vertex_of(spring.a, system);
    const std::int32_t b = vertex_of(spring.b, system);
    const double distance = (system.positions[static_cast<std::size_t>(a)] -
                             system.positions[static_cast<std::size_t>(b)])
                                .norm();
    system.springs.push_back({std::min(a, b), std::max(a, b), spring.stiffness,
                              spring.rest_length.value_or(distance), SpringKind::structural});
  }
}

}  // namespace

DeformableSystem make_deformable_system(const scene::Scene& scene) {
  DeformableSystem system;
  std::optional<double> plane_of_slices;
  if (scene::are_cloths_slices(scene))
    plane_of_slices = static_cast<double>(scene::plane_of_particles(scene));
  for (const scene::Cloth& cloth : scene.cloths)
    add_cloth(cloth, plane_of_slices, system);
  for (const scene::SoftBody& body : scene.soft_bodies)
    add_soft_body(body, system);
  for (const scene::RigidBody& body : scene.rigid_bodies)
    add_rigid_body(body, system);
  apply_pin_velocities(system);
  add_springs_between(scene, system);
  system.edges = geometry::mesh_edges(system.triangles);
  return system;
}

void place_vertices(const RigidMember& member, DeformableSystem& system) {
  const auto first =
      static_cast<std::size_t>(system.bodies[static_cast<std::size_t>(member.body)].first_vertex);
  for (std::size_t v = 0; v < member.points.size(); ++v) {
    Vec3& x = system.positions[first + v];
    x = transform(member.state.world_from_body, member.points[v]);
    system.velocities[first + v] = velocity_at(member.inertia, member.state, x);
  }
}

double elastic_energy(const DeformableSystem& system) {
  double sum = energy(system.springs, system.positions);
  for (const auto& elements : system.elements)
    sum += elements->energy(system.positions);
  return sum;
}

void apply_pin_velocities(DeformableSystem& system) {
  for (const BodyPin& pin : system.pins) {
    for (const std::int32_t vertex : pin.vertices) {
      const auto i = static_cast<std::size_t>(vertex);
      system.velocities[i] = pin.velocity;
      if (!pin.is_turning()) continue;
      system.velocities[i] += pin.angular_velocity.cross(system.positions[i] - pin.center);
    }
  }
}

void advance_pins(DeformableSystem& system, double h) {
  bool is_turning = false;
  for (BodyPin& pin : system.pins) {
    pin.center += h * pin.velocity;
    is_turning |= pin.is_turning();
  }
  if (is_turning) apply_pin_velocities(system);
}

namespace {

// The part of a velocity that air leaves in a step.
double kept_part(const BodyRange& body, double h) {
  return body.damping == 0 ? 1 : std::exp(-body.damping * h);
}

}  // namespace

void set_inertial_term(const DeformableSystem& system, double h, const Vec3& gravity,
                       std::span<const Vec3> forces, std::span<const Anchor> anchors,
                       InertialTerm& term, const ThetaRule& rule) {
  const std::size_t count = system.positions.size();
  term.inertia.resize(count);
  term.targets.resize(count);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(count), deformable_system_grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (system.is_held[i] != 0) {
            term.inertia[i] = std::numeric_limits<double>::infinity();
            term.targets[i] = system.positions[i] + h * system.velocities[i];
            continue;
          }
          const BodyRange& body = system.bodies[static_cast<std::size_t>(system.body_of_vertex[i])];
          const double theta = rule.part;
          term.inertia[i] = system.mass[i] / (theta * theta * h * h);
          term.targets[i] = system.positions[i] + h * kept_part(body, h) * system.velocities[i] +
                            theta * h * h * (body.gravity_scale * gravity);
          if (!forces.empty()) term.targets[i] += forces[i] / (theta * term.inertia[i]);
          if (theta < 1)
            term.targets[i] += (1 - theta) / theta * rule.elastic_forces[i] / term.inertia[i];
        }
      });
  // On the arc: along the velocity a vertex would leave the axis further behind with each step.
  for (const BodyPin& pin : system.pins) {
    if (!pin.is_turning()) continue;
    const double speed = pin.angular_velocity.norm();
    const Eigen::AngleAxisd turn(h * speed, pin.angular_velocity / speed);
    for (const std::int32_t vertex : pin.vertices) {
      const auto i = static_cast<std::size_t>(vertex);
      term.targets[i] = pin.center + h * pin.velocity + turn * (system.positions[i] - pin.center);
    }
  }
  for (const Anchor& anchor : anchors) {
    const auto i = static_cast<std::size_t>(anchor.vertex);
    if (system.is_held[i] != 0 || anchor.stiffness == 0) continue;
    const double stiffness = anchor.stiffness / rule.part;
    const double sum = term.inertia[i] + stiffness;
    term.targets[i] += stiffness / sum * (anchor.point - term.targets[i]);
    term.inertia[i] = sum;
  }
}

Vec3 end_velocity(const DeformableSystem& system, double h, std::size_t vertex, const Vec3& x,
                  const ThetaRule& rule) {
  Vec3 mean = (x - system.positions[vertex]) / h;
  if (rule.part == 1) return mean;
  const BodyRange& body = system.bodies[static_cast<std::size_t>(system.body_of_vertex[vertex])];
  return (mean - (1 - rule.part) * kept_part(body, h) * system.velocities[vertex]) / rule.part;
}

}  // namespace sluice::solid
