// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "solver/geometry/broad_phase.h"
#include "solver/geometry/deepest_point.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/winding.h"
#include "solver/scene/checks.h"
#include "solver/scene/fault_counter.h"
#include "solver/scene/seeding.h"

namespace sluice::scene {
namespace {

using geometry::Shape;

// Pairs of a body's vertex and an obstacle that are looked at in a scene: a few seconds.
constexpr std::int64_t most_obstacle_tests = 200'000'000;

std::string shown(const Vec3& point) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", point.x(), point.y(), point.z());
}

bool shape_is_sound(const ProblemList& problems, std::size_t obstacle) {
  return problems.sound(element("obstacles", obstacle) + ".shape");
}

geometry::Bounds bounds_of(std::span<const Vec3> vertices) {
  geometry::Bounds bounds{vertices.front(), vertices.front()};
  for (const Vec3& vertex : vertices) {
    bounds.lower = bounds.lower.cwiseMin(vertex);
    bounds.upper = bounds.upper.cwiseMax(vertex);
  }
  return bounds;
}

void check_in_domain(const Scene& scene, std::span<const Vec3> vertices, const std::string& path,
                     ProblemList& problems) {
  Vec3 lower = scene.domain_lower, upper = scene.domain_upper;
  if (scene.grid.dimensions == 2) {  // Another check says where a body must be along y.
    lower.y() = -std::numeric_limits<double>::infinity();
    upper.y() = std::numeric_limits<double>::infinity();
  }
  FaultCounter faults(problems, path + ".mesh");
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Vec3& vertex = vertices[v];
    if ((vertex.array() < lower.array()).any() || (vertex.array() > upper.array()).any()) {
      faults.add("vertex {} at {} is outside the domain", v, shown(vertex));
    }
  }
}

// `tests_left` pairs of a vertex and an obstacle may still be looked at, over all bodies. Vertices
// that `pins` hold may be in one, as if they were fixed to it.
void check_off_obstacles(const Scene& scene, std::span<const Vec3> vertices,
                         std::span<const Pin> pins, const std::string& path,
                         std::int64_t& tests_left, ProblemList& problems) {
  std::vector<std::uint8_t> is_held(vertices.size(), 0);
  for (const Pin& pin : pins) {
    for (const std::int32_t vertex : pin.vertices) {
      if (vertex >= 0 && static_cast<std::size_t>(vertex) < vertices.size())
        is_held[static_cast<std::size_t>(vertex)] = 1;
    }
  }
  const geometry::Bounds bounds = bounds_of(vertices);
  for (std::size_t o = 0; o < scene.obstacles.size(); ++o) {
    if (!shape_is_sound(problems, o)) continue;
    const Obstacle& obstacle = scene.obstacles[o];
    if (!overlap(bounds, geometry::bounds(obstacle.shape))) continue;
    tests_left -= static_cast<std::int64_t>(vertices.size());
    if (tests_left < 0) {
      problems.error(path + ".mesh",
                     "too many vertices are near too many obstacles for the start to be checked");
      return;
    }
    FaultCounter faults(problems, path + ".mesh");
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      const Vec3& vertex = vertices[v];
      const double distance = geometry::signed_distance(obstacle.shape, vertex).distance;
      if (distance < 0 && is_held[v] == 0) {
        faults.add("vertex {} at {} is {:.3g} m inside obstacles[{}] ({})", v, shown(vertex),
                   -distance, o, obstacle.name);
      }
    }
  }
}

