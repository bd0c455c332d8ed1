// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/near_obstacles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace sluice::fluid {

namespace {

// Cells. The flow that a node inside moves by is looked up at this height above the surface, so
// that all eight nodes around that place are outside of a flat obstacle: the diagonal of a cell is
// 1.73.
constexpr double least_height = 1.75;

// Cells. Nodes this close to a surface have a point of it: about one for each node of a layer, so
// that no part of a surface larger than a cell is without.
constexpr double point_reach = 0.7;

// Cells on the way inwards along which a surface is looked for that no wall hides, and the part of
// a normal that is across that wall, from which on it does.
constexpr double look_step = 0.5, across_wall = 0.7, at_wall = 1e-3;

// Cells. A node inside that is this close to an edge moves by itself: kernels on both sides of the
// edge reach it, and what moved by one side would drag the flow past the other. Through an opening
// of three cells hardly any water flowed, at 0.03 m/s.
constexpr double edge_reach = 0.75;

// Cells. A point this close to an edge pushes along the mean of the normals on its two sides, as if
// the edge was round: with one side's alone it would stop what flows around the edge.
constexpr double edge_radius = 0.25;

// The part of `edge_reach` by which a flat surface's outside is away from where the surface would
// go on, if it has an edge between.
constexpr double past_edge = 0.3;

// Cells. A node this close to a surface is in it, whichever way its distance was rounded.
constexpr double at_surface = 1e-6;

// Pieces of a cell along each axis, of each of which it is found what part of it is solid. Within
// one, a kernel counts as even. With two, the part of a kernel was right to 0.4 %, by which columns
// of water next to a wall weighed too much or too little: beside a plate of 2 mm, 2 mm off a row of
// nodes, still water went round at 25 mm/s.
constexpr std::size_t pieces = 4;

// Cells, of a cell's corners from its middle, rounded up.
constexpr double cell_radius = 0.87;

// The integral of a kernel's spline from its middle to `x` cells from it, of which there are no
// more than half its support.
double integral_to(scene::Kernel kernel, double x) {
  const double a = std::abs(x);
  double integral = 0;
  if (kernel == scene::Kernel::quadratic) {
    integral = a < 0.5 ? 0.75 * a - a * a * a / 3 : 0.5 - std::pow(1.5 - a, 3) / 6;
  } else {
    integral =
        a < 1 ? 2 * a / 3 - a * a * a / 3 + a * a * a * a / 8 : 0.5 - std::pow(2 - a, 4) / 24;
  }
  return std::copysign(integral, x);
}

// The integrals of a kernel's spline over its pieces, from the first to the last.
std::vector<float> spline_parts(scene::Kernel kernel) {
  const std::size_t support = kernel == scene::Kernel::quadratic ? 3 : 4;
  std::vector<float> parts(pieces * support);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const double begin = (static_cast<double>(p) - static_cast<double>(parts.size()) / 2) / pieces;
    parts[p] =
        static_cast<float>(integral_to(kernel, begin + 1.0 / pieces) - integral_to(kernel, begin));
  }
  return parts;
}

class Finder {
 public:
  Finder(const GridFrame& frame, scene::Kernel kernel, const Boundary& boundary, std::uint64_t key)
      : frame_(frame),
        boundary_(boundary),
        parts_(spline_parts(kernel)),
        reach_(static_cast<double>(parts_.size()) / (2 * pieces)),
        base_(frame.block_base(key)),
        near_(boundary.obstacles_near_nodes(key, 2 * reach_)) {}

