// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/gas/gas_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/each_tile.h"
#include "solver/fluid/lattice/padded_tile.h"
#include "solver/fluid/lattice/stencil.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t gas_step_grain = 8;  // Tiles.

// Cells in an obstacle have values of the side that is nearer. Interpolation from one side looks at
// those a cell deep along each axis, which are nearer to the other side where the obstacle is less
// than twice as thick as one that may cover no face whole.
// (ThinWalls.hold_smoke_however_thin_they_are.)
constexpr double cells_that_mix = 2;

// Calls change(index in arrays) for all cells of all tiles.
template <int D, typename Change>
void for_each_cell(const Tiles<D>& tiles, const Change& change) {
  parallel::parallel_for(0, static_cast<std::int64_t>(tiles.count()), gas_step_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           const auto last = static_cast<std::size_t>(end) * tile_size<D>;
                           for (std::size_t i = static_cast<std::size_t>(begin) * tile_size<D>;
                                i < last; ++i)
                             change(i);
                         });
}

// Calls change(axis, index in arrays, how much more there is than before them) for all faces of all
// tiles, eight in a row at a time.
template <int D, typename Change>
void for_each_difference(const Tiles<D>& tiles, const Array<float>& values, const Change& change) {
  for_each_tile(tiles, [&](std::size_t tile) {
    const TileView<D> view(tiles, values.data(), tile);
    for (std::size_t index = 0; index < tile_size<D>; index += 8) {
      const Float8 here = view.here(index);
      const std::array<Float8, side_count<D>> next = view.next(index);
      for (std::size_t axis = 0; axis < D; ++axis)
        change(axis, tile * tile_size<D> + index, here - next[2 * axis]);
    }
  });
}

std::vector<Channel> channels_of(const scene::Gas& gas) {
  std::vector<Channel> channels;
  for (const scene::Carried what : gas.carries) {
    const bool is_dye = what == scene::Carried::dye;
    const double ambient = what == scene::Carried::temperature ? gas.ambient_temperature : 0;
    for (int component = 0; component < (is_dye ? 3 : 1); ++component)
      channels.push_back({what, component, static_cast<float>(ambient)});
  }
  return channels;
}

// The value that `content` gives a channel, if any.
std::optional<float> value_of(const scene::GasContent& content, const Channel& channel) {
  switch (channel.what) {
    case scene::Carried::smoke:
      if (content.smoke) return static_cast<float>(*content.smoke);
      break;
    case scene::Carried::temperature:
      if (content.temperature) return static_cast<float>(*content.temperature);
      break;
    case scene::Carried::dye:
      if (content.dye) return static_cast<float>((*content.dye)[channel.component]);
      break;
  }
  return std::nullopt;
}

// Sheets part the gas whatever the size of cells. Bodies fill faces, or close them.
std::vector<Facet> facets_of_sheets(const ImmersedSolids& solids) {
  std::vector<Facet> facets;
  for (const ImmersedSolids::Surface& surface : solids.surfaces) {
    if (surface.is_closed) continue;
    for (const auto& [i, j, k] : surface.triangles) {
      const auto mean = [&, a = i, b = j, c = k](std::span<const Vec3> of) {
        return Vec3((of[static_cast<std::size_t>(a)] + of[static_cast<std::size_t>(b)] +
                     of[static_cast<std::size_t>(c)]) /
                    3);
      };
      const auto at = [&](std::int32_t n) { return solids.positions[static_cast<std::size_t>(n)]; };
      facets.push_back({.corners = {at(i), at(j), at(k)},
                        .velocity = mean(solids.velocities),
                        .is_at_end = true,
                        .sticks = surface.sticks});
    }
  }
  return facets;
}

double distance_to_line(const Vec3& x, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  const double squared = way.squaredNorm();
  const double part = squared > 0 ? std::clamp((x - from).dot(way) / squared, 0.0, 1.0) : 0;
  return (x - from - part * way).norm();
}

}  // namespace