// Large triangles may be inside obstacles where their corners are not.
void check_faces_off_obstacles(const Scene& scene, const RigidBody& body, const std::string& path,
                               std::int64_t& tests_left, ProblemList& problems) {
  constexpr std::int64_t tests_of_face = 500;  // Distances in deepest_point.
  const auto at = [&](std::int32_t v) { return body.mesh.vertices[static_cast<std::size_t>(v)]; };
  for (std::size_t o = 0; o < scene.obstacles.size(); ++o) {
    if (!shape_is_sound(problems, o)) continue;
    const Shape& shape = scene.obstacles[o].shape;
    if (!overlap(bounds_of(body.mesh.vertices), geometry::bounds(shape))) continue;
    FaultCounter faults(problems, path + ".mesh");
    for (std::size_t t = 0; t < body.mesh.triangles.size() && tests_left > 0; ++t) {
      const auto& [i, j, k] = body.mesh.triangles[t];
      const geometry::Triangle triangle{at(i), at(j), at(k)};
      const Vec3 middle = (triangle.a + triangle.b + triangle.c) / 3;
      const double radius = std::max({(triangle.a - middle).norm(), (triangle.b - middle).norm(),
                                      (triangle.c - middle).norm()});
      --tests_left;
      if (geometry::signed_distance(shape, middle).distance > radius) continue;
      tests_left -= tests_of_face;
      const double deepest = geometry::deepest_point(shape, triangle).distance;
      if (deepest < 0) {
        faults.add("triangle {} is {:.3g} m inside obstacles[{}] ({})", t, -deepest, o,
                   scene.obstacles[o].name);
      }
    }
    if (tests_left <= 0) {
      problems.error(path + ".mesh",
                     "too many triangles are near too many obstacles for the start to be checked");
      return;
    }
  }
}

// The centre of mass of what a closed surface encloses.
Vec3 centre_of(const geometry::TriangleMesh& mesh) {
  const Vec3& origin = mesh.vertices.front();  // For digits.
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = mesh.vertices[static_cast<std::size_t>(i)] - origin;
    const Vec3 b = mesh.vertices[static_cast<std::size_t>(j)] - origin;
    const Vec3 c = mesh.vertices[static_cast<std::size_t>(k)] - origin;
    const double part = a.dot(b.cross(c));
    volume += part;
    moment += part * (a + b + c) / 4;
  }
  return volume > 0 ? Vec3(origin + moment / volume) : origin;
}

// The domain's sides do not stop a body that moves as told: warns of the first key within the
// scene's time at which a corner of it is outside.
void check_script_in_domain(const Scene& scene, const RigidBody& body, const std::string& path,
                            std::int64_t& tests_left, ProblemList& problems) {
  if (body.script.empty() || !problems.sound(path + ".script")) return;
  Vec3 lower = scene.domain_lower, upper = scene.domain_upper;
  if (scene.grid.dimensions == 2) {
    lower.y() = -std::numeric_limits<double>::infinity();
    upper.y() = std::numeric_limits<double>::infinity();
  }
  const Vec3 centre = centre_of(body.mesh);
  double radius = 0;
  for (const Vec3& vertex : body.mesh.vertices)
    radius = std::max(radius, (vertex - centre).norm());
  const double end = static_cast<double>(scene.frame_count) / scene.frame_rate;
  const double rounding = 1e-9 * (upper - lower).cwiseAbs().minCoeff();
  for (std::size_t k = 0; k < body.script.size(); ++k) {
    const PoseKey& key = body.script[k];
    if (key.time > end * (1 + 1e-9)) return;
    const Vec3 middle = centre + key.offset;
    if ((middle.array() - radius >= lower.array()).all() &&
        (middle.array() + radius <= upper.array()).all())
      continue;
    tests_left -= static_cast<std::int64_t>(body.mesh.vertices.size());
    if (tests_left < 0) return;
    double furthest = 0;
    for (const Vec3& vertex : body.mesh.vertices) {
      const Vec3 x = middle + key.rotation * (vertex - centre);
      furthest = std::max({furthest, (lower - x).maxCoeff(), (x - upper).maxCoeff()});
    }
    if (!(furthest > rounding)) continue;
    problems.warn(
        element(path + ".script", k),
        fmt::format("takes \"{}\" {:.3g} m out of the domain, whose sides do not stop what a "
                    "script moves",
                    body.name, furthest));
    return;
  }
}