  NearObstacles find() {
    if (near_.empty()) return {};
    find_solid();
    for (std::uint8_t node = 0; node < block_nodes; ++node) {
      if (counts(node)) look_from(node);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] Vec3 place_of(std::uint8_t node) const {
    const auto local = node_of_bit(node);
    return Vec3(base_[0] + local[0], base_[1] + local[1], base_[2] + local[2]);
  }

  // Whether a place with this distance is inside an obstacle, or on its surface.
  [[nodiscard]] bool is_at(const geometry::SignedDistance& surface) const {
    return surface.distance <= at_surface * cell();
  }

  // In two dimensions one row of nodes has all of the weight.
  [[nodiscard]] bool counts(std::uint8_t node) const {
    return !frame_.is_flat || base_[1] + node_of_bit(node)[1] == GridFrame::wall_lower;
  }

  // The surface of an obstacle that a node is deepest in, or nearest to.
  struct Nearest {
    std::uint32_t obstacle;
    geometry::SignedDistance surface;
  };

  void look_from(std::uint8_t node) {
    const Vec3 X = place_of(node);
    Nearest nearest{0, {deepest_reached() * cell(), Vec3::Zero()}};
    for (const std::uint32_t o : near_) {
      const geometry::SignedDistance surface = surface_seen_from(X, o);
      if (std::abs(surface.distance) <= point_reach * cell()) {
        add_point(node, o, X, surface, false);
        add_far_point(node, o, X, surface);
      }
      if (surface.distance < nearest.surface.distance) nearest = {o, surface};
    }
    const double depth = -nearest.surface.distance / cell();
    const bool is_inside = is_at(nearest.surface);
    if (is_inside && is_at_edge(X, nearest)) return;
    if (is_inside) result_.inside |= NodeBits{1} << node;
    if (depth > deepest_reached()) return;
    const std::optional<geometry::SignedDistance> far = far_surface(X, nearest);
    if (!far) {
      if (is_inside && !boundary_.is_rough(nearest.obstacle))
        result_.inner.push_back(inner_node(node, X, nearest));
      return;
    }
    const Nearest other{nearest.obstacle, *far};
    InnerNode near_side = inner_node(node, X, nearest), far_side = inner_node(node, X, other);
    far_side.is_far = true;
    near_side.behind = part_between(node, X, nearest.surface, *far);
    far_side.behind = part_between(node, X, *far, nearest.surface);
    result_.inner.push_back(near_side);
    result_.inner.push_back(far_side);
  }

  // Whether the surface next to a node inside ends close by. Where it ends at a mirror, or in
  // another obstacle, it has no edge.
  [[nodiscard]] bool is_at_edge(const Vec3& X, const Nearest& nearest) const {
    const Vec3& out = nearest.surface.normal;
    if (boundary_.is_rough(nearest.obstacle) || out.isZero(0)) return false;
    const Vec3 place = X - nearest.surface.distance / cell() * out;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 along = Vec3::Unit(axis) - out[axis] * out;
      if (frame_.is_across(axis) || along.norm() < 0.5) continue;
      for (const double way : {-edge_reach, edge_reach}) {
        const Vec3 there = inside_walls(place + way * along.normalized()).cast<double>();
        const bool is_past = std::ranges::all_of(near_, [&](std::uint32_t o) {
          return boundary_.surface_at(o, boundary_.in_world(there)).distance >
                 past_edge * edge_reach * cell();
        });
        if (is_past) return true;
      }
    }
    return false;
  }

  // The other side of something thin that a node is in or behind, as it is seen through it.
  [[nodiscard]] std::optional<geometry::SignedDistance> far_surface(const Vec3& X,
                                                                    const Nearest& nearest) const {
    const Vec3& out = nearest.surface.normal;
    if (out.isZero(0)) return std::nullopt;
    const double depth = -nearest.surface.distance / cell();
    for (int cells = 1; cells <= 2 * reach_; ++cells) {
      const Vec3 through = X + (depth - cells) * out;
      const geometry::SignedDistance far =
          boundary_.surface_at(nearest.obstacle, boundary_.in_world(through));
      if (!(far.distance > 0)) continue;
      const Vec3 place = through - far.distance / cell() * far.normal;
      const double across = (X - place).dot(far.normal);
      if (across > 0 || across < -deepest_reached() || !is_other_side(place, far.normal, out))
        return std::nullopt;
      return geometry::SignedDistance{across * cell(), far.normal};
    }
    return std::nullopt;
  }

  [[nodiscard]] InnerNode inner_node(std::uint8_t node, const Vec3& X,
                                     const Nearest& nearest) const {
    const Vec3& normal = nearest.surface.normal;
    const double depth = -nearest.surface.distance / cell();
    const double height = std::max(depth, least_height);
    InnerNode inner{};
    inner.node = node;
    inner.is_outside = (result_.inside >> node & 1) == 0;
    inner.is_rough = boundary_.is_rough(nearest.obstacle);
    inner.obstacle = nearest.obstacle;
    inner.normal = normal.cast<float>();
    inner.level = static_cast<float>(normal.dot(boundary_.in_world(X + depth * normal)));
    inner.reflection = static_cast<float>(std::max(depth, 0.0) / height);
    inner.outside = inside_walls(X + (depth + height) * normal);
    return inner;
  }