template <int D>
GasStep<D>::GasStep(GasSettings<D> settings)
    : settings_(std::move(settings)),
      solids_(settings_.frame, settings_.sides, settings_.depth),
      screens_(settings_.frame, settings_.depth, cells_that_mix),
      box_(settings_.sides),
      advection_(settings_.frame, settings_.sides, settings_.path_integrator),
      elastic_({settings_.frame.cell_size, settings_.frame.origin}, settings_.mass_of_cell),
      points_(settings_.frame, settings_.gas.density, settings_.mass_of_cell),
      channels_(channels_of(settings_.gas)) {
  grid_.tiles = box_.tiles();
  const std::size_t size = grid_.tiles.array_size();
  for (std::size_t axis = 0; axis < D; ++axis)
    grid_.velocity[axis].assign(size, 0);
  before_ = carried_ = grid_.velocity;
  pressure_.assign(size, 0);
  for (const Channel& channel : channels_)
    values_.emplace_back(size, channel.ambient);
}

template <int D>
void GasStep<D>::start(const VelocityField& velocity) {
  find_solids();
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    values_[channel].assign(grid_.tiles.array_size(), channels_[channel].ambient);
  for (int axis = 0; axis < D; ++axis) {
    Array<float>& of_axis = grid_.velocity[static_cast<std::size_t>(axis)];
    for_each_cell(grid_.tiles, [&](std::size_t face) {
      const Vec3 x = place_of_face(grid_.tiles.cell(face), axis);
      of_axis[face] = static_cast<float>(velocity(x)[world_axis<D>(axis)]);
    });
  }
  for (const scene::GasRegion& region : settings_.gas.regions) {
    put(region.content, geometry::bounds(region.shape), 0, [&](const Vec3& x) {
      return geometry::signed_distance(region.shape, x).distance < 0 ? 1.0 : 0.0;
    });
  }
  points_.find(grid_);
  points_.meet(0, grid_);
  project();
  fill_around();
}

template <int D>
void GasStep<D>::set_solids(const ImmersedSolids& solids) {
  screens_.set_facets(facets_of_sheets(solids));
  if (!solids.points.empty()) {
    points_.set(solids);
    return;
  }
  have_solids_changed_ = have_solids_changed_ || !elastic_.is_empty() || !solids.empty();
  elastic_.set(solids);
}

template <int D>
void GasStep<D>::set_obstacles(std::span<const scene::Obstacle> obstacles) {
  solids_.set_obstacles(obstacles);
  screens_.set_obstacles(obstacles);
  const bool were_moving = are_solids_moving_;
  are_solids_moving_ = std::ranges::any_of(
      obstacles, [](const scene::Obstacle& obstacle) { return !obstacle.velocity.isZero(0); });
  have_solids_changed_ = have_solids_changed_ || were_moving || are_solids_moving_;
}

template <int D>
SolveReport GasStep<D>::advance(const GasActions& actions, StageTimer* timer) {
  const auto finish = [timer](Stage stage) {
    if (timer != nullptr) timer->finish(stage);
  };
  const auto h = static_cast<float>(actions.duration);
  const float of_last = duration_ > 0 ? h / duration_ : 0;  // Scales the last pressure.
  carry(h, of_last);
  finish(Stage::fluid_transfers);
  if (have_solids_changed_) find_solids();
  points_.find(grid_);
  subtract_last_pressure(0.5F * of_last);
  points_.push(0.5 * static_cast<double>(of_last), grid_.velocity);
  apply_contents(actions, of_last);
  add_forces(actions, h);
  finish(Stage::fluid_grid);
  diffuse(h);
  elastic_.press(pressure_, of_last, grid_.tiles);
  Cell<D> middle = settings_.sides.cells;
  for (std::int32_t& c : middle)
    c /= 2;
  elastic_.lift(actions.duration * actions.gravity, place_of_middle(middle));
  elastic_.respond();
  points_.lift(actions.duration * actions.gravity);
  points_.meet(static_cast<double>(of_last), grid_);
  const SolveReport report = project();
  add_to_pressure(of_last);
  duration_ = h;
  finish(Stage::fluid_pressure);
  fade(h);
  fill_around();
  finish(Stage::fluid_grid);
  have_solids_changed_ = false;
  return report;
}

// Finds the parts of faces that solids leave open, and where there is gas.
template <int D>
void GasStep<D>::find_solids() {
  solids_.find(grid_);
  elastic_.cover(grid_);
  elastic_.close_parted(grid_);
  box_.find_live(grid_);
}

template <int D>
SolveReport GasStep<D>::project() {
  if (!points_.is_empty()) return pressure_solver_.project(settings_.pressure, grid_, &points_);
  if (!have_solids_changed_)
    return pressure_solver_.project_as_before(settings_.pressure, grid_, &elastic_);
  return pressure_solver_.project(settings_.pressure, grid_, &elastic_);
}

