// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/spring.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace sluice::solid {

namespace {

using VertexPair = std::pair<std::int32_t, std::int32_t>;

constexpr double cos_largest_fold = 0.8660254037844387;  // cos 30 degrees
constexpr double shortest_other_diagonal = 0.8;          // of the diagonal's length
constexpr double longest_other_diagonal = 1.25;

VertexPair ordered(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// One triangle's side.
struct HalfEdge {
  VertexPair ends;
  std::int32_t opposite;
  std::int32_t triangle;
};

struct Candidate {
  VertexPair ends;
  SpringKind kind;
};

class Classifier {
 public:
  explicit Classifier(const geometry::TriangleMesh& mesh) : mesh_(mesh) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto [a, b, c] = mesh.triangles[t];
      const auto triangle = static_cast<std::int32_t>(t);
      half_edges_.push_back({ordered(a, b), c, triangle});
      half_edges_.push_back({ordered(b, c), a, triangle});
      half_edges_.push_back({ordered(c, a), b, triangle});
    }
    std::sort(half_edges_.begin(), half_edges_.end(), [](const HalfEdge& p, const HalfEdge& q) {
      return std::tie(p.ends, p.triangle, p.opposite) < std::tie(q.ends, q.triangle, q.opposite);
    });
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> found;
    for (std::size_t first = 0; first < half_edges_.size();) {
      std::size_t last = first + 1;
      while (last < half_edges_.size() && half_edges_[last].ends == half_edges_[first].ends)
        ++last;
      const VertexPair ends = half_edges_[first].ends;
      if (last - first == 2 && is_quad_diagonal(half_edges_[first], half_edges_[first + 1])) {
        found.push_back({ends, SpringKind::shear});
        found.push_back({ordered(half_edges_[first].opposite, half_edges_[first + 1].opposite),
                         SpringKind::shear});
      } else {
        found.push_back({ends, SpringKind::structural});
        for (std::size_t i = first; i + 1 < last; ++i) {
          found.push_back(
              {ordered(half_edges_[i].opposite, half_edges_[i + 1].opposite), SpringKind::bend});
        }
      }
      first = last;
    }
    return found;
  }

 private:
  Vec3 at(std::int32_t vertex) const { return mesh_.vertices[static_cast<std::size_t>(vertex)]; }
  double length(VertexPair pair) const { return (at(pair.first) - at(pair.second)).norm(); }

  bool is_longest_side(VertexPair ends, std::int32_t triangle) const {
    const auto [a, b, c] = mesh_.triangles[static_cast<std::size_t>(triangle)];
    const std::array sides{ordered(a, b), ordered(b, c), ordered(c, a)};
    // Lengths that rounding alone tells apart count as equal.
    const double own = length(ends);
    return std::all_of(sides.begin(), sides.end(), [&](VertexPair side) {
      if (side == ends) return true;
      const double other = length(side);
      return own > other * (1 + 1e-9) || (own > other * (1 - 1e-9) && ends < side);
    });
  }

  bool is_quad_diagonal(const HalfEdge& p, const HalfEdge& q) const {
    if (p.opposite == q.opposite) return false;
    if (!is_longest_side(p.ends, p.triangle) || !is_longest_side(q.ends, q.triangle)) return false;
    const double ratio = length(ordered(p.opposite, q.opposite)) / length(p.ends);
    if (!(ratio >= shortest_other_diagonal && ratio <= longest_other_diagonal)) return false;
    const Vec3 axis = at(p.ends.second) - at(p.ends.first);
    const Vec3 normal_p = axis.cross(at(p.opposite) - at(p.ends.first));
    const Vec3 normal_q = (at(q.opposite) - at(p.ends.first)).cross(axis);
    return normal_p.dot(normal_q) >= cos_largest_fold * normal_p.norm() * normal_q.norm();
  }

  const geometry::TriangleMesh& mesh_;
  std::vector<HalfEdge> half_edges_;
};

}  // namespace

std::vector<Spring> lay_springs(const geometry::TriangleMesh& mesh,
                                const SpringStiffness& stiffness) {
  const std::array by_kind{stiffness.structural, stiffness.shear, stiffness.bend};
  std::vector<Candidate> candidates = Classifier(mesh).candidates();
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& p, const Candidate& q) {
    return std::tie(p.ends, p.kind) < std::tie(q.ends, q.kind);
  });
  std::vector<Spring> springs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [ends, kind] = candidates[i];
    if (i > 0 && candidates[i - 1].ends == ends) continue;
    const double k = by_kind[static_cast<std::size_t>(kind)];
    const double rest_length = (mesh.vertices[static_cast<std::size_t>(ends.first)] -
                                mesh.vertices[static_cast<std::size_t>(ends.second)])
                                   .norm();
    if (k > 0 && rest_length > 0) {
      springs.push_back({ends.first, ends.second, k, rest_length, kind});
    }
  }
  std::stable_sort(springs.begin(), springs.end(),
                   [](const Spring& p, const Spring& q) { return p.kind < q.kind; });
  return springs;
}

double energy(const Spring& spring, const Vec3& x_a, const Vec3& x_b) noexcept {
  const double stretch = (x_a - x_b).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

Vec3 gradient(const Spring& spring, const Vec3& x_a, const Vec3& x_b) noexcept {
  const Vec3 d = x_a - x_b;
  const double length = d.norm();
  if (length == 0) return Vec3::Zero();
  return spring.stiffness * (1 - spring.rest_length / length) * d;
}

double energy(std::span<const Spring> springs, std::span<const Vec3> positions) noexcept {
  double sum = 0;
  for (const Spring& s : springs) {
    sum += energy(s, positions[static_cast<std::size_t>(s.a)],
                  positions[static_cast<std::size_t>(s.b)]);
  }
  return sum;
}

void add_gradient(std::span<const Spring> springs, std::span<const Vec3> positions,
                  std::span<Vec3> out) noexcept {
  assert(out.size() == positions.size());
  for (const Spring& s : springs) {
    const auto a = static_cast<std::size_t>(s.a), b = static_cast<std::size_t>(s.b);
    const Vec3 g = gradient(s, positions[a], positions[b]);
    out[a] += g;
    out[b] -= g;
  }
}

}  // namespace sluice::solid
