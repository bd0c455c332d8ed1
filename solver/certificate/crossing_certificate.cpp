// SPDX-License-Identifier: Apache-2.0
#include "solver/certificate/crossing_certificate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "solver/parallel/parallel_for.h"

namespace sluice::certificate {
namespace {

constexpr std::size_t kept_crossings = 16;
constexpr std::int64_t crossing_certificate_grain = 2048;
// Substeps that a list of near pairs should last at most.
constexpr double most_substeps = 8;
// Halvings of the substep before integer arithmetic decides.
constexpr int most_halvings = 5;
// Times u, a bound of what a direction's dot products below are off by, relative to the sum of the
// magnitudes of their terms; 12 would do.
constexpr double direction_rounding = 64 * 1.2e-16;

/// Points relative to another; a pair meets where the origin is in their convex hull: the corners
/// of a triangle seen from a point, or the differences of the ends of two edges.
template <std::size_t count>
using Hull = std::array<Vec3, count>;

template <std::size_t count>
Hull<count> middle_of(const Hull<count>& start, const Hull<count>& end) {
  Hull<count> middle;
  for (std::size_t i = 0; i < count; ++i)
    middle[i] = start[i] + 0.5 * (end[i] - start[i]);
  return middle;
}

/// Whether all points lie beyond `margin` on one side of the plane across `direction` through the
/// origin, at both ends: then their hull, as they move straight, cannot contain it in between.
template <std::size_t count>
bool separates(const Vec3& direction, const Hull<count>& start, const Hull<count>& end,
               double size) {
  const double margin =
      direction_rounding * direction.lpNorm<1>() * size + 1e-300;  // Underflow as well.
  bool all_above = true, all_below = true;
  for (const Hull<count>* hull : {&start, &end}) {
    for (const Vec3& point : *hull) {
      const double height = direction.dot(point);
      all_above &= height > margin;
      all_below &= height < -margin;
    }
  }
  return all_above || all_below;
}

/// Across the face, and across it and its sides, in its plane.
std::array<Vec3, 4> directions_of(const Hull<3>& h) {
  const Vec3 normal = (h[1] - h[0]).cross(h[2] - h[0]);
  return {normal, normal.cross(h[1] - h[0]), normal.cross(h[2] - h[1]), normal.cross(h[0] - h[2])};
}
std::array<Vec3, 3> directions_of(const Hull<4>& h) {
  // h = {a - c, a - d, b - c, b - d}.
  const Vec3 ab = h[2] - h[0], dc = h[0] - h[1];
  const Vec3 normal = ab.cross(dc);
  return {normal, normal.cross(ab), normal.cross(dc)};
}

/// `size` bounds all coordinates at both ends of the substep.
template <std::size_t count>
bool is_clearly_apart(const Hull<count>& start, const Hull<count>& end, double size, int halvings) {
  const Hull<count> middle = middle_of(start, end);
  for (const Vec3& direction : directions_of(middle)) {
    if (separates(direction, start, end, size)) return true;
  }
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : middle)
    mean += point / static_cast<double>(count);
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()), mean}) {
    if (separates(axis, start, end, size)) return true;
  }
  return halvings > 0 && is_clearly_apart(start, middle, size, halvings - 1) &&
         is_clearly_apart(middle, end, size, halvings - 1);
}

template <std::size_t count>
bool is_clearly_apart(const Hull<count>& start, const Hull<count>& end) {
  double size = 0;
  for (const Hull<count>* hull : {&start, &end}) {
    for (const Vec3& point : *hull)
      size = std::max(size, point.cwiseAbs().maxCoeff());
  }
  return is_clearly_apart(start, end, size, most_halvings);
}

Hull<3> seen_from_point(const std::array<Vec3, 4>& x) {
  return {x[1] - x[0], x[2] - x[0], x[3] - x[0]};
}
Hull<4> differences_of_edges(const std::array<Vec3, 4>& x) {
  return {x[0] - x[2], x[0] - x[3], x[1] - x[2], x[1] - x[3]};
}

/// Around the ways of points.
template <std::size_t count>
Box path_of(const SubstepStates& states, const std::array<std::int32_t, count>& vertices) {
  Box box;
  for (const std::int32_t vertex : vertices) {
    box.extend(states.vertices_t0[at(vertex)]);
    box.extend(states.vertices_t1[at(vertex)]);
  }
  return box;
}

