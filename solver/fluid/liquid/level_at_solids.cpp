// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/level_at_solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t level_at_solids_grain = 2;  // Tiles.

// Fewer steps of evening out leave more of the errors where the lattice is cut, more steps join
// levels that are far apart.
constexpr int steps = 2;

// The part of their difference that a step brings two levels nearer to each other by. At most
// 1 / (4 D), so that waves of levels from cell to cell do not turn over.
template <int D>
constexpr float part_of_step = 1.0F / (4 * D);

// [cells] How far around the level at obstacles flow is calmed. In 11 of 60 scenes as in
// RandomRest, but with a viscosity of 1e-3 Pa s, flow was still above 1 mm/s after 10 s with 0, and
// in 7 with this.
constexpr int calm_cells = 2;

// [of sqrt(g dx)] Slower flow is calmed: an error of the level of so many cells drives as much in
// sqrt(dx / g). With a third of it, films on slopes swung for ever, at up to 65 mm/s.
constexpr float least_flow = 0.06F;

// How far a distance is to be trusted: a density near that of full or empty cells says little of
// where the surface is.
float trust_in(float distance) {
  const float trust = std::clamp(2 - 2 * std::abs(distance), 0.0F, 1.0F);
  return trust * trust;
}

template <int D>
class Levels {
 public:
  Levels(const MacGrid<D>& grid, const Vec<D>& up, Array<float>& distance)
      : grid_(grid), up_(up), distance_(distance) {}

  LevelAtSolids<D> even_out() {
    find_tiles();
    if (tiles_.empty()) return {};
    find_weights();
    for (int step = 0; step < steps; ++step)
      move_levels();
    fill_slivers();
    find_shut_off();
    for (int cell = 0; cell < calm_cells; ++cell)
      widen();
    return {std::move(at_), std::move(tiles_)};
  }

 private:
  template <typename T>
  using OfTile = std::array<T, tile_size<D>>;
  template <typename T>
  using Padded = std::array<T, padded_size<D>>;

  // Runs body(n) for the n-th of tiles_.
  template <typename F>
  void for_each_tile(const F& body) {
    parallel::parallel_for(0, static_cast<std::int64_t>(tiles_.size()), level_at_solids_grain,
                           [&](std::int64_t begin, std::int64_t end) {
                             for (auto n = static_cast<std::size_t>(begin);
                                  n < static_cast<std::size_t>(end); ++n)
                               body(n);
                           });
  }

  // Runs body(n, values of the tile), which makes new values of old ones around, and then puts the
  // new ones into `array`. Returns whether body did, for any tile.
  template <typename T, typename F>
  bool renew(Array<T>& array, const F& body) {
    std::vector<OfTile<T>> values(tiles_.size());
    std::vector<std::uint8_t> has_changed(tiles_.size());
    for_each_tile([&](std::size_t n) {
      std::copy_n(array.data() + tiles_[n] * tile_size<D>, tile_size<D>, values[n].begin());
      has_changed[n] = body(n, values[n]) ? 1 : 0;
    });
    for_each_tile([&](std::size_t n) {
      if (has_changed[n] != 0)
        std::ranges::copy(values[n], array.data() + tiles_[n] * tile_size<D>);
    });
    return std::ranges::find(has_changed, 1) != has_changed.end();
  }

