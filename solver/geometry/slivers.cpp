// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/slivers.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace sluice::geometry {
namespace {

// A cut can leave a sliver again where several corners stand on one edge: each pass takes one of
// them.
constexpr int most_passes = 32;

const Vec3& corner(const TriangleMesh& mesh, std::int32_t index) {
  return mesh.vertices[static_cast<std::size_t>(index)];
}

bool has_vertex_twice(const TriangleIndices& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

EdgeIndices ascending(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

// The triangle turned so that its first two corners are the ends of its longest edge.
TriangleIndices longest_edge_first(const TriangleMesh& mesh, const TriangleIndices& triangle) {
  TriangleIndices best = triangle;
  double longest = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int32_t a = triangle[i], b = triangle[(i + 1) % 3];
    const double length = (corner(mesh, b) - corner(mesh, a)).squaredNorm();
    if (length <= longest) continue;
    longest = length;
    best = {a, b, triangle[(i + 2) % 3]};
  }
  return best;
}

// Edges of the triangles, each with all its triangles.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<TriangleIndices>& triangles) {
    sides_.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      for (std::size_t i = 0; i < 3; ++i)
        sides_.emplace_back(ascending(triangles[t][i], triangles[t][(i + 1) % 3]), t);
    }
    std::sort(sides_.begin(), sides_.end());
  }

  [[nodiscard]] bool has(const EdgeIndices& edge) const {
    const auto at = std::lower_bound(sides_.begin(), sides_.end(), std::pair(edge, std::size_t{0}));
    return at != sides_.end() && at->first == edge;
  }

  // The triangles at an edge.
  [[nodiscard]] std::vector<std::size_t> at(const EdgeIndices& edge) const {
    std::vector<std::size_t> found;
    for (auto i = std::lower_bound(sides_.begin(), sides_.end(), std::pair(edge, std::size_t{0}));
         i != sides_.end() && i->first == edge; ++i)
      found.push_back(i->second);
    return found;
  }

 private:
  std::vector<std::pair<EdgeIndices, std::size_t>> sides_;
};

// One pass over some slivers; those whose neighbours were changed in it are left for the next.
class Pass {
 public:
  explicit Pass(TriangleMesh& mesh)
      : mesh_(mesh),
        neighbours_(mesh.triangles),
        is_changed_(mesh.triangles.size(), false),
        is_left_out_(mesh.triangles.size(), false) {}

  // Whether the sliver is gone.
  bool take_out(std::size_t sliver) {
    if (is_changed_[sliver]) return false;
    const auto [a, b, middle] = longest_edge_first(mesh_, mesh_.triangles[sliver]);
    const std::vector<std::size_t> there = neighbours_.at(ascending(a, b));
    if (there.size() == 1) {
      is_changed_[sliver] = is_left_out_[sliver] = true;
      return true;
    }
    if (there.size() != 2) return false;
    const std::size_t other = there[0] == sliver ? there[1] : there[0];
    if (is_changed_[other]) return false;
    TriangleIndices across = mesh_.triangles[other];
    for (int turn = 0; turn < 3 && !(across[0] == b && across[1] == a); ++turn)
      std::rotate(across.begin(), across.begin() + 1, across.end());
    const std::int32_t tip = across[2];
    if (across[0] != b || across[1] != a || tip == middle) return false;
    const EdgeIndices cut = ascending(middle, tip);
    if (neighbours_.has(cut) || !cuts_.insert(cut).second) return false;
    mesh_.triangles[sliver] = {a, tip, middle};
    mesh_.triangles[other] = {tip, b, middle};
    is_changed_[sliver] = is_changed_[other] = true;
    return true;
  }

  void finish() {
    std::size_t t = 0;
    std::erase_if(mesh_.triangles, [&](const TriangleIndices&) { return is_left_out_[t++]; });
  }

 private:
  TriangleMesh& mesh_;
  Neighbours neighbours_;                       // The neighbours at the start of the pass.
  std::vector<bool> is_changed_, is_left_out_;  // By triangle.
  std::set<EdgeIndices> cuts_;
};

std::vector<std::size_t> find_slivers(const TriangleMesh& mesh) {
  std::vector<std::size_t> slivers;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!has_vertex_twice(mesh.triangles[t]) && is_sliver(mesh, mesh.triangles[t]))
      slivers.push_back(t);
  }
  return slivers;
}

}  // namespace

bool is_sliver(const TriangleMesh& mesh, const TriangleIndices& triangle) {
  const Vec3 ab = corner(mesh, triangle[1]) - corner(mesh, triangle[0]);
  const Vec3 ac = corner(mesh, triangle[2]) - corner(mesh, triangle[0]);
  const Vec3 bc = ac - ab;
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  const double twice_area = ab.cross(ac).norm();  // = longest edge times the height over it
  return !(twice_area > sliver_height_ratio * longest);
}

std::int64_t take_out_slivers(TriangleMesh& mesh) {
  std::vector<std::size_t> slivers = find_slivers(mesh);
  const std::size_t count = slivers.size();
  bool goes_on = true;
  for (int i = 0; i < most_passes && goes_on && !slivers.empty(); ++i) {
    goes_on = false;
    Pass pass(mesh);
    for (const std::size_t sliver : slivers)
      goes_on = pass.take_out(sliver) || goes_on;
    pass.finish();
    slivers = find_slivers(mesh);
  }
  return static_cast<std::int64_t>(count) - static_cast<std::int64_t>(slivers.size());
}

}  // namespace sluice::geometry
