// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "solver/geometry/shape.h"
#include "solver/geometry/tet_mesh.h"
#include "solver/geometry/triangle_mesh.h"
#include "solver/scene/gas.h"
#include "solver/scene/scene.h"
#include "solver/scene/time_span.h"

/// All fields of the structs of a scene, for code that must not forget one: visit_fields(struct,
/// visit) calls visit(field, field, ...) with references to all fields of that struct that decide
/// what is simulated. The names of each struct are a structured binding, so that a field which is
/// added to the struct and not here is a compile error.
namespace sluice::scene {

/// `Self` is `Struct`, or the same const.
template <typename Self, typename Struct>
concept Of = std::same_as<std::remove_const_t<Self>, Struct>;

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

template <Of<TimeSpan> Self, typename Visit>
void visit_fields(Self& span, Visit&& visit) {
  auto& [start, stop] = span;
  visit(start, stop);
}

template <Of<GasContent> Self, typename Visit>
void visit_fields(Self& content, Visit&& visit) {
  auto& [velocity, smoke, temperature, dye] = content;
  visit(velocity, smoke, temperature, dye);
}

template <Of<GasRegion> Self, typename Visit>
void visit_fields(Self& region, Visit&& visit) {
  auto& [shape, content] = region;
  visit(shape, content);
}

template <Of<GasSource> Self, typename Visit>
void visit_fields(Self& source, Visit&& visit) {
  auto& [shape, content, open] = source;
  visit(shape, content, open);
}

template <Of<Gas> Self, typename Visit>
void visit_fields(Self& gas, Visit&& visit) {
  auto& [name, carries, velocity, regions, sources, density, dynamic_viscosity, ambient_temperature,
         smoke_density, fading, cooling, vorticity_confinement, advection] = gas;
  visit(name, carries, velocity, regions, sources, density, dynamic_viscosity, ambient_temperature,
        smoke_density, fading, cooling, vorticity_confinement, advection);
}

template <Of<Bingham> Self, typename Visit>
void visit_fields(Self& bingham, Visit&& visit) {
  auto& [yield_stress, shear_modulus] = bingham;
  visit(yield_stress, shear_modulus);
}

template <Of<Jelly> Self, typename Visit>
void visit_fields(Self& jelly, Visit&& visit) {
  auto& [young_modulus, poisson_ratio] = jelly;
  visit(young_modulus, poisson_ratio);
}

template <Of<Sand> Self, typename Visit>
void visit_fields(Self& sand, Visit&& visit) {
  auto& [young_modulus, poisson_ratio, friction_angle] = sand;
  visit(young_modulus, poisson_ratio, friction_angle);
}

template <Of<Snow> Self, typename Visit>
void visit_fields(Self& snow, Visit&& visit) {
  auto& [young_modulus, poisson_ratio, critical_compression, critical_stretch, hardening] = snow;
  visit(young_modulus, poisson_ratio, critical_compression, critical_stretch, hardening);
}

template <Of<Emitter> Self, typename Visit>
void visit_fields(Self& emitter, Visit&& visit) {
  auto& [name, shape, velocity, rate, open] = emitter;
  visit(name, shape, velocity, rate, open);
}

template <Of<Drain> Self, typename Visit>
void visit_fields(Self& drain, Visit&& visit) {
  auto& [shape, open] = drain;
  visit(shape, open);
}

template <Of<Fluid> Self, typename Visit>
void visit_fields(Self& fluid, Visit&& visit) {
  auto& [name, regions, emitters, velocity, density, material, sound_speed, eos_exponent,
         dynamic_viscosity] = fluid;
  visit(name, regions, emitters, velocity, density, material, sound_speed, eos_exponent,
        dynamic_viscosity);
}

template <Of<PressureSettings> Self, typename Visit>
void visit_fields(Self& pressure, Visit&& visit) {
  auto& [preconditioner, tolerance, max_iterations] = pressure;
  visit(preconditioner, tolerance, max_iterations);
}

template <Of<SideVelocity> Self, typename Visit>
void visit_fields(Self& side, Visit&& visit) {
  auto& [velocity, is_parabolic] = side;
  visit(velocity, is_parabolic);
}

template <Of<FluidGrid> Self, typename Visit>
void visit_fields(Self& grid, Visit&& visit) {
  auto& [cell_size, kernel, particles_per_axis, cfl, wall, wall_friction, sides, max_particles,
         dimensions, solver, transfer, flip_ratio, pressure, path_integrator, side_velocities] =
      grid;
  visit(cell_size, kernel, particles_per_axis, cfl, wall, wall_friction, sides, max_particles,
        dimensions, solver, transfer, flip_ratio, pressure, path_integrator, side_velocities);
}

template <Of<Pin> Self, typename Visit>
void visit_fields(Self& pin, Visit&& visit) {
  auto& [name, vertices, velocity, angular_velocity, center] = pin;
  visit(name, vertices, velocity, angular_velocity, center);
}

template <Of<ElasticMaterial> Self, typename Visit>
void visit_fields(Self& material, Visit&& visit) {
  auto& [model, young_modulus, poisson_ratio, stiffness_damping, kelvin_voigt_lambda,
         kelvin_voigt_mu] = material;
  visit(model, young_modulus, poisson_ratio, stiffness_damping, kelvin_voigt_lambda,
        kelvin_voigt_mu);
}

template <Of<ShellMaterial> Self, typename Visit>
void visit_fields(Self& shell, Visit&& visit) {
  auto& [material, bend_scale, plane_strain] = shell;
  visit(material, bend_scale, plane_strain);
}

template <Of<Cloth> Self, typename Visit>
void visit_fields(Self& cloth, Visit&& visit) {
  auto& [name, mesh, velocity, area_density, structural_stiffness, shear_stiffness, bend_stiffness,
         damping, thickness, gravity_scale, friction, wall, shell, pins] = cloth;
  visit(name, mesh, velocity, area_density, structural_stiffness, shear_stiffness, bend_stiffness,
        damping, thickness, gravity_scale, friction, wall, shell, pins);
}

template <Of<SoftBody> Self, typename Visit>
void visit_fields(Self& body, Visit&& visit) {
  auto& [name, mesh, velocity, density, material, damping, gravity_scale, friction, wall, pins] =
      body;
  visit(name, mesh, velocity, density, material, damping, gravity_scale, friction, wall, pins);
}

template <Of<PoseKey> Self, typename Visit>
void visit_fields(Self& key, Visit&& visit) {
  auto& [time, offset, rotation] = key;
  visit(time, offset, rotation);
}

template <Of<RigidBody> Self, typename Visit>
void visit_fields(Self& body, Visit&& visit) {
  auto& [name, mesh, density, velocity, angular_velocity, friction, restitution, wall, damping,
         gravity_scale, script] = body;
  visit(name, mesh, density, velocity, angular_velocity, friction, restitution, wall, damping,
        gravity_scale, script);
}

template <Of<Wind> Self, typename Visit>
void visit_fields(Self& wind, Visit&& visit) {
  auto& [velocity, gust_strength, gust_period, density, normal_drag, tangential_drag] = wind;
  visit(velocity, gust_strength, gust_period, density, normal_drag, tangential_drag);
}

template <Of<SpringEnd> Self, typename Visit>
void visit_fields(Self& end, Visit&& visit) {
  auto& [body, vertex] = end;
  visit(body, vertex);
}

template <Of<BodySpring> Self, typename Visit>
void visit_fields(Self& spring, Visit&& visit) {
  auto& [a, b, stiffness, rest_length] = spring;
  visit(a, b, stiffness, rest_length);
}

template <Of<Obstacle> Self, typename Visit>
void visit_fields(Self& obstacle, Visit&& visit) {
  auto& [name, shape, wall, friction, restitution, velocity] = obstacle;
  visit(name, shape, wall, friction, restitution, velocity);
}

template <Of<ContactPair> Self, typename Visit>
void visit_fields(Self& pair, Visit&& visit) {
  auto& [body_a, body_b, friction, restitution] = pair;
  visit(body_a, body_b, friction, restitution);
}

template <Of<Coupling> Self, typename Visit>
void visit_fields(Self& coupling, Visit&& visit) {
  auto& [method, contact_distance, max_iterations, tolerance, max_substep, step_filter, drag] =
      coupling;
  visit(method, contact_distance, max_iterations, tolerance, max_substep, step_filter, drag);
}

template <Of<SolidSolver> Self, typename Visit>
void visit_fields(Self& solver, Visit&& visit) {
  auto& [integrator, max_iterations, tolerance] = solver;
  visit(integrator, max_iterations, tolerance);
}

template <Of<Output> Self, typename Visit>
void visit_fields(Self& output, Visit&& visit) {
  auto& [fields] = output;
  visit(fields);
}

/// Without the scene's name, and its number of frames, which may be raised to go on.
template <Of<Scene> Self, typename Visit>
void visit_fields(Self& scene, Visit&& visit) {
  auto& [name, gravity, domain_lower, domain_upper, frame_count, frame_rate, grid, coupling,
         solid_solver, fluids, drains, gas, cloths, soft_bodies, rigid_bodies, obstacles, wind,
         springs, contact_pairs, output] = scene;
  visit(gravity, domain_lower, domain_upper, frame_rate, grid, coupling, solid_solver, fluids,
        drains, gas, cloths, soft_bodies, rigid_bodies, obstacles, wind, springs, contact_pairs,
        output);
}

}  // namespace sluice::scene