  // The part of the kernel of a node at `X` that is below one side of something thin, beyond the
  // other, and no obstacle's. The part beside its rim does not count.
  [[nodiscard]] float part_between(std::uint8_t node, const Vec3& X,
                                   const geometry::SignedDistance& side,
                                   const geometry::SignedDistance& other) const {
    const auto support = parts_.size();
    const auto local = node_of_bit(node);
    // The part of a piece, as far from the node as `way`, that is above a surface.
    const auto above = [&](const geometry::SignedDistance& surface, const Vec3& way) {
      const double height = surface.distance / cell() + way.dot(surface.normal);
      return std::clamp(0.5 + pieces * height / surface.normal.lpNorm<1>(), 0.0, 1.0);
    };
    float sum = 0;
    for (std::size_t i = 0; i < support; ++i) {
      for (std::size_t j = 0; j < support; ++j) {
        for (std::size_t k = 0; k < support; ++k) {
          const std::array piece{pieces * static_cast<std::size_t>(local[0]) + i,
                                 pieces * static_cast<std::size_t>(local[1]) + j,
                                 pieces * static_cast<std::size_t>(local[2]) + k};
          const Vec3 way = middle_of(piece, 1) - X;
          const auto part = static_cast<float>(std::min(1 - above(side, way), above(other, way)));
          const float solid = solid_pieces_[number_of(piece[0], piece[1], piece[2])];
          sum += parts_[i] * parts_[j] * parts_[k] * std::min(part, 1 - solid);
        }
      }
    }
    return sum;
  }

  // Cells. A kernel reaches `reach_` along each axis.
  [[nodiscard]] double deepest_reached() const { return 1.74 * reach_; }

  // The surface of an obstacle that counts at a place inside or near it. One that ends at a wall
  // that is a mirror, or a little behind it, goes on in the mirror: nodes at that wall would
  // otherwise take its end for its surface, and water sank along a step as wide as its tank by 19
  // mm/s. The surface that counts is the one that is seen farther from the wall, as if it went on
  // straight.
  [[nodiscard]] geometry::SignedDistance surface_seen_from(const Vec3& X, std::uint32_t o) const {
    geometry::SignedDistance nearest = boundary_.surface_at(o, boundary_.in_world(X));
    geometry::SignedDistance surface = nearest;
    Vec3 from = X;
    // One axis after the other, as far as a kernel reaches.
    const int most_looks = 3 * static_cast<int>(std::ceil(deepest_reached() / look_step));
    for (int look = 0; is_at(surface) && look < most_looks; ++look) {
      const Vec3 at = from - surface.distance / cell() * surface.normal;
      const Vec3 inwards = away_from_hiding_walls(at, surface.normal);
      if (inwards.isZero(0)) {
        surface.distance = cell() * (X - at).dot(surface.normal);
        return surface;
      }
      from += look_step * inwards;
      surface = boundary_.surface_at(o, boundary_.in_world(from));
    }
    if (!is_at(surface)) return nearest;
    return {-2 * deepest_reached() * cell(), surface.normal};
  }

