// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

// A body may end this part of the domain's length along y from its sides.
constexpr double depth_tolerance = 1e-6;

// Moments across the plane may be this part of a body's volume times its squared radius: so far may
// it lean out of the plane.
constexpr double skewness_tolerance = 1e-4;

// Components of a unit quaternion up to this are rounding.
constexpr double turn_tolerance = 1e-9;

double plane_of(const Scene& scene) {
  return 0.5 * (scene.domain_lower.y() + scene.domain_upper.y());
}

void check_along_plane(const Vec3& v, const std::string& path, ProblemList& problems) {
  if (v.y() == 0 || !problems.sound(path)) return;
  problems.error(path, fmt::format("has {} along y; in two dimensions nothing moves there", v.y()));
}

void check_motions(const Scene& scene, ProblemList& problems) {
  check_along_plane(scene.gravity, "gravity", problems);
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const Fluid& fluid = scene.fluids[i];
    const std::string path = element("fluids", i);
    check_along_plane(fluid.velocity, path + ".velocity", problems);
    for (std::size_t e = 0; e < fluid.emitters.size(); ++e) {
      check_along_plane(fluid.emitters[e].velocity, element(path + ".emitters", e) + ".velocity",
                        problems);
    }
  }
}

void check_openings(const Scene& scene, ProblemList& problems) {
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const std::string path = element("fluids", i) + ".emitters";
    for (std::size_t e = 0; e < scene.fluids[i].emitters.size(); ++e) {
      check_reaches_plane(scene, scene.fluids[i].emitters[e].shape, element(path, e) + ".shape",
                          problems);
    }
  }
  for (std::size_t i = 0; i < scene.drains.size(); ++i) {
    check_reaches_plane(scene, scene.drains[i].shape, element("drains", i) + ".shape", problems);
  }
  for (const Side side : scene.grid.sides[1]) {
    if (side == Side::wall || !problems.sound("domain")) continue;
    problems.error(side == Side::open ? "domain.open_sides" : "domain.periodic_axes",
                   "in two dimensions nothing flows along y");
  }
}

// The moments of a closed mesh across the plane y = `plane`, for a body of density 1: of x
// and z times the distance from the plane, and of that distance itself times `length`.
Vec3 moments_across(const geometry::TriangleMesh& mesh, const Vec3& origin, double length) {
  Vec3 sums = Vec3::Zero();
  for (const TriangleIndices& triangle : mesh.triangles) {
    const auto corner = [&](std::size_t i) {
      return Vec3(mesh.vertices[static_cast<std::size_t>(triangle[i])] - origin);
    };
    const Vec3 a = corner(0), b = corner(1), c = corner(2), sum = a + b + c;
    const double volume = a.dot(b.cross(c)) / 6;  // The volume of the tetrahedron with the origin.
    // The mean of x y over a tetrahedron with a corner at 0.
    const auto mean = [&](int axis) {
      return (a[axis] * a.y() + b[axis] * b.y() + c[axis] * c.y() + sum[axis] * sum.y()) / 20;
    };
    sums += volume * Vec3(mean(0), 0.25 * sum.y() * length, mean(2));
  }
  return sums;
}

// That it moves in the plane by itself: as deep as the flow, and the same on both sides.
void check_slab(const Scene& scene, const RigidBody& body, const std::string& path,
                ProblemList& problems) {
  if (!is_placed(problems, path) || !problems.sound("domain")) return;
  constexpr double beyond = std::numeric_limits<double>::infinity();
  double low = beyond, high = -beyond;
  for (const Vec3& x : body.mesh.vertices) {
    low = std::min(low, x.y());
    high = std::max(high, x.y());
  }
  const double depth = scene.domain_upper.y() - scene.domain_lower.y();
  const double error =
      std::max(std::abs(low - scene.domain_lower.y()), std::abs(high - scene.domain_upper.y()));
  if (error > depth_tolerance * depth) {
    problems.error(path + ".mesh",
                   fmt::format("reaches from y = {:.6g} m to {:.6g} m; in two dimensions a body "
                               "must be as deep as the domain, from {:.6g} to {:.6g}",
                               low, high, scene.domain_lower.y(), scene.domain_upper.y()));
    return;
  }
  Vec3 middle = Vec3::Zero();
  for (const Vec3& x : body.mesh.vertices)
    middle += x / static_cast<double>(body.mesh.vertices.size());
  double volume = 0, radius = 0;
  for (const TriangleIndices& triangle : body.mesh.triangles) {
    const auto corner = [&](std::size_t i) {
      return Vec3(body.mesh.vertices[static_cast<std::size_t>(triangle[i])] - middle);
    };
    volume += corner(0).dot(corner(1).cross(corner(2))) / 6;
    radius = std::max(radius, corner(0).norm());
  }
  const Vec3 moments = moments_across(body.mesh, {middle.x(), plane_of(scene), middle.z()}, radius);
  if (moments.cwiseAbs().maxCoeff() > skewness_tolerance * std::abs(volume) * radius * radius) {
    problems.error(
        path + ".mesh",
        fmt::format("is not the same on both sides of y = {:.6g} m: in two dimensions it "
                    "would have to turn out of the plane",
                    plane_of(scene)));
  }
}

void check_body(const Scene& scene, const RigidBody& body, const std::string& path,
                ProblemList& problems) {
  check_along_plane(body.velocity, path + ".velocity", problems);
  const Vec3& turn = body.angular_velocity;
  if (turn.x() != 0 || turn.z() != 0) {
    problems.error(path + ".angular_velocity_degrees",
                   "in two dimensions bodies turn about y alone");
  }
  for (std::size_t k = 0; k < body.script.size(); ++k) {
    const std::string key = element(path + ".script", k);
    check_along_plane(body.script[k].offset, key + ".offset", problems);
    const Eigen::Quaterniond& rotation = body.script[k].rotation;
    if (std::max(std::abs(rotation.x()), std::abs(rotation.z())) > turn_tolerance) {
      problems.error(key + ".rotation_degrees", "in two dimensions bodies turn about y alone");
    }
  }
  check_slab(scene, body, path, problems);
}

}  // namespace

void check_reaches_plane(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                         ProblemList& problems) {
  if (!problems.sound(path) || !problems.sound("domain")) return;
  const geometry::Bounds bounds = geometry::bounds(shape);
  const double plane = plane_of(scene);
  if (bounds.upper.y() <= plane || bounds.lower.y() >= plane) {
    problems.error(
        path,
        fmt::format("does not reach y = {} m, where the flow in two dimensions is cut", plane));
  }
}

void check_flat_liquid(const Scene& scene, ProblemList& problems) {
  if (scene.fluids.empty() || scene.grid.dimensions != 2) return;
  if (scene.grid.solver == FluidSolver::incompressible) check_slices(scene, problems);
  check_motions(scene, problems);
  check_openings(scene, problems);
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i)
    check_body(scene, scene.rigid_bodies[i], element("rigid_bodies", i), problems);
}

}  // namespace sluice::scene