  // Finds the tiles with cells that are cut, and the tiles next to them.
  void find_tiles() {
    const std::size_t count = grid_.tiles.count();
    std::vector<std::uint8_t> is_near(count, 0);
    for (std::size_t tile = 0; tile < count; ++tile) {
      if (grid_.is_clear[tile] != 0) continue;
      bool has_cut = false;
      for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell)
        has_cut = has_cut || is_cut(grid_, cell);
      if (!has_cut) continue;
      is_near[tile] = 1;
      for (const std::uint32_t next : grid_.tiles.neighbours(tile)) {
        if (next < count) is_near[next] = 1;
      }
    }
    for (std::uint32_t tile = 0; tile < count; ++tile) {
      if (is_near[tile] != 0) tiles_.push_back(tile);
    }
  }

  // The weight of a cell's level: its room, as far as the level is to be trusted. Only cells that
  // are cut and those next to them have one.
  void find_weights() {
    is_cut_.assign(grid_.tiles.array_size(), 0);
    for_each_tile([&](std::size_t n) {
      for (std::size_t cell = tiles_[n] * tile_size<D>; cell < (tiles_[n] + 1) * tile_size<D>;
           ++cell)
        is_cut_[cell] = is_cut(grid_, cell) ? 1 : 0;
    });
    weight_.assign(grid_.tiles.array_size(), 0);
    for_each_tile([&](std::size_t n) {
      Padded<std::uint8_t> cut;
      Surroundings<D>(grid_.tiles, tiles_[n]).load(is_cut_.data(), cut.data());
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        const std::size_t index = tiles_[n] * tile_size<D> + cell;
        bool is_near = cut[here] != 0;
        for (int axis = 0; axis < D; ++axis) {
          is_near = is_near || cut[here - padded_stride<D>(axis)] != 0 ||
                    cut[here + padded_stride<D>(axis)] != 0;
        }
        const float room = grid_.room[index];
        if (is_near && room > least_room) weight_[index] = room * trust_in(distance_[index]);
      }
    });
  }

  // The values of a tile's cells and of the cells next to them.
  struct Around {
    Around(const Levels& levels, std::size_t tile) {
      const Surroundings<D> around(levels.grid_.tiles, tile);
      around.load(levels.distance_.data(), distance.data());
      around.load(levels.weight_.data(), weight.data());
      for (std::size_t axis = 0; axis < D; ++axis)
        around.load(levels.grid_.open[axis].data(), open[axis].data());
    }

    // Runs visit(open part of the face between, weight, distance of the cell `here` at the level of
    // the one next to it).
    template <typename F>
    void visit_next(std::size_t here, const Vec<D>& up, const F& visit) const {
      for (int axis = 0; axis < D; ++axis) {
        const auto& faces = open[static_cast<std::size_t>(axis)];
        const std::size_t before = here - padded_stride<D>(axis);
        const std::size_t after = here + padded_stride<D>(axis);
        visit(faces[here], weight[before], distance[before] + up[axis]);
        visit(faces[after], weight[after], distance[after] - up[axis]);
      }
    }

    Padded<float> distance, weight;
    std::array<Padded<float>, D> open;
  };

  // The change times the weight is what one cell gives and the other takes.
  void move_levels() {
    renew(distance_, [&](std::size_t n, OfTile<float>& distance) {
      const Around around(*this, tiles_[n]);
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        const float own = around.weight[here];
        if (!(own > 0)) continue;
        float change = 0;
        around.visit_next(here, up_, [&](float open, float weight, float level) {
          change += open * weight / (own + weight) * (level - around.distance[here]);
        });
        distance[cell] += part_of_step<D> * change;
      }
      return true;
    });
  }

  // Cells with so little room that their density says nothing have the level of those around.
  void fill_slivers() {
    at_.assign(grid_.tiles.array_size(), AtSolid::no);
    renew(distance_, [&](std::size_t n, OfTile<float>& distance) {
      const Around around(*this, tiles_[n]);
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        const std::size_t index = tiles_[n] * tile_size<D> + cell;
        if (is_cut_[index] == 0) continue;
        if (grid_.room[index] > least_room) {
          if (around.weight[here] > 0) at_[index] = AtSolid::level;
          continue;
        }
        float sum = 0, weights = 0;
        around.visit_next(here, up_, [&](float open, float weight, float level) {
          if (!(open > 0)) return;
          sum += weight * level;
          weights += weight;
        });
        if (!(weights > 0)) continue;
        distance[cell] = std::clamp(sum / weights, -1.0F, 1.0F);
        at_[index] = AtSolid::level;
      }
      return true;
    });
  }

  // Deep in the liquid, particles may leave a cell that is cut so empty that it looks like air: a
  // surface there would let pressure out. Air is what whole cells without liquid reach through
  // cells that are cut.
  void find_shut_off() {
    is_air_.assign(grid_.tiles.array_size(), 0);
    std::fill(is_air_.begin() + static_cast<std::ptrdiff_t>(grid_.tiles.count() * tile_size<D>),
              is_air_.end(), 1);
    for_each_tile([&](std::size_t n) {
      for (std::size_t cell = tiles_[n] * tile_size<D>; cell < (tiles_[n] + 1) * tile_size<D>;
           ++cell) {
        if (is_cut_[cell] == 0 && grid_.room[cell] > 0 && !(distance_[cell] < 0)) is_air_[cell] = 1;
      }
    });
    const auto spread = [&](std::size_t n, OfTile<std::uint8_t>& is_air) {
      const std::size_t first = tiles_[n] * tile_size<D>;
      bool has_changed = false;
      Padded<std::uint8_t> air;
      std::array<Padded<float>, D> open;
      const Surroundings<D> around(grid_.tiles, tiles_[n]);
      around.load(is_air_.data(), air.data());
      for (std::size_t axis = 0; axis < D; ++axis)
        around.load(grid_.open[axis].data(), open[axis].data());
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        if (is_cut_[first + cell] == 0 || is_air[cell] != 0 || distance_[first + cell] < 0)
          continue;
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        bool is_next = false;
        for (int axis = 0; axis < D; ++axis) {
          const auto& faces = open[static_cast<std::size_t>(axis)];
          const std::size_t before = here - padded_stride<D>(axis);
          const std::size_t after = here + padded_stride<D>(axis);
          is_next = is_next || (faces[here] > 0 && air[before] != 0) ||
                    (faces[after] > 0 && air[after] != 0);
        }
        if (!is_next) continue;
        is_air[cell] = 1;
        has_changed = true;
      }
      return has_changed;
    };
    while (renew(is_air_, spread)) {
    }
    for_each_tile([&](std::size_t n) {
      for (std::size_t cell = tiles_[n] * tile_size<D>; cell < (tiles_[n] + 1) * tile_size<D>;
           ++cell) {
        if (is_cut_[cell] != 0 && !(distance_[cell] < 0) && is_air_[cell] == 0)
          at_[cell] = AtSolid::shut_off;
      }
    });
  }

  // Spreads AtSolid::near by a cell.
  void widen() {
    renew(at_, [&](std::size_t n, OfTile<AtSolid>& at) {
      Padded<AtSolid> around;
      Surroundings<D>(grid_.tiles, tiles_[n]).load(at_.data(), around.data());
      const auto is_near = [&](std::size_t next) {
        return around[next] == AtSolid::near || around[next] == AtSolid::level;
      };
      for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
        if (at[cell] != AtSolid::no) continue;
        const std::size_t here = padded_index<D>(local_cell<D>(cell));
        for (int axis = 0; axis < D; ++axis) {
          if (is_near(here - padded_stride<D>(axis)) || is_near(here + padded_stride<D>(axis)))
            at[cell] = AtSolid::near;
        }
      }
      return true;
    });
  }

  const MacGrid<D>& grid_;
  const Vec<D> up_;
  Array<float>& distance_;
  std::vector<std::uint32_t> tiles_;
  Array<std::uint8_t> is_cut_, is_air_;  // By cell.
  Array<float> weight_;                  // By cell.
  Array<AtSolid> at_;
};

}  // namespace

