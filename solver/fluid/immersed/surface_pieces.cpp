// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/surface_pieces.h"

#include <algorithm>
#include <cmath>

#include "solver/fluid/lattice/cell_box.h"

namespace sluice::fluid::grid {
namespace {

// Part of a face: as in immersed_bodies.cpp.
constexpr float least_open_piece = 1e-4F;

template <int D>
Cell<D> lower_cell(Cell<D> face, int axis) {
  --face[static_cast<std::size_t>(axis)];
  return face;
}

std::int32_t face_at(double at) { return static_cast<std::int32_t>(std::floor(at + 0.5)); }

// In the cube around the face there: from the middle of its lower cell, in cells.
double way_in_cube(double at) { return at + 0.5 - face_at(at); }

}  // namespace

template <int D>
bool SurfacePieces<D>::comes_before(const Piece& a, const Piece& b) {
  return a.axis != b.axis ? a.axis < b.axis : a.face < b.face;
}

template <int D>
auto SurfacePieces<D>::find_piece(const Cell<D>& face, int axis) const -> const Piece* {
  const auto found = std::ranges::lower_bound(
      pieces_, Piece{.face = face, .axis = axis, .direction = Vec3::Zero()}, comes_before);
  return found != pieces_.end() && found->axis == axis && found->face == face ? &*found : nullptr;
}

template <int D>
std::array<std::int32_t, 2> SurfacePieces<D>::cells_around(double low, double high,
                                                           std::size_t axis,
                                                           const Tiles<D>& tiles) {
  const std::int32_t least = tile_edge<D> * tiles.lower()[axis] - 1;
  const std::int32_t most = least + tile_edge<D> * tiles.size()[axis] + 2;
  const std::int32_t first =
      std::clamp(static_cast<std::int32_t>(std::floor(low)) - 2, least, most);
  return {first, std::clamp(static_cast<std::int32_t>(std::floor(high)) + 3, least, most) - first};
}

template <int D>
void SurfacePieces<D>::take(const Filling<D>& filling, const Cell<D>& first, const Cell<D>& count,
                            MacGrid<D>& grid) {
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for_each_in_box<D>({}, count, [&](const Cell<D>& local) {
    const std::size_t index = grid.tiles.find_cell(sum<D>(first, local));
    if (index >= end) return;
    grid.is_clear[index / tile_size<D>] = 0;
    grid.room[index] *= 1 - filling.around(local);
    for (std::size_t axis = 0; axis < D; ++axis) {
      float& open = grid.open[axis][index];
      open -= filling.at_face(local, axis).part;
      if (open < least_open_piece) open = 0;
    }
  });
}

// Where a body is a plate of the thickness t with the normal n, the cube around the face that is
// nearest to its middle is all in it, if
//
//     t >= |n_x| + |n_y| + |n_z| + |n_axis|.
//
// Else it may leave faces open on both of its sides, and a way through the cells between: all are
// closed that the line goes through in it. Where a line grazes something round, the normals at its
// two ends are much the same, and it is no plate.
template <int D>
auto SurfacePieces<D>::find_partings(int axis, std::span<const Hit> hits) const
    -> std::vector<Parting> {
  std::vector<Parting> partings;
  const Hit* entered = nullptr;
  for (const Hit& hit : hits) {
    const double way = way_in_cube(hit.at);
    if (!encloses(hit.place.element)) {
      partings.push_back({face_at(hit.at), hit.place, way, 1 - way});
    } else if (!hit.is_front) {
      entered = &hit;
    } else if (entered != nullptr) {
      const Vec3 in = normal(entered->place.element), out = normal(hit.place.element);
      const Vec3 across = (out - in).normalized();
      const bool is_thin =
          in.dot(out) < 0 && (hit.at - entered->at - 1) * std::abs(across[world_axis<D>(axis)]) <
                                 across.template lpNorm<1>();
      const std::int32_t from = face_at(entered->at), to = face_at(hit.at);
      for (std::int32_t at = from; is_thin && at <= to; ++at) {
        partings.push_back({at, entered->place, at == from ? way_in_cube(entered->at) : 0, 0});
        partings.push_back({at, hit.place, 0, at == to ? 1 - way : 0});
      }
      entered = nullptr;
    }
  }
  std::ranges::stable_sort(partings, {}, &Parting::at);
  return partings;
}

template <int D>
auto SurfacePieces<D>::movers(const Cell<D>& /*face*/, int /*axis*/, const Parting& first,
                              const Parting& last) const -> std::vector<Mover> {
  return {{first.place, 1}, {last.place, 1}};
}

template <int D>
void SurfacePieces<D>::part(int axis, const Cell<D>& on_line, std::span<const Hit> hits,
                            MacGrid<D>& grid) {
  const std::vector<Parting> partings = find_partings(axis, hits);
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for (std::size_t n = 0; n < partings.size();) {
    std::size_t last = n;
    while (last + 1 < partings.size() && partings[last + 1].at == partings[n].at)
      ++last;
    Cell<D> face = on_line;
    face[static_cast<std::size_t>(axis)] = partings[n].at;
    const std::size_t index = grid.tiles.find_cell(face);
    const std::size_t before = grid.tiles.find_cell(lower_cell<D>(face, axis));
    if (index < end) {
      float& open = grid.open[static_cast<std::size_t>(axis)][index];
      if (open > 0) {
        const double half = 0.5 * static_cast<double>(open);
        double below = partings[n].below, above = partings[last].above;
        if (below + above == 0) below = above = 0.5;  // In a body: what its corners leave open.
        const double attached = half / (below + above);
        for (const auto& [place, part] : movers(face, axis, partings[n], partings[last])) {
          pieces_.push_back({face,
                             axis,
                             driven(place.element, axis),
                             {-part * half, part * half},
                             place,
                             {part * attached * below, part * attached * above}});
        }
        open = 0;
      }
      grid.is_clear[index / tile_size<D>] = 0;
      Array<std::uint8_t>& parted = grid.parted[static_cast<std::size_t>(axis)];
      if (parted.empty()) parted.assign(grid.tiles.array_size(), 0);
      parted[index] = 1;
    }
    if (before < end) grid.is_clear[before / tile_size<D>] = 0;
    n = last + 1;
  }
}

template <int D>
void SurfacePieces<D>::attach(const MacGrid<D>& grid) {
  std::vector<Mat3> masses(this->positions().size(), Mat3::Zero());
  std::vector<Vec3> momenta(this->positions().size(), Vec3::Zero());
  bool has_any = false;
  for (const Piece& piece : pieces_) {
    const std::size_t face = grid.tiles.find_cell(piece.face);
    double mass = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t cell =
          side == 0 ? grid.tiles.find_cell(lower_cell<D>(piece.face, piece.axis)) : face;
      if (grid.distance[cell] < 0) mass += this->mass_of_cell() * piece.attached[side];
    }
    if (!(mass > 0)) continue;
    has_any = true;
    const auto axis = static_cast<std::size_t>(piece.axis);
    if (!grid.lightness[axis].empty()) mass /= static_cast<double>(grid.lightness[axis][face]);
    const auto velocity = static_cast<double>(grid.velocity[axis][face]);
    for (std::size_t corner = 0; corner < D; ++corner) {
      const auto vertex = static_cast<std::size_t>(elements_[piece.place.element][corner]);
      const Vec3 part = piece.place.parts[corner] * mass * piece.direction;
      masses[vertex] += part * piece.direction.transpose();
      momenta[vertex] += velocity * part;
    }
  }
  if (has_any) this->attach_fluid(masses, momenta);
}

template <int D>
auto SurfacePieces<D>::entries(const Tiles<D>& tiles) const -> std::vector<InCell> {
  std::vector<InCell> all;
  all.reserve(2 * D * pieces_.size());
  for (const Piece& piece : pieces_) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Cell<D> cell = side == 0 ? lower_cell<D>(piece.face, piece.axis) : piece.face;
      const auto index = static_cast<std::uint32_t>(tiles.find_cell(cell));
      for (std::size_t corner = 0; corner < D; ++corner) {
        InCell one{index, {static_cast<std::uint32_t>(elements_[piece.place.element][corner]), {}}};
        const double weight = piece.weights[side] * piece.place.parts[corner];
        for (std::size_t a = 0; a < D; ++a)
          one.entry.weight[a] = weight * piece.direction[world_axis<D>(static_cast<int>(a))];
        all.push_back(one);
      }
    }
  }
  return all;
}

template class SurfacePieces<2>;
template class SurfacePieces<3>;

}  // namespace sluice::fluid::grid
