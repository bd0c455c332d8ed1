// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_forces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/geometry/shape.h"

namespace sluice::fluid::grid {
namespace {

// A box of cells, to before `end`.
template <int D>
struct CellBox {
  Cell<D> begin, end;
};

// The cells that `bounds` reach, and a layer around them; none if they are outside.
template <int D>
std::optional<CellBox<D>> cells_in(const geometry::Bounds& bounds, const GasLattice<D>& lattice) {
  CellBox<D> box;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const int a = world_axis<D>(static_cast<int>(axis));
    const double corner = lattice.frame.origin[a], edge = lattice.frame.cell_size;
    const double most = lattice.sides.cells[axis];
    box.begin[axis] =
        static_cast<std::int32_t>(std::clamp((bounds.lower[a] - corner) / edge - 1, 0.0, most));
    // The upper face of the last cell too, which in periodic sides is the first one's lower.
    const double last = most + (lattice.sides.is_periodic[axis] ? 0 : 1);
    box.end[axis] =
        static_cast<std::int32_t>(std::clamp((bounds.upper[a] - corner) / edge + 2, 0.0, last));
    if (box.begin[axis] >= box.end[axis]) return std::nullopt;
  }
  return box;
}

// Calls visit(cell, index in arrays) for the cells of a box that the lattice has.
template <int D, typename Visit>
void for_each_cell_in(const CellBox<D>& box, const Tiles<D>& tiles, const Visit& visit) {
  for_each_tile(tiles, [&](std::size_t tile) {
    const Cell<D> first = tiles.first_cell(tile);
    CellBox<D> part = box;
    for (std::size_t axis = 0; axis < D; ++axis) {
      part.begin[axis] = std::max(box.begin[axis], first[axis]);
      part.end[axis] = std::min(box.end[axis], first[axis] + tile_edge<D>);
      if (part.begin[axis] >= part.end[axis]) return;
    }
    for_each_in_box<D>(part.begin, part.end, [&](const Cell<D>& cell) {
      Cell<D> local = cell;
      for (std::size_t axis = 0; axis < D; ++axis)
        local[axis] -= first[axis];
      visit(cell, tile * tile_size<D> + index_in_tile<D>(local));
    });
  });
}

// Mixes `content` into what there is, by weight(x [m]) in [0, 1].
template <int D, typename Weight>
void put(const scene::GasContent& content, const geometry::Bounds& bounds, float of_last,
         const Weight& weight, const GasLattice<D>& lattice) {
  const auto box = cells_in(bounds, lattice);
  if (!box) return;
  const auto mix = [&](float value, double part, float& into) {
    into += static_cast<float>(part) * (value - into);
  };
  std::vector<std::pair<std::size_t, float>> given;  // By channel.
  for (std::size_t channel = 0; channel < lattice.channels.size(); ++channel) {
    if (const auto value = value_of(content, lattice.channels[channel]))
      given.push_back({channel, *value});
  }
  const Tiles<D>& tiles = lattice.grid.tiles;
  for_each_cell_in(*box, tiles, [&](const Cell<D>& cell, std::size_t index) {
    if (!given.empty() && lattice.live_cells[index] != 0) {
      const double part = weight(lattice.place_of_middle(cell));
      for (const auto& [channel, value] : given)
        mix(value, part, lattice.values[channel][index]);
    }
    for (int axis = 0; content.velocity && axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (lattice.live_faces[a][index] == 0) continue;
      Cell<D> before = cell;
      --before[a];
      const float by_pressure =
          of_last / lattice.edge *
          (lattice.pressure[index] - lattice.pressure[tiles.find_cell(before)]);
      mix(static_cast<float>((*content.velocity)[world_axis<D>(axis)]) - by_pressure,
          weight(lattice.place_of_face(cell, axis)), lattice.grid.velocity[a][index]);
    }
  });
}

// Puts all of `content` in a shape.
template <int D>
void put_in(const geometry::Shape& shape, const scene::GasContent& content, float of_last,
            const GasLattice<D>& lattice) {
  const auto weight = [&](const Vec3& x) {
    return geometry::signed_distance(shape, x).distance < 0 ? 1.0 : 0.0;
  };
  put(content, geometry::bounds(shape), of_last, weight, lattice);
}

// Calls change(index in arrays) for all cells of all tiles.
template <int D, typename Change>
void for_each_cell(const Tiles<D>& tiles, const Change& change) {
  for_each_tile(tiles, [&](std::size_t tile) {
    for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i)
      change(i);
  });
}

}  // namespace

template <int D>
Vec3 GasLattice<D>::place_of_middle(const Cell<D>& cell) const {
  return frame.place(cell, Vec<D>::Constant(0.5F), depth);
}

template <int D>
Vec3 GasLattice<D>::place_of_face(const Cell<D>& face, int axis) const {
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[axis] = 0;
  return frame.place(face, within, depth);
}

template <int D>
const Array<float>* GasLattice<D>::find(scene::Carried what) const {
  for (std::size_t channel = 0; channel < channels.size(); ++channel) {
    if (channels[channel].what == what) return &values[channel];
  }
  return nullptr;
}

