// SPDX-License-Identifier: Apache-2.0
#include "client/render/mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "client/render/placement.h"

namespace sluice::render {
namespace {

constexpr int rounds = 64;      // Points around an axis.
constexpr int half_rings = 16;  // Steps from the equator to a pole.
constexpr float pi = std::numbers::pi_v<float>;

/// A point of a profile that is turned around z: distance from the axis, height, and the normal.
struct ProfilePoint {
  float radius, height, normal_radius, normal_height;
};

/// The surface that a profile sweeps, from the bottom to the top. Where two points coincide the
/// normal jumps: an edge.
void sweep(Mesh& mesh, const std::vector<ProfilePoint>& profile) {
  const auto base = static_cast<std::int32_t>(mesh.positions.size());
  for (const ProfilePoint& p : profile) {
    for (int i = 0; i < rounds; ++i) {
      const float angle = 2 * pi * static_cast<float>(i) / rounds;
      const float c = std::cos(angle);
      const float s = std::sin(angle);
      mesh.positions.push_back({p.radius * c, p.radius * s, p.height});
      mesh.normals.push_back({p.normal_radius * c, p.normal_radius * s, p.normal_height});
    }
  }
  for (std::int32_t ring = 0; ring + 1 < static_cast<std::int32_t>(profile.size()); ++ring) {
    for (std::int32_t i = 0; i < rounds; ++i) {
      const std::int32_t a = base + ring * rounds + i;
      const std::int32_t b = base + ring * rounds + (i + 1) % rounds;
      mesh.triangles.insert(mesh.triangles.end(), {a, b, b + rounds, a, b + rounds, a + rounds});
    }
  }
}

/// A ball of `radius`, its halves pulled `length` apart.
void add_capsule(Mesh& mesh, float radius, float length) {
  std::vector<ProfilePoint> profile;
  for (int i = -half_rings; i <= half_rings; ++i) {
    const float angle = pi / 2 * static_cast<float>(i) / half_rings;
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    const float centre = (i < 0 ? -0.5F : 0.5F) * length;
    if (i == 0) {
      profile.push_back({radius, -0.5F * length, 1, 0});
    }
    profile.push_back({radius * c, centre + radius * s, c, s});
  }
  sweep(mesh, profile);
}

void add_cylinder(Mesh& mesh, float radius, float length) {
  const float half = length / 2;
  sweep(mesh, {{0, -half, 0, -1}, {radius, -half, 0, -1}});
  sweep(mesh, {{radius, -half, 1, 0}, {radius, half, 1, 0}});
  sweep(mesh, {{radius, half, 0, 1}, {0, half, 0, 1}});
}

void add_box(Mesh& mesh, const Float3& half) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0F, 1.0F}) {
      const auto base = static_cast<std::int32_t>(mesh.positions.size());
      for (int corner = 0; corner < 4; ++corner) {
        Float3 p;
        Float3 normal;
        normal[axis] = side;
        p[axis] = side * half[axis];
        const int u = (axis + 1) % 3;
        const int v = (axis + 2) % 3;
        p[u] = (corner == 1 || corner == 2 ? 1.0F : -1.0F) * half[u];
        p[v] = (corner >= 2 ? 1.0F : -1.0F) * half[v];
        mesh.positions.push_back(p);
        mesh.normals.push_back(normal);
      }
      // Seen from outside, the corners go round the other way on the lower side.
      const std::int32_t second = side > 0 ? base + 1 : base + 3;
      const std::int32_t fourth = side > 0 ? base + 3 : base + 1;
      mesh.triangles.insert(mesh.triangles.end(), {base, second, base + 2, base, base + 2, fourth});
    }
  }
}

/// The part of a plane that lies in a box: a large square, cut by each of the six sides.
Mesh cut_plane(const Float3& point, const Float3& normal, const Bounds& bounds) {
  const Float3 axis = std::abs(normal.x) < 0.9F ? Float3{1, 0, 0} : Float3{0, 1, 0};
  const Float3 u = normalized(axis - normal * dot(axis, normal));
  const Float3 v = cross(normal, u);
  const Float3 middle = mix(bounds.lower, bounds.upper, 0.5F);
  const Float3 centre = middle - normal * dot(middle - point, normal);
  const float reach = length(bounds.upper - bounds.lower);
  std::vector<Float3> polygon{centre - u * reach - v * reach, centre + u * reach - v * reach,
                              centre + u * reach + v * reach, centre - u * reach + v * reach};
  for (int side = 0; side < 6; ++side) {
    const int along = side / 2;
    const auto inside = [&](const Float3& p) {
      return side % 2 == 0 ? p[along] - bounds.lower[along] : bounds.upper[along] - p[along];
    };
    std::vector<Float3> cut;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Float3& a = polygon[i];
      const Float3& b = polygon[(i + 1) % polygon.size()];
      const float da = inside(a);
      const float db = inside(b);
      if (da >= 0) {
        cut.push_back(a);
      }
      if ((da >= 0) != (db >= 0)) {
        cut.push_back(mix(a, b, da / (da - db)));
      }
    }
    polygon = std::move(cut);
  }
  Mesh mesh;
  mesh.positions = polygon;
  mesh.normals.assign(polygon.size(), normal);
  for (std::int32_t i = 2; i < static_cast<std::int32_t>(polygon.size()); ++i) {
    mesh.triangles.insert(mesh.triangles.end(), {0, i - 1, i});
  }
  return mesh;
}

}  // namespace

std::vector<Float3> vertex_normals(std::span<const Float3> positions,
                                   std::span<const std::int32_t> triangles) {
  std::vector<Float3> normals(positions.size());
  for (std::size_t i = 0; i + 2 < triangles.size(); i += 3) {
    const auto a = static_cast<std::size_t>(triangles[i]);
    const auto b = static_cast<std::size_t>(triangles[i + 1]);
    const auto c = static_cast<std::size_t>(triangles[i + 2]);
    // Its length is twice the area.
    const Float3 normal = cross(positions[b] - positions[a], positions[c] - positions[a]);
    normals[a] += normal;
    normals[b] += normal;
    normals[c] += normal;
  }
  for (Float3& normal : normals) {
    normal = normalized(normal);
  }
  return normals;
}

Mesh tessellate(const v1::Shape& shape, const Bounds& bounds) {
  const Placement placement(shape.transform());
  Mesh mesh;
  if (shape.has_half_space()) {
    return cut_plane(placement.point({}), placement.direction({0, 0, 1}), bounds);
  }
  if (shape.has_sphere()) {
    add_capsule(mesh, static_cast<float>(shape.sphere().radius()), 0);
  } else if (shape.has_capsule()) {
    add_capsule(mesh, static_cast<float>(shape.capsule().radius()),
                static_cast<float>(shape.capsule().length()));
  } else if (shape.has_cylinder()) {
    add_cylinder(mesh, static_cast<float>(shape.cylinder().radius()),
                 static_cast<float>(shape.cylinder().length()));
  } else if (shape.has_box() && shape.box().size_size() == 3) {
    add_box(mesh, {static_cast<float>(shape.box().size(0)) / 2,
                   static_cast<float>(shape.box().size(1)) / 2,
                   static_cast<float>(shape.box().size(2)) / 2});
  }
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    mesh.positions[i] = placement.point(mesh.positions[i]);
    mesh.normals[i] = placement.direction(mesh.normals[i]);
  }
  return mesh;
}

}  // namespace sluice::render
