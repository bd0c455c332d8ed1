// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "solver/geometry/closed_surface.h"
#include "solver/geometry/mesh_intersection.h"
#include "solver/geometry/tet_faults.h"
#include "solver/geometry/tet_surface.h"
#include "solver/scene/checks.h"
#include "solver/scene/fault_counter.h"

namespace sluice::scene {
namespace {

// A triangle is degenerate when its height over its longest edge is less than this part of it:
// springs and contact normals lose all their digits there.
constexpr double smallest_height_ratio = 1e-6;

// A rigid body's volume over the cube of its extent: below, its inertia has no digits. A needle of
// 1 m by 2 micrometres has this.
constexpr double smallest_volume_ratio = 1e-12;

const Vec3& corner(const geometry::TriangleMesh& mesh, std::int32_t index) {
  return mesh.vertices[static_cast<std::size_t>(index)];
}

bool indices_fit(const geometry::TriangleMesh& mesh, const std::string& path,
                 ProblemList& problems) {
  FaultCounter faults(problems, path);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t index : mesh.triangles[t]) {
      if (index < 0 || static_cast<std::size_t>(index) >= mesh.vertices.size()) {
        faults.add("triangle {} has the vertex {}; the mesh has vertices 0 to {}", t, index,
                   static_cast<std::int64_t>(mesh.vertices.size()) - 1);
      }
    }
  }
  return faults.none();
}

bool vertices_are_finite(const geometry::TriangleMesh& mesh, const std::string& path,
                         ProblemList& problems) {
  FaultCounter faults(problems, path);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (!mesh.vertices[v].allFinite()) faults.add("vertex {} is not finite", v);
  }
  return faults.none();
}

bool is_closed(const geometry::TriangleMesh& mesh, const std::string& path, ProblemList& problems) {
  if (const auto error = geometry::check_closed(mesh)) {
    problems.error(path, error->message);
    return false;
  }
  Vec3 lower = mesh.vertices.front(), upper = lower;
  for (const Vec3& vertex : mesh.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  const double volume = geometry::signed_volume(mesh);
  const double extent = (upper - lower).norm();
  if (volume > smallest_volume_ratio * extent * extent * extent) return true;
  problems.error(path, fmt::format("encloses {:.3g} m^3 in an extent of {:.3g} m: it is too thin "
                                   "for a rigid body",
                                   volume, extent));
  return false;
}

bool is_degenerate(const geometry::TriangleMesh& mesh, const TriangleIndices& triangle) {
  const Vec3 ab = corner(mesh, triangle[1]) - corner(mesh, triangle[0]);
  const Vec3 ac = corner(mesh, triangle[2]) - corner(mesh, triangle[0]);
  const Vec3 bc = ac - ab;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  const double twice_area = ab.cross(ac).norm();  // = longest edge times the height over it
  return !(twice_area > smallest_height_ratio * longest);
}

void check_triangles(const geometry::TriangleMesh& mesh, const std::string& path,
                     ProblemList& problems) {
  FaultCounter repeated(problems, path);
  FaultCounter degenerate(problems, path);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const TriangleIndices& triangle = mesh.triangles[t];
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
      repeated.add("triangle {} has a vertex twice ({}, {}, {})", t, triangle[0], triangle[1],
                   triangle[2]);
    } else if (is_degenerate(mesh, triangle)) {
      degenerate.add("triangle {} ({}, {}, {}) is degenerate: its corners are on a line", t,
                     triangle[0], triangle[1], triangle[2]);
    }
  }
}

// Two triangles on the same three vertices.
void check_doubles(const geometry::TriangleMesh& mesh, const std::string& path,
                   ProblemList& problems) {
  struct Keyed {
    TriangleIndices key;
    std::size_t triangle;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    TriangleIndices key = mesh.triangles[t];
    std::sort(key.begin(), key.end());
    keyed.push_back({key, t});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
  });
  FaultCounter faults(problems, path);
  for (std::size_t i = 1; i < keyed.size(); ++i) {
    if (keyed[i].key == keyed[i - 1].key) {
      faults.add("triangles {} and {} have the same vertices", keyed[i - 1].triangle,
                 keyed[i].triangle);
    }
  }
}

// Neighbours that are wound alike run along their edge in opposite directions. Where two run in the
// same one, a triangle is inverted, or three or more meet at the edge.
void check_winding(const geometry::TriangleMesh& mesh, const std::string& path,
                   ProblemList& problems) {
  struct DirectedEdge {
    EdgeIndices ends;
    std::size_t triangle;
  };
  std::vector<DirectedEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const TriangleIndices& triangle = mesh.triangles[t];
    for (std::size_t side = 0; side < 3; ++side) {
      edges.push_back({{triangle[side], triangle[(side + 1) % 3]}, t});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const DirectedEdge& a, const DirectedEdge& b) {
    return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle;
  });
  FaultCounter faults(problems, path);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (edges[i].ends == edges[i - 1].ends) {
      faults.add(
          "triangle {} is inverted against triangle {} (both run from vertex {} to {}), or more "
          "than two meet there",
          edges[i].triangle, edges[i - 1].triangle, edges[i].ends[0], edges[i].ends[1]);
    }
  }
}

