// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/weld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::geometry {
namespace {

// Sides of cells: edges of triangles, faces of tetrahedra.
std::array<EdgeIndices, 3> sides_of(const TriangleIndices& t) {
  return {{{t[0], t[1]}, {t[1], t[2]}, {t[2], t[0]}}};
}

std::array<TriangleIndices, 4> sides_of(const TetIndices& t) {
  return {{{t[0], t[1], t[2]}, {t[0], t[1], t[3]}, {t[0], t[2], t[3]}, {t[1], t[2], t[3]}}};
}

template <typename Side>
bool has_twice(const Side& ascending) {
  return std::adjacent_find(ascending.begin(), ascending.end()) != ascending.end();
}

// The sides that one cell alone has, their vertices ascending.
template <typename Side, typename Cell>
std::vector<Side> open_sides(const std::vector<Cell>& cells) {
  std::vector<Side> sides;
  for (const Cell& cell : cells) {
    for (Side side : sides_of(cell)) {
      std::sort(side.begin(), side.end());
      if (!has_twice(side)) sides.push_back(side);
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<Side> open;
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last] == sides[first])
      ++last;
    if (last == first + 1) open.push_back(sides[first]);
  }
  return open;
}

// The places at which some vertices are, each place named by the first vertex there.
class Places {
 public:
  Places(const std::vector<Vec3>& positions, double distance)
      : positions_(positions), distance_(distance), first_(positions.size(), -1) {}

  // Finds the place of each of these vertices, ascending.
  void find(const std::vector<std::int32_t>& vertices) {
    double largest = 0;
    for (const std::int32_t vertex : vertices)
      largest = std::max(largest, at(vertex).lpNorm<Eigen::Infinity>());
    // A distance that small joins what is equal alone, and would have all vertices in one cell.
    if (distance_ > 0 && std::isfinite(largest / distance_)) {
      find_near(vertices);
    } else {
      find_equal(vertices);
    }
  }

  [[nodiscard]] std::int32_t of(std::int32_t vertex) const {
    return first_[static_cast<std::size_t>(vertex)];
  }

 private:
  [[nodiscard]] const Vec3& at(std::int32_t vertex) const {
    return positions_[static_cast<std::size_t>(vertex)];
  }
  std::int32_t& first(std::int32_t vertex) { return first_[static_cast<std::size_t>(vertex)]; }

  void find_equal(std::vector<std::int32_t> vertices) {
    std::sort(vertices.begin(), vertices.end(), [&](std::int32_t i, std::int32_t j) {
      const auto key = [&](std::int32_t k) {
        return std::tuple(at(k).x(), at(k).y(), at(k).z(), k);
      };
      return key(i) < key(j);
    });
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const bool is_same = i > 0 && at(vertices[i]) == at(vertices[i - 1]);
      first(vertices[i]) = is_same ? of(vertices[i - 1]) : vertices[i];
    }
  }

  // First vertices are farther apart than the distance, so that a cell of that size has few.
  void find_near(const std::vector<std::int32_t>& vertices) {
    using Cell = std::array<double, 3>;
    std::map<Cell, std::vector<std::int32_t>> firsts;
    const auto cell_of = [&](const Vec3& p) {
      return Cell{std::floor(p.x() / distance_), std::floor(p.y() / distance_),
                  std::floor(p.z() / distance_)};
    };
    for (const std::int32_t vertex : vertices) {
      const Cell cell = cell_of(at(vertex));
      std::int32_t found = vertex;  // The least of those near, for it to depend on no order.
      for (int i = 0; i < 27; ++i) {
        const std::array<int, 3> step{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const Cell near{cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]};
        const auto there = firsts.find(near);
        if (there == firsts.end()) continue;
        for (const std::int32_t other : there->second) {
          if ((at(other) - at(vertex)).norm() <= distance_) found = std::min(found, other);
        }
      }
      first(vertex) = found;
      if (found == vertex) firsts[cell].push_back(vertex);
    }
  }

  const std::vector<Vec3>& positions_;
  double distance_;
  std::vector<std::int32_t> first_;  // By vertex; -1 of those not asked for.
};

