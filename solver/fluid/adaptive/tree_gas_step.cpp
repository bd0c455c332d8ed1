// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_gas_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "solver/fluid/gas/face_differences.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/fluid/octree/tree_bytes.h"
#include "solver/geometry/shape.h"

namespace sluice::fluid::adaptive {

using grid::Advected, grid::Channel, grid::Float8, grid::load8, grid::store8, grid::tile_size;

namespace {

// What differs by that part of its range from one side of a cell to the other is detail.
constexpr float part_of_range = 0.1F;
// If there may not be as many cells as that takes, larger differences are detail, in such steps.
constexpr float step_of_detail = 1.4F;

// By how much the contents of a gas differ from what is around it.
float range_of(const scene::Gas& gas, const Channel& channel) {
  float range = 0;
  const auto look_at = [&](const scene::GasContent& content) {
    if (const auto value = grid::value_of(content, channel))
      range = std::max(range, std::abs(*value - channel.ambient));
  };
  for (const scene::GasRegion& region : gas.regions)
    look_at(region.content);
  for (const scene::GasSource& source : gas.sources)
    look_at(source.content);
  return range > 0 ? range : 1;
}

}  // namespace

template <int D>
TreeGasStep<D>::TreeGasStep(grid::GasSettings<D> settings, scene::Adaptive adaptive, double cfl)
    : settings_(std::move(settings)),
      adaptive_(std::move(adaptive)),
      cfl_(cfl),
      channels_(grid::channels_of(settings_.gas)),
      solids_(settings_, static_cast<std::size_t>(adaptive_.levels), cfl) {
  const auto levels = static_cast<std::size_t>(adaptive_.levels);
  reach_ = cells_by_level(cfl, reach_of_interpolation, levels);
  margin_ = cells_by_level(cfl, 0, levels);
  for (const Channel& channel : channels_)
    tolerance_.push_back(part_of_range * range_of(settings_.gas, channel));
  always_.resize(levels);
  const auto add = [&](const geometry::Shape& shape) {
    always_ = united<D>(always_, cells_within([&](const Vec3& x) {
                          return geometry::signed_distance(shape, x).distance;
                        }));
  };
  std::ranges::for_each(adaptive_.finest, add);
  for (const scene::GasSource& source : settings_.gas.sources)
    add(source.shape);
  for (std::size_t k = 0; k < levels; ++k) {
    levels_.push_back(std::make_unique<FluidLevel<D>>(
        settings_.frame, k, sides_of_level(settings_.sides, k), settings_.path_integrator));
    levels_.back()->values.resize(channels_.size());
  }
}

template <int D>
template <typename Get>
ByLevel TreeGasStep<D>::of_levels(const Get& get) const {
  ByLevel arrays;
  for (const auto& level : levels_)
    arrays.push_back(&get(*level));
  return arrays;
}

template <int D>
grid::GasLattice<D> TreeGasStep<D>::lattice(std::size_t k) {
  FluidLevel<D>& level = *levels_[k];
  return {.gas = settings_.gas,
          .frame = level.frame,
          .sides = layers_[k].sides,
          .depth = settings_.depth,
          .channels = channels_,
          .live_faces = level.live_faces,
          .live_cells = level.leaves,
          .pressure = level.pressure,
          .edge = level.edge,
          .grid = level.grid,
          .values = level.values};
}

template <int D>
void TreeGasStep<D>::start() {
  const Vec3& velocity = settings_.gas.velocity;
  solids_.go_on();
  WantedCells<D> cells = united<D>(always_, solids_.cells());
  for (const scene::GasRegion& region : settings_.gas.regions) {
    cells = united<D>(cells, cells_within([&](const Vec3& x) {
                        return std::abs(geometry::signed_distance(region.shape, x).distance);
                      }));
  }
  duration_ = 0;
  detail_lost_ = 1;
  for (std::size_t trial = 0; trial < level_count(); ++trial) {
    tree_ = std::make_unique<octree::Tree<D>>(tree_with(cells));
    layers_ = Layers<D>(*tree_, settings_.sides, reach_);
    make_arrays();
    find_fluid();
    for (std::size_t k = 0; k < level_count(); ++k) {
      for (std::size_t axis = 0; axis < D; ++axis) {
        std::ranges::fill(
            levels_[k]->grid.velocity[axis],
            static_cast<float>(velocity[grid::world_axis<D>(static_cast<int>(axis))]));
      }
      grid::put_regions(lattice(k));
    }
    fill_values();
    fill_velocities();
    fastest_ = fastest_velocity<D>(levels_);
    const WantedCells<D> detail = find_detail();
    if (divides<D>(*tree_, detail)) break;
    cells = united<D>(cells, widened<D>(settings_.sides.cells, detail, margin_));
  }
  // Regions were looked at in the smallest cells.
  if (has_too_many_cells(*tree_))
    take(tree_for_detail(united<D>(always_, solids_.cells()), margin_));
  project();
  fill_velocities();
  fastest_ = fastest_velocity<D>(levels_);
}

template <int D>
grid::SolveReport TreeGasStep<D>::advance(const grid::GasActions& actions, StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  const auto h = static_cast<float>(actions.duration);
  const float of_last = duration_ > 0 ? h / duration_ : 0;  // Scales the last pressure.
  adapt(actions.strokes);
  if (!solids_.do_change()) make_system();
  finish(Stage::fluid_sorting);
  carry(h, of_last);
  finish(Stage::fluid_transfers);
  if (solids_.do_change()) {
    solids_.go_on();
    find_fluid();
  }
  subtract_last_pressure(0.5F * of_last);
  add_forces(actions, h, of_last);
  finish(Stage::fluid_grid);
  const grid::SolveReport report = project();
  projection_.add_to_pressure(of_last, layers_, levels_);
  fill_pressure();
  duration_ = h;
  finish(Stage::fluid_pressure);
  for (std::size_t k = 0; k < level_count(); ++k)
    grid::fade(h, lattice(k));
  fill_values();
  fill_velocities();
  fastest_ = fastest_velocity<D>(levels_);
  finish(Stage::fluid_grid);
  return report;
}

template <int D>
WantedCells<D> TreeGasStep<D>::find_detail() const {
  const double scale = static_cast<double>(detail_lost_) / adaptive_.detail;
  std::vector<SizedValues> values;
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    SizedValues sized{{}, static_cast<float>(scale) * tolerance_[channel]};
    for (const auto& level : levels_)
      sized.levels.push_back(&level->values[channel]);
    values.push_back(std::move(sized));
  }
  // Slower flows than that, which buoyancy starts within a cell, have no detail yet.
  const double least = std::sqrt(static_cast<double>(settings_.frame.cell_size));
  SizedVelocity<D> velocity{
      {}, static_cast<float>(scale * part_of_velocity * std::max(fastest_, least))};
  for (const auto& level : levels_)
    velocity.levels.push_back(&level->grid.velocity);
  return cells_with_detail<D>(layers_, values, velocity);
}

