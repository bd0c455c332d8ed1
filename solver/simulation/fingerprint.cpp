// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/fingerprint.h"

#include <variant>

#include "solver/bytes.h"

namespace sluice::simulation {

namespace {

void put(ByteWriter& out, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis)
    out.put(v[axis]);
}

struct PutForm {
  ByteWriter& out;
  void operator()(const geometry::Box& form) const { put(out, form.half_extents); }
  void operator()(const geometry::Sphere& form) const { out.put(form.radius); }
  void operator()(const geometry::Capsule& form) const {
    out.put(form.radius);
    out.put(form.half_length);
  }
  void operator()(const geometry::Cylinder& form) const {
    out.put(form.radius);
    out.put(form.half_length);
  }
  void operator()(const geometry::HalfSpace&) const {}
};

void put(ByteWriter& out, const geometry::Shape& shape) {
  out.put(static_cast<std::uint64_t>(shape.form.index()));
  std::visit(PutForm{out}, shape.form);
  put(out, shape.translation);
  for (int i = 0; i < 9; ++i)
    out.put(shape.rotation.data()[i]);
}

struct PutFluidMaterial {
  ByteWriter& out;

  void operator()(const std::monostate& /*newtonian*/) const {}
  void operator()(const scene::Bingham& bingham) const {
    out.put(bingham.yield_stress);
    out.put(bingham.shear_modulus);
  }
  void operator()(const scene::Jelly& jelly) const {
    out.put(jelly.young_modulus);
    out.put(jelly.poisson_ratio);
  }
  void operator()(const scene::Sand& sand) const {
    for (const double value : {sand.young_modulus, sand.poisson_ratio, sand.friction_angle})
      out.put(value);
  }
  void operator()(const scene::Snow& snow) const {
    for (const double value : {snow.young_modulus, snow.poisson_ratio, snow.critical_compression,
                               snow.critical_stretch, snow.hardening}) {
      out.put(value);
    }
  }
};

void put(ByteWriter& out, const scene::TimeSpan& times) {
  out.put(times.start);
  out.put(times.stop);
}

void put(ByteWriter& out, const scene::Fluid& fluid) {
  out.put_text(fluid.name);
  out.put(static_cast<std::uint64_t>(fluid.emitters.size()));
  for (const scene::Emitter& emitter : fluid.emitters) {
    out.put_text(emitter.name);
    put(out, emitter.shape);
    put(out, emitter.velocity);
    out.put(emitter.rate);
    put(out, emitter.open);
  }
  out.put(static_cast<std::uint64_t>(fluid.regions.size()));
  for (const geometry::Shape& region : fluid.regions)
    put(out, region);
  put(out, fluid.velocity);
  out.put(fluid.density);
  out.put(fluid.sound_speed);
  out.put(fluid.eos_exponent);
  out.put(fluid.dynamic_viscosity);
  out.put(static_cast<std::uint8_t>(fluid.material.index()));
  std::visit(PutFluidMaterial{out}, fluid.material);
}

void put(ByteWriter& out, const std::optional<double>& value) {
  out.put(static_cast<std::uint8_t>(value ? 1 : 0));
  out.put(value.value_or(0));
}

void put(ByteWriter& out, const std::optional<Vec3>& value) {
  out.put(static_cast<std::uint8_t>(value ? 1 : 0));
  put(out, value.value_or(Vec3::Zero()));
}

void put(ByteWriter& out, const scene::GasContent& content) {
  put(out, content.velocity);
  put(out, content.smoke);
  put(out, content.temperature);
  put(out, content.dye);
}

void put(ByteWriter& out, const scene::Gas& gas) {
  out.put_text(gas.name);
  out.put(static_cast<std::uint64_t>(gas.carries.size()));
  for (const scene::Carried what : gas.carries)
    out.put(static_cast<std::int32_t>(what));
  put(out, gas.velocity);
  out.put(static_cast<std::uint64_t>(gas.regions.size()));
  for (const scene::GasRegion& region : gas.regions) {
    put(out, region.shape);
    put(out, region.content);
  }
  out.put(static_cast<std::uint64_t>(gas.sources.size()));
  for (const scene::GasSource& source : gas.sources) {
    put(out, source.shape);
    put(out, source.content);
    put(out, source.open);
  }
  for (const double value :
       {gas.density, gas.dynamic_viscosity, gas.ambient_temperature, gas.smoke_density, gas.fading,
        gas.cooling, gas.vorticity_confinement}) {
    out.put(value);
  }
  out.put(static_cast<std::int32_t>(gas.advection));
}

void put(ByteWriter& out, const std::vector<scene::Pin>& pins) {
  out.put(static_cast<std::uint64_t>(pins.size()));
  for (const scene::Pin& pin : pins) {
    out.put_text(pin.name);
    out.put_array(std::span<const std::int32_t>(pin.vertices));
    for (const Vec3& vector : {pin.velocity, pin.angular_velocity, pin.center})
      put(out, vector);
  }
}

void put(ByteWriter& out, const scene::ElasticMaterial& material) {
  out.put(static_cast<std::int32_t>(material.model));
  for (const double value :
       {material.young_modulus, material.poisson_ratio, material.stiffness_damping,
        material.kelvin_voigt_lambda, material.kelvin_voigt_mu}) {
    out.put(value);
  }
}

void put(ByteWriter& out, scene::WallCondition wall) { out.put(static_cast<std::int32_t>(wall)); }

void put(ByteWriter& out, const scene::Cloth& cloth) {
  out.put_text(cloth.name);
  out.put_array(std::span<const Vec3>(cloth.mesh.vertices));
  out.put_array(std::span<const TriangleIndices>(cloth.mesh.triangles));
  put(out, cloth.velocity);
  for (const double value :
       {cloth.area_density, cloth.structural_stiffness, cloth.shear_stiffness, cloth.bend_stiffness,
        cloth.damping, cloth.thickness, cloth.gravity_scale, cloth.friction}) {
    out.put(value);
  }
  put(out, cloth.wall);
  out.put(static_cast<std::uint8_t>(cloth.shell ? 1 : 0));
  if (cloth.shell) {
    put(out, cloth.shell->material);
    out.put(cloth.shell->bend_scale);
    out.put(static_cast<std::uint8_t>(cloth.shell->plane_strain ? 1 : 0));
  }
  put(out, cloth.pins);
}

void put(ByteWriter& out, const scene::SoftBody& body) {
  out.put_text(body.name);
  out.put_array(std::span<const Vec3>(body.mesh.vertices));
  out.put_array(std::span<const geometry::TetIndices>(body.mesh.tets));
  put(out, body.velocity);
  put(out, body.material);
  for (const double value : {body.density, body.damping, body.gravity_scale, body.friction}) {
    out.put(value);
  }
  put(out, body.wall);
  put(out, body.pins);
}

void put(ByteWriter& out, const scene::RigidBody& body) {
  out.put_text(body.name);
  out.put_array(std::span<const Vec3>(body.mesh.vertices));
  out.put_array(std::span<const TriangleIndices>(body.mesh.triangles));
  put(out, body.velocity);
  put(out, body.angular_velocity);
  for (const double value :
       {body.density, body.friction, body.restitution, body.damping, body.gravity_scale}) {
    out.put(value);
  }
  put(out, body.wall);
  out.put(static_cast<std::uint64_t>(body.script.size()));
  for (const scene::PoseKey& key : body.script) {
    out.put(key.time);
    put(out, key.offset);
    for (int i = 0; i < 4; ++i)
      out.put(key.rotation.coeffs()[i]);
  }
}

}  // namespace