template <std::size_t count>
Box box_around(std::span<const Vec3> places, const std::array<std::int32_t, count>& vertices,
               double margin) {
  Box box;
  for (const std::int32_t vertex : vertices)
    box.extend(places[at(vertex)]);
  return {box.min().array() - margin, box.max().array() + margin};
}

/// Whether a direction shows that a hull is farther than `distance` from the origin. A direction is
/// as long as 1 + 1e-15, and heights are off by less than 1e-14 of the hull's size.
template <std::size_t count>
bool is_clearly_farther(const Hull<count>& hull, double distance) {
  double size = 0;
  for (const Vec3& point : hull)
    size = std::max(size, point.norm());
  const double least = distance + 1e-13 * (size + distance);
  for (const Vec3& direction : directions_of(hull)) {
    const double length = direction.norm();
    if (!(length > 0)) continue;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3& point : hull) {
      const double height = direction.dot(point) / length;
      low = std::min(low, height);
      high = std::max(high, height);
    }
    if (low > least || high < -least) return true;
  }
  return false;
}

void set_point(const SubstepStates& states, std::int32_t vertex, std::size_t place,
               Motion<4>& motion) {
  motion.start[place] = states.vertices_t0[at(vertex)];
  motion.end[place] = states.vertices_t1[at(vertex)];
}

// Whether a particle that was at `before` may start at `now`: there, or put back by whole periods
// along some axes, which rounds.
bool is_same_or_put_back(const Vec3f& before, const Vec3f& now, const Vec3& period) {
  for (int axis = 0; axis < 3; ++axis) {
    if (before[axis] == now[axis]) continue;
    const auto length = static_cast<float>(period[axis]);
    const float way = std::abs(before[axis] - now[axis]);
    if (!(length > 0)) return false;
    const float periods = std::round(way / length);
    if (!(periods >= 1) || !(std::abs(way - periods * length) <= 1e-5F * way)) return false;
  }
  return true;
}

}  // namespace

Findings& Findings::operator+=(const Findings& later) {
  substep_count += later.substep_count;
  crossing_count += later.crossing_count;
  jump_count += later.jump_count;
  pair_count += later.pair_count;
  exact_count += later.exact_count;
  if (!first_crossing) first_crossing = later.first_crossing;
  return *this;
}

bool CrossingCertificate::continues(const SubstepStates& states) const {
  return total_.substep_count == 0 ||
         (particles_continue(states) && std::ranges::equal(last_vertices_, states.vertices_t0));
}

bool CrossingCertificate::particles_continue(const SubstepStates& states) const {
  const std::span<const Vec3f> now = states.particles_t0;
  if (states.former_rows.empty()) {
    return now.empty() ||
           std::ranges::equal(last_particles_, now, [&](const auto& a, const auto& b) {
             return is_same_or_put_back(a, b, states.period);
           });
  }
  if (states.former_rows.size() != now.size()) return false;
  std::size_t next = 0;  // None may continue the same one as another.
  for (std::size_t row = 0; row < now.size(); ++row) {
    const std::size_t former = states.former_rows[row];
    if (former == no_row) continue;
    if (former < next || former >= last_particles_.size() ||
        !is_same_or_put_back(last_particles_[former], now[row], states.period)) {
      return false;
    }
    next = former + 1;
  }
  return true;
}

void CrossingCertificate::set_surfaces(const SubstepStates& states) {
  if (!std::ranges::equal(triangles_, states.triangles)) {
    triangles_.assign(states.triangles.begin(), states.triangles.end());
    std::set<std::int32_t> vertices;
    std::set<EdgeIndices> edges;
    for (const TriangleIndices& triangle : triangles_) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(triangle[k], triangle[(k + 1) % 3]);
        vertices.insert(triangle[k]);
        edges.insert({low, high});
      }
    }
    vertices_.assign(vertices.begin(), vertices.end());
    edges_.assign(edges.begin(), edges.end());
  }
  if (!are_near_pairs_valid(states)) list_near_pairs(states);
  boxes_.clear();
  if (!states.particles_t0.empty()) {
    for (const TriangleIndices& triangle : triangles_)
      boxes_.push_back(path_of(states, triangle));
  }
  grid_.build(boxes_);
}

