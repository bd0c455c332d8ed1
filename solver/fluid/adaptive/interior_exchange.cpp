// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/interior_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "solver/fluid/lattice/advection.h"
#include "solver/parallel/collector.h"

namespace sluice::fluid::adaptive {

using grid::tile_size, grid::Vec;

namespace {

constexpr std::int64_t exchange_grain = 16384;  // Particles.

// The roots of x^3 = x + 1 and x^4 = x + 1.
template <int D>
constexpr double plastic_number = D == 2 ? 1.32471795724474602596 : 1.22074408460575947536;

// [0, 1), without order in the number.
double scattered(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  number ^= number >> 31U;
  return static_cast<double>(number >> 11U) * 0x1p-53;
}

}  // namespace

template <int D>
std::size_t ParticlePlaces<D>::in_cell() const noexcept {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis < D; ++axis)
    count *= static_cast<std::size_t>(per_axis);
  return count;
}

template <int D>
Vec3 ParticlePlaces<D>::seed(const Cell<D>& cell, std::size_t part) const noexcept {
  Vec<D> within;
  for (int axis = 0; axis < D; ++axis) {
    const auto n = static_cast<std::size_t>(per_axis);
    within[axis] = (static_cast<float>(part % n) + 0.5F) / static_cast<float>(per_axis);
    part /= n;
  }
  return frame.place(cell, within, plane);
}

template <int D>
Vec3 ParticlePlaces<D>::ghost(const Cell<D>& cell, std::size_t part,
                              std::uint32_t substep) const noexcept {
  std::uint64_t number = part;
  for (std::size_t axis = 0; axis < D; ++axis)
    number = number * 0x9e3779b97f4a7c15U + static_cast<std::uint32_t>(cell[axis]);
  Vec<D> within;
  double ratio = 1;
  for (int axis = 0; axis < D; ++axis) {
    ratio /= plastic_number<D>;
    const double start = scattered(number + static_cast<std::uint64_t>(axis + 1));
    const double along = start + ratio * static_cast<double>(substep);
    const auto n = static_cast<std::size_t>(per_axis);
    within[axis] = static_cast<float>((static_cast<double>(part % n) + along - std::floor(along)) /
                                      static_cast<double>(per_axis));
    part /= n;
  }
  return frame.place(cell, within, plane);
}

template <int D>
Birth ParticlePlaces<D>::particle_at(const Vec3& x, const FluidLevel<D>& of, bool is_affine) const {
  Birth birth{0, x.cast<float>(), Vec3f::Zero(), {}};
  for (int axis = 0; axis < D; ++axis) {
    Vec<D> X = of.frame.coordinates(birth.position);
    for (int a = 0; a < D; ++a)
      X[a] -= a == axis ? 0.0F : 0.5F;
    const grid::Corners<D> around = grid::corners_around<D>(
        of.grid.tiles, of.grid.velocity[static_cast<std::size_t>(axis)].data(), X);
    const Cell<D> low = grid::cell_at<D>(X);
    for (int a = 0; a < D; ++a)
      X[a] -= static_cast<float>(low[static_cast<std::size_t>(a)]);
    Vec<D> gradient = Vec<D>::Zero();
    float velocity = 0;
    for (std::size_t corner = 0; corner < std::size_t{1} << D; ++corner) {
      const float there = around[corner];
      const auto weight = [&](int a) {
        return (corner >> static_cast<std::size_t>(a) & 1U) != 0 ? X[a] : 1 - X[a];
      };
      float all = 1;
      for (int a = 0; a < D; ++a)
        all *= weight(a);
      velocity += all * there;
      for (int a = 0; is_affine && a < D; ++a) {
        float others = (corner >> static_cast<std::size_t>(a) & 1U) != 0 ? 1.0F : -1.0F;
        for (int b = 0; b < D; ++b)
          others *= b == a ? 1.0F : weight(b);
        gradient[a] += others * there;
      }
    }
    birth.velocity[grid::world_axis<D>(axis)] = velocity;
    for (int a = 0; a < D; ++a) {
      birth.affine.c[3 * grid::world_axis<D>(a) + grid::world_axis<D>(axis)] =
          gradient[a] / of.frame.cell_size;
    }
  }
  return birth;
}