template <int D>
void GasStep<D>::fill_around() {
  box_.fill_around(solids_, grid_);
  elastic_.constrain(grid_);
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    box_.fill_around(channels_[channel].ambient, values_[channel]);
}

// Along the flow in the middle of the substep, as it goes on. Half of the last pressure acts
// before, where the gas comes from, the other half after, and pressure is solved for the rest
// [VanKan1986]: the trapezoidal rule on its way. Without that, a flow loses in each substep what
// pressure should have turned on the way.
template <int D>
void GasStep<D>::carry(float h, float of_last) {
  find_flow(of_last);
  points_.push(0.5 * static_cast<double>(of_last), carried_);
  std::vector<Advected> advected;
  advected.reserve(channels_.size() + D);
  for (std::size_t channel = 0; channel < channels_.size(); ++channel)
    advected.push_back({Advected::in_middles, &box_.live_cells(), &values_[channel]});
  for (std::size_t axis = 0; axis < D; ++axis)
    advected.push_back({static_cast<int>(axis), &box_.live_faces()[axis], &carried_[axis]});
  if (!screens_.is_empty()) {
    screens_.look_around(grid_.tiles, h, static_cast<double>(h * largest_speed()));
  }
  advection_.carry(grid_, settings_.gas.advection, h, advected,
                   screens_.is_empty() ? nullptr : &screens_);
  grid_.velocity.swap(carried_);
}

// [m/s] An upper limit of the speed: as if the largest velocities along all axes met.
template <int D>
float GasStep<D>::largest_speed() const {
  float squared = 0;
  for (const Array<float>& of_axis : grid_.velocity) {
    float largest = 0;
    for (const float velocity : of_axis)
      largest = std::max(largest, std::abs(velocity));
    squared += largest * largest;
  }
  return std::sqrt(squared);
}

// The velocity becomes that flow, and the one before; what is carried along it is carried_.
template <int D>
void GasStep<D>::find_flow(float of_last) {
  const float part = 0.5F * of_last;
  for_each_difference(grid_.tiles, pressure_,
                      [&](std::size_t axis, std::size_t face, Float8 difference) {
                        float* const before = before_[axis].data() + face;
                        const Float8 velocity = load8(grid_.velocity[axis].data() + face);
                        store8(carried_[axis].data() + face, velocity - part * difference);
                        store8(before, velocity + part * (velocity - load8(before)));
                      });
  grid_.velocity.swap(before_);
}

template <int D>
void GasStep<D>::apply_contents(const GasActions& actions, float of_last) {
  for (const scene::GasSource& source : settings_.gas.sources) {
    if (!source.open.has(actions.time)) continue;
    put(source.content, geometry::bounds(source.shape), of_last, [&](const Vec3& x) {
      return geometry::signed_distance(source.shape, x).distance < 0 ? 1.0 : 0.0;
    });
  }
  for (const Stroke& stroke : actions.strokes) {
    Vec3 from = stroke.from, to = stroke.to;
    if constexpr (D == 2) from.y() = to.y() = settings_.depth;
    const Vec3 reach = Vec3::Constant(stroke.radius);
    const geometry::Bounds bounds{from.cwiseMin(to) - reach, from.cwiseMax(to) + reach};
    // A stroke mixes in as much in a frame, whatever the frame's substeps.
    const double part = actions.duration / actions.frame_duration;
    put(stroke.content, bounds, of_last, [&](const Vec3& x) {
      const double away = distance_to_line(x, from, to) / stroke.radius;
      const double weight = away < 1 ? (1 - away * away) * (1 - away * away) : 0;
      return 1 - std::pow(1 - weight, part);
    });
  }
}

