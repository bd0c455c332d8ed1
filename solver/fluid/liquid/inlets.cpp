// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/inlets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/obstacles/shape_cover.h"
#include "solver/fluid/obstacles/tent.h"

namespace sluice::fluid::grid {
namespace {

// Part of a face: less is rounding, and would leave a cell tied to another by next to nothing.
constexpr float least_inlet = 1e-4F;

}  // namespace

template <int D>
void Inlets<D>::set(std::span<const Inlet> inlets, std::span<const Vec3f> held) {
  const bool are_new = pipes_.size() != inlets.size();
  pipes_.resize(inlets.size());
  for (std::size_t i = 0; i < inlets.size(); ++i) {
    Pipe& pipe = pipes_[i];
    pipe.inlet = inlets[i];
    pipe.mouths.clear();
    if (are_new) pipe.parts = find_parts(pipe.inlet.shape);
  }
  held_.assign(held.begin(), held.end());
}

template <int D>
auto Inlets<D>::find_parts(const geometry::Shape& shape) const -> std::vector<Part> {
  const geometry::Bounds bounds = geometry::bounds(shape);
  Cell<D> first = cell_at<D>(frame_.coordinates(bounds.lower.cast<float>()));
  Cell<D> end = cell_at<D>(frame_.coordinates(bounds.upper.cast<float>()));
  for (std::size_t axis = 0; axis < D; ++axis) {
    first[axis] -= 1;
    end[axis] += 2;
  }
  std::vector<Part> parts;
  for_each_in_box<D>(first, end, [&](const Cell<D>& cell) {
    Part part{cell, {}, {}, 1};
    const Vec3 middle = frame_.place(cell, Vec<D>::Constant(0.5F), slab_.middle());
    const double distance = geometry::signed_distance(shape, middle).distance;
    const double tent = tent_beyond(distance / static_cast<double>(frame_.cell_size));
    part.room = static_cast<float>(1 - tent);
    bool has_any = tent > 0;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      Cell<D> above = cell;
      ++above[a];
      const auto covered = [&](const Cell<D>& at) {
        return static_cast<float>(covered_part<D>(shape, frame_, slab_.middle(), at, axis));
      };
      part.covered[a] = covered(cell);
      part.covered_above[a] = covered(above);
      has_any = has_any || part.covered[a] > 0 || part.covered_above[a] > 0;
    }
    if (has_any) parts.push_back(part);
  });
  return parts;
}

// [m/s] Out of the shape's surface in a cell, over the area of a face.
template <int D>
double Inlets<D>::flux_of(const Part& part, const Vec3& velocity) const {
  double flux = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    flux += velocity[world_axis<D>(static_cast<int>(axis))] *
            static_cast<double>(part.covered[axis] - part.covered_above[axis]);
  }
  return std::max(flux, 0.0);
}

template <int D>
double Inlets<D>::area_of_face() const {
  return std::pow(static_cast<double>(frame_.cell_size), D - 1) * (D == 2 ? slab_.depth : 1);
}

template <int D>
bool Inlets<D>::is_in_domain(const Cell<D>& cell) const {
  for (std::size_t axis = 0; axis < D; ++axis) {
    if (sides_.is_periodic[axis]) continue;
    if (cell[axis] < 0 || cell[axis] >= sides_.cells[axis]) return false;
  }
  return true;
}

template <int D>
void Inlets<D>::find_mouths(const std::function<bool(const Vec3&)>& is_outside, Pipe& pipe) const {
  double all = 0, free = 0;
  for (const Part& part : pipe.parts) {
    const double flux = flux_of(part, pipe.inlet.velocity);
    if (!(flux > 0)) continue;
    const Vec3 middle = frame_.place(part.cell, Vec<D>::Constant(0.5F), slab_.middle());
    const bool is_free = is_in_domain(part.cell) && is_outside(middle);
    all += flux;
    if (!is_free) continue;
    free += flux;
    pipe.mouths.push_back({part.cell, static_cast<float>(flux)});
  }
  if (pipe.mouths.empty()) return;
  const double of_face = area_of_face();
  const double carried = pipe.inlet.area * pipe.inlet.velocity.norm();
  const double wanted = std::min(pipe.inlet.rate, carried * free / all);
  for (Mouth& mouth : pipe.mouths)
    mouth.flux *= static_cast<float>(wanted / (free * of_face));
}

