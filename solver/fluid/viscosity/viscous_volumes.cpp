// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/viscosity/viscous_volumes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"

namespace sluice::fluid::grid {
namespace {

// A face that liquid is next to has at least this volume: less makes a system that is hard to
// solve, and moves nothing.
constexpr float least_volume = 0.01F;

// Halves of cells along an axis of a tile: the upper one of the cell before, and all of its own.
template <int D>
constexpr std::size_t half_edge = 2 * tile_edge<D> + 1;
template <int D>
constexpr std::size_t half_size = half_edge<D> * half_edge<D> * (D == 3 ? half_edge<D> : 1);
template <int D>
constexpr std::size_t half_stride(std::size_t axis) {
  std::size_t step = 1;
  for (std::size_t i = 0; i < axis; ++i)
    step *= half_edge<D>;
  return step;
}

// A bit for each axis: of what is on cells' lower sides along it, not in their middles.
constexpr std::size_t bit(std::size_t axis) { return std::size_t{1} << axis; }

template <int D>
void make_arrays(const Tiles<D>& tiles, ViscousVolumes<D>& volumes) {
  volumes.tiles = tiles;
  const auto clear = [&](Array<float>& array) { array.assign(tiles.array_size(), 0); };
  std::ranges::for_each(volumes.faces, clear);
  clear(volumes.cells);
  std::ranges::for_each(volumes.edges, clear);
}

// The liquid's part of each half cell (in 3D an eighth), from distances of a tile padded by 1,
// between whose middles they are straight lines.
template <int D>
void find_halves(const float* distance, std::array<float, half_size<D>>& halves) {
  constexpr std::size_t largest = half_size<D> / half_edge<D> * padded_edge<D>;
  std::array<float, largest> before, after;
  std::copy_n(distance, padded_size<D>, before.begin());
  std::size_t step = 1, lines = padded_size<D> / padded_edge<D>;
  for (std::size_t axis = 0; axis < D; ++axis) {
    float* const out = axis + 1 == D ? halves.data() : after.data();
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t place = 0; place < half_edge<D>; ++place) {
        const std::size_t nearest = (place + 1) / 2;
        const std::size_t other = place % 2 == 0 ? nearest + 1 : nearest - 1;
        const float* const near = before.data() + (line * padded_edge<D> + nearest) * step;
        const float* const far = before.data() + (line * padded_edge<D> + other) * step;
        float* const to = out + (line * half_edge<D> + place) * step;
        for (std::size_t s = 0; s < step; ++s)
          to[s] = 0.75F * near[s] + 0.25F * far[s];
      }
    }
    before.swap(after);
    step *= half_edge<D>;
    lines /= padded_edge<D>;
  }
  for (float& half : halves)
    half = std::clamp(0.5F - 2 * half, 0.0F, 1.0F);
}

// The mean of the halves around the middle of each cell of a tile, or of its lower sides along the
// axes of `sides`.
template <int D>
void add_up(const std::array<float, half_size<D>>& halves, std::size_t sides, float* volumes) {
  for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
    const Cell<D> local = local_cell<D>(cell);
    std::size_t first = 0;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const std::size_t place = 2 * static_cast<std::size_t>(local[axis]);
      first += (place + ((sides & bit(axis)) != 0 ? 0 : 1)) * half_stride<D>(axis);
    }
    float sum = 0;
    for (std::size_t corner = 0; corner < std::size_t{1} << D; ++corner) {
      std::size_t half = first;
      for (std::size_t axis = 0; axis < D; ++axis)
        half += (corner & bit(axis)) != 0 ? half_stride<D>(axis) : 0;
      sum += halves[half];
    }
    volumes[cell] = sum / static_cast<float>(1U << D);
  }
}

