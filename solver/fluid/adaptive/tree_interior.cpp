// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_interior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "solver/fluid/adaptive/interior_sizing.h"
#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/coarsening.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/parallel/for_each_index.h"

namespace sluice::fluid::adaptive {

using grid::Advected, grid::tile_size, grid::Vec;

namespace {

constexpr std::int64_t shell_grain = 64;  // Cells of level 1.

// [of a layer of particles along the border] Particles go in a layer at a time, and ghosts come out
// one by one: so much more or less may be there for a while. With none at all water that swings in
// a tank of 128 x 64 cells lost 9 % of its energy in 10 s, with a half 2 % of its volume; with this
// 3 and 0.1 %.
constexpr std::int64_t tolerated_parts = 16;

// [finest cells] As deep as ghosts are looked at by what stays outside, besides the way in a
// substep.
constexpr double depth_of_sight = 1;

// Calls visit(cell) for each of the finest cells in a cell.
template <int D, typename Visit>
void for_each_finest(std::size_t level, const Cell<D>& cell, const Visit& visit) {
  Cell<D> begin = cell, end;
  for (std::size_t a = 0; a < D; ++a) {
    begin[a] *= std::int32_t{1} << level;
    end[a] = begin[a] + (std::int32_t{1} << level);
  }
  grid::for_each_in_box<D>(begin, end, visit);
}

}  // namespace

template <int D>
TreeInterior<D>::TreeInterior(const scene::Scene& scene)
    : settings_(grid::liquid_settings_of<D>(scene)),
      sizing_(scene, settings_),
      places_{settings_.frame, settings_.slab.middle(), scene.grid.particles_per_axis},
      cfl_(scene.grid.cfl) {
  const auto levels = static_cast<std::size_t>(scene.grid.adaptive->levels);
  reach_ = cells_by_level(cfl_, reach_of_interpolation, levels);
  // The ghosts' cells, and what those are interpolated between.
  reach_[0] += static_cast<std::int32_t>(std::ceil(cfl_ + depth_of_sight)) + 1;
  for (std::size_t k = 0; k < levels; ++k) {
    levels_.push_back(std::make_unique<FluidLevel<D>>(
        settings_.frame, k, sides_of_level(settings_.sides, k), settings_.path_integrator));
  }
  count();
}

template <int D>
void TreeInterior<D>::start(const scene::Scene& scene) {
  // Along walls, where regions end, there is no need of particles.
  since_adapted_ = substeps_before_joining - 1;
  InteriorTree<D> first = sizing_.at_start(scene.fluids.front());
  if (first.is_empty()) return;
  now_ = std::move(first);
  make_layers(now_.tree());
  const Vec3& velocity = scene.fluids.front().velocity;
  for (const auto& level : levels_) {
    for (int axis = 0; axis < D; ++axis) {
      std::ranges::fill(level->grid.velocity[static_cast<std::size_t>(axis)],
                        static_cast<float>(velocity[grid::world_axis<D>(axis)]));
    }
  }
  find_fluid();
  fill_faces();
  find_shell();
  count();
  fastest_ = fastest_velocity<D>(std::span(levels_).subspan(1));
}

template <int D>
template <typename Get>
ByLevel TreeInterior<D>::of_levels(const Get& get) const {
  ByLevel arrays;
  for (const auto& level : levels_)
    arrays.push_back(&get(*level));
  return arrays;
}

template <int D>
void TreeInterior<D>::add_ghosts(float h, float fastest, std::uint8_t material,
                                 Particles& particles) {
  ++substep_;
  come_out_.clear();
  if (is_empty()) return;
  const double way = static_cast<double>(h * fastest / settings_.frame.cell_size);
  const auto rings =
      static_cast<std::size_t>(std::ceil((std::min(way, cfl_) + depth_of_sight) / 2));
  for (std::size_t ring = 0; ring < std::min(rings, shell_.size()); ++ring) {
    const std::vector<Cell<D>>& cells = shell_[ring];
    const std::size_t of_cell = places_.in_cell() << D, first = particles.count;
    particles.resize(first + cells.size() * of_cell);
    parallel::for_each_index(cells.size(), shell_grain, [&](std::size_t n) {
      std::size_t i = first + n * of_cell;
      for_each_finest<D>(1, cells[n], [&](const Cell<D>& cell) {
        for (std::size_t part = 0; part < places_.in_cell(); ++part, ++i) {
          const Birth ghost = places_.particle_at(places_.ghost(cell, part, substep_), *levels_[0],
                                                  settings_.blend.is_affine);
          particles.positions[i] = particles.targets[i] = ghost.position;
          particles.velocities[i] = ghost.velocity;
          particles.affine[i] = ghost.affine;
          particles.materials[i] = material;
        }
      });
    });
  }
}

template <int D>
void TreeInterior<D>::take_ghosts(std::size_t first, Particles& particles) {
  for (std::size_t i = first; i < particles.count; ++i) {
    const Vec3f& target = particles.targets[i];
    if (now_.has(grid::cell_at<D>(settings_.frame.coordinates(target)))) continue;
    come_out_.push_back({0, target, particles.velocities[i], particles.affine[i]});
  }
  particles.resize(first);
}

// Calls visit(axis, the face in arrays of the grid, the face in those of level 0) for each face
// between two cells of the interior that both have.
template <int D>
template <typename Visit>
void TreeInterior<D>::for_each_face_inside(const grid::MacGrid<D>& grid, const Visit& visit) const {
  grid::for_each_tile(grid.tiles, [&](std::size_t tile) {
    if (grid.has_interior[tile] == 0) return;
    const std::size_t in_layer = layers_[0].tiles.find(grid.tiles.coordinates(tile));
    if (in_layer == layers_[0].tiles.count()) return;
    std::array<std::uint8_t, grid::padded_size<D>> is_in;
    grid::Surroundings<D>(grid.tiles, tile).load(grid.is_interior.data(), is_in.data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t here = grid::padded_index<D>(grid::local_cell<D>(i));
      for (int axis = 0; axis < D; ++axis) {
        if (is_in[here] != 0 && is_in[here - grid::padded_stride<D>(axis)] != 0)
          visit(static_cast<std::size_t>(axis), tile * tile_size<D> + i,
                in_layer * tile_size<D> + i);
      }
    }
  });
}

template <int D>
void TreeInterior<D>::enter(float mass, grid::MacGrid<D>& grid,
                            typename grid::MacGrid<D>::template Faces<float>& weights) {
  InteriorMarks<D> marks = now_.marks(grid.tiles);
  grid.is_interior = std::move(marks.cells);
  grid.has_interior = std::move(marks.tiles);
  write(grid);
  for_each_face_inside(grid, [&](std::size_t axis, std::size_t face, std::size_t /*in_layer*/) {
    weights[axis][face] = mass;
  });
}

// Takes velocities of level 0 from the grid.
template <int D>
void TreeInterior<D>::read(const grid::MacGrid<D>& grid) {
  const grid::Tiles<D>& tiles = layers_[0].tiles;
  grid::for_each_tile(tiles, [&](std::size_t tile) {
    const std::size_t from = grid.tiles.find(tiles.coordinates(tile));
    if (from == grid.tiles.count()) return;
    for (std::size_t axis = 0; axis < D; ++axis) {
      std::copy_n(grid.velocity[axis].data() + from * tile_size<D>, tile_size<D>,
                  levels_[0]->grid.velocity[axis].data() + tile * tile_size<D>);
    }
  });
}

// Gives the grid's faces between two cells of the interior the velocities of level 0.
template <int D>
void TreeInterior<D>::write(grid::MacGrid<D>& grid) const {
  for_each_face_inside(grid, [&](std::size_t axis, std::size_t face, std::size_t in_layer) {
    grid.velocity[axis][face] = levels_[0]->grid.velocity[axis][in_layer];
  });
}

// Gives the grid's cells in the interior the pressure that is in their middles.
template <int D>
void TreeInterior<D>::fill_pressure(grid::MacGrid<D>& grid) {
  Array<float>& finest = levels_[0]->pressure;
  const auto for_each_tile_of_both = [&](const auto& visit) {
    grid::for_each_tile(layers_[0].tiles, [&](std::size_t tile) {
      const std::size_t of_grid = grid.tiles.find(layers_[0].tiles.coordinates(tile));
      if (of_grid < grid.tiles.count()) visit(tile * tile_size<D>, of_grid * tile_size<D>);
    });
  };
  for_each_tile_of_both([&](std::size_t first, std::size_t of_grid) {
    std::copy_n(grid.pressure.data() + of_grid, tile_size<D>, finest.data() + first);
  });
  layers_.fill_pressure(of_levels([](FluidLevel<D>& level) -> auto& { return level.pressure; }));
  for_each_tile_of_both([&](std::size_t first, std::size_t of_grid) {
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      if (grid.is_interior[of_grid + i] != 0) grid.pressure[of_grid + i] = finest[first + i];
    }
  });
}