bool is_in_domain(const Scene& scene, const Shape& shape) {
  return overlap(geometry::bounds(shape), {scene.domain_lower, scene.domain_upper});
}

// Shapes of which nothing is in the domain.
void check_shapes_in_domain(const Scene& scene, ProblemList& problems) {
  for (std::size_t o = 0; o < scene.obstacles.size(); ++o) {
    if (shape_is_sound(problems, o) && !is_in_domain(scene, scene.obstacles[o].shape))
      problems.warn(element("obstacles", o) + ".shape",
                    "lies outside the domain: nothing will meet it");
  }
  for (std::size_t f = 0; f < scene.fluids.size(); ++f) {
    const std::string regions = element("fluids", f) + ".regions";
    if (!problems.sound(regions)) continue;
    for (std::size_t r = 0; r < scene.fluids[f].regions.size(); ++r) {
      if (!is_in_domain(scene, scene.fluids[f].regions[r]))
        problems.error(element(regions, r), "lies outside the domain");
    }
  }
}

// Why a region gives no particle, or that it reaches out of the domain.
void check_region(const Scene& scene, const Seeds& seeds, std::size_t fluid, std::size_t region,
                  SeedWork& work, ProblemList& problems) {
  const std::string path = element(element("fluids", fluid) + ".regions", region);
  const Shape& shape = scene.fluids[fluid].regions[region];
  const geometry::Bounds bounds = geometry::bounds(shape);
  const SeedCount carved = seeds.count_region(fluid, region, true, 0, work);
  if (carved.count > 0) {
    // A half-space always reaches out. A turned box's bounds are not tight: a cell is the slack.
    const double slack = scene.grid.cell_size;
    bool reaches_out = false;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == 1 && scene.grid.dimensions == 2) continue;  // There it is cut.
      reaches_out = reaches_out || bounds.lower[axis] + slack < scene.domain_lower[axis] ||
                    bounds.upper[axis] - slack > scene.domain_upper[axis];
    }
    if (reaches_out && !std::holds_alternative<geometry::HalfSpace>(shape.form)) {
      problems.warn(path, "reaches out of the domain: what is outside is left out");
    }
    return;
  }
  if (carved.outcome != SeedOutcome::complete) return;  // Told by the count of the fluid.
  const SeedCount whole = seeds.count_region(fluid, region, false, 0, work);
  if (whole.count > 0) {
    problems.error(path,
                   "gives no particle: all of it is inside or close to solids, or inside fluids "
                   "that come before");
  } else if (whole.outcome == SeedOutcome::complete) {
    problems.error(path, fmt::format("gives no particle: none of the seeds, {:.3g} m apart, is in "
                                     "it and the domain",
                                     seed_spacing(scene.grid)));
  }
}

bool has_emitters(const Scene& scene) {
  return std::any_of(scene.fluids.begin(), scene.fluids.end(),
                     [](const Fluid& fluid) { return !fluid.emitters.empty(); });
}

void check_seed_count(const Scene& scene, const Seeds& seeds, const Limits& limits, SeedWork& work,
                      ProblemList& problems) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const std::string path = element("fluids", i) + ".regions";
    const SeedCount counted = seeds.count(i, limits.particle_count - total, work);
    if (counted.outcome == SeedOutcome::too_many) {
      problems.error(path, fmt::format("more than {} particles; that many are allowed in a scene: "
                                       "use larger cells or less fluid",
                                       limits.particle_count));
      return;
    }
    if (counted.outcome == SeedOutcome::too_intricate) {
      problems.error(path, "too many shapes and triangles overlap for the particles to be counted");
      return;
    }
    total += counted.count;
  }
  if (total > scene.grid.max_particles && has_emitters(scene)) {
    problems.error(
        "fluid_grid.max_particles",
        fmt::format("{} is less than there are at the start, {}", scene.grid.max_particles, total));
  }
}