bool CrossingCertificate::are_near_pairs_valid(const SubstepStates& states) const {
  if (places_.size() != states.vertices_t0.size()) return false;  // Also at the beginning.
  for (const std::int32_t v : vertices_) {
    const Vec3& place = places_[at(v)];
    const double way = std::max((states.vertices_t0[at(v)] - place).norm(),
                                (states.vertices_t1[at(v)] - place).norm());
    if (!(way <= (1 - 1e-12) * margin_)) return false;
  }
  return true;
}

void CrossingCertificate::list_near_pairs(const SubstepStates& states) {
  const std::span<const Vec3> x = states.vertices_t0;
  places_.assign(x.begin(), x.end());
  double way = 0, length = 0;
  for (const std::int32_t v : vertices_)
    way = std::max(way, (states.vertices_t1[at(v)] - x[at(v)]).norm());
  for (const auto& [a, b] : edges_)
    length += (x[at(a)] - x[at(b)]).norm() / static_cast<double>(edges_.size());
  // Beyond a part of an edge's length the list grows with the square of the margin.
  margin_ = std::clamp(length / 4, 1.01 * way, most_substeps * way + 1e-9 * length);
  near_pairs_.clear();
  const auto add = [&](CrossingKind kind, std::size_t first, std::size_t second, bool is_far) {
    if (!is_far)
      near_pairs_.push_back(
          {kind, static_cast<std::int32_t>(first), static_cast<std::int32_t>(second)});
  };
  boxes_.clear();
  for (const TriangleIndices& triangle : triangles_)
    boxes_.push_back(box_around(x, triangle, margin_));
  grid_.build(boxes_);
  for (const std::int32_t v : vertices_) {
    grid_.for_each_overlap(box_around(x, std::array{v}, margin_), [&](std::size_t triangle) {
      const auto& [a, b, c] = triangles_[triangle];
      if (v == a || v == b || v == c) return;
      const Hull<3> hull = seen_from_point({x[at(v)], x[at(a)], x[at(b)], x[at(c)]});
      add(CrossingKind::vertex_triangle, at(v), triangle, is_clearly_farther(hull, 2 * margin_));
    });
  }
  boxes_.clear();
  for (const EdgeIndices& edge : edges_)
    boxes_.push_back(box_around(x, edge, margin_));
  grid_.build(boxes_);
  for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
    grid_.for_each_overlap(boxes_[edge], [&](std::size_t other) {
      const EdgeIndices &e = edges_[edge], &o = edges_[other];
      if (other <= edge || e[0] == o[0] || e[0] == o[1] || e[1] == o[0] || e[1] == o[1]) return;
      const Hull<4> hull =
          differences_of_edges({x[at(e[0])], x[at(e[1])], x[at(o[0])], x[at(o[1])]});
      add(CrossingKind::edge_edge, edge, other, is_clearly_farther(hull, 2 * margin_));
    });
  }
}

template <typename Check>
void CrossingCertificate::check_all(std::size_t count, const Check& check, Findings& found) {
  const auto end = static_cast<std::int64_t>(count);
  shares_.assign(
      static_cast<std::size_t>(parallel::chunk_count(0, end, crossing_certificate_grain)), {});
  parallel::parallel_for(
      0, end, crossing_certificate_grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          check(static_cast<std::size_t>(i),
                shares_[static_cast<std::size_t>(first / crossing_certificate_grain)]);
      });
  for (const Share& share : shares_) {
    found.pair_count += share.pair_count;
    found.exact_count += share.exact_count;
    found.crossing_count += static_cast<std::int64_t>(share.crossings.size());
    for (const Crossing& crossing : share.crossings) {
      if (!found.first_crossing) found.first_crossing = crossing;
      if (crossings_.size() < kept_crossings) crossings_.push_back(crossing);
    }
  }
}