// Tells liquid, solid and air apart among the faces of a tile.
template <int D>
void tell_faces_apart(const MacGrid<D>& grid, std::size_t tile,
                      const std::array<float, padded_size<D>>& distance,
                      ViscousVolumes<D>& volumes) {
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      float& volume = volumes.faces[a][tile * tile_size<D> + cell];
      const std::size_t here = padded_index<D>(local_cell<D>(cell));
      if (!(grid.open[a][tile * tile_size<D> + cell] > 0)) {
        volume = ViscousVolumes<D>::solid;
      } else if (distance[here] < 0 || distance[here - padded_stride<D>(axis)] < 0) {
        volume = std::max(volume, least_volume);
      } else {
        volume = 0;
      }
    }
  }
}

// No weight for strains that a face of air is a part of; and tells what is inside of solids.
template <int D>
void tell_strains_apart(ViscousVolumes<D>& volumes) {
  const ViscousVolumes<D>& v = volumes;
  for_each_tile<D>(v.tiles, [&](std::size_t tile) {
    const Surroundings<D> around(v.tiles, tile);
    std::array<std::array<float, padded_size<D>>, D> faces;
    bool is_full = true;
    for (std::size_t axis = 0; axis < D; ++axis) {
      around.load(v.faces[axis].data(), faces[axis].data());
      is_full = is_full && std::ranges::all_of(faces[axis], [](float f) { return f > 0; });
    }
    if (is_full) return;
    const auto weigh = [](float& weight, std::initializer_list<float> of_faces) {
      const auto is_air = [](float volume) { return volume == 0; };
      const auto is_solid = [](float volume) { return volume < 0; };
      if (std::ranges::any_of(of_faces, is_air)) weight = 0;
      if (std::ranges::all_of(of_faces, is_solid)) weight = ViscousVolumes<D>::solid;
    };
    for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
      const std::size_t here = padded_index<D>(local_cell<D>(cell));
      const std::size_t i = tile * tile_size<D> + cell;
      bool is_inside = true;
      for (std::size_t a = 0; a < D; ++a) {
        const std::size_t step_a = padded_stride<D>(static_cast<int>(a));
        const float lower = faces[a][here], upper = faces[a][here + step_a];
        if (lower == 0 || upper == 0) volumes.cells[i] = 0;
        is_inside = is_inside && lower < 0 && upper < 0;
        for (std::size_t b = a + 1; b < D; ++b) {
          const std::size_t step_b = padded_stride<D>(static_cast<int>(b));
          weigh(volumes.edges[plane_of<D>(a, b)][i],
                {lower, faces[a][here - step_b], faces[b][here], faces[b][here - step_a]});
        }
      }
      if (is_inside) volumes.cells[i] = ViscousVolumes<D>::solid;
    }
  });
}

// The coarse means of a padded tile's volumes, without what is solid; 0 where all is.
template <int D>
struct Means {
  std::array<float, padded_size<D>> liquid, solid;  // The first half_tile_size.

  Means(const std::array<float, padded_size<D>>& fine, const std::array<Along, D>& along) {
    for (std::size_t i = 0; i < padded_size<D>; ++i) {
      liquid[i] = std::max(fine[i], 0.0F);
      solid[i] = fine[i] < 0 ? 1.0F : 0.0F;
    }
    coarsen<D>(along, liquid.data());
    coarsen<D>(along, solid.data());
  }
  [[nodiscard]] float operator[](std::size_t i) const {
    return solid[i] < 1 ? liquid[i] / (1 - solid[i]) : 0;
  }
};

template <int D>
std::array<Along, D> all_along(Along kind) {
  std::array<Along, D> along;
  along.fill(kind);
  return along;
}

// The values that are made of one fine tile, as tiles of half the edge.
template <int D>
struct Coarse {
  using Values = std::array<float, half_tile_size<D>>;
  std::array<Values, D> faces;
  Values cells;
  std::array<Values, plane_count<D>> edges;
};