void check_loose_vertices(const geometry::TriangleMesh& mesh, const std::string& path,
                          ProblemList& problems) {
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const TriangleIndices& triangle : mesh.triangles) {
    for (const std::int32_t index : triangle)
      used[static_cast<std::size_t>(index)] = 1;
  }
  FaultCounter faults(problems, path);
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] == 0) faults.add("vertex {} belongs to no triangle, so it would have no mass", v);
  }
}

void check_pins(const std::vector<Pin>& pins, std::size_t vertex_count, const std::string& path,
                ProblemList& problems) {
  std::vector<std::int64_t> holder(vertex_count, -1);
  for (std::size_t p = 0; p < pins.size(); ++p) {
    const std::string pin_path = element(path + ".pins", p);
    const std::vector<std::int32_t>& vertices = pins[p].vertices;
    if (vertices.empty()) problems.error(pin_path, "holds no vertex that is not held already");
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const std::int32_t vertex = vertices[i];
      if (vertex < 0 || static_cast<std::size_t>(vertex) >= holder.size()) {
        problems.error(element(pin_path + ".vertices", i),
                       fmt::format("{} is not a vertex of the body, which has 0 to {}", vertex,
                                   static_cast<std::int64_t>(holder.size()) - 1));
        continue;
      }
      std::int64_t& held_by = holder[static_cast<std::size_t>(vertex)];
      if (held_by >= 0) {
        problems.error(element(pin_path + ".vertices", i),
                       fmt::format("vertex {} is already held by pins[{}]", vertex, held_by));
      }
      held_by = static_cast<std::int64_t>(p);
    }
  }
}

void check_cloth_mesh(const Cloth& cloth, const std::string& path, ProblemList& problems) {
  const std::string mesh_path = path + ".mesh";
  if (!problems.sound(mesh_path)) return;
  if (cloth.mesh.triangles.empty()) {
    problems.error(mesh_path, "has no triangles");
    return;
  }
  const bool fits = indices_fit(cloth.mesh, mesh_path, problems);
  if (!vertices_are_finite(cloth.mesh, mesh_path, problems) || !fits) return;
  check_triangles(cloth.mesh, mesh_path, problems);
  check_doubles(cloth.mesh, mesh_path, problems);
  check_winding(cloth.mesh, mesh_path, problems);
  check_loose_vertices(cloth.mesh, mesh_path, problems);
  check_pins(cloth.pins, cloth.mesh.vertices.size(), path, problems);
}

void check_soft_body_mesh(const SoftBody& body, const std::string& path, ProblemList& problems) {
  const std::string mesh_path = path + ".mesh";
  if (!has_sound_mesh(problems, path)) return;
  if (body.mesh.tets.empty()) {
    problems.error(mesh_path, "has no tetrahedra");
    return;
  }
  const std::vector<geometry::TetFault> found = geometry::find_faults(body.mesh);
  for (std::size_t first = 0; first < found.size();) {  // A message a kind.
    FaultCounter faults(problems, mesh_path);
    std::size_t last = first;
    for (; last < found.size() && found[last].kind == found[first].kind; ++last) {
      faults.add("{}", geometry::describe(found[last], body.mesh));
    }
    first = last;
  }
  if (found.empty()) check_pins(body.pins, body.mesh.vertices.size(), path, problems);
}

void check_rigid_mesh(const RigidBody& body, const std::string& path, ProblemList& problems) {
  const std::string mesh_path = path + ".mesh";
  if (!has_sound_mesh(problems, path)) return;
  if (body.mesh.triangles.empty()) {
    problems.error(mesh_path, "has no triangles");
    return;
  }
  const bool fits = indices_fit(body.mesh, mesh_path, problems);
  if (!vertices_are_finite(body.mesh, mesh_path, problems) || !fits) return;
  check_triangles(body.mesh, mesh_path, problems);
  check_doubles(body.mesh, mesh_path, problems);
  if (problems.sound(mesh_path) && is_closed(body.mesh, mesh_path, problems))
    check_loose_vertices(body.mesh, mesh_path, problems);
}

/// A body's surface, and the path and name of the body for messages.
struct NamedSurface {
  const geometry::TriangleMesh* mesh;
  std::string path, name;
};