std::uint64_t fingerprint(const scene::Scene& scene) {
  ByteWriter out;
  put(out, scene.gravity);
  put(out, scene.domain_lower);
  put(out, scene.domain_upper);
  out.put(scene.frame_rate);
  out.put(scene.grid.cell_size);
  out.put(static_cast<std::int32_t>(scene.grid.kernel));
  out.put(scene.grid.particles_per_axis);
  out.put(scene.grid.cfl);
  put(out, scene.grid.wall);
  out.put(scene.grid.wall_friction);
  for (const auto& sides : scene.grid.sides) {
    for (const scene::Side side : sides)
      out.put(static_cast<std::int32_t>(side));
  }
  out.put(scene.grid.max_particles);
  out.put(static_cast<std::int32_t>(scene.grid.solver));
  out.put(static_cast<std::int32_t>(scene.grid.transfer));
  out.put(scene.grid.flip_ratio);
  out.put(static_cast<std::int32_t>(scene.grid.pressure.preconditioner));
  out.put(scene.grid.pressure.tolerance);
  out.put(scene.grid.pressure.max_iterations);
  out.put(static_cast<std::int32_t>(scene.grid.path_integrator));
  out.put(scene.grid.dimensions);
  for (const auto& sides : scene.grid.side_velocities) {
    for (const scene::SideVelocity& side : sides) {
      put(out, side.velocity);
      out.put(static_cast<std::uint8_t>(side.is_parabolic ? 1 : 0));
    }
  }
  out.put(static_cast<std::uint8_t>(scene.gas ? 1 : 0));
  if (scene.gas) put(out, *scene.gas);
  out.put(static_cast<std::int32_t>(scene.coupling.method));
  out.put(scene.coupling.contact_distance);
  out.put(scene.coupling.max_iterations);
  out.put(scene.coupling.tolerance);
  out.put(scene.coupling.max_substep);
  out.put(static_cast<std::int32_t>(scene.coupling.step_filter));
  out.put(scene.coupling.drag);
  out.put(static_cast<std::int32_t>(scene.solid_solver.integrator));
  out.put(scene.solid_solver.max_iterations);
  out.put(scene.solid_solver.tolerance);
  out.put(static_cast<std::uint64_t>(scene.fluids.size()));
  for (const scene::Fluid& fluid : scene.fluids)
    put(out, fluid);
  out.put(static_cast<std::uint64_t>(scene.drains.size()));
  for (const scene::Drain& drain : scene.drains) {
    put(out, drain.shape);
    put(out, drain.open);
  }
  out.put(static_cast<std::uint64_t>(scene.cloths.size()));
  for (const scene::Cloth& cloth : scene.cloths)
    put(out, cloth);
  out.put(static_cast<std::uint64_t>(scene.soft_bodies.size()));
  for (const scene::SoftBody& body : scene.soft_bodies)
    put(out, body);
  out.put(static_cast<std::uint64_t>(scene.rigid_bodies.size()));
  for (const scene::RigidBody& body : scene.rigid_bodies)
    put(out, body);
  out.put(static_cast<std::uint64_t>(scene.obstacles.size()));
  for (const scene::Obstacle& obstacle : scene.obstacles) {
    out.put_text(obstacle.name);  // Frames name those that moved.
    put(out, obstacle.shape);
    put(out, obstacle.wall);
    out.put(obstacle.friction);
    out.put(obstacle.restitution);
  }
  put(out, scene.wind.velocity);
  for (const double value : {scene.wind.gust_strength, scene.wind.gust_period, scene.wind.density,
                             scene.wind.normal_drag, scene.wind.tangential_drag}) {
    out.put(value);
  }
  out.put(static_cast<std::uint64_t>(scene.springs.size()));
  for (const scene::BodySpring& spring : scene.springs) {
    for (const scene::SpringEnd& end : {spring.a, spring.b}) {
      out.put_text(end.body);
      out.put(end.vertex);
    }
    out.put(spring.stiffness);
    out.put(spring.rest_length.value_or(0));
  }
  out.put(static_cast<std::uint64_t>(scene.contact_pairs.size()));
  for (const scene::ContactPair& pair : scene.contact_pairs) {
    out.put_text(pair.body_a);
    out.put_text(pair.body_b);
    out.put(pair.friction.value_or(-1));
    out.put(pair.restitution.value_or(-1));
  }
  for (const Field field : scene.output.fields)
    out.put(static_cast<std::int32_t>(field));
  Checksum checksum;
  checksum.add(out.bytes());
  return checksum.value();
}

}  // namespace sluice::simulation
