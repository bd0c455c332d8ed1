// SPDX-License-Identifier: Apache-2.0
#include "client/render/stage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "client/render/body_cells.h"
#include "client/render/colour_map.h"
#include "client/render/fluid_surface.h"
#include "client/render/gas_field.h"
#include "client/render/particle_spacing.h"

namespace sluice::render {
namespace {

constexpr Material stone{{0.50F, 0.49F, 0.47F}, {0.50F, 0.49F, 0.47F}, 0.03F};

// Warm colours of one lightness, so that solids stand out from blue water.
constexpr std::array<Material, 4> solids{{
    {{0.80F, 0.235F, 0.120F}, {0.56F, 0.150F, 0.085F}, 0.02F},
    {{0.82F, 0.480F, 0.090F}, {0.60F, 0.330F, 0.060F}, 0.02F},
    {{0.62F, 0.160F, 0.260F}, {0.44F, 0.105F, 0.180F}, 0.02F},
    {{0.36F, 0.440F, 0.140F}, {0.25F, 0.310F, 0.100F}, 0.02F},
}};

// The materials of the surfaces of fluids, in the scene's order: water, and what stands beside it.
constexpr std::array<Material, 4> fluids{{
    {{0.10F, 0.300F, 0.560F}, {0.08F, 0.220F, 0.420F}, 0.06F},
    {{0.58F, 0.440F, 0.260F}, {0.44F, 0.330F, 0.190F}, 0.01F},
    {{0.78F, 0.800F, 0.820F}, {0.60F, 0.620F, 0.640F}, 0.01F},
    {{0.20F, 0.480F, 0.300F}, {0.15F, 0.360F, 0.220F}, 0.03F},
}};

// Before the light background and shaded, and on the dark plate.
constexpr double part_of_gap = 0.3;  // [spacings of particles] Between cells that have none.

constexpr Float3 grey_smoke{0.46F, 0.46F, 0.47F};
constexpr Float3 white_smoke{0.88F, 0.88F, 0.88F};

std::vector<Float3> to_points(std::span<const float> values) {
  std::vector<Float3> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  }
  return points;
}

/// The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below `value`.
float round_up(float value) {
  const float power = std::pow(10.0F, std::floor(std::log10(value)));
  for (const float step : {1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 8.0F}) {
    if (step * power >= value) {
      return step * power;
    }
  }
  return 10 * power;
}

}  // namespace

Stage::Stage(const v1::Scene& scene, bool has_surfaces)
    : scene_(scene),
      has_surfaces_(has_surfaces),
      flat_axis_(render::flat_axis(scene)),
      gas_scale_(render::gas_scale(scene, flat_axis_ ? white_smoke : grey_smoke)) {
  bounds_ = {to_float3(scene.domain().lower(), {-1, -1, -1}),
             to_float3(scene.domain().upper(), {1, 1, 1})};
  if (flat_axis_) {
    const int axis = *flat_axis_;
    bounds_.lower[axis] = bounds_.upper[axis] = 0.5F * (bounds_.lower[axis] + bounds_.upper[axis]);
  }
  find_ground();
  empty_.materials.push_back(stone);
  for (const v1::Obstacle& obstacle : scene.obstacles()) {
    obstacles_.push_back(tessellate(obstacle.shape(), bounds_));
    if (is_flat_liquid()) flatten(obstacles_.back());
  }
  // Balls of 0.62 spacings: neighbours overlap a little, so that still water looks closed.
  empty_.sphere_radius = 0.62F * static_cast<float>(particle_spacing(scene));
  empty_.materials.insert(empty_.materials.end(), solids.begin(), solids.end());
  empty_.materials.insert(empty_.materials.end(), fluids.begin(), fluids.end());
}

// In two dimensions an obstacle goes on along y for ever: drawn as deep as it is typed it would
// hide the liquid.
void Stage::flatten(Mesh& obstacle) const {
  const float middle = 0.5F * (bounds_.lower.y + bounds_.upper.y);
  const auto half = static_cast<float>(scene_.fluid_grid().cell_size() / 2);
  for (Float3& p : obstacle.positions)
    p.y = std::clamp(p.y, middle - half, middle + half);
}

void Stage::find_ground() {
  const Float3 gravity = to_float3(scene_.gravity(), {0, 0, -9.81F});
  int axis = 2;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(gravity[i]) > std::abs(gravity[axis])) {
      axis = i;
    }
  }
  const bool down_is_negative = gravity[axis] <= 0;
  ground_.normal = {};
  ground_.normal[axis] = down_is_negative ? 1.0F : -1.0F;
  ground_.point = mix(bounds_.lower, bounds_.upper, 0.5F);
  ground_.point[axis] = down_is_negative ? bounds_.lower[axis] : bounds_.upper[axis];
}

