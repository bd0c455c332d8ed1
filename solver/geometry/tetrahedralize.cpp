// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tetrahedralize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solver/geometry/closed_surface.h"
#include "solver/geometry/isosurface_stuffing.h"
#include "solver/geometry/mesh_intersection.h"
#include "solver/geometry/predicates.h"
#include "solver/geometry/triangle_intersection.h"
#include "solver/geometry/winding.h"

namespace sluice::geometry {
namespace {

Error refusal(const std::string& message) { return {ErrorCode::invalid_mesh, message}; }

Triangle triangle_of(const TriangleMesh& surface, const TriangleIndices& corners) {
  const auto at = [&](std::size_t i) {
    return surface.vertices[static_cast<std::size_t>(corners[i])];
  };
  return {at(0), at(1), at(2)};
}

std::optional<Error> check_simple(const TriangleMesh& surface) {
  const std::array<const TriangleMesh*, 1> meshes{&surface};
  // A triangle of a good mesh overlaps the boxes of some twenty others.
  const auto count = static_cast<std::int64_t>(surface.triangles.size());
  const IntersectionSearch search = find_intersections(meshes, {10'000'000 + 50 * count, 1'000});
  if (!search.found.empty()) {
    const auto& [first, second] = search.found.front();
    return refusal(fmt::format("the surface intersects itself: triangle {} meets triangle {}",
                               first.triangle, second.triangle));
  }
  if (!search.complete) {
    return refusal("too many triangles of the surface overlap to tell whether it is sound");
  }
  return std::nullopt;
}

// A lattice around the box, centred, with all outermost corners and centres outside.
Result<BccLattice> lattice_around(const Bounds& box, const TetrahedralizeSettings& settings) {
  const double h = settings.cell_size;
  if (!(h > 0) || !std::isfinite(h)) {
    return refusal(fmt::format("the cell size must be positive, found {:.6g}", h));
  }
  // Coordinates are multiples of h off the box: they need digits left, and predicates their range.
  const double largest = box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
  if (!(h > 1e-9 * largest) || !(largest < 0x1p200) || !(h > 0x1p-200)) {
    return refusal(
        fmt::format("the cell size {:.6g} is too small for coordinates up to {:.6g}", h, largest));
  }
  // Half a cell beyond the box on either side and a cell to spare.
  const Vec3 counts = ((box.upper - box.lower) / h).array().floor() + 3;
  const double total = counts.prod();
  if (!(total <= static_cast<double>(settings.cell_limit))) {
    return refusal(fmt::format("the cell size {:.6g} needs {:.6g} cells; at most {} are allowed", h,
                               total, settings.cell_limit));
  }
  BccLattice lattice{{}, h, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lattice.cell_counts[axis] = static_cast<std::int32_t>(counts[static_cast<Eigen::Index>(axis)]);
  }
  lattice.origin = 0.5 * (box.lower + box.upper) - 0.5 * h * counts;
  return lattice;
}

// The first point of the surface on the segment from p, inside, to q, outside, as a fraction of it.
double first_cut(const TriangleMesh& surface, const SparseGrid& triangles, const Vec3& p,
                 const Vec3& q) {
  double first = 1;  // If p and q are on different sides, some triangle meets the segment.
  triangles.for_each_overlap({p.cwiseMin(q), p.cwiseMax(q)}, [&](std::int32_t index) {
    const Triangle t = triangle_of(surface, surface.triangles[static_cast<std::size_t>(index)]);
    if (!segment_meets_triangle(p, q, t)) return;
    const Vec3 normal = (t.b - t.a).cross(t.c - t.a);
    const double at_p = normal.dot(p - t.a), at_q = normal.dot(q - t.a);
    if (orientation(t.a, t.b, t.c, p) == 0) {
      // In the plane at the start: on the triangle there, or else a neighbour of it comes first.
      if (segment_meets_triangle(p, p, t)) first = 0;
    } else if (at_p != at_q) {
      first = std::min(first, std::clamp(at_p / (at_p - at_q), 0.0, 1.0));
    }
  });
  return first;
}

}  // namespace

Result<TetMesh> tetrahedralize(const TriangleMesh& surface,
                               const TetrahedralizeSettings& settings) {
  if (auto error = check_closed(surface)) return *std::move(error);
  std::vector<Bounds> boxes;
  boxes.reserve(surface.triangles.size());
  for (const TriangleIndices& corners : surface.triangles) {
    const Triangle t = triangle_of(surface, corners);
    boxes.push_back({t.a.cwiseMin(t.b).cwiseMin(t.c), t.a.cwiseMax(t.b).cwiseMax(t.c)});
  }
  Bounds box = boxes.front();
  for (const Bounds& b : boxes)
    box = {box.lower.cwiseMin(b.lower), box.upper.cwiseMax(b.upper)};
  const Result<BccLattice> lattice = lattice_around(box, settings);
  if (!lattice) return lattice.error();
  if (auto error = check_simple(surface)) return *std::move(error);

  SparseGrid triangles;
  triangles.build(boxes, {});
  const auto is_inside = enclosed_points(surface, triangles, lattice.value());
  if (!is_inside) {
    return refusal(
        "the shells of the surface are inconsistent: one faces inward, or lies in another and "
        "faces outward");
  }
  TetMesh mesh = stuff_isosurface(
      lattice.value(), *is_inside, [&](const LatticePoint& inside, const LatticePoint& outside) {
        return first_cut(surface, triangles, lattice.value().position(inside),
                         lattice.value().position(outside));
      });
  if (mesh.tets.empty()) {
    return refusal(fmt::format(
        "the cell size {:.6g} is too coarse: no tetrahedron of it fits into the surface, which "
        "measures {:.6g} across at its thinnest",
        settings.cell_size, (box.upper - box.lower).minCoeff()));
  }
  return mesh;
}

}  // namespace sluice::geometry