template <int D>
void Inlets<D>::cover(float volume, const std::function<bool(const Vec3&)>& is_outside,
                      MacGrid<D>& grid) {
  const bool is_any_open =
      std::ranges::any_of(pipes_, [](const Pipe& pipe) { return pipe.inlet.is_open; });
  inflow_.assign(is_any_open ? grid.tiles.array_size() : 0, 0);
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  covered_.clear();
  for (Pipe& pipe : pipes_) {
    if (!pipe.inlet.is_open) continue;
    for (const Part& part : pipe.parts) {
      const std::size_t index = grid.tiles.find_cell(part.cell);
      if (index >= end) continue;
      covered_.push_back(index);
      grid.is_clear[index / tile_size<D>] = 0;
      grid.room[index] *= part.room;
      for (std::size_t axis = 0; axis < D; ++axis) {
        float& open = grid.open[axis][index];
        open -= part.covered[axis];
        if (open < least_inlet) open = 0;
      }
    }
    find_mouths(is_outside, pipe);
    for (const Mouth& mouth : pipe.mouths) {
      const std::size_t index = grid.tiles.find_cell(mouth.cell);
      if (index < end) inflow_[index] += mouth.flux;
    }
  }
  std::ranges::sort(covered_);
  for (const Vec3f& x : held_) {
    const Vec<D> X = frame_.coordinates(x) - Vec<D>::Constant(0.5F);
    const Cell<D> low = cell_at<D>(X);
    for (std::size_t corner = 0; corner < std::size_t{1} << D; ++corner) {
      Cell<D> cell = low;
      float weight = volume;
      for (std::size_t axis = 0; axis < D; ++axis) {
        const float part = X[static_cast<int>(axis)] - static_cast<float>(low[axis]);
        const bool is_upper = (corner >> axis & 1U) != 0;
        cell[axis] += is_upper ? 1 : 0;
        weight *= is_upper ? part : 1 - part;
      }
      const std::size_t index = grid.tiles.find_cell(cell);
      if (index < end) grid.density[index] = std::max(grid.density[index] - weight, 0.0F);
    }
  }
}

template <int D>
bool Inlets<D>::has_part_of(std::size_t index) const {
  return std::ranges::binary_search(covered_, index);
}

template <int D>
void Inlets<D>::constrain(MacGrid<D>& grid) const {
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for (const Pipe& pipe : pipes_) {
    if (!pipe.inlet.is_open) continue;
    const Vec3 velocity = pipe.inflow.part() * pipe.inlet.velocity;
    for (const Part& part : pipe.parts) {
      const std::size_t index = grid.tiles.find_cell(part.cell);
      if (index >= end) continue;
      for (int axis = 0; axis < D; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (part.covered[a] == 0 || grid.open[a][index] > 0) continue;
        const double along = velocity[world_axis<D>(axis)];
        Vec<D> within = Vec<D>::Constant(0.5F);
        within[axis] = along > 0 ? -0.5F : 0.5F;
        const Vec3 upstream = frame_.place(part.cell, within, slab_.middle());
        const bool is_inside = geometry::signed_distance(pipe.inlet.shape, upstream).distance < 0;
        grid.velocity[a][index] = is_inside ? static_cast<float>(along) : 0.0F;
      }
    }
  }
}

template <int D>
void Inlets<D>::find_inflows(const MacGrid<D>& grid) {
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  const double of_face = area_of_face();
  for (Pipe& pipe : pipes_) {
    double wanted = 0, had = 0;
    for (const Mouth& mouth : pipe.mouths) {
      const std::size_t index = grid.tiles.find_cell(mouth.cell);
      const double flux = mouth.flux;
      wanted += flux;
      had += index < end ? std::min(flux, static_cast<double>(inflow_[index])) : flux;
    }
    pipe.inflow = {of_face * wanted, of_face * had};
  }
}

template <int D>
std::vector<Inflow> Inlets<D>::inflows() const {
  std::vector<Inflow> inflows;
  inflows.reserve(pipes_.size());
  for (const Pipe& pipe : pipes_)
    inflows.push_back(pipe.inflow);
  return inflows;
}

template class Inlets<2>;
template class Inlets<3>;

}  // namespace sluice::fluid::grid
