// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "solver/scene/checks.h"
#include "solver/scene/fault_counter.h"

namespace sluice::scene {
namespace {

// That its outline is one: no edge has more than two triangles, and those lie on both sides of it.
void check_outline(const Cloth& cloth, const std::string& path, ProblemList& problems) {
  struct Side {
    std::size_t triangle;
    bool is_left;
  };
  std::map<EdgeIndices, std::vector<Side>> sides;
  const auto at = [&](std::int32_t v) { return cloth.mesh.vertices[static_cast<std::size_t>(v)]; };
  for (std::size_t t = 0; t < cloth.mesh.triangles.size(); ++t) {
    const TriangleIndices& triangle = cloth.mesh.triangles[t];
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::int32_t a = triangle[corner], b = triangle[(corner + 1) % 3];
      const EdgeIndices edge{std::min(a, b), std::max(a, b)};
      const Vec3 along = at(edge[1]) - at(edge[0]),
                 away = at(triangle[(corner + 2) % 3]) - at(edge[0]);
      sides[edge].push_back({t, along.x() * away.z() - along.z() * away.x() > 0});
    }
  }
  FaultCounter faults(problems, path + ".mesh");
  for (const auto& [edge, of_edge] : sides) {
    if (of_edge.size() > 2) {
      faults.add("the edge between vertices {} and {} is of {} triangles; 2 are allowed", edge[0],
                 edge[1], of_edge.size());
    } else if (of_edge.size() == 2 && of_edge[0].is_left == of_edge[1].is_left) {
      faults.add("triangles {} and {} lie over each other", of_edge[0].triangle,
                 of_edge[1].triangle);
    }
  }
}

// A slice of an elastic body, in the plane of the flow and as deep as its cells.
void check_slice(const Scene& scene, const Cloth& cloth, const std::string& path,
                 ProblemList& problems) {
  if (!cloth.shell || !cloth.shell->plane_strain) {
    problems.error(
        path + ".shell",
        "must be there, with plane_strain, in two dimensions: the sheet is a slice of an "
        "elastic body");
  }
  if (cloth.shell && cloth.shell->bend_scale != 1) {
    problems.error(path + ".shell.bend_scale",
                   "has no use in two dimensions: nothing bends out of its plane");
  }
  if (!problems.sound("domain") || !problems.sound(path + ".thickness")) return;
  const double depth = scene.domain_upper.y() - scene.domain_lower.y();
  if (std::abs(cloth.thickness - depth) > 1e-6 * depth) {
    problems.error(
        path + ".thickness",
        fmt::format(
            "{} m must be the domain's along y, {} m: in two dimensions a sheet is as thick "
            "as the flow is deep",
            cloth.thickness, depth));
  }
  const double plane = 0.5 * (scene.domain_lower.y() + scene.domain_upper.y());
  const double tolerance = 1e-6 * scene.grid.cell_size;
  for (const Vec3& x : cloth.mesh.vertices) {
    if (std::abs(x.y() - plane) <= tolerance) continue;
    problems.error(path, fmt::format("has a vertex at y = {} m; in two dimensions all "
                                     "must be in the plane of the flow, y = {} m",
                                     x.y(), plane));
    return;
  }
  if (problems.sound(path + ".mesh")) check_outline(cloth, path, problems);
}

}  // namespace

void check_slices(const Scene& scene, ProblemList& problems) {
  for (std::size_t i = 0; i < scene.cloths.size(); ++i)
    check_slice(scene, scene.cloths[i], element("cloths", i), problems);
}

}  // namespace sluice::scene