template <int D>
void coarsen_tile(const ViscousVolumes<D>& fine, std::size_t tile, Coarse<D>& coarse) {
  const Surroundings<D> around(fine.tiles, tile);
  std::array<std::array<float, padded_size<D>>, D> faces;
  bool is_full = true;
  const auto load = [&](const Array<float>& array, auto& padded) {
    around.load(array.data(), padded.data());
    is_full = is_full && std::ranges::all_of(padded, [](float volume) { return volume == 1; });
  };
  for (std::size_t axis = 0; axis < D; ++axis)
    load(fine.faces[axis], faces[axis]);
  std::array<float, padded_size<D>> cells;
  load(fine.cells, cells);
  std::array<std::array<float, padded_size<D>>, plane_count<D>> edges;
  for (std::size_t plane = 0; plane < plane_count<D>; ++plane)
    load(fine.edges[plane], edges[plane]);
  if (is_full) {
    for (auto& of_axis : coarse.faces)
      of_axis.fill(1);
    coarse.cells.fill(1);
    for (auto& of_plane : coarse.edges)
      of_plane.fill(1);
    return;
  }
  const Means<D> of_cells(cells, all_along<D>(Along::cell));
  for (std::size_t i = 0; i < half_tile_size<D>; ++i)
    coarse.cells[i] = of_cells[i];
  for (std::size_t a = 0; a < D; ++a) {
    std::array<Along, D> along = all_along<D>(Along::cell);
    along[a] = Along::node;
    const Means<D> of_faces(faces[a], along);
    along.fill(Along::pair);
    along[a] = Along::here;
    const Means<D> on_face(faces[a], along);
    for (std::size_t i = 0; i < half_tile_size<D>; ++i)
      coarse.faces[a][i] = on_face.solid[i] >= 0.5F ? ViscousVolumes<D>::solid : of_faces[i];
    for (std::size_t b = a + 1; b < D; ++b) {
      const std::size_t plane = plane_of<D>(a, b);
      const std::size_t step_a = padded_stride<D>(static_cast<int>(a));
      const std::size_t step_b = padded_stride<D>(static_cast<int>(b));
      along.fill(Along::cell);
      along[a] = along[b] = Along::node;
      const Means<D> of_edges(edges[plane], along);
      for (std::size_t i = 0; i < half_tile_size<D>; ++i) {
        std::size_t here = 0, rest = i;
        for (int axis = 0; axis < D; ++axis) {
          here += (2 * (rest % half_tile_edge<D>)+1) * padded_stride<D>(axis);
          rest /= half_tile_edge<D>;
        }
        const bool is_at_solid = faces[a][here] < 0 || faces[a][here - step_b] < 0 ||
                                 faces[b][here] < 0 || faces[b][here - step_a] < 0;
        coarse.edges[plane][i] = is_at_solid ? std::max(edges[plane][here], 0.0F) : of_edges[i];
      }
    }
  }
}

// Writes it into the part of a coarse tile from `first` on.
template <int D>
void put(const std::array<float, half_tile_size<D>>& values, std::size_t first, float* array) {
  for (std::size_t i = 0; i < half_tile_size<D>; ++i) {
    std::size_t to = first, rest = i;
    for (int axis = 0; axis < D; ++axis) {
      to += rest % half_tile_edge<D> * stride<D>(axis);
      rest /= half_tile_edge<D>;
    }
    array[to] = values[i];
  }
}

}  // namespace