template <int D>
void TreeInterior<D>::accelerate(const Vec<D>& change, std::span<const Push> pushes, float h) {
  for (std::size_t k = 1; k < level_count(); ++k) {
    FluidLevel<D>& level = *levels_[k];
    grid::for_each_tile(level.grid.tiles, [&](std::size_t tile) {
      for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; ++i) {
        for (int axis = 0; axis < D; ++axis) {
          const auto a = static_cast<std::size_t>(axis);
          if (level.live_faces[a][i] == 0) continue;
          level.grid.velocity[a][i] += change[axis];
          for (const Push& push : pushes) {
            Vec<D> middle = Vec<D>::Constant(0.5F);
            middle[axis] = 0;
            Vec3 way = level.frame.place(level.grid.tiles.cell(i), middle, places_.plane);
            way -= push.center;
            if constexpr (D == 2) way.y() = 0;
            if (way.squaredNorm() < push.radius * push.radius) {
              level.grid.velocity[a][i] +=
                  h * static_cast<float>(push.acceleration[grid::world_axis<D>(axis)]);
            }
          }
        }
      }
    });
  }
}

template <int D>
grid::SolveReport TreeInterior<D>::project(const scene::PressureSettings& settings,
                                           std::span<float> inflow, float h,
                                           grid::MacGrid<D>& grid) {
  read(grid);
  const grid::SolveReport report =
      projection_.project(settings, inflow, now_.tree(), layers_, levels_, grid);
  read(grid);
  fill_faces();
  write(grid);
  fill_pressure(grid);
  carry(h);
  fill_faces();
  fastest_ = fastest_velocity<D>(std::span(levels_).subspan(1));
  return report;
}