void CrossingCertificate::on_substep(const SubstepStates& states) {
  Findings found;
  found.substep_count = 1;
  found.jump_count = continues(states) ? 0 : 1;
  last_particles_.assign(states.particles_t1.begin(), states.particles_t1.end());
  last_vertices_.assign(states.vertices_t1.begin(), states.vertices_t1.end());
  set_surfaces(states);
  const ObstaclePassages passages(states);
  check_all(
      states.particles_t0.size(),
      [&](std::size_t particle, Share& share) {
        check_particle(states, particle, share);
        check_passage(states, passages, particle, true, share);
      },
      found);
  check_all(
      vertices_.size(),
      [&](std::size_t i, Share& share) {
        check_passage(states, passages, at(vertices_[i]), false, share);
      },
      found);
  check_all(
      near_pairs_.size(),
      [&](std::size_t i, Share& share) { check_near_pair(states, near_pairs_[i], share); }, found);
  total_ += found;
  frame_ += found;
}

Findings CrossingCertificate::take_frame() {
  // A list of near pairs from before is as good as a new one, but not as long.
  places_.clear();
  Findings taken = std::exchange(frame_, {});
  if (taken.first_crossing)
    taken.first_crossing->substep -= total_.substep_count - taken.substep_count;
  return taken;
}

void CrossingCertificate::check_particle(const SubstepStates& states, std::size_t particle,
                                         Share& share) const {
  Motion<4> motion;
  motion.start[0] = states.particles_t0[particle].cast<double>();
  motion.end[0] = states.particles_t1[particle].cast<double>();
  Box path(motion.start[0]);
  path.extend(motion.end[0]);
  grid_.for_each_overlap(path, [&](std::size_t triangle) {
    for (std::size_t k = 0; k < 3; ++k)
      set_point(states, triangles_[triangle][k], k + 1, motion);
    check_pair(motion,
               {total_.substep_count, states.time, CrossingKind::particle_triangle, particle,
                triangle, particle, at(triangles_[triangle][0]), motion.start[0], motion.end[0]},
               share);
  });
}

void CrossingCertificate::check_passage(const SubstepStates& states,
                                        const ObstaclePassages& passages, std::size_t point,
                                        bool is_particle, Share& share) const {
  const Vec3 from =
      is_particle ? Vec3(states.particles_t0[point].cast<double>()) : states.vertices_t0[point];
  const Vec3 to =
      is_particle ? Vec3(states.particles_t1[point].cast<double>()) : states.vertices_t1[point];
  const std::optional<Passage> passage = passages.find(from, to, share.pair_count);
  if (!passage) return;
  const CrossingKind kind =
      passage->is_side
          ? (is_particle ? CrossingKind::particle_side : CrossingKind::vertex_side)
          : (is_particle ? CrossingKind::particle_obstacle : CrossingKind::vertex_obstacle);
  share.crossings.push_back(
      {total_.substep_count, states.time, kind, point, passage->index, point, 0, from, to,
       passage->is_side ? std::string() : states.obstacles[passage->index].name});
}

void CrossingCertificate::check_near_pair(const SubstepStates& states, const NearPair& pair,
                                          Share& share) const {
  std::array<std::int32_t, 4> vertices{pair.first};
  if (pair.kind == CrossingKind::vertex_triangle) {
    std::ranges::copy(triangles_[at(pair.second)], vertices.begin() + 1);
  } else {
    std::ranges::copy(edges_[at(pair.first)], vertices.begin());
    std::ranges::copy(edges_[at(pair.second)], vertices.begin() + 2);
  }
  Motion<4> motion;
  for (std::size_t k = 0; k < 4; ++k)
    set_point(states, vertices[k], k, motion);
  check_pair(motion,
             {total_.substep_count, states.time, pair.kind, at(pair.first), at(pair.second),
              at(vertices[0]), at(vertices[3]), motion.start[0], motion.end[0]},
             share);
}

void CrossingCertificate::check_pair(const Motion<4>& motion, const Crossing& crossing,
                                     Share& share) {
  const bool is_of_edges = crossing.kind == CrossingKind::edge_edge;
  ++share.pair_count;
  if (is_of_edges
          ? is_clearly_apart(differences_of_edges(motion.start), differences_of_edges(motion.end))
          : is_clearly_apart(seen_from_point(motion.start), seen_from_point(motion.end))) {
    return;
  }
  ++share.exact_count;
  if (is_of_edges ? edge_meets_edge(motion) : point_meets_triangle(motion))
    share.crossings.push_back(crossing);
}

}  // namespace sluice::certificate