// The cells that have something of a region in them, `distance` [m] from which is 0 or less.
template <int D>
WantedCells<D> TreeGasStep<D>::cells_within(
    const std::function<double(const Vec3& x)>& distance) const {
  return cells_in<D>(distance, settings_.frame, settings_.depth, settings_.sides.cells,
                     static_cast<std::size_t>(adaptive_.levels));
}

template <int D>
octree::Tree<D> TreeGasStep<D>::tree_with(const WantedCells<D>& cells) const {
  return {settings_.sides.cells, graded<D>(settings_.sides.cells, cells)};
}

// Divides leaves where there is detail, or may be after a substep, and where people paint.
template <int D>
void TreeGasStep<D>::adapt(std::span<const Stroke> strokes) {
  if (level_count() == 1) return;
  ++since_adapted_;
  const WantedCells<D> detail = find_detail();
  WantedCells<D> always = united<D>(always_, solids_.cells());
  for (const Stroke& stroke : strokes) {
    always =
        united<D>(always, cells_within([&](const Vec3& x) {
                    return grid::distance_to_line<D>(stroke, settings_.depth, x) - stroke.radius;
                  }));
  }
  if (since_adapted_ < substeps_before_joining && divides<D>(*tree_, always) &&
      divides<D>(*tree_, widened<D>(settings_.sides.cells, detail, margin_)))
    return;
  std::vector<std::int32_t> margin = margin_;
  for (std::int32_t& cells : margin)
    cells += spare_cells;
  if (solids_.do_change()) {
    const std::vector<std::int32_t> spare(level_count(), spare_cells);
    always = united<D>(always, widened<D>(settings_.sides.cells, solids_.cells(), spare));
  }
  take(tree_for_detail(always, margin));
}

// The tree that divides `always`, and cells with detail and those around it: with as much of it as
// there may be cells for.
template <int D>
octree::Tree<D> TreeGasStep<D>::tree_for_detail(const WantedCells<D>& always,
                                                std::span<const std::int32_t> margin) {
  detail_lost_ = std::max(1.0F, detail_lost_ / step_of_detail);
  for (;;) {
    const WantedCells<D> detail = find_detail();
    octree::Tree<D> tree =
        tree_with(united<D>(always, widened<D>(settings_.sides.cells, detail, margin)));
    const bool is_without_detail =
        std::ranges::all_of(detail, [](const auto& cells) { return cells.empty(); });
    if (!has_too_many_cells(tree) || is_without_detail) return tree;
    detail_lost_ *= step_of_detail;
  }
}