// Surfaces that do not meet are outside each other or one in the other.
void check_nothing_is_inside(const Scene& scene, std::size_t body, ProblemList& problems) {
  const geometry::TriangleMesh& mesh = scene.rigid_bodies[body].mesh;
  const geometry::SparseGrid triangles = geometry::triangle_boxes(mesh);
  const auto check = [&](const char* kind, std::size_t index, std::span<const Vec3> vertices) {
    const std::string path = element(kind, index);
    if (!is_placed(problems, path)) return;
    if (geometry::winding_number(mesh, triangles, vertices.front()) == 0) return;
    problems.error(path + ".mesh", fmt::format("is inside rigid_bodies[{}] ({})", body,
                                               scene.rigid_bodies[body].name));
  };
  for (std::size_t i = 0; i < scene.cloths.size(); ++i)
    check("cloths", i, scene.cloths[i].mesh.vertices);
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i)
    check("soft_bodies", i, scene.soft_bodies[i].mesh.vertices);
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    if (i != body) check("rigid_bodies", i, scene.rigid_bodies[i].mesh.vertices);
  }
}

void check_fluids(const Scene& scene, const Limits& limits, ProblemList& problems) {
  if (scene.fluids.empty() || !problems.sound("fluid_grid")) return;
  for (std::size_t o = 0; o < scene.obstacles.size(); ++o) {
    if (!shape_is_sound(problems, o)) return;
  }
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    if (!problems.sound(element("fluids", i) + ".regions")) return;
  }
  for (std::size_t c = 0; c < scene.cloths.size(); ++c) {
    const std::string path = element("cloths", c);
    if (!is_placed(problems, path) || !problems.sound(path + ".thickness")) return;
  }
  for (std::size_t b = 0; b < scene.soft_bodies.size(); ++b) {
    if (!is_placed(problems, element("soft_bodies", b))) return;
  }
  for (std::size_t b = 0; b < scene.rigid_bodies.size(); ++b) {
    if (!is_placed(problems, element("rigid_bodies", b))) return;
  }
  if (!problems.sound("coupling.contact_distance")) return;
  const Seeds seeds(scene);
  SeedWork work;
  check_seed_count(scene, seeds, limits, work, problems);
  if (!problems.sound("fluids")) return;
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    for (std::size_t r = 0; r < scene.fluids[i].regions.size(); ++r) {
      check_region(scene, seeds, i, r, work, problems);
    }
  }
}

}  // namespace

void check_placement(const Scene& scene, const Limits& limits, ProblemList& problems) {
  const bool domain_is_sound = problems.sound("domain");
  std::int64_t tests_left = most_obstacle_tests;
  const auto check = [&](const std::string& path, std::span<const Vec3> vertices,
                         std::span<const Pin> pins) {
    if (!is_placed(problems, path)) return;
    if (domain_is_sound) check_in_domain(scene, vertices, path, problems);
    check_off_obstacles(scene, vertices, pins, path, tests_left, problems);
  };
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    check(element("cloths", i), scene.cloths[i].mesh.vertices, scene.cloths[i].pins);
  }
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    check(element("soft_bodies", i), scene.soft_bodies[i].mesh.vertices, scene.soft_bodies[i].pins);
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    const std::string path = element("rigid_bodies", i);
    check(path, scene.rigid_bodies[i].mesh.vertices, {});
    if (is_placed(problems, path)) {
      check_faces_off_obstacles(scene, scene.rigid_bodies[i], path, tests_left, problems);
      if (domain_is_sound)
        check_script_in_domain(scene, scene.rigid_bodies[i], path, tests_left, problems);
    }
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    if (is_placed(problems, element("rigid_bodies", i))) {
      check_nothing_is_inside(scene, i, problems);
    }
  }
  if (!domain_is_sound) return;
  check_shapes_in_domain(scene, problems);
  check_fluids(scene, limits, problems);
}

}  // namespace sluice::scene
