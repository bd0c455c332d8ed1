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

void put(ByteWriter& out, const scene::Fluid& fluid) {
  out.put_text(fluid.name);
  out.put(static_cast<std::uint64_t>(fluid.regions.size()));
  for (const geometry::Shape& region : fluid.regions)
    put(out, region);
  put(out, fluid.velocity);
  out.put(fluid.density);
  out.put(fluid.sound_speed);
  out.put(fluid.eos_exponent);
  out.put(fluid.dynamic_viscosity);
}

void put(ByteWriter& out, const scene::Cloth& cloth) {
  out.put_text(cloth.name);
  out.put_array(std::span<const Vec3>(cloth.mesh.vertices));
  out.put_array(std::span<const TriangleIndices>(cloth.mesh.triangles));
  put(out, cloth.velocity);
  for (const double value : {cloth.area_density, cloth.structural_stiffness, cloth.shear_stiffness,
                             cloth.bend_stiffness, cloth.damping, cloth.thickness}) {
    out.put(value);
  }
  out.put(static_cast<std::uint64_t>(cloth.pins.size()));
  for (const scene::Pin& pin : cloth.pins) {
    out.put_text(pin.name);
    out.put_array(std::span<const std::int32_t>(pin.vertices));
    put(out, pin.velocity);
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
  out.put(static_cast<std::int32_t>(scene.grid.wall));
  out.put(static_cast<std::int32_t>(scene.coupling.method));
  out.put(scene.coupling.contact_distance);
  out.put(scene.coupling.max_iterations);
  out.put(scene.coupling.tolerance);
  out.put(scene.coupling.max_substep);
  out.put(static_cast<std::uint64_t>(scene.fluids.size()));
  for (const scene::Fluid& fluid : scene.fluids)
    put(out, fluid);
  out.put(static_cast<std::uint64_t>(scene.cloths.size()));
  for (const scene::Cloth& cloth : scene.cloths)
    put(out, cloth);
  out.put(static_cast<std::uint64_t>(scene.obstacles.size()));
  for (const scene::Obstacle& obstacle : scene.obstacles) {
    out.put_text(obstacle.name);  // Frames name those that moved.
    put(out, obstacle.shape);
    out.put(static_cast<std::int32_t>(obstacle.wall));
    out.put(obstacle.friction);
  }
  for (const Field field : scene.output.fields)
    out.put(static_cast<std::int32_t>(field));
  Checksum checksum;
  checksum.add(out.bytes());
  return checksum.value();
}

}  // namespace sluice::simulation