template <int D>
double distance_to_line(const Stroke& stroke, double depth, const Vec3& x) {
  Vec3 from = stroke.from, to = stroke.to;
  if constexpr (D == 2) from.y() = to.y() = depth;
  const Vec3 way = to - from;
  const double squared = way.squaredNorm();
  const double part = squared > 0 ? std::clamp((x - from).dot(way) / squared, 0.0, 1.0) : 0;
  return (x - from - part * way).norm();
}

template <int D>
void put_regions(const GasLattice<D>& lattice) {
  for (const scene::GasRegion& region : lattice.gas.regions)
    put_in(region.shape, region.content, 0, lattice);
}

template <int D>
void put_contents(const GasActions& actions, float of_last, const GasLattice<D>& lattice) {
  for (const scene::GasSource& source : lattice.gas.sources) {
    if (source.open.has(actions.time)) put_in(source.shape, source.content, of_last, lattice);
  }
  for (const Stroke& stroke : actions.strokes) {
    const Vec3 reach = Vec3::Constant(stroke.radius);
    const geometry::Bounds bounds{stroke.from.cwiseMin(stroke.to) - reach,
                                  stroke.from.cwiseMax(stroke.to) + reach};
    // A stroke mixes in as much in a frame, whatever the frame's substeps.
    const double part = actions.duration / actions.frame_duration;
    const auto weight = [&](const Vec3& x) {
      const double away = distance_to_line<D>(stroke, lattice.depth, x) / stroke.radius;
      const double there = away < 1 ? (1 - away * away) * (1 - away * away) : 0;
      return 1 - std::pow(1 - there, part);
    };
    put(stroke.content, bounds, of_last, weight, lattice);
  }
}

template <int D>
void add_buoyancy(const Vec3f& change, const GasLattice<D>& lattice) {
  const scene::Gas& gas = lattice.gas;
  const Array<float>* const temperature = lattice.find(scene::Carried::temperature);
  const Array<float>* const smoke =
      gas.smoke_density > 0 ? lattice.find(scene::Carried::smoke) : nullptr;
  if (temperature == nullptr && smoke == nullptr) return;
  const Tiles<D>& tiles = lattice.grid.tiles;
  const auto around = static_cast<float>(gas.ambient_temperature);
  const auto of_smoke = static_cast<float>(gas.smoke_density / gas.density);
  Array<float> heavier(tiles.array_size(), 0);
  for_each_cell(tiles, [&](std::size_t i) {
    if (temperature != nullptr) heavier[i] += around / (*temperature)[i] - 1;
    if (smoke != nullptr) heavier[i] += of_smoke * (*smoke)[i];
  });
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const float of_axis = change[world_axis<D>(axis)];
    if (of_axis == 0) continue;
    for_each_tile(tiles, [&](std::size_t tile) {
      std::array<float, padded_size<D>> value;
      Surroundings<D>(tiles, tile).load(heavier.data(), value.data());
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t face = tile * tile_size<D> + cell;
        if (lattice.live_faces[a][face] == 0) continue;
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        lattice.grid.velocity[a][face] +=
            of_axis * 0.5F * (value[here] + value[here - padded_stride<D>(axis)]);
      }
    });
  }
}

template <int D>
void add_pushes(std::span<const Push> pushes, float h, const GasLattice<D>& lattice) {
  for (const Push& push : pushes) {
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto change = h * static_cast<float>(push.acceleration[world_axis<D>(axis)]);
      for_each_cell(lattice.grid.tiles, [&](std::size_t face) {
        if (lattice.live_faces[a][face] == 0) return;
        Vec3 way = lattice.place_of_face(lattice.grid.tiles.cell(face), axis) - push.center;
        if constexpr (D == 2) way.y() = 0;
        if (way.squaredNorm() < push.radius * push.radius) lattice.grid.velocity[a][face] += change;
      });
    }
  }
}

template <int D>
void fade(float h, const GasLattice<D>& lattice) {
  for (std::size_t channel = 0; channel < lattice.channels.size(); ++channel) {
    const bool is_heat = lattice.channels[channel].what == scene::Carried::temperature;
    const double rate = is_heat ? lattice.gas.cooling : lattice.gas.fading;
    if (!(rate > 0)) continue;
    const auto part = static_cast<float>(std::exp(-rate * static_cast<double>(h)));
    const float ambient = lattice.channels[channel].ambient;
    Array<float>& values = lattice.values[channel];
    for_each_cell(lattice.grid.tiles,
                  [&](std::size_t i) { values[i] = ambient + part * (values[i] - ambient); });
  }
}

template struct GasLattice<2>;
template struct GasLattice<3>;
template double distance_to_line<2>(const Stroke&, double, const Vec3&);
template double distance_to_line<3>(const Stroke&, double, const Vec3&);
template void put_regions(const GasLattice<2>&);
template void put_regions(const GasLattice<3>&);
template void put_contents(const GasActions&, float, const GasLattice<2>&);
template void put_contents(const GasActions&, float, const GasLattice<3>&);
template void add_buoyancy(const Vec3f&, const GasLattice<2>&);
template void add_buoyancy(const Vec3f&, const GasLattice<3>&);
template void add_pushes(std::span<const Push>, float, const GasLattice<2>&);
template void add_pushes(std::span<const Push>, float, const GasLattice<3>&);
template void fade(float, const GasLattice<2>&);
template void fade(float, const GasLattice<3>&);

}  // namespace sluice::fluid::grid