// Mixes `content` into what there is, by weight(x [m]) in [0, 1]. Its velocity is one before all
// pressure: where that of the last substep has acted already, `of_last` times it acts on what comes
// in as well. Else pressure, which is solved for what is missing, would grow with each.
template <int D>
template <typename Weight>
void GasStep<D>::put(const scene::GasContent& content, const geometry::Bounds& bounds,
                     float of_last, const Weight& weight) {
  Cell<D> begin, end;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const int a = world_axis<D>(static_cast<int>(axis));
    const double corner = settings_.frame.origin[a], edge = settings_.frame.cell_size;
    const double most = settings_.sides.cells[axis];
    begin[axis] =
        static_cast<std::int32_t>(std::clamp((bounds.lower[a] - corner) / edge - 1, 0.0, most));
    // The upper face of the last cell too, which in periodic sides is the first one's lower.
    const double last = most + (settings_.sides.is_periodic[axis] ? 0 : 1);
    end[axis] =
        static_cast<std::int32_t>(std::clamp((bounds.upper[a] - corner) / edge + 2, 0.0, last));
    if (begin[axis] >= end[axis]) return;
  }
  const auto mix = [&](float value, double part, float& into) {
    into += static_cast<float>(part) * (value - into);
  };
  std::vector<std::pair<std::size_t, float>> given;  // By channel.
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    if (const auto value = value_of(content, channels_[channel]))
      given.push_back({channel, *value});
  }
  for_each_in_box<D>(begin, end, [&](const Cell<D>& cell) {
    const std::size_t index = grid_.tiles.find_cell(cell);
    if (!given.empty() && box_.live_cells()[index] != 0) {
      const double part = weight(place_of_middle(cell));
      for (const auto& [channel, value] : given)
        mix(value, part, values_[channel][index]);
    }
    for (int axis = 0; content.velocity && axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (box_.live_faces()[a][index] == 0) continue;
      Cell<D> before = cell;
      --before[a];
      const float by_pressure =
          of_last * (pressure_[index] - pressure_[grid_.tiles.find_cell(before)]);
      mix(static_cast<float>((*content.velocity)[world_axis<D>(axis)]) - by_pressure,
          weight(place_of_face(cell, axis)), grid_.velocity[a][index]);
    }
  });
}

template <int D>
void GasStep<D>::add_forces(const GasActions& actions, float h) {
  add_buoyancy(h * actions.gravity.cast<float>());
  add_pushes(actions.pushes, h);
  const auto strength = static_cast<float>(settings_.gas.vorticity_confinement);
  if (strength > 0) confinement_.apply(strength, h, box_.live_faces(), box_.live_cells(), grid_);
}

// Adds what gravity does to gas that is not as dense as that around.
template <int D>
void GasStep<D>::add_buoyancy(const Vec3f& change) {
  const scene::Gas& gas = settings_.gas;
  const Array<float>* const temperature = find_channel(scene::Carried::temperature);
  const Array<float>* const smoke =
      gas.smoke_density > 0 ? find_channel(scene::Carried::smoke) : nullptr;
  if (temperature == nullptr && smoke == nullptr) return;
  const auto around = static_cast<float>(gas.ambient_temperature);
  const auto of_smoke = static_cast<float>(gas.smoke_density / gas.density);
  Array<float> heavier(grid_.tiles.array_size(), 0);
  for_each_cell(grid_.tiles, [&](std::size_t i) {
    if (temperature != nullptr) heavier[i] += around / (*temperature)[i] - 1;
    if (smoke != nullptr) heavier[i] += of_smoke * (*smoke)[i];
  });
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const float of_axis = change[world_axis<D>(axis)];
    if (of_axis == 0) continue;
    parallel::parallel_for(
        0, static_cast<std::int64_t>(grid_.tiles.count()), gas_step_grain,
        [&](std::int64_t begin, std::int64_t end) {
          std::array<float, padded_size<D>> value;
          for (auto tile = static_cast<std::size_t>(begin); tile < static_cast<std::size_t>(end);
               ++tile) {
            Surroundings<D>(grid_.tiles, tile).load(heavier.data(), value.data());
            for (std::size_t cell = 0; cell < tile_size<D>; ++cell) {
              const std::size_t face = tile * tile_size<D> + cell;
              if (box_.live_faces()[a][face] == 0) continue;
              const std::size_t here = padded_index<D>(local_cell<D>(cell));
              grid_.velocity[a][face] +=
                  of_axis * 0.5F * (value[here] + value[here - padded_stride<D>(axis)]);
            }
          }
        });
  }
}

template <int D>
void GasStep<D>::add_pushes(std::span<const Push> pushes, float h) {
  for (const Push& push : pushes) {
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto change = h * static_cast<float>(push.acceleration[world_axis<D>(axis)]);
      for_each_cell(grid_.tiles, [&](std::size_t face) {
        if (box_.live_faces()[a][face] == 0) return;
        Vec3 way = place_of_face(grid_.tiles.cell(face), axis) - push.center;
        if constexpr (D == 2) way.y() = 0;
        if (way.squaredNorm() < push.radius * push.radius) grid_.velocity[a][face] += change;
      });
    }
  }
}