template <int D>
LevelAtSolids<D> level_at_solids(const MacGrid<D>& grid, const Vec<D>& up, Array<float>& distance) {
  if (up.isZero(0) || grid.is_bodiless.empty()) return {};
  return Levels<D>(grid, up, distance).even_out();
}

template <int D>
void calm_at_solids(const LevelAtSolids<D>& level, float gravity, float h, float cell_size,
                    MacGrid<D>& grid) {
  const float least = least_flow * std::sqrt(gravity * cell_size);
  const float slowed = h * std::sqrt(gravity / cell_size), part = slowed / (1 + slowed);
  parallel::parallel_for(
      0, static_cast<std::int64_t>(level.tiles.size()), level_at_solids_grain,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<AtSolid, padded_size<D>> at;
        const auto is_calmed = [&](std::size_t cell) {
          return at[cell] == AtSolid::near || at[cell] == AtSolid::level;
        };
        for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
          const std::uint32_t tile = level.tiles[n];
          Surroundings<D>(grid.tiles, tile).load(level.at.data(), at.data());
          for (int axis = 0; axis < D; ++axis) {
            float* const velocity =
                grid.velocity[static_cast<std::size_t>(axis)].data() + tile * tile_size<D>;
            for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
              const std::size_t here = padded_index<D>(local_cell<D>(cell));
              if (!is_calmed(here) && !is_calmed(here - padded_stride<D>(axis))) continue;
              const float speed = std::abs(velocity[cell]);
              if (speed < least) velocity[cell] *= 1 - part * (1 - speed / least);
            }
          }
        }
      });
}

template LevelAtSolids<2> level_at_solids<2>(const MacGrid<2>&, const Vec<2>&, Array<float>&);
template LevelAtSolids<3> level_at_solids<3>(const MacGrid<3>&, const Vec<3>&, Array<float>&);
template void calm_at_solids<2>(const LevelAtSolids<2>&, float, float, float, MacGrid<2>&);
template void calm_at_solids<3>(const LevelAtSolids<3>&, float, float, float, MacGrid<3>&);

}  // namespace sluice::fluid::grid