template <int D>
bool TreeGasStep<D>::has_too_many_cells(const octree::Tree<D>& tree) const {
  return adaptive_.max_cells && static_cast<std::int64_t>(tree.leaf_count()) > *adaptive_.max_cells;
}

template <int D>
void TreeGasStep<D>::take(octree::Tree<D> tree) {
  auto next = std::make_unique<octree::Tree<D>>(std::move(tree));
  Layers<D> layers(*next, settings_.sides, reach_);
  move_arrays(layers);
  tree_ = std::move(next);
  layers_ = std::move(layers);
  for (std::size_t k = 0; k < level_count(); ++k)
    levels_[k]->grid.tiles = layers_[k].tiles;
  find_fluid();
  fill_values();
  fill_velocities();
  for (std::size_t axis = 0; axis < D; ++axis)
    layers_.fill_faces(
        axis, of_levels([&](FluidLevel<D>& level) -> auto& { return level.before[axis]; }));
  fill_pressure();
  since_adapted_ = 0;
}

// Of the tree's leaves and faces, as obstacles are now.
template <int D>
void TreeGasStep<D>::find_fluid() {
  is_system_made_ = false;
  solids_.find(layers_, levels_);
  for (std::size_t k = 0; k < level_count(); ++k)
    find_live(layers_[k], *levels_[k]);
}

template <int D>
void TreeGasStep<D>::move_arrays(const Layers<D>& to) {
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    layers_.move_cells(to, of_levels([&](FluidLevel<D>& l) -> auto& { return l.values[channel]; }));
  layers_.move_cells(to, of_levels([](FluidLevel<D>& l) -> auto& { return l.pressure; }));
  for (std::size_t axis = 0; axis < D; ++axis) {
    layers_.move_faces(to, axis,
                       of_levels([&](FluidLevel<D>& l) -> auto& { return l.grid.velocity[axis]; }));
    layers_.move_faces(to, axis,
                       of_levels([&](FluidLevel<D>& l) -> auto& { return l.before[axis]; }));
  }
  for (std::size_t k = 0; k < level_count(); ++k) {
    for (Array<float>& carried : levels_[k]->carried)
      carried.assign(to[k].tiles.array_size(), 0);
  }
}

// Arrays have the layers' sizes, and what is around the gas in them.
template <int D>
void TreeGasStep<D>::make_arrays() {
  for (std::size_t k = 0; k < level_count(); ++k) {
    FluidLevel<D>& level = *levels_[k];
    level.grid.tiles = layers_[k].tiles;
    const std::size_t size = layers_[k].tiles.array_size();
    for (std::size_t channel = 0; channel < channels_.size(); ++channel)
      level.values[channel].assign(size, channels_[channel].ambient);
    level.pressure.assign(size, 0);
    for (std::size_t axis = 0; axis < D; ++axis)
      level.grid.velocity[axis].assign(size, 0);
    level.before = level.carried = level.grid.velocity;
  }
}

// The velocity becomes the flow in the middle of the substep, as it goes on, and `before` what the
// velocity was; what is carried along the flow is `carried`. Half of the last pressure acts before,
// where the gas comes from, the same as in GasStep.
template <int D>
void TreeGasStep<D>::find_flow(float h, float of_last) {
  // Nothing may come from further than layers reach.
  const auto longest = static_cast<float>(cfl_ + 1) * settings_.frame.cell_size / h;
  const Float8 most = Float8{} + longest;
  for (const auto& level : levels_) {
    grid::MacGrid<D>& grid = level->grid;
    const float part = 0.5F * of_last / level->edge;
    grid::for_each_difference(
        grid.tiles, level->pressure, [&](std::size_t axis, std::size_t face, Float8 difference) {
          float* const before = level->before[axis].data() + face;
          const Float8 velocity = load8(grid.velocity[axis].data() + face);
          store8(level->carried[axis].data() + face, velocity - part * difference);
          const Float8 flow = velocity + 0.5F * of_last * (velocity - load8(before));
          store8(before, grid::max8(grid::min8(flow, most), -most));
        });
    grid.velocity.swap(level->before);
  }
}