// Sets of vertices that become one, each named by its first.
class JoinedVertices {
 public:
  explicit JoinedVertices(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  std::int32_t find(std::int32_t v) {
    while (parent(v) != v) {
      parent(v) = parent(parent(v));
      v = parent(v);
    }
    return v;
  }

  void join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& parent(std::int32_t v) { return parent_[static_cast<std::size_t>(v)]; }

  std::vector<std::int32_t> parent_;
};

// Joins the vertices of open sides that are at the same places, and of sides that have no length.
template <typename Side>
JoinedVertices join_sides(const std::vector<Vec3>& positions, const std::vector<Side>& open,
                          double distance) {
  std::vector<std::int32_t> vertices;
  for (const Side& side : open)
    vertices.insert(vertices.end(), side.begin(), side.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  Places places(positions, distance);
  places.find(vertices);

  JoinedVertices joined(positions.size());
  std::vector<std::pair<Side, Side>> placed;  // By place; the side itself in the same order.
  for (Side side : open) {
    std::sort(side.begin(), side.end(),
              [&](std::int32_t a, std::int32_t b) { return places.of(a) < places.of(b); });
    Side key;
    std::transform(side.begin(), side.end(), key.begin(),
                   [&](std::int32_t v) { return places.of(v); });
    for (std::size_t i = 1; i < side.size(); ++i) {
      if (key[i] == key[i - 1]) joined.join(side[i], side[i - 1]);
    }
    placed.emplace_back(key, side);
  }
  std::sort(placed.begin(), placed.end());
  for (std::size_t i = 1; i < placed.size(); ++i) {
    if (placed[i].first != placed[i - 1].first) continue;
    for (std::size_t k = 0; k < placed[i].second.size(); ++k)
      joined.join(placed[i].second[k], placed[i - 1].second[k]);
  }
  return joined;
}

template <typename Side, typename Mesh, typename Cell>
Welded<Mesh> weld(Mesh mesh, std::vector<Cell> Mesh::* cells_of, double distance) {
  Welded<Mesh> welded;
  std::vector<Cell>& cells = mesh.*cells_of;
  const std::vector<Side> open = open_sides<Side>(cells);
  if (open.empty()) {
    welded.mesh = std::move(mesh);
    return welded;
  }
  JoinedVertices joined = join_sides(mesh.vertices, open, distance);
  std::vector<std::int32_t> renumbered(mesh.vertices.size());
  std::vector<Vec3> vertices;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto first = static_cast<std::size_t>(joined.find(static_cast<std::int32_t>(v)));
    if (first == v) {
      renumbered[v] = static_cast<std::int32_t>(vertices.size());
      vertices.push_back(mesh.vertices[v]);
    } else {
      renumbered[v] = renumbered[first];
      ++welded.joined_count;
    }
  }
  if (welded.joined_count > 0) {
    std::erase_if(cells, [&](Cell& cell) {
      const auto distinct = [](Cell corners) {
        std::sort(corners.begin(), corners.end());
        return !has_twice(corners);
      };
      const bool had_all = distinct(cell);
      for (std::int32_t& corner : cell)
        corner = renumbered[static_cast<std::size_t>(corner)];
      const bool is_collapsed = had_all && !distinct(cell);
      welded.collapsed_count += is_collapsed ? 1 : 0;
      return is_collapsed;
    });
    mesh.vertices = std::move(vertices);
  }
  welded.mesh = std::move(mesh);
  return welded;
}

}  // namespace

Welded<TriangleMesh> weld_seams(TriangleMesh mesh, double distance) {
  return weld<EdgeIndices>(std::move(mesh), &TriangleMesh::triangles, distance);
}

Welded<TetMesh> weld_seams(TetMesh mesh, double distance) {
  return weld<TriangleIndices>(std::move(mesh), &TetMesh::tets, distance);
}

}  // namespace sluice::geometry
