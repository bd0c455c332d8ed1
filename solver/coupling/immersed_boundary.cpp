// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/immersed_boundary.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "solver/coupling/fluid_step.h"
#include "solver/geometry/bvh.h"
#include "solver/geometry/point_triangle.h"

namespace sluice::coupling {
namespace {

// [cells] Between points of an element, at most: fluid goes through between those that are two or
// more apart, which no value of the grid is near to both of.
constexpr double spacing = 0.75;

// [cells] From the surface of a body to its points, at least: as far as their weights reach. With
// points up to the surface a disc 16 cells across is 1.4 cells larger to the flow than it is
// (bodies_take_gas_along).
constexpr double retreat = 1.5;

// Adds points in the simplex of `corners`, which takes the place of `volume` m^3 of fluid: the
// middles of the upright parts of as many as its longest edge asks for.
template <std::size_t count>
void add_points(const std::array<std::int32_t, count>& corners, std::span<const Vec3> rest,
                double volume, double largest_spacing, std::vector<fluid::SolidPoint>& points) {
  double longest = 0;
  for (const std::int32_t a : corners) {
    for (const std::int32_t b : corners) {
      longest = std::max(
          longest, (rest[static_cast<std::size_t>(a)] - rest[static_cast<std::size_t>(b)]).norm());
    }
  }
  const int parts = std::max(1, static_cast<int>(std::ceil(longest / largest_spacing)));
  const std::size_t first = points.size();
  // All places (i + 1 / count) / parts with whole i >= 0 whose weights sum up to 1.
  const auto add = [&](const std::array<int, count>& place) {
    fluid::SolidPoint point{};
    for (std::size_t k = 0; k < count; ++k) {
      point.vertices[k] = static_cast<std::uint32_t>(corners[k]);
      point.weights[k] = (place[k] + 1.0 / static_cast<double>(count)) / parts;
    }
    for (std::size_t k = count; k < point.vertices.size(); ++k)
      point.vertices[k] = point.vertices[0];
    points.push_back(point);
  };
  std::array<int, count> place{};
  for (place[1] = 0; place[1] < parts; ++place[1]) {
    for (place[2] = 0; place[1] + place[2] < parts; ++place[2]) {
      if constexpr (count == 3) {
        place[0] = parts - 1 - place[1] - place[2];
        add(place);
      } else {
        for (place[3] = 0; place[1] + place[2] + place[3] < parts; ++place[3]) {
          place[0] = parts - 1 - place[1] - place[2] - place[3];
          add(place);
        }
      }
    }
  }
  for (std::size_t n = first; n < points.size(); ++n)
    points[n].volume = volume / static_cast<double>(points.size() - first);
}

// The surface of a body that has a volume: of a slice its outline, as triangles without area.
std::vector<geometry::Triangle> surface_of(const solid::DeformableSystem& solids,
                                           const solid::BodyRange& body) {
  const auto at = [&](std::int32_t vertex) {
    return solids.positions[static_cast<std::size_t>(vertex)];
  };
  const auto triangles = std::span(solids.triangles)
                             .subspan(static_cast<std::size_t>(body.first_triangle),
                                      static_cast<std::size_t>(body.triangle_count));
  std::vector<geometry::Triangle> surface;
  if (body.tet_count > 0) {
    for (const auto& [a, b, c] : triangles)
      surface.push_back({at(a), at(b), at(c)});
    return surface;
  }
  std::map<EdgeIndices, int> count;
  for (const auto& [a, b, c] : triangles) {
    for (const EdgeIndices& edge : {EdgeIndices{a, b}, EdgeIndices{b, c}, EdgeIndices{c, a}})
      ++count[{std::min(edge[0], edge[1]), std::max(edge[0], edge[1])}];
  }
  for (const auto& [edge, times] : count) {
    if (times == 1) surface.push_back({at(edge[0]), at(edge[1]), at(edge[1])});
  }
  return surface;
}

// Takes away the points of a body that are next to its surface, `deep` m or half as deep as any is,
// and gives the others what they stood for.
void keep_deep(const solid::DeformableSystem& solids, const solid::BodyRange& body, double deep,
               std::vector<fluid::SolidPoint>& points) {
  const std::vector<geometry::Triangle> surface = surface_of(solids, body);
  std::vector<geometry::Bounds> boxes;
  boxes.reserve(surface.size());
  for (const auto& [a, b, c] : surface)
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  geometry::Bvh bvh;
  bvh.build(boxes);
  std::vector<double> depth;
  depth.reserve(points.size());
  for (const fluid::SolidPoint& point : points) {
    Vec3 x = Vec3::Zero();
    for (std::size_t k = 0; k < point.vertices.size(); ++k)
      x += point.weights[k] * solids.positions[point.vertices[k]];
    const Vec3 reach = Vec3::Constant(2 * deep);
    double squared = 4 * deep * deep;
    bvh.for_each_overlap({x - reach, x + reach}, [&](std::int32_t triangle) {
      const auto nearest = geometry::nearest_point(surface[static_cast<std::size_t>(triangle)], x);
      squared = std::min(squared, nearest.squared_distance);
    });
    depth.push_back(std::sqrt(squared));
  }
  const double least = 0.5 * *std::ranges::max_element(depth);
  double all = 0, kept = 0;
  std::vector<fluid::SolidPoint> of_body;
  for (std::size_t n = 0; n < points.size(); ++n) {
    all += points[n].volume;
    if (depth[n] < least) continue;
    kept += points[n].volume;
    of_body.push_back(points[n]);
  }
  for (fluid::SolidPoint& point : of_body)
    point.volume *= all / kept;
  points = std::move(of_body);
}

std::vector<fluid::SolidPoint> points_of(const scene::Scene& scene,
                                         const solid::DeformableSystem& solids) {
  const std::vector<Vec3>& rest = solids.positions;
  const double cell = scene.grid.cell_size;
  const auto at = [&](std::int32_t vertex) { return rest[static_cast<std::size_t>(vertex)]; };
  // A slice is as thick as the flow is deep, a sheet has no volume.
  const double depth =
      scene::are_cloths_slices(scene) ? scene.domain_upper.y() - scene.domain_lower.y() : 0;
  std::vector<fluid::SolidPoint> points;
  for (std::size_t b = 0; b < solids.bodies.size(); ++b) {
    const solid::BodyRange& body = solids.bodies[b];
    std::vector<fluid::SolidPoint> of_body;
    for (std::int32_t t = 0; body.tet_count == 0 && t < body.triangle_count; ++t) {
      const TriangleIndices& corners =
          solids.triangles[static_cast<std::size_t>(body.first_triangle) +
                           static_cast<std::size_t>(t)];
      const auto& [p, q, r] = corners;
      const double area = 0.5 * (at(q) - at(p)).cross(at(r) - at(p)).norm();
      add_points(corners, rest, depth * area, spacing * cell, of_body);
    }
    for (std::int32_t t = 0; t < body.tet_count; ++t) {
      const geometry::TetIndices& corners =
          solids.tets[static_cast<std::size_t>(body.first_tet) + static_cast<std::size_t>(t)];
      const auto& [p, q, r, s] = corners;
      Mat3 edges;
      edges << at(q) - at(p), at(r) - at(p), at(s) - at(p);
      add_points(corners, rest, std::abs(edges.determinant()) / 6, spacing * cell, of_body);
    }
    if (body.tet_count > 0 || depth > 0) keep_deep(solids, body, retreat * cell, of_body);
    for (fluid::SolidPoint& point : of_body) {
      point.body = static_cast<std::uint32_t>(b);
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace

ImmersedBoundary::ImmersedBoundary(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : elastic_(scene, solids, SolidsInPressure::Exchange::at_once,
               [](const Mat3& attached) { return attached.diagonal().maxCoeff(); }),
      points_(points_of(scene, solids)) {}

void ImmersedBoundary::immerse(double h, const ExternalActions& actions,
                               const solid::DeformableSystem& solids, fluid::MovesSolids& fluid) {
  fluid::ImmersedSolids immersed = elastic_.begin(h, actions, solids);
  immersed.points = points_;
  immersed.start_velocities = solids.velocities;
  fluid.set_solids(immersed);
}

void ImmersedBoundary::place_solids(const solid::DeformableSystem& solids, fluid::Fluid& fluid) {
  if (auto* const pressure = fluid::as<fluid::MovesSolids>(&fluid))
    immerse(0, {}, solids, *pressure);
}

Result<SubstepReport> ImmersedBoundary::step(double h, const ExternalActions& actions,
                                             solid::DeformableSystem& solids, fluid::Fluid* fluid,
                                             const StepNotes& notes) {
  auto* const pressure = fluid::as<fluid::MovesSolids>(fluid);
  assert(pressure != nullptr);
  immerse(h, actions, solids, *pressure);
  if (auto error = advance_fluid(h, actions, {}, fluid, notes.timer)) return *error;
  elastic_.expect(h, solids, pressure->velocities_of_solids());
  auto solved = elastic_.step(h, actions, pressure->impulses_on_solids(), solids, nullptr, notes);
  if (solved) commit_fluid(fluid, notes.timer);
  return solved;
}

}  // namespace sluice::coupling
