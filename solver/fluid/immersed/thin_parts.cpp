// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/thin_parts.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// A part of a triangle's area across a line: a line on an edge meets both triangles there, or with
// another one none.
constexpr double on_edge = 1e-9;

// Where a line through the middles of cells meets a surface.
template <int D>
struct Hit {
  Cell<D> line;  // 0 along its axis.
  double at;     // [cells] along it
  Vec3 normal;   // Out of the solid.
  bool enters;
};

template <int D>
void meet(const CellFrame<D>& frame, double depth, const Tiles<D>& tiles, int axis,
          const std::array<Vec3, 3>& corners, std::vector<Hit<D>>& hits) {
  const int along = world_axis<D>(axis), u = (along + 1) % 3, v = (along + 2) % 3;
  const auto side = [&](const Vec3& a, const Vec3& b, const Vec3& p) {
    return (b[u] - a[u]) * (p[v] - a[v]) - (b[v] - a[v]) * (p[u] - a[u]);
  };
  const auto& [a, b, c] = corners;
  const double area = side(a, b, c);
  if (area == 0) return;
  const double edge = frame.cell_size;
  Cell<D> first{}, last{};
  for (int other = 0; other < D; ++other) {
    if (other == axis) continue;
    const int w = world_axis<D>(other);
    const auto [low, high] = std::minmax({a[w], b[w], c[w]});
    const double origin = frame.origin[w];
    const auto o = static_cast<std::size_t>(other);
    const double least = tile_edge<D> * tiles.lower()[o];
    const double most = least + tile_edge<D> * tiles.size()[o] - 1;
    first[o] =
        static_cast<std::int32_t>(std::clamp(std::floor((low - origin) / edge - 0.5), least, most));
    last[o] =
        static_cast<std::int32_t>(std::clamp(std::ceil((high - origin) / edge - 0.5), least, most));
  }
  for (std::int32_t& end : last)
    ++end;
  const Vec3 normal = (b - a).cross(c - a).normalized();
  for_each_in_box<D>(first, last, [&](const Cell<D>& line) {
    const Vec3 p = frame.place(line, Vec<D>::Constant(0.5F), depth);
    const std::array<double, 3> parts{side(b, c, p) / area, side(c, a, p) / area,
                                      side(a, b, p) / area};
    if (*std::ranges::min_element(parts) < -on_edge) return;
    const double x = parts[0] * a[along] + parts[1] * b[along] + parts[2] * c[along];
    hits.push_back(
        {line, (x - static_cast<double>(frame.origin[along])) / edge, normal, normal[along] < 0});
  });
}

// The solid between two hits, in cells: its thickness, and the most that places a cell apart along
// each axis are apart across it. Nothing where the surface is round there, or cut at a corner.
struct Between {
  double thickness, of_places, along_axis;
};

template <int D>
std::optional<Between> look_between(const Hit<D>& in, const Hit<D>& out, int axis) {
  if (!(in.normal.dot(out.normal) < 0)) return std::nullopt;
  const Vec3 across = (out.normal - in.normal).normalized();
  const double along_axis = std::abs(across[world_axis<D>(axis)]);
  double of_places = 0;
  for (int a = 0; a < D; ++a)
    of_places += std::abs(across[world_axis<D>(a)]);
  return Between{(out.at - in.at) * along_axis, of_places, along_axis};
}

}  // namespace

template <int D>
std::vector<ThinPart<D>> find_thin_parts(const CellFrame<D>& frame, double depth,
                                         const Tiles<D>& tiles, std::span<const Vec3> vertices,
                                         std::span<const TriangleIndices> triangles) {
  std::vector<ThinPart<D>> parted;
  if (tiles.count() == 0) return parted;
  const auto at = [&](std::int32_t corner) { return vertices[static_cast<std::size_t>(corner)]; };
  for (int axis = 0; axis < D; ++axis) {
    std::vector<Hit<D>> hits;
    for (const auto& [i, j, k] : triangles)
      meet<D>(frame, depth, tiles, axis, {at(i), at(j), at(k)}, hits);
    std::ranges::stable_sort(hits, [](const Hit<D>& one, const Hit<D>& other) {
      return one.line != other.line ? one.line < other.line : one.at < other.at;
    });
    const auto a = static_cast<std::size_t>(axis);
    const Hit<D>* entered = nullptr;
    for (const Hit<D>& hit : hits) {
      if (hit.enters) {
        entered = &hit;
        continue;
      }
      const auto between = entered != nullptr && entered->line == hit.line
                               ? look_between(*entered, hit, axis)
                               : std::nullopt;
      if (between && between->thickness < between->of_places + between->along_axis) {
        ThinPart<D> face{axis, hit.line, between->thickness < between->of_places};
        face.face[a] = static_cast<std::int32_t>(std::floor(entered->at + 0.5));
        for (; face.face[a] <= std::floor(hit.at + 0.5); ++face.face[a])
          parted.push_back(face);
      }
      entered = nullptr;
    }
  }
  std::ranges::sort(parted, [](const ThinPart<D>& one, const ThinPart<D>& other) {
    if (one.axis != other.axis) return one.axis < other.axis;
    return one.face != other.face ? one.face < other.face : one.is_screen && !other.is_screen;
  });
  const auto rest =
      std::ranges::unique(parted, [](const ThinPart<D>& one, const ThinPart<D>& other) {
        return one.axis == other.axis && one.face == other.face;
      });
  parted.erase(rest.begin(), rest.end());
  return parted;
}

template std::vector<ThinPart<2>> find_thin_parts<2>(const CellFrame<2>&, double, const Tiles<2>&,
                                                     std::span<const Vec3>,
                                                     std::span<const TriangleIndices>);
template std::vector<ThinPart<3>> find_thin_parts<3>(const CellFrame<3>&, double, const Tiles<3>&,
                                                     std::span<const Vec3>,
                                                     std::span<const TriangleIndices>);

}  // namespace sluice::fluid::grid