// Where surfaces touch at the start, contact has no side to keep them on.
void check_intersections(const Scene& scene, ProblemList& problems) {
  std::vector<NamedSurface> surfaces;
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    const std::string path = element("cloths", i);
    if (is_placed(problems, path))
      surfaces.push_back({&scene.cloths[i].mesh, path, scene.cloths[i].name});
  }
  std::vector<geometry::TriangleMesh> shells;
  shells.reserve(scene.soft_bodies.size());
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    const std::string path = element("soft_bodies", i);
    if (!is_placed(problems, path)) continue;
    shells.push_back(geometry::boundary_surface(scene.soft_bodies[i].mesh).mesh);
    surfaces.push_back({&shells.back(), path, scene.soft_bodies[i].name});
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    const std::string path = element("rigid_bodies", i);
    if (!is_placed(problems, path)) continue;
    surfaces.push_back({&scene.rigid_bodies[i].mesh, path, scene.rigid_bodies[i].name});
  }
  std::vector<const geometry::TriangleMesh*> meshes;
  std::int64_t triangle_count = 0;
  for (const NamedSurface& surface : surfaces) {
    meshes.push_back(surface.mesh);
    triangle_count += static_cast<std::int64_t>(surface.mesh->triangles.size());
  }
  // A triangle of a good mesh overlaps the boxes of some twenty others; a pile of triangles that
  // were all put in one place must not take the square of their number.
  const geometry::IntersectionBudget budget{10'000'000 + 50 * triangle_count, 10'000};
  const geometry::IntersectionSearch search = geometry::find_intersections(meshes, budget);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>>
      by_bodies;
  for (const geometry::TriangleIntersection& pair : search.found) {
    by_bodies[{pair.second.mesh, pair.first.mesh}].emplace_back(pair.second.triangle,
                                                                pair.first.triangle);
  }
  for (const auto& [pair, triangles] : by_bodies) {
    const auto [later, earlier] = pair;
    FaultCounter faults(problems, surfaces[later].path + ".mesh");
    for (const auto& [triangle, other] : triangles) {
      if (later == earlier) {
        faults.add("intersects itself at the start: triangle {} meets triangle {}", other,
                   triangle);
      } else {
        faults.add("intersects {} ({}) at the start: triangle {} meets its triangle {}",
                   surfaces[earlier].path, surfaces[earlier].name, triangle, other);
      }
    }
  }
  if (!search.complete) {
    problems.error(surfaces.front().path.substr(0, surfaces.front().path.find('[')),
                   "too many triangles overlap for all intersections to be found");
  }
}

void check_size(const Scene& scene, const Limits& limits, ProblemList& problems) {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t tetrahedra = 0;
  for (const Cloth& cloth : scene.cloths) {
    vertices += static_cast<std::int64_t>(cloth.mesh.vertices.size());
    triangles += static_cast<std::int64_t>(cloth.mesh.triangles.size());
  }
  for (const SoftBody& body : scene.soft_bodies) {
    vertices += static_cast<std::int64_t>(body.mesh.vertices.size());
    tetrahedra += static_cast<std::int64_t>(body.mesh.tets.size());
  }
  for (const RigidBody& body : scene.rigid_bodies) {
    vertices += static_cast<std::int64_t>(body.mesh.vertices.size());
    triangles += static_cast<std::int64_t>(body.mesh.triangles.size());
  }
  const auto check = [&](std::int64_t found, std::int64_t allowed, const char* what,
                         const char* path) {
    if (found <= allowed) return;
    problems.error(
        path, fmt::format("have {} {} together; at most {} are allowed", found, what, allowed));
  };
  const char* rigid_or_soft = scene.soft_bodies.empty() ? "rigid_bodies" : "soft_bodies";
  check(vertices, limits.vertex_count, "vertices", scene.cloths.empty() ? rigid_or_soft : "cloths");
  check(triangles, limits.triangle_count, "triangles",
        scene.cloths.empty() ? "rigid_bodies" : "cloths");
  check(tetrahedra, limits.tetrahedron_count, "tetrahedra", "soft_bodies");
}

}  // namespace

bool has_sound_mesh(const ProblemList& problems, const std::string& body_path) {
  return problems.sound(body_path + ".mesh") && problems.sound(body_path + ".element_size") &&
         problems.sound(body_path + ".transform.scale");
}

bool is_placed(const ProblemList& problems, const std::string& body_path) {
  return has_sound_mesh(problems, body_path) && problems.sound(body_path + ".transform");
}

void check_meshes(const Scene& scene, const Limits& limits, ProblemList& problems) {
  check_size(scene, limits, problems);
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    check_cloth_mesh(scene.cloths[i], element("cloths", i), problems);
  }
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    check_soft_body_mesh(scene.soft_bodies[i], element("soft_bodies", i), problems);
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    check_rigid_mesh(scene.rigid_bodies[i], element("rigid_bodies", i), problems);
  }
  check_intersections(scene, problems);
}

}  // namespace sluice::scene