template <int D>
void GasStep<D>::diffuse(float h) {
  const scene::Gas& gas = settings_.gas;
  const double edge = settings_.frame.cell_size;
  const auto number = static_cast<float>(gas.dynamic_viscosity / gas.density *
                                         static_cast<double>(h) / (edge * edge));
  if (!(number > 0)) return;
  diffusion_.apply(number, settings_.pressure, solids_, &elastic_, box_.live_faces(),
                   have_solids_changed_, grid_);
}

// Takes `part` of what the last pressure did in a substep of this length off the velocity, all
// around too.
template <int D>
void GasStep<D>::subtract_last_pressure(float part) {
  if (part == 0) return;
  for_each_difference(grid_.tiles, pressure_,
                      [&](std::size_t axis, std::size_t face, Float8 difference) {
                        float* const velocity = grid_.velocity[axis].data() + face;
                        store8(velocity, load8(velocity) - part * difference);
                      });
}

// pressure_ becomes what pressure did in all, for a substep as long as this one was.
template <int D>
void GasStep<D>::add_to_pressure(float of_last) {
  for_each_tile(grid_.tiles, [&](std::size_t tile) {
    for (std::size_t i = tile * tile_size<D>; i < (tile + 1) * tile_size<D>; i += 8) {
      float* const pressure = pressure_.data() + i;
      const Float8 sum = of_last * load8(pressure) + load8(grid_.pressure.data() + i);
      store8(pressure, mask8(box_.live_cells().data() + i) ? sum : Float8{});
    }
  });
  box_.fill_around_pressure(pressure_);
}

template <int D>
void GasStep<D>::fade(float h) {
  const scene::Gas& gas = settings_.gas;
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    const bool is_heat = channels_[channel].what == scene::Carried::temperature;
    const double rate = is_heat ? gas.cooling : gas.fading;
    if (!(rate > 0)) continue;
    const auto part = static_cast<float>(std::exp(-rate * static_cast<double>(h)));
    const float ambient = channels_[channel].ambient;
    Array<float>& values = values_[channel];
    for_each_cell(grid_.tiles,
                  [&](std::size_t i) { values[i] = ambient + part * (values[i] - ambient); });
  }
}

template <int D>
Vec3 GasStep<D>::place_of_middle(const Cell<D>& cell) const {
  return settings_.frame.place(cell, Vec<D>::Constant(0.5F), settings_.depth);
}

template <int D>
Vec3 GasStep<D>::place_of_face(const Cell<D>& face, int axis) const {
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[axis] = 0;
  return settings_.frame.place(face, within, settings_.depth);
}

template <int D>
const Array<float>* GasStep<D>::find_channel(scene::Carried what) const {
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    if (channels_[channel].what == what) return &values_[channel];
  }
  return nullptr;
}

template <int D>
void GasStep<D>::save(ByteWriter& out) const {
  out.put(duration_);
  for (const Array<float>& velocity : grid_.velocity)
    out.put_array(std::span<const float>(velocity));
  for (const Array<float>& velocity : before_)
    out.put_array(std::span<const float>(velocity));
  out.put_array(std::span<const float>(pressure_));
  for (const Array<float>& values : values_)
    out.put_array(std::span<const float>(values));
  elastic_.save(out);
  if (!points_.is_empty()) points_.save(out);
}

template <int D>
bool GasStep<D>::restore(ByteReader& in) {
  if (!in.get(duration_)) return false;
  for (Array<float>& velocity : grid_.velocity) {
    if (!in.get_array(std::span<float>(velocity))) return false;
  }
  for (Array<float>& velocity : before_) {
    if (!in.get_array(std::span<float>(velocity))) return false;
  }
  if (!in.get_array(std::span<float>(pressure_))) return false;
  for (Array<float>& values : values_) {
    if (!in.get_array(std::span<float>(values))) return false;
  }
  if (!elastic_.restore(in)) return false;
  if (!points_.is_empty() && !points_.restore(in)) return false;
  have_solids_changed_ = true;
  find_solids();
  points_.find(grid_);
  return true;
}

template class GasStep<2>;
template class GasStep<3>;

}  // namespace sluice::fluid::grid
