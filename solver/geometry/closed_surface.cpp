// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/closed_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::geometry {
namespace {

Error refusal(const std::string& message) { return {ErrorCode::invalid_mesh, message}; }

std::optional<Error> check_indices(const TriangleMesh& surface) {
  if (surface.triangles.empty()) return refusal("the surface has no triangles");
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const std::int32_t index : surface.triangles[t]) {
      if (index < 0 || static_cast<std::size_t>(index) >= surface.vertices.size()) {
        return refusal("triangle " + std::to_string(t) + " has the vertex " +
                       std::to_string(index) + "; the surface has vertices 0 to " +
                       std::to_string(static_cast<std::int64_t>(surface.vertices.size()) - 1));
      }
    }
  }
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    if (!surface.vertices[v].allFinite()) {
      return refusal("vertex " + std::to_string(v) + " of the surface is not finite");
    }
  }
  return std::nullopt;
}

std::optional<Error> check_edges(const TriangleMesh& surface) {
  struct Side {
    EdgeIndices key;  // Ascending.
    bool is_forward;  // Whether the triangle runs along it that way.
    std::size_t triangle;
  };
  std::vector<Side> sides;
  sides.reserve(3 * surface.triangles.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const TriangleIndices& triangle = surface.triangles[t];
    for (std::size_t side = 0; side < 3; ++side) {
      const std::int32_t from = triangle[side], to = triangle[(side + 1) % 3];
      sides.push_back({{std::min(from, to), std::max(from, to)}, from < to, t});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
  });
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    std::int64_t balance = 0;
    for (last = first; last < sides.size() && sides[last].key == sides[first].key; ++last)
      balance += sides[last].is_forward ? 1 : -1;
    if (balance == 0) continue;
    const auto& [v, w] = sides[first].key;
    const std::size_t triangle = sides[first].triangle;
    if (last == first + 1) {
      return refusal(
          fmt::format("the surface is open: the edge between vertices {} and {} has "
                      "triangle {} on one side only",
                      v, w, triangle));
    }
    return refusal(
        fmt::format("the surface is inconsistent: triangles {} and {} run along the "
                    "edge between vertices {} and {} in the same direction, or an odd "
                    "number of triangles meet there",
                    triangle, sides[first + 1].triangle, v, w));
  }
  return std::nullopt;
}

}  // namespace

double signed_volume(const TriangleMesh& surface) {
  if (surface.vertices.empty()) return 0;
  // From a vertex instead of the origin, so that bodies far away keep their digits.
  const Vec3 origin = surface.vertices.front();
  double six_volumes = 0;
  for (const TriangleIndices& triangle : surface.triangles) {
    const auto at = [&](std::size_t i) -> Vec3 {
      return surface.vertices[static_cast<std::size_t>(triangle[i])] - origin;
    };
    six_volumes += at(0).dot(at(1).cross(at(2)));
  }
  return six_volumes / 6;
}

std::optional<Error> check_closed(const TriangleMesh& surface) {
  if (auto error = check_indices(surface)) return error;
  if (auto error = check_edges(surface)) return error;
  const double volume = signed_volume(surface);
  if (volume > 0) return std::nullopt;
  return refusal("the surface encloses a volume of " + std::to_string(volume) +
                 "; its triangles must appear counterclockwise from outside");
}

}  // namespace sluice::geometry