  // By axis, 1 or -1 where a surface at `at` is behind a wall that is a mirror, and faces it.
  [[nodiscard]] Vec3 away_from_hiding_walls(const Vec3& at, const Vec3& normal) const {
    Vec3 inwards = Vec3::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (frame_.mirrors[a][0] && at[axis] < GridFrame::wall_lower + at_wall &&
          normal[axis] < -across_wall)
        inwards[axis] = 1;
      if (frame_.mirrors[a][1] && at[axis] > frame_.wall_upper[a] - at_wall &&
          normal[axis] > across_wall)
        inwards[axis] = -1;
    }
    return inwards;
  }

  // The other side of what is thin, if it is as near: no node inside is there to have a point of
  // it, and between two rows of nodes those on one side alone may be too far away. Without, still
  // water behind a plate turned at up to 250 mm/s.
  void add_far_point(std::uint8_t node, std::uint32_t o, const Vec3& X,
                     const geometry::SignedDistance& surface) {
    const Vec3 through = X - (1 + surface.distance / cell()) * surface.normal;
    const geometry::SignedDistance far = boundary_.surface_at(o, boundary_.in_world(through));
    const Vec3 place = through - far.distance / cell() * far.normal;
    if (far.distance > 0 && (place - X).norm() < point_reach &&
        is_other_side(place, far.normal, surface.normal))
      add_point(node, o, through, far, true);
  }

  void add_point(std::uint8_t node, std::uint32_t o, const Vec3& X,
                 const geometry::SignedDistance& surface, bool is_far) {
    if (boundary_.is_rough(o) || surface.normal.isZero(0)) return;
    const Vec3 place = X - surface.distance / cell() * surface.normal;
    if (is_behind_wall(place)) return;
    const Vec3 x = boundary_.in_world(place);
    const bool is_covered = std::ranges::any_of(near_, [&](std::uint32_t other) {
      return other != o && boundary_.surface_at(other, x).distance < 0;
    });
    if (is_covered) return;
    const Vec3 normal = is_far ? surface.normal : rounded_normal(place, o, surface.normal);
    result_.points.push_back({node, is_far, o, normal.cast<float>(), place.cast<float>()});
  }

  // The mean of an obstacle's normals around a place on its surface; `normal` where they cancel, as
  // at the rim of something thin.
  [[nodiscard]] Vec3 rounded_normal(const Vec3& place, std::uint32_t o, const Vec3& normal) const {
    Vec3 sum = Vec3::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      if (frame_.is_across(axis)) continue;
      for (const double way : {-edge_radius, edge_radius})
        sum += boundary_
                   .surface_at(o, boundary_.in_world(
                                      inside_walls(place + way * Vec3::Unit(axis)).cast<double>()))
                   .normal;
    }
    return sum.norm() > 1 ? Vec3(sum.normalized()) : normal;
  }

  // Whether a surface at `place` is the other side of what is thin, and no wall hides it.
  [[nodiscard]] bool is_other_side(const Vec3& place, const Vec3& normal,
                                   const Vec3& of_this) const {
    return normal.dot(of_this) < -0.5 && !is_behind_wall(place) &&
           away_from_hiding_walls(place, normal).isZero(0);
  }

  [[nodiscard]] bool is_behind_wall(const Vec3& place) const {
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (frame_.mirrors[a][0] && place[axis] < GridFrame::wall_lower) return true;
      if (frame_.mirrors[a][1] && place[axis] > frame_.wall_upper[a]) return true;
    }
    return false;
  }

  // Behind a wall that is a mirror, the place that it is the image of.
  [[nodiscard]] Vec3f inside_walls(const Vec3& place) const {
    Vec3f inside = place.cast<float>();
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto lower = static_cast<float>(GridFrame::wall_lower);
      const auto upper = static_cast<float>(frame_.wall_upper[a]);
      if (frame_.mirrors[a][0] && inside[axis] < lower) inside[axis] = 2 * lower - inside[axis];
      if (frame_.mirrors[a][1] && inside[axis] > upper) inside[axis] = 2 * upper - inside[axis];
    }
    if (frame_.is_flat) inside.y() = GridFrame::wall_lower;
    return inside;
  }

  // The solid part of each kernel, as the sum over the pieces of cells that it reaches; pieces
  // behind a mirror are as those before it.
  void find_solid() {
    const auto support = parts_.size();
    const std::size_t edge = edge_of_pieces();
    solid_pieces_.resize(edge * edge * edge);
    // A cell that no surface goes through is solid as a whole or not at all.
    for (std::size_t i = 0; i < edge; i += pieces) {
      for (std::size_t j = 0; j < edge; j += pieces) {
        for (std::size_t k = 0; k < edge; k += pieces) {
          const std::optional<float> whole = solid_cell(i, j, k);
          for (std::size_t n = 0; n < pieces * pieces * pieces; ++n) {
            const std::size_t x = i + n / (pieces * pieces), y = j + n / pieces % pieces,
                              z = k + n % pieces;
            solid_pieces_[number_of(x, y, z)] = whole ? *whole : solid_part(x, y, z);
          }
        }
      }
    }
    std::vector<float> along = solid_pieces_;
    // The weights are products: one axis after the other.
    for (std::size_t i = 0; i < edge; ++i) {
      for (std::size_t j = 0; j < edge; ++j) {
        for (std::size_t n = 0; n < block_edge; ++n) {
          float sum = 0;
          for (std::size_t p = 0; p < support; ++p)
            sum += parts_[p] * along[number_of(i, j, pieces * n + p)];
          along[number_of(i, j, n)] = sum;
        }
      }
    }
    for (std::size_t i = 0; i < edge; ++i) {
      for (std::size_t k = 0; k < block_edge; ++k) {
        for (std::size_t n = 0; n < block_edge; ++n) {
          float sum = 0;
          for (std::size_t p = 0; p < support; ++p)
            sum += parts_[p] * along[number_of(i, pieces * n + p, k)];
          along[number_of(i, n, k)] = sum;
        }
      }
    }
    for (std::uint8_t node = 0; node < block_nodes; ++node) {
      const auto [i, j, k] = node_of_bit(node);
      float sum = 0;
      for (std::size_t p = 0; p < support; ++p)
        sum +=
            parts_[p] * along[number_of(pieces * static_cast<std::size_t>(i) + p,
                                        static_cast<std::size_t>(j), static_cast<std::size_t>(k))];
      result_.solid[node] = sum;
    }
  }

  // Pieces of cells along each axis that the kernels of a block's nodes reach.
  [[nodiscard]] std::size_t edge_of_pieces() const {
    return pieces * (block_edge - 1) + parts_.size();
  }
  [[nodiscard]] std::size_t number_of(std::size_t i, std::size_t j, std::size_t k) const {
    return (i * edge_of_pieces() + j) * edge_of_pieces() + k;
  }

  // The middle of a box whose first piece this is, in grid coordinates.
  [[nodiscard]] Vec3 middle_of(const std::array<std::size_t, 3>& piece, double box) const {
    Vec3 middle;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      middle[axis] = base_[a] - reach_ + (static_cast<double>(piece[a]) + box / 2) / pieces;
    }
    return inside_walls(middle).cast<double>();
  }

  [[nodiscard]] std::optional<float> solid_cell(std::size_t i, std::size_t j, std::size_t k) const {
    if (frame_.is_flat) return std::nullopt;
    const Vec3 x = boundary_.in_world(middle_of({i, j, k}, pieces));
    bool is_solid = false;
    for (const std::uint32_t o : near_) {
      const double distance = boundary_.surface_at(o, x).distance;
      if (std::abs(distance) < cell_radius * cell()) return std::nullopt;
      is_solid |= distance < 0;
    }
    return is_solid ? 1 : 0;
  }

  [[nodiscard]] float solid_part(std::size_t i, std::size_t j, std::size_t k) const {
    const Vec3 x = boundary_.in_world(middle_of({i, j, k}, 1));
    double part = 0;
    for (const std::uint32_t o : near_) {
      part += solid_part_of(o, x);
    }
    return static_cast<float>(std::min(part, 1.0));
  }

  // The part of the piece around `x` [m] that is inside an obstacle, which may be thinner than the
  // piece. Its surfaces are taken to be flat: exact if they are across an axis. Else the part is
  // taken to change evenly from one corner of the piece to the opposite one.
  [[nodiscard]] double solid_part_of(std::uint32_t o, const Vec3& x) const {
    const geometry::SignedDistance surface = boundary_.surface_at(o, x);
    const double width = cell() / pieces * surface.normal.lpNorm<1>();
    if (!(surface.distance < width / 2)) return 0;
    if (surface.distance <= -width / 2) return width > 0 ? 1 : 0;
    double empty = 0;
    for (const double way : {-width / 2, width / 2})
      empty += std::max(0.0, boundary_.surface_at(o, x + way * surface.normal).distance);
    return std::max(0.0, 1 - empty / width);
  }

  [[nodiscard]] double cell() const { return static_cast<double>(frame_.cell_size); }

  const GridFrame& frame_;
  const Boundary& boundary_;
  std::vector<float> parts_;
  double reach_;  // Cells that a kernel reaches along an axis.
  std::array<std::int32_t, 3> base_;
  ObstacleList near_;
  std::vector<float> solid_pieces_;  // By piece: the part of it inside obstacles.
  NearObstacles result_;
};

}  // namespace

NearObstacles find_near_obstacles(const GridFrame& frame, scene::Kernel kernel,
                                  const Boundary& boundary, std::uint64_t key) {
  return Finder(frame, kernel, boundary, key).find();
}

}  // namespace sluice::fluid