template <int D>
std::vector<std::uint32_t> particles_inside(const grid::CellFrame<D>& frame,
                                            const grid::Tiles<D>& tiles,
                                            const InteriorMarks<D>& marks,
                                            const Particles& particles) {
  std::vector<std::uint32_t> inside;
  parallel::Collector<std::uint32_t> collector;
  collector.collect(
      static_cast<std::int64_t>(particles.count), exchange_grain,
      [&](std::int64_t begin, std::int64_t end, std::vector<std::uint32_t>& found) {
        Cell<D> coordinates{};
        std::size_t tile = tiles.find(coordinates);
        for (auto i = static_cast<std::uint32_t>(begin); i < static_cast<std::uint32_t>(end); ++i) {
          Cell<D> cell = grid::cell_at<D>(frame.coordinates(particles.positions[i]));
          // Neighbours in memory are mostly neighbours in space.
          if (const Cell<D> own = grid::tile_of<D>(cell); own != coordinates) {
            coordinates = own;
            tile = tiles.find(own);
          }
          if (marks.tiles[tile] == 0) continue;
          for (std::size_t a = 0; a < D; ++a)
            cell[a] -= coordinates[a] * grid::tile_edge<D>;
          if (marks.cells[tile * tile_size<D> + grid::index_in_tile<D>(cell)] != 0)
            found.push_back(i);
        }
      },
      inside);
  return inside;
}

template <int D>
void make_up(const grid::CellFrame<D>& frame, const grid::MacGrid<D>& grid,
             std::span<const std::uint32_t> may_be_kept, std::int64_t& owed,
             std::vector<std::uint32_t>& gone, std::vector<Birth>& births) {
  if (owed > 0) {
    const std::size_t count = std::min(static_cast<std::size_t>(owed), may_be_kept.size());
    std::vector<std::uint32_t> kept, left;
    for (std::size_t n = 0; n < count; ++n)  // Spread over all of them.
      kept.push_back(may_be_kept[n * may_be_kept.size() / count]);
    std::ranges::set_difference(gone, kept, std::back_inserter(left));
    gone.swap(left);
    owed -= static_cast<std::int64_t>(count);
  } else if (owed < 0) {
    const std::size_t count = std::min(static_cast<std::size_t>(-owed), births.size());
    std::vector<std::pair<float, std::uint32_t>> by_density;
    for (std::uint32_t n = 0; n < births.size(); ++n) {
      const Cell<D> cell = grid::cell_at<D>(frame.coordinates(births[n].position));
      by_density.emplace_back(-grid.density[grid.tiles.find_cell(cell)], n);
    }
    std::ranges::sort(by_density);
    std::vector<std::uint32_t> chosen;
    for (std::size_t n = count; n < by_density.size(); ++n)
      chosen.push_back(by_density[n].second);
    std::ranges::sort(chosen);
    std::vector<Birth> left;
    left.reserve(chosen.size());
    for (const std::uint32_t n : chosen)
      left.push_back(births[n]);
    births.swap(left);
    owed += static_cast<std::int64_t>(count);
  }
}

template struct ParticlePlaces<2>;
template struct ParticlePlaces<3>;
template std::vector<std::uint32_t> particles_inside<2>(const grid::CellFrame<2>&,
                                                        const grid::Tiles<2>&,
                                                        const InteriorMarks<2>&, const Particles&);
template std::vector<std::uint32_t> particles_inside<3>(const grid::CellFrame<3>&,
                                                        const grid::Tiles<3>&,
                                                        const InteriorMarks<3>&, const Particles&);
template void make_up<2>(const grid::CellFrame<2>&, const grid::MacGrid<2>&,
                         std::span<const std::uint32_t>, std::int64_t&, std::vector<std::uint32_t>&,
                         std::vector<Birth>&);
template void make_up<3>(const grid::CellFrame<3>&, const grid::MacGrid<3>&,
                         std::span<const std::uint32_t>, std::int64_t&, std::vector<std::uint32_t>&,
                         std::vector<Birth>&);

}  // namespace sluice::fluid::adaptive
