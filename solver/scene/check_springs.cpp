// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <span>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

constexpr double largest_stiffness = 1e7;    // [N/m]
constexpr double largest_rest_length = 1e4;  // [m]

/// Where the vertices of a body with a name are, and its path.
struct NamedVertices {
  std::span<const Vec3> positions;
  std::string path;
};
using BodyMap = std::map<std::string, NamedVertices>;

BodyMap bodies_of(const Scene& scene) {
  BodyMap bodies;
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    const Cloth& cloth = scene.cloths[i];
    bodies.insert({cloth.name, {cloth.mesh.vertices, element("cloths", i)}});
  }
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    const SoftBody& body = scene.soft_bodies[i];
    bodies.insert({body.name, {body.mesh.vertices, element("soft_bodies", i)}});
  }
  return bodies;
}

// Where the end is; nothing after an error, at the end or at its body.
std::optional<Vec3> check_end(const SpringEnd& end, const char* suffix, const std::string& path,
                              const BodyMap& bodies, ProblemList& problems) {
  const auto found = bodies.find(end.body);
  if (end.body.empty() || found == bodies.end()) {
    problems.error(path + ".body" + suffix, end.body.empty()
                                                ? std::string("is required: a cloth or soft body")
                                                : fmt::format("no cloth or soft body is named so"));
    return std::nullopt;
  }
  const auto& [positions, body_path] = found->second;
  if (positions.empty() || !has_sound_mesh(problems, body_path)) return std::nullopt;
  if (end.vertex < 0 || static_cast<std::size_t>(end.vertex) >= positions.size()) {
    problems.error(path + ".vertex" + suffix,
                   fmt::format("{} is not a vertex of \"{}\", which has 0 to {}", end.vertex,
                               end.body, positions.size() - 1));
    return std::nullopt;
  }
  return positions[static_cast<std::size_t>(end.vertex)];
}

}  // namespace

void check_springs(const Scene& scene, ProblemList& problems) {
  if (scene.springs.empty()) return;
  const BodyMap bodies = bodies_of(scene);
  for (std::size_t i = 0; i < scene.springs.size(); ++i) {
    const std::string path = element("springs", i);
    const BodySpring& spring = scene.springs[i];
    problems.positive(spring.stiffness, largest_stiffness, path + ".stiffness");
    if (spring.rest_length) {
      problems.positive(*spring.rest_length, largest_rest_length, path + ".rest_length");
    }
    const auto a = check_end(spring.a, "_a", path, bodies, problems);
    const auto b = check_end(spring.b, "_b", path, bodies, problems);
    if (!a || !b) continue;
    if (spring.a.body == spring.b.body && spring.a.vertex == spring.b.vertex) {
      problems.error(path + ".vertex_b", "is the vertex at the other end");
    } else if (!spring.rest_length && *a == *b) {
      problems.error(path + ".rest_length", "is required: the ends are in one place at the start");
    }
  }
}

}  // namespace sluice::scene