template <int D>
ViscousVolumes<D> find_volumes(const MacGrid<D>& grid) {
  ViscousVolumes<D> volumes;
  make_arrays(grid.tiles, volumes);
  for_each_tile<D>(grid.tiles, [&](std::size_t tile) {
    std::array<float, padded_size<D>> distance;
    Surroundings<D>(grid.tiles, tile).load(grid.distance.data(), distance.data());
    const std::size_t first = tile * tile_size<D>;
    const auto [least, most] = std::ranges::minmax(distance);
    if (most <= -0.25F) {  // All halves are full,
      const auto fill = [&](Array<float>& array) {
        std::fill_n(array.data() + first, tile_size<D>, 1.0F);
      };
      fill(volumes.cells);
      std::ranges::for_each(volumes.faces, fill);
      std::ranges::for_each(volumes.edges, fill);
    } else if (least < 0.25F) {  // or not all are empty.
      std::array<float, half_size<D>> halves;
      find_halves<D>(distance.data(), halves);
      const auto find = [&](std::size_t sides, Array<float>& array) {
        add_up<D>(halves, sides, array.data() + first);
      };
      find(0, volumes.cells);
      for (std::size_t a = 0; a < D; ++a) {
        find(bit(a), volumes.faces[a]);
        for (std::size_t b = a + 1; b < D; ++b)
          find(bit(a) | bit(b), volumes.edges[plane_of<D>(a, b)]);
      }
    }
    tell_faces_apart(grid, tile, distance, volumes);
    if (grid.is_clear[tile] != 0) return;
    for (std::size_t plane = 0; plane < plane_count<D>; ++plane) {
      for (std::size_t edge = first; edge < first + tile_size<D>; ++edge)
        volumes.edges[plane][edge] *= grid.grip[plane][edge];
    }
  });
  tell_strains_apart(volumes);
  return volumes;
}

template <int D>
ViscousVolumes<D> coarsened(const ViscousVolumes<D>& fine) {
  std::vector<Cell<D>> coordinates;
  for (std::size_t tile = 0; tile < fine.tiles.count(); ++tile) {
    const bool has_liquid = std::ranges::any_of(fine.faces, [&](const Array<float>& faces) {
      const float* const first = faces.data() + tile * tile_size<D>;
      return std::any_of(first, first + tile_size<D>, [](float volume) { return volume > 0; });
    });
    if (!has_liquid) continue;
    // The tiles around it are kept too: they have solids that it is next to, and faces that its
    // last ones are interpolated from.
    for (std::size_t n = 0; n < (D == 3 ? 27 : 9); ++n) {
      Cell<D> next = fine.tiles.coordinates(tile);
      std::size_t rest = n;
      for (std::int32_t& c : next) {
        c += static_cast<std::int32_t>(rest % 3) - 1;
        rest /= 3;
      }
      next = within_period<D>(next, fine.tiles.period());
      for (std::int32_t& c : next)
        c >>= 1;
      coordinates.push_back(next);
    }
  }
  std::sort(coordinates.begin(), coordinates.end());
  coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
  ViscousVolumes<D> coarse;
  Cell<D> period = fine.tiles.period();
  for (std::int32_t& c : period)
    c /= 2;
  make_arrays(Tiles<D>(std::move(coordinates), period), coarse);
  for_each_tile<D>(coarse.tiles, [&](std::size_t tile) {
    for (std::size_t child = 0; child < std::size_t{1} << D; ++child) {
      const std::size_t from = fine.tiles.find(child_of<D>(coarse.tiles.coordinates(tile), child));
      if (from == fine.tiles.count()) continue;
      Coarse<D> part;
      coarsen_tile(fine, from, part);
      const std::size_t first = tile * tile_size<D> + index_in_tile<D>(place_of_child<D>(child));
      for (std::size_t axis = 0; axis < D; ++axis)
        put<D>(part.faces[axis], first, coarse.faces[axis].data());
      put<D>(part.cells, first, coarse.cells.data());
      for (std::size_t plane = 0; plane < plane_count<D>; ++plane)
        put<D>(part.edges[plane], first, coarse.edges[plane].data());
    }
  });
  tell_strains_apart(coarse);
  return coarse;
}

template ViscousVolumes<2> find_volumes<2>(const MacGrid<2>&);
template ViscousVolumes<3> find_volumes<3>(const MacGrid<3>&);
template ViscousVolumes<2> coarsened<2>(const ViscousVolumes<2>&);
template ViscousVolumes<3> coarsened<3>(const ViscousVolumes<3>&);

}  // namespace sluice::fluid::grid