// Level 0's velocities at the border go along, as ghosts next to it look at them; all of its
// velocities before cells are joined, which will have them.
template <int D>
void TreeInterior<D>::carry(float h) {
  const bool is_before_joining = since_adapted_ + 1 >= substeps_before_joining;
  for (const auto& level : levels_) {
    const bool is_finest = level == levels_.front();
    level->carried = level->grid.velocity;
    std::vector<Advected> advected;
    for (std::size_t axis = 0; axis < D; ++axis) {
      const Array<std::uint8_t>* const which =
          is_finest && !is_before_joining ? &at_border_[axis] : &level->live_faces[axis];
      advected.push_back({static_cast<int>(axis), which, &level->carried[axis]});
    }
    level->advection.carry(level->grid, scene::Advection::cubic, h, advected);
    level->grid.velocity.swap(level->carried);
  }
}

template <int D>
void TreeInterior<D>::fill_faces() {
  for (std::size_t axis = 0; axis < D; ++axis) {
    layers_.fill_faces(
        axis, of_levels([&](FluidLevel<D>& level) -> auto& { return level.grid.velocity[axis]; }));
  }
}

// The tree that is to follow; none where the one that is there will do.
template <int D>
std::optional<InteriorTree<D>> TreeInterior<D>::adapted(const grid::MacGrid<D>& grid) {
  ++since_adapted_;
  const InteriorFlow<D> flow{layers_, levels_, fastest_};
  const auto needed = [&](std::int32_t spare) { return sizing_.needed(grid, now_, flow, spare); };
  const auto tree_of = [&](const WantedCells<D>& cells) {
    return sizing_.tree_of(cells, grid, now_);
  };
  if (is_empty()) {
    if (since_adapted_ % substeps_before_joining != 0) return std::nullopt;
    InteriorTree<D> first = tree_of(needed(spare_cells));
    return first.is_empty() ? std::nullopt : std::optional(std::move(first));
  }
  if (since_adapted_ >= substeps_before_joining) return tree_of(needed(spare_cells));
  if (divides<D>(now_.tree(), needed(0))) return std::nullopt;
  return tree_of(united<D>(divided_cells<D>(now_.tree()), needed(spare_cells)));
}

