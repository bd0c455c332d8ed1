// SPDX-License-Identifier: Apache-2.0
#include "client/render/surface.h"

#include <algorithm>
#include <cmath>

namespace sluice::render {
namespace {

constexpr Float3 ground_colour{0.60F, 0.61F, 0.63F};

void set_triangle(SurfacePoint& surface, const ShadingInput& input, std::size_t index,
                  const Float3& ray) {
  const DrawList& list = input.list;
  const auto& t = list.triangles[index];
  const Float3& a = list.positions[static_cast<std::size_t>(t[0])];
  const Float3 ab = list.positions[static_cast<std::size_t>(t[1])] - a;
  const Float3 ac = list.positions[static_cast<std::size_t>(t[2])] - a;
  // Moeller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997.
  const Float3 p = cross(ray, ac);
  const float determinant = dot(ab, p);
  const float scale = std::abs(determinant) > 1e-20F ? 1 / determinant : 0;
  const Float3 from_a = input.view.eye() - a;
  const Float3 q = cross(from_a, ab);
  // A pixel's centre may lie a little outside a triangle that covers only its samples.
  const float wb = std::clamp(dot(from_a, p) * scale, 0.0F, 1.0F);
  const float wc = std::clamp(dot(ray, q) * scale, 0.0F, 1.0F - wb);
  surface.kind = SurfacePoint::Kind::triangle;
  surface.position = a + ab * wb + ac * wc;
  surface.depth = dot(surface.position - input.view.eye(), input.view.forward());
  const Float3 smooth = normalized(list.normals[static_cast<std::size_t>(t[0])] * (1 - wb - wc) +
                                   list.normals[static_cast<std::size_t>(t[1])] * wb +
                                   list.normals[static_cast<std::size_t>(t[2])] * wc);
  const bool is_front = dot(cross(ab, ac), ray) < 0;
  const Material& material = list.materials[list.triangle_materials[index]];
  surface.colour = is_front ? material.front : material.back;
  surface.gloss = material.gloss;
  surface.normal = dot(smooth, cross(ab, ac)) * (is_front ? 1.0F : -1.0F) >= 0 ? smooth : -smooth;
}

void set_sphere(SurfacePoint& surface, const ShadingInput& input, std::size_t index, float x,
                float y) {
  const DrawList& list = input.list;
  const View& view = input.view;
  const Float3 centre = view.to_view(list.spheres[index]);
  const Float3 on_screen = view.project_view(centre);
  const float radius = view.focal() * list.sphere_radius / centre.z;
  float dx = (x - on_screen.x) / radius;
  float dy = (on_screen.y - y) / radius;
  const float outside = std::sqrt(dx * dx + dy * dy);
  if (outside > 0.999F) {
    dx *= 0.999F / outside;
    dy *= 0.999F / outside;
  }
  const float bulge = std::sqrt(1 - dx * dx - dy * dy);
  surface.kind = SurfacePoint::Kind::sphere;
  surface.normal = view.right() * dx + view.up() * dy - view.forward() * bulge;
  surface.position = list.spheres[index] + surface.normal * list.sphere_radius;
  surface.depth = centre.z - bulge * list.sphere_radius;
  surface.colour = list.sphere_colours[index];
  surface.gloss = 0.05F;
}

}  // namespace

float ground_depth(const ShadingInput& input, const Float3& ray) {
  if (!input.stage.has_ground()) {
    return -1;
  }
  const Ground& ground = input.stage.ground();
  const float height = dot(input.view.eye() - ground.point, ground.normal);
  const float fall = -dot(ray, ground.normal);
  return height > 0 && fall > 1e-6F ? height / fall : -1;
}

SurfacePoint find_surface(const ShadingInput& input, std::uint32_t id, float x, float y) {
  SurfacePoint surface;
  const Float3 ray = input.view.ray(x, y);
  const std::size_t index = (id & ~sphere_bit) - 1;
  if ((id & sphere_bit) != 0) {
    set_sphere(surface, input, index, x, y);
  } else if (id != VisibilityBuffer::no_id) {
    set_triangle(surface, input, index, ray);
  }
  const float ground = ground_depth(input, ray);
  // A surface on the ground is drawn, though it may reach into it by a particle's diameter.
  const bool hidden = surface.kind != SurfacePoint::Kind::background &&
                      surface.depth > ground + 2 * input.list.sphere_radius;
  if (ground > 0 && (surface.kind == SurfacePoint::Kind::background || hidden)) {
    surface.kind = SurfacePoint::Kind::ground;
    surface.depth = ground;
    surface.position = input.view.eye() + ray * ground;
    surface.normal = input.stage.ground().normal;
    surface.colour = ground_colour;
    surface.gloss = 0;
  }
  return surface;
}

}  // namespace sluice::render
