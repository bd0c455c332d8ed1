// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tessellate_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <unordered_map>
#include <vector>

namespace sluice::geometry {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double fewest_around = 6;

Error too_many(std::int64_t allowed) {
  return {ErrorCode::invalid_mesh,
          fmt::format("more than {} triangles; use longer edges", allowed)};
}

// In doubles, so that no size is too large to be counted.
double parts(double length, double edge) { return std::max(1.0, std::ceil(length / edge - 1e-9)); }

// A grid on each side, whose vertices are shared along the box's edges.
Result<TriangleMesh> tessellate(const Box& box, double edge, std::int64_t most_triangles) {
  std::array<double, 3> wanted{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    wanted[axis] = parts(2 * box.half_extents[static_cast<Eigen::Index>(axis)], edge);
  const double sides = wanted[0] * wanted[1] + wanted[1] * wanted[2] + wanted[2] * wanted[0];
  if (4 * sides > static_cast<double>(most_triangles)) return too_many(most_triangles);
  using Place = std::array<std::int64_t, 3>;
  Place count{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    count[axis] = static_cast<std::int64_t>(wanted[axis]);

  TriangleMesh mesh;
  std::unordered_map<std::int64_t, std::int32_t> known;
  const auto vertex = [&](const Place& p) {
    const std::int64_t key = (p[2] * (count[1] + 1) + p[1]) * (count[0] + 1) + p[0];
    const auto [entry, is_new] = known.emplace(key, static_cast<std::int32_t>(known.size()));
    if (is_new) {
      Vec3 place;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double part = static_cast<double>(p[axis]) / static_cast<double>(count[axis]);
        place[static_cast<Eigen::Index>(axis)] =
            (2 * part - 1) * box.half_extents[static_cast<Eigen::Index>(axis)];
      }
      mesh.vertices.push_back(place);
    }
    return entry->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const bool is_upper : {false, true}) {
      for (std::int64_t i = 0; i < count[u]; ++i) {
        for (std::int64_t j = 0; j < count[v]; ++j) {
          const auto corner = [&](std::int64_t di, std::int64_t dj) {
            Place p{};
            p[axis] = is_upper ? count[axis] : 0;
            p[u] = i + di;
            p[v] = j + dj;
            return vertex(p);
          };
          const std::int32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (is_upper) {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
          } else {
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({a, d, c});
          }
        }
      }
    }
  }
  return mesh;
}

// A point of the half plane that turns about the z axis.
struct ProfilePoint {
  double radius, z;
};

// Appends the points after `from` of a line to `to`.
void add_line(const ProfilePoint& from, const ProfilePoint& to, double edge,
              std::vector<ProfilePoint>& profile) {
  const double count = parts(std::hypot(to.radius - from.radius, to.z - from.z), edge);
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(count); ++i) {
    const double part = static_cast<double>(i) / count;
    profile.push_back(
        {from.radius + part * (to.radius - from.radius), from.z + part * (to.z - from.z)});
  }
}

// Appends the points after the first of a quarter circle about (0, centre), from `start` [rad] off
// the z axis on.
void add_quarter(double radius, double centre, double start, double edge,
                 std::vector<ProfilePoint>& profile) {
  const double count = std::max(2.0, parts(radius * pi / 2, edge));
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(count); ++i) {
    const double angle = start + pi / 2 * static_cast<double>(i) / count;
    profile.push_back({radius * std::sin(angle), centre + radius * std::cos(angle)});
  }
}

// From the upper pole to the lower one.
std::vector<ProfilePoint> profile_of(const Sphere& sphere, double edge) {
  std::vector<ProfilePoint> profile{{0, sphere.radius}};
  add_quarter(sphere.radius, 0, 0, edge, profile);
  add_quarter(sphere.radius, 0, pi / 2, edge, profile);
  return profile;
}

std::vector<ProfilePoint> profile_of(const Capsule& capsule, double edge) {
  const double r = capsule.radius, h = capsule.half_length;
  std::vector<ProfilePoint> profile{{0, h + r}};
  add_quarter(r, h, 0, edge, profile);
  add_line({r, h}, {r, -h}, edge, profile);
  add_quarter(r, -h, pi / 2, edge, profile);
  return profile;
}

std::vector<ProfilePoint> profile_of(const Cylinder& cylinder, double edge) {
  const double r = cylinder.radius, h = cylinder.half_length;
  std::vector<ProfilePoint> profile{{0, h}};
  add_line({0, h}, {r, h}, edge, profile);
  add_line({r, h}, {r, -h}, edge, profile);
  add_line({r, -h}, {0, -h}, edge, profile);
  return profile;
}

TriangleMesh revolve(const std::vector<ProfilePoint>& profile, std::int32_t around) {
  TriangleMesh mesh;
  const auto ring_count = static_cast<std::int32_t>(profile.size()) - 2;
  mesh.vertices.emplace_back(0, 0, profile.front().z);
  for (std::int32_t ring = 1; ring <= ring_count; ++ring) {
    const auto [radius, z] = profile[static_cast<std::size_t>(ring)];
    for (std::int32_t i = 0; i < around; ++i) {
      const double angle = 2 * pi * i / around;
      mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  mesh.vertices.emplace_back(0, 0, profile.back().z);
  const auto last = static_cast<std::int32_t>(mesh.vertices.size()) - 1;
  const auto at = [&](std::int32_t ring, std::int32_t i) { return 1 + ring * around + i % around; };
  for (std::int32_t i = 0; i < around; ++i) {
    mesh.triangles.push_back({0, at(0, i), at(0, i + 1)});
    for (std::int32_t ring = 0; ring + 1 < ring_count; ++ring) {
      mesh.triangles.push_back({at(ring, i), at(ring + 1, i), at(ring + 1, i + 1)});
      mesh.triangles.push_back({at(ring, i), at(ring + 1, i + 1), at(ring, i + 1)});
    }
    mesh.triangles.push_back({last, at(ring_count - 1, i + 1), at(ring_count - 1, i)});
  }
  return mesh;
}

template <typename Round>
Result<TriangleMesh> tessellate(const Round& form, double edge, std::int64_t most_triangles) {
  const double around = std::max(fewest_around, parts(2 * pi * form.radius, edge));
  double profile_length = pi * form.radius;
  if constexpr (!std::is_same_v<Round, Sphere>) profile_length += 2 * form.half_length;
  if (2 * around * (profile_length / edge) > static_cast<double>(most_triangles)) {
    return too_many(most_triangles);
  }
  TriangleMesh mesh = revolve(profile_of(form, edge), static_cast<std::int32_t>(around));
  if (static_cast<std::int64_t>(mesh.triangles.size()) > most_triangles) {
    return too_many(most_triangles);
  }
  return mesh;
}

}  // namespace

Result<TriangleMesh> tessellate_shape(const Shape& shape, double edge_length,
                                      std::int64_t most_triangles) {
  assert(edge_length > 0 && !std::holds_alternative<HalfSpace>(shape.form));
  Result<TriangleMesh> mesh = TriangleMesh{};
  if (const auto* box = std::get_if<Box>(&shape.form)) {
    mesh = tessellate(*box, edge_length, most_triangles);
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.form)) {
    mesh = tessellate(*sphere, edge_length, most_triangles);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.form)) {
    mesh = tessellate(*capsule, edge_length, most_triangles);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.form)) {
    mesh = tessellate(*cylinder, edge_length, most_triangles);
  }
  if (!mesh) return mesh;
  for (Vec3& x : mesh.value().vertices)
    x = shape.rotation * x + shape.translation;
  return mesh;
}

}  // namespace sluice::geometry