template <int D>
void TreeInterior<D>::settle(const grid::MacGrid<D>& grid, const Particles& particles,
                             std::vector<std::uint32_t>& gone, std::vector<Birth>& births) {
  gone.clear();
  if (!is_empty()) {
    gone = particles_inside<D>(settings_.frame, grid.tiles, {grid.is_interior, grid.has_interior},
                               particles);
  }
  births.clear();
  births.swap(come_out_);
  std::vector<std::uint32_t> may_be_kept = gone;
  std::vector<Birth> seeds;
  const std::int64_t before = volume_;
  if (std::optional<InteriorTree<D>> next = adapted(grid)) {
    const std::vector<std::uint32_t> inside =
        particles_inside<D>(settings_.frame, grid.tiles, next->marks(grid.tiles), particles);
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(gone, inside, std::back_inserter(both));
    may_be_kept.swap(both);
    std::vector<std::uint32_t> either;
    std::ranges::set_union(gone, inside, std::back_inserter(either));
    gone.swap(either);
    std::erase_if(births, [&](const Birth& birth) {
      return next->has(grid::cell_at<D>(settings_.frame.coordinates(birth.position)));
    });
    add_seeds(*next, seeds);
    if (is_empty()) {
      // All cells with liquid have been the finest so far.
      const std::function<bool(const Cell<D>&)> none = [](const Cell<D>&) { return false; };
      WantedCells<D> all = divided_cells<D>(next->tree());
      all[1] = octree::united<D>(all[1], HalvedGrid<D>(grid, settings_.sides, none).with_liquid());
      make_layers(octree::Tree<D>(settings_.sides.cells, std::move(all)));
      read(grid);
      fill_faces();
    }
    take(std::move(*next));
  }
  owed_ += before - volume_ + static_cast<std::int64_t>(gone.size()) -
           static_cast<std::int64_t>(births.size() + seeds.size());
  const std::int64_t tolerated =
      std::clamp(owed_, -layer_ / tolerated_parts, layer_ / tolerated_parts);
  owed_ -= tolerated;
  make_up<D>(settings_.frame, grid, may_be_kept, owed_, gone, births);
  owed_ += tolerated;
  births.insert(births.end(), seeds.begin(), seeds.end());
}

// Particles in cells that are the interior's no more.
template <int D>
void TreeInterior<D>::add_seeds(const InteriorTree<D>& next, std::vector<Birth>& births) const {
  now_.for_each([&](std::size_t level, const Cell<D>& leaf) {
    Cell<D> first = leaf;
    for (std::int32_t& c : first)
      c *= std::int32_t{1} << level;
    if (!next.tree().has(level - 1, grid::child_of<D>(leaf, 0))) return;  // Not divided.
    for_each_finest<D>(level, leaf, [&](const Cell<D>& cell) {
      if (next.has(cell)) return;
      for (std::size_t part = 0; part < places_.in_cell(); ++part)
        births.push_back(places_.particle_at(places_.seed(cell, part), *levels_[level],
                                             settings_.blend.is_affine));
    });
  });
}

template <int D>
void TreeInterior<D>::take(InteriorTree<D> next) {
  Layers<D> layers(next.tree(), settings_.sides, reach_);
  for (std::size_t axis = 0; axis < D; ++axis) {
    layers_.move_faces(layers, axis, of_levels([&](FluidLevel<D>& level) -> auto& {
                         return level.grid.velocity[axis];
                       }));
  }
  now_ = std::move(next);
  layers_ = std::move(layers);
  for (std::size_t k = 0; k < level_count(); ++k)
    levels_[k]->grid.tiles = layers_[k].tiles;
  find_fluid();
  fill_faces();
  find_shell();
  count();
  since_adapted_ = 0;
  if (is_empty()) now_ = {};
}

template <int D>
void TreeInterior<D>::make_layers(const octree::Tree<D>& tree) {
  layers_ = Layers<D>(tree, settings_.sides, reach_);
  for (std::size_t k = 0; k < level_count(); ++k) {
    levels_[k]->grid.tiles = layers_[k].tiles;
    for (auto& velocity : levels_[k]->grid.velocity)
      velocity.assign(layers_[k].tiles.array_size(), 0);
  }
}

// Level 0 counts as fluid: what is interpolated there is never far from the interior.
template <int D>
void TreeInterior<D>::find_fluid() {
  layers_.find_fluid(
      [&](std::size_t level, const Cell<D>& cell) { return !now_.is_liquid(level, cell); });
  for (std::size_t k = 0; k < level_count(); ++k) {
    find_live(layers_[k], *levels_[k]);
    levels_[k]->pressure.assign(layers_[k].tiles.array_size(), 0);
  }
  // Particles have what is there.
  std::ranges::fill(levels_[0]->leaves, std::uint8_t{0});
  const InteriorMarks<D> marks = now_.marks(layers_[0].tiles);
  for (auto& faces : at_border_)
    faces.assign(layers_[0].tiles.array_size(), 0);
  grid::for_each_tile(layers_[0].tiles, [&](std::size_t tile) {
    std::array<std::uint8_t, grid::padded_size<D>> is_in;
    grid::Surroundings<D>(layers_[0].tiles, tile).load(marks.cells.data(), is_in.data());
    for (std::size_t i = 0; i < tile_size<D>; ++i) {
      const std::size_t here = grid::padded_index<D>(grid::local_cell<D>(i));
      for (int axis = 0; axis < D; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::size_t face = tile * tile_size<D> + i;
        if (is_in[here] != is_in[here - grid::padded_stride<D>(axis)])
          at_border_[a][face] = levels_[0]->live_faces[a][face];
      }
    }
  });
}