template <int D>
void TreeGasStep<D>::carry(float h, float of_last) {
  find_flow(h, of_last);
  for (const auto& level : levels_) {
    std::vector<Advected> advected;
    for (Array<float>& values : level->values)
      advected.push_back({Advected::in_middles, &level->leaves, &values});
    for (std::size_t axis = 0; axis < D; ++axis) {
      advected.push_back({static_cast<int>(axis), &level->live_faces[axis], &level->carried[axis]});
    }
    const grid::Screens<D>* const screens =
        level == levels_.front() ? solids_.screens(level->grid, h) : nullptr;
    level->advection.carry(level->grid, settings_.gas.advection, h, advected, screens);
    level->grid.velocity.swap(level->carried);
  }
}

template <int D>
void TreeGasStep<D>::subtract_last_pressure(float part_of_last) {
  if (part_of_last == 0) return;
  for (const auto& level : levels_) {
    const float part = part_of_last / level->edge;
    grid::for_each_difference(level->grid.tiles, level->pressure,
                              [&](std::size_t axis, std::size_t face, Float8 difference) {
                                float* const velocity = level->grid.velocity[axis].data() + face;
                                store8(velocity, load8(velocity) - part * difference);
                              });
  }
}

template <int D>
void TreeGasStep<D>::add_forces(const grid::GasActions& actions, float h, float of_last) {
  for (std::size_t k = 0; k < level_count(); ++k)
    grid::put_contents(actions, of_last, lattice(k));
  fill_values();
  for (std::size_t k = 0; k < level_count(); ++k) {
    grid::add_buoyancy(h * actions.gravity.cast<float>(), lattice(k));
    grid::add_pushes(actions.pushes, h, lattice(k));
  }
  const auto strength = static_cast<float>(settings_.gas.vorticity_confinement);
  if (!(strength > 0)) return;
  fill_faces();
  for (const auto& level : levels_)
    level->confinement.apply(strength, h, level->live_faces, level->inside, level->grid);
}

template <int D>
void TreeGasStep<D>::fill_pressure() {
  layers_.fill_pressure(of_levels([](FluidLevel<D>& level) -> auto& { return level.pressure; }));
}

template <int D>
void TreeGasStep<D>::fill_values() {
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    layers_.fill(channels_[channel].ambient,
                 of_levels([&](FluidLevel<D>& level) -> auto& { return level.values[channel]; }));
  }
}

template <int D>
void TreeGasStep<D>::fill_velocities() {
  fill_faces();
  solids_.constrain(layers_, *levels_.front());
}

template <int D>
void TreeGasStep<D>::fill_faces() {
  for (std::size_t axis = 0; axis < D; ++axis) {
    layers_.fill_faces(
        axis, of_levels([&](FluidLevel<D>& level) -> auto& { return level.grid.velocity[axis]; }));
  }
}

template <int D>
void TreeGasStep<D>::make_system() {
  if (!is_system_made_) projection_.set(*tree_, layers_, levels_);
  is_system_made_ = true;
}

template <int D>
grid::SolveReport TreeGasStep<D>::project() {
  make_system();
  return projection_.project(settings_.pressure, layers_, levels_);
}

template <int D>
void TreeGasStep<D>::save(ByteWriter& out) const {
  octree::save_tree<D>(*tree_, out);
  out.put(duration_);
  out.put(static_cast<std::int32_t>(since_adapted_));
  out.put(detail_lost_);
  for (const auto& level : levels_) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      out.put_array(std::span<const float>(level->grid.velocity[axis]));
      out.put_array(std::span<const float>(level->before[axis]));
    }
    out.put_array(std::span<const float>(level->pressure));
    for (const Array<float>& values : level->values)
      out.put_array(std::span<const float>(values));
  }
}

template <int D>
bool TreeGasStep<D>::restore(ByteReader& in) {
  std::optional<octree::Tree<D>> tree =
      octree::restored_tree<D>(settings_.sides.cells, level_count(), in);
  if (!tree) return false;
  std::int32_t since_adapted = 0;
  if (!in.get(duration_) || !in.get(since_adapted) || !in.get(detail_lost_)) return false;
  since_adapted_ = since_adapted;
  tree_ = std::make_unique<octree::Tree<D>>(std::move(*tree));
  layers_ = Layers<D>(*tree_, settings_.sides, reach_);
  make_arrays();
  for (const auto& level : levels_) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      if (!in.get_array(std::span<float>(level->grid.velocity[axis])) ||
          !in.get_array(std::span<float>(level->before[axis])))
        return false;
    }
    if (!in.get_array(std::span<float>(level->pressure))) return false;
    for (Array<float>& values : level->values) {
      if (!in.get_array(std::span<float>(values))) return false;
    }
  }
  solids_.go_on();
  find_fluid();
  fastest_ = fastest_velocity<D>(levels_);
  return true;
}

template class TreeGasStep<2>;
template class TreeGasStep<3>;

}  // namespace sluice::fluid::adaptive