void Stage::set_scale(const client::Frame& frame) {
  float highest = 0;
  float fastest_now = 0;
  for (const client::FrameArray& array : frame.arrays) {
    for (const Float3& p : to_points(array.values)) {
      if (array.field == v1::FIELD_POSITION) {
        highest = std::max(highest, dot(p - ground_.point, ground_.normal));
      } else if (array.field == v1::FIELD_VELOCITY) {
        fastest_now = std::max(fastest_now, length(p));
      }
    }
  }
  const float gravity = length(to_float3(scene_.gravity(), {0, 0, -9.81F}));
  const float reached = std::sqrt(fastest_now * fastest_now + 2 * gravity * highest);
  fastest_ = reached > 0 && std::isfinite(reached) ? round_up(reached) : 1.0F;
}

Float3 Stage::offset_of(const client::Frame& frame, const v1::Obstacle& obstacle) const {
  const auto moved = std::find_if(
      frame.obstacle_offsets.begin(), frame.obstacle_offsets.end(),
      [&](const client::ObstacleOffset& candidate) { return candidate.body == obstacle.name(); });
  return moved == frame.obstacle_offsets.end()
             ? Float3{}
             : Float3{static_cast<float>(moved->offset[0]), static_cast<float>(moved->offset[1]),
                      static_cast<float>(moved->offset[2])};
}

void Stage::add_obstacles(const client::Frame& frame, DrawList& list) const {
  for (int k = 0; k < scene_.obstacles_size(); ++k) {
    Mesh mesh = obstacles_[static_cast<std::size_t>(k)];
    const Float3 offset = offset_of(frame, scene_.obstacles(k));
    for (Float3& p : mesh.positions) {
      p = p + offset;
    }
    list.add(mesh, 0);
  }
}

std::vector<MovedSolid> Stage::moved_obstacles(const client::Frame& frame) const {
  std::vector<MovedSolid> solids;
  for (const v1::Obstacle& obstacle : scene_.obstacles()) {
    solids.push_back({Solid(obstacle.shape()), offset_of(frame, obstacle)});
  }
  return solids;
}

DrawList Stage::draw_list(const client::Frame& frame, const v1::Layout& layout) {
  if (fastest_ <= 0) {
    set_scale(frame);
  }
  DrawList list = empty_;
  if (!flat_axis_) {
    add_obstacles(frame, list);
  }
  std::uint8_t solid_count = 0;
  std::size_t fluid_count = 0;
  for (const v1::Body& body : layout.bodies()) {
    const auto positions = frame.values(body.name(), v1::FIELD_POSITION);
    if (body.kind() == v1::BODY_KIND_SURFACE || body.kind() == v1::BODY_KIND_VOLUME) {
      Mesh mesh;
      mesh.positions = to_points(positions);
      mesh.triangles = read_triangles(body);
      if (mesh.positions.size() == static_cast<std::size_t>(body.count())) {
        mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
        list.add(mesh, static_cast<std::uint8_t>(1 + solid_count % solids.size()));
      }
      ++solid_count;
    } else if (body.kind() == v1::BODY_KIND_PARTICLES) {
      add_fluid(frame, body,
                static_cast<std::uint8_t>(1 + solids.size() + fluid_count++ % fluids.size()), list);
    }
  }
  return list;
}

void Stage::add_fluid(const client::Frame& frame, const v1::Body& body, std::uint8_t material,
                      DrawList& list) const {
  const auto positions = frame.values(body.name(), v1::FIELD_POSITION);
  if (has_surfaces_) {
    SurfaceMesh surface = FluidSurface(positions, particle_spacing(scene_),
                                       frame.values(body.name(), v1::FIELD_INTERIOR_CELL))
                              .mesh();
    Mesh mesh;
    mesh.positions = to_points(surface.positions);
    mesh.triangles = std::move(surface.triangles);
    mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
    list.add(mesh, material);
    return;
  }
  add_interior(frame.values(body.name(), v1::FIELD_INTERIOR_CELL), material, list);
  const std::vector<Float3> points = to_points(positions);
  const std::vector<Float3> speeds = to_points(frame.values(body.name(), v1::FIELD_VELOCITY));
  list.spheres.insert(list.spheres.end(), points.begin(), points.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    list.sphere_colours.push_back(
        speed_colour(i < speeds.size() ? length(speeds[i]) / fastest_ : 0.0F));
  }
}

// Cells without particles, as boxes with some air between them, so that each is seen.
void Stage::add_interior(std::span<const float> cells, std::uint8_t material,
                         DrawList& list) const {
  const double spacing = particle_spacing(scene_);
  for (std::size_t i = 0; i + 3 < cells.size(); i += 4) {
    v1::Shape box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_across = is_flat_liquid() && axis == 1;
      const double edge = static_cast<double>(cells[i + 3]) - part_of_gap * spacing;
      box.mutable_transform()->add_translation(static_cast<double>(cells[i + axis]));
      box.mutable_box()->add_size(is_across ? spacing : edge);
    }
    list.add(tessellate(box, bounds_), material);
  }
}

Camera Stage::camera(float aspect) const {
  if (scene_.has_camera()) {
    return make_camera(scene_.camera());
  }
  if (is_flat_liquid()) return face_camera(bounds_, 1, ground_.normal, aspect);
  return flat_axis_ ? face_camera(bounds_, *flat_axis_, ground_.normal, aspect)
                    : fit_camera(bounds_, ground_.normal, aspect);
}

}  // namespace sluice::render