template <int D>
void TreeInterior<D>::find_shell() {
  shell_ = now_.shell(static_cast<std::size_t>(std::ceil((cfl_ + depth_of_sight) / 2)));
}

template <int D>
void TreeInterior<D>::count() {
  layer_ = 0;
  border_middle_.setZero();
  for (int axis = 0; axis < D; ++axis) {
    const Array<std::uint8_t>& is_at_border = at_border_[static_cast<std::size_t>(axis)];
    Vec<D> middle = Vec<D>::Constant(0.5F);
    middle[axis] = 0;
    for (std::size_t face = 0; face < is_at_border.size(); ++face) {
      if (is_at_border[face] == 0) continue;
      ++layer_;
      border_middle_ += settings_.frame.place(layers_[0].tiles.cell(face), middle, places_.plane);
    }
  }
  if (layer_ > 0) border_middle_ /= static_cast<double>(layer_);
  layer_ *= static_cast<std::int64_t>(places_.in_cell()) / places_.per_axis;

  cell_counts_.assign(level_count(), 0);
  volume_ = 0;
  now_.for_each([&](std::size_t level, const Cell<D>& /*leaf*/) {
    ++cell_counts_[level];
    volume_ += static_cast<std::int64_t>(places_.in_cell() << D * level);
  });
}

template <int D>
SumsWithoutParticles TreeInterior<D>::sums() const {
  SumsWithoutParticles sums;
  if (is_empty()) return sums;
  const double mass = static_cast<double>(settings_.mass.front()),
               of_cell = mass * static_cast<double>(places_.in_cell());
  for (std::size_t axis = 0; axis < D; ++axis) {
    sums.kinetic_energy += 0.5 * of_cell * sum_of_velocities(layers_, levels_, axis, 2);
    sums.momentum[grid::world_axis<D>(static_cast<int>(axis))] =
        of_cell * sum_of_velocities(layers_, levels_, axis, 1);
  }
  now_.for_each([&](std::size_t level, const Cell<D>& leaf) {
    const double of_leaf = of_cell * static_cast<double>(std::size_t{1} << D * level);
    sums.mass_moment +=
        of_leaf * levels_[level]->frame.place(leaf, Vec<D>::Constant(0.5F), places_.plane);
  });
  // What is owed is taken to be at the border, so that the liquid's mass does not flicker.
  sums.mass_moment += mass * static_cast<double>(owed_) * border_middle_;
  return sums;
}

template <int D>
std::vector<HasInterior::InteriorCell> TreeInterior<D>::cells() const {
  std::vector<HasInterior::InteriorCell> cells;
  if (is_empty()) return cells;
  now_.for_each([&](std::size_t level, const Cell<D>& leaf) {
    const grid::CellFrame<D>& frame = levels_[level]->frame;
    const Vec3f middle =
        frame.place(leaf, Vec<D>::Constant(0.5F), places_.plane).template cast<float>();
    cells.push_back({{middle.x(), middle.y(), middle.z()}, frame.cell_size});
  });
  return cells;
}

template <int D>
void TreeInterior<D>::save(ByteWriter& out) const {
  out.put(substep_);
  out.put(since_adapted_);
  out.put(owed_);
  now_.save(out);
  if (is_empty()) return;
  for (const auto& level : levels_) {
    for (const Array<float>& velocity : level->grid.velocity)
      out.put_array(std::span<const float>(velocity));
  }
}

template <int D>
bool TreeInterior<D>::restore(ByteReader& in) {
  if (!in.get(substep_) || !in.get(since_adapted_) || !in.get(owed_) ||
      !now_.restore(settings_.sides.cells, level_count(), in))
    return false;
  layers_ = Layers<D>();
  come_out_.clear();
  if (!now_.is_empty()) {
    make_layers(now_.tree());
    for (const auto& level : levels_) {
      for (Array<float>& velocity : level->grid.velocity) {
        if (!in.get_array(std::span<float>(velocity))) return false;
      }
    }
    find_fluid();
    find_shell();
  }
  count();
  fastest_ = is_empty() ? 0 : fastest_velocity<D>(std::span(levels_).subspan(1));
  return true;
}

template class TreeInterior<2>;
template class TreeInterior<3>;

}  // namespace sluice::fluid::adaptive
