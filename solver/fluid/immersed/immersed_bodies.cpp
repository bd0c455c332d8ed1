// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/immersed/immersed_bodies.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/obstacles/wet.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t immersed_bodies_grain = 2;  // Layers of cells.
constexpr std::int64_t tiles_at_once = 16;

// Part of a face: less is rounding, and would leave a cell tied to another by next to nothing.
constexpr float least_open = 1e-4F;

// A face that has less than this part open is a slit: contact keeps more open.
constexpr float slit = 0.08F;

// [cells] Around where something is a screen, what of its surface is.
constexpr std::int32_t reach_of_screens = 2;

// Where the room in a cell changes by less than this along a cell, there is no surface.
constexpr float least_slope = 1e-3F;

// Calls visit(cell) for the cells of a block, the first being 0.
template <int D, typename Visit>
void for_each_in_block(const Cell<D>& count, const Visit& visit) {
  if (size_of_block<D>(count) > 0) for_each_in_box<D>(Cell<D>{}, count, visit);
}

// The same from many threads.
template <int D, typename Visit>
void for_each_at_once(const Cell<D>& count, const Visit& visit) {
  if (size_of_block<D>(count) == 0) return;
  parallel::parallel_for(0, count[D - 1], immersed_bodies_grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           Cell<D> from{}, to = count;
                           from[D - 1] = static_cast<std::int32_t>(begin);
                           to[D - 1] = static_cast<std::int32_t>(end);
                           for_each_in_box<D>(from, to, visit);
                         });
}

// The product of a row, for velocity and turn rate, with a velocity and a turn rate.
double dot(const std::array<double, 6>& motion, const Vec3& linear, const Vec3& angular) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sum += motion[at] * linear[i] + motion[at + 3] * angular[i];
  }
  return sum;
}

// [m/s]
template <int D>
float largest_on_wide_faces(const MacGrid<D>& grid) {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(grid.tiles.count()), tiles_at_once, 0.0F,
      [&](std::int64_t begin, std::int64_t end) {
        float largest = 0;
        for (std::size_t axis = 0; axis < D; ++axis) {
          for (auto face = static_cast<std::size_t>(begin) * tile_size<D>;
               face < static_cast<std::size_t>(end) * tile_size<D>; ++face) {
            if (grid.open[axis][face] >= slit)
              largest = std::max(largest, std::abs(grid.velocity[axis][face]));
          }
        }
        return largest;
      },
      [](float a, float b) { return std::max(a, b); });
}

template <int D>
Vec<D> in_grid(const Vec3& v) {
  Vec<D> along;
  for (int axis = 0; axis < D; ++axis)
    along[axis] = static_cast<float>(v[world_axis<D>(axis)]);
  return along;
}

}  // namespace

template <int D>
void ImmersedBodies<D>::set(std::span<const ImmersedBody> bodies) {
  bodies_.resize(bodies.size());
  impulses_.assign(bodies.size(), {});
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Body& body = bodies_[b];
    body.rigid = bodies[b];
    body.thin.clear();
    body.has_attached = false;
  }
}

template <int D>
std::vector<Facet> ImmersedBodies<D>::find_thin(const Tiles<D>& tiles) {
  std::vector<Facet> facets;
  for (Body& body : bodies_) {
    body.thin = find_thin_parts<D>(frame_, slab_.middle(), tiles, body.rigid.vertices,
                                   body.rigid.triangles);
    add_screens(body, facets);
  }
  return facets;
}

// The triangles within two cells of where the body is a screen.
template <int D>
void ImmersedBodies<D>::add_screens(const Body& body, std::vector<Facet>& facets) const {
  std::vector<Cell<D>> screens;
  for (const ThinPart<D>& part : body.thin) {
    if (part.is_screen) screens.push_back(part.face);
  }
  if (screens.empty()) return;
  std::ranges::sort(screens);
  for (const auto& [i, j, k] : body.rigid.triangles) {
    const auto at = [&](std::int32_t n) {
      return body.rigid.vertices[static_cast<std::size_t>(n)];
    };
    const Vec3 a = at(i), b = at(j), c = at(k);
    const auto cell_of = [&](const Vec3& x) {
      return cell_at<D>(frame_.coordinates(x.cast<float>()));
    };
    const Cell<D> low = cell_of(a.cwiseMin(b).cwiseMin(c)),
                  high = cell_of(a.cwiseMax(b).cwiseMax(c));
    // In the order of cells, by the first axis: those in between are looked at one by one.
    Cell<D> from{};
    from.fill(std::numeric_limits<std::int32_t>::min());
    from[0] = low[0] - reach_of_screens;
    const bool is_near = std::any_of(
        std::ranges::lower_bound(screens, from), screens.end(), [&](const Cell<D>& screen) {
          bool is_within = true;
          for (std::size_t axis = 0; axis < D; ++axis) {
            is_within = is_within && screen[axis] >= low[axis] - reach_of_screens &&
                        screen[axis] <= high[axis] + reach_of_screens;
          }
          return is_within;
        });
    if (!is_near) continue;
    Facet facet{.corners = {a, b, c}};
    facet.velocity = body.rigid.velocity +
                     body.rigid.angular_velocity.cross((a + b + c) / 3 - body.rigid.centre);
    facets.push_back(facet);
  }
}

// The block around a body ends where the tiles end, with a layer of cells around: nobody asks for
// what is in that layer.
template <int D>
void ImmersedBodies<D>::find_block(const Tiles<D>& tiles, Body& body) const {
  Vec<D> lower = Vec<D>::Constant(std::numeric_limits<float>::infinity()), upper = -lower;
  for (const TriangleIndices& triangle : body.rigid.triangles) {
    for (const std::int32_t corner : triangle) {
      const Vec3& x = body.rigid.vertices[static_cast<std::size_t>(corner)];
      const Vec<D> X = frame_.coordinates(x.cast<float>());
      lower = lower.cwiseMin(X);
      upper = upper.cwiseMax(X);
    }
  }
  const Cell<D> first = cell_at<D>(lower), last = cell_at<D>(upper);
  for (std::size_t axis = 0; axis < D; ++axis) {
    const std::int32_t least = tile_edge<D> * tiles.lower()[axis] - 1;
    const std::int32_t most = least + tile_edge<D> * tiles.size()[axis] + 2;
    body.first[axis] = std::clamp(first[axis] - 2, least, most);
    body.count[axis] = std::clamp(last[axis] + 3, least, most) - body.first[axis];
  }
}

// [m] In 2D in the plane of the body's centre.
template <int D>
Vec3 ImmersedBodies<D>::middle_of(const Body& body, const Cell<D>& face, int axis) const {
  Vec<D> within = Vec<D>::Constant(0.5F);
  within[axis] = 0;
  return frame_.place(face, within, body.rigid.centre[1]);
}

// c J: of a velocity and a turn rate, what the body carries through a face.
template <int D>
auto ImmersedBodies<D>::carried(const Body& body, const Cell<D>& face, int axis,
                                const Filled& covered) const -> Motion {
  const auto part = static_cast<double>(covered.part);
  const Vec3 along = Vec3::Unit(world_axis<D>(axis));
  const Vec3 arm = part * (middle_of(body, face, axis) - body.rigid.centre) +
                   covered.moment.template cast<double>();
  const Vec3 turn = arm.cross(along);
  return {part * along[0], part * along[1], part * along[2], turn[0], turn[1], turn[2]};
}

template <int D>
void ImmersedBodies<D>::cover(MacGrid<D>& grid, const Screens<D>* screens) {
  if (is_empty()) return;
  for (std::size_t axis = 0; axis < D; ++axis)
    grid.solid_flow[axis].resize(grid.tiles.array_size(), 0);
  for (Body& body : bodies_) {
    find_block(grid.tiles, body);
    for (std::size_t axis = 0; axis < D; ++axis)
      body.covered[axis].assign(size_of_block<D>(body.count), {});
    if (size_of_block<D>(body.count) == 0) continue;
    const Filling<D> filling(frame_, slab_, body.rigid.vertices, body.rigid.triangles, body.first,
                             body.count);
    const std::size_t end = grid.tiles.count() * tile_size<D>;
    for_each_at_once<D>(body.count, [&](const Cell<D>& local) {
      const Cell<D> cell = sum<D>(body.first, local);
      const std::size_t index = grid.tiles.find_cell(cell);
      if (index >= end) return;
      const Vec3 middle = frame_.place(cell, Vec<D>::Constant(0.5F), slab_.middle());
      const bool is_left = !body.thin.empty() && screens != nullptr &&
                           screens->room(screens->near(index), middle).has_value();
      if (!is_left) grid.room[index] *= 1 - filling.around(local);
      for (std::size_t axis = 0; axis < D; ++axis) {
        float& open = grid.open[axis][index];
        Filled covered = filling.at_face(local, axis);
        if (covered.part == 0 || open == 0) continue;
        const float part = open - covered.part < least_open ? open : covered.part;
        covered.moment *= part / covered.part;
        covered.part = part;
        open -= part;
        body.covered[axis][index_in_block<D>(local, body.count)] = covered;
        const Motion along = carried(body, cell, static_cast<int>(axis), covered);
        grid.solid_flow[axis][index] +=
            static_cast<float>(dot(along, body.rigid.velocity, body.rigid.angular_velocity));
      }
    });
    Cell<D> last = body.first;
    for (std::size_t axis = 0; axis < D; ++axis)
      last[axis] += body.count[axis] - 1;
    const Cell<D> first_tile = tile_of<D>(body.first);
    Cell<D> end_tile = tile_of<D>(last);
    for (std::int32_t& c : end_tile)
      ++c;
    for_each_in_box<D>(first_tile, end_tile,
                       [&](const Cell<D>& tile) { grid.is_clear[grid.tiles.find(tile)] = 0; });
    part(body, grid);
  }
}

// Closes the faces that its thin parts leave open.
template <int D>
void ImmersedBodies<D>::part(Body& body, MacGrid<D>& grid) const {
  body.opened.assign(body.thin.size(), 0);
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for (std::size_t n = 0; n < body.thin.size(); ++n) {
    const int axis = body.thin[n].axis;
    const Cell<D>& face = body.thin[n].face;
    const auto a = static_cast<std::size_t>(axis);
    const std::size_t index = grid.tiles.find_cell(face);
    Cell<D> local = face;
    bool is_in_block = true;
    for (std::size_t along = 0; along < D; ++along) {
      local[along] -= body.first[along];
      is_in_block = is_in_block && local[along] >= 0 && local[along] < body.count[along];
    }
    if (index >= end || !is_in_block) continue;
    if (grid.parted[a].empty()) grid.parted[a].assign(grid.tiles.array_size(), 0);
    grid.parted[a][index] = 1;
    float& open = grid.open[a][index];
    body.opened[n] = static_cast<double>(open);
    const Motion along = carried(body, face, axis, {open, Vec3f::Zero()});
    grid.solid_flow[a][index] +=
        static_cast<float>(dot(along, body.rigid.velocity, body.rigid.angular_velocity));
    body.covered[a][index_in_block<D>(local, body.count)].part += open;
    open = 0;
  }
}

template <int D>
void ImmersedBodies<D>::attach(MacGrid<D>& grid) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    if (body.rigid.inverse_mass == 0) continue;
    Mat6 attached = Mat6::Zero();
    Vec6 momentum = Vec6::Zero();
    for (std::size_t n = 0; n < body.thin.size(); ++n) {
      const int axis = body.thin[n].axis;
      const Cell<D>& face = body.thin[n].face;
      const auto a = static_cast<std::size_t>(axis);
      Cell<D> lower = face;
      --lower[a];
      const std::size_t index = grid.tiles.find_cell(face);
      double part = 0;
      for (const std::size_t cell : {grid.tiles.find_cell(lower), index})
        part += grid.distance[cell] < 0 ? 0.5 * body.opened[n] : 0;
      if (!(part > 0)) continue;
      if (!grid.lightness[a].empty()) part /= static_cast<double>(grid.lightness[a][index]);
      const Motion motion = carried(body, face, axis, {1, Vec3f::Zero()});
      const Vec6 row = Eigen::Map<const Vec6>(motion.data());
      attached += part * row * row.transpose();
      momentum += part * static_cast<double>(grid.velocity[a][index]) * row;
    }
    body.has_attached = !attached.isZero(0);
    if (!body.has_attached) continue;
    Mat6 free = Mat6::Zero();  // m M^-1, which in 2D has no inverse.
    free.template topLeftCorner<3, 3>() =
        mass_of_cell_ * body.rigid.inverse_mass * Mat3::Identity();
    free.template bottomRightCorner<3, 3>() = mass_of_cell_ * body.rigid.inverse_inertia;
    const Mat6 inverse = (Mat6::Identity() + free * attached).inverse();
    const Mat6 answer = inverse * free;
    body.attached = attached;
    body.answer = 0.5 * (answer + answer.transpose());
    Vec6 before;
    before << body.rigid.velocity, body.rigid.angular_velocity;
    const Vec6 after = inverse * (before + free * momentum);
    const Vec6 given = mass_of_cell_ * (momentum - attached * after);
    impulses_[b].force += given.template head<3>();
    impulses_[b].torque += given.template tail<3>();
    body.rigid.velocity = after.template head<3>();
    body.rigid.angular_velocity = after.template tail<3>();
    Motion change;
    Eigen::Map<Vec6>(change.data()) = after - before;
    add_flow(body, change, grid);
  }
}

// Adds the flow that a change of the body's motion carries through faces.
template <int D>
void ImmersedBodies<D>::add_flow(const Body& body, const Motion& change, MacGrid<D>& grid) const {
  const Vec3 linear(change[0], change[1], change[2]), angular(change[3], change[4], change[5]);
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for_each_at_once<D>(body.count, [&](const Cell<D>& local) {
    const std::size_t in_block = index_in_block<D>(local, body.count);
    for (std::size_t axis = 0; axis < D; ++axis) {
      const Filled& covered = body.covered[axis][in_block];
      if (covered.part == 0) continue;
      const Cell<D> face = sum<D>(body.first, local);
      const std::size_t index = grid.tiles.find_cell(face);
      if (index >= end) continue;
      const Motion along = carried(body, face, static_cast<int>(axis), covered);
      grid.solid_flow[axis][index] += static_cast<float>(dot(along, linear, angular));
    }
  });
}

template <int D>
auto ImmersedBodies<D>::row_of(const Body& body, const Cell<D>& local) const -> Motion {
  Motion row{};
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    Cell<D> after = local;
    ++after[a];
    const auto add = [&](const Cell<D>& face, double sign) {
      if (face[a] == body.count[a]) return;
      const Filled& covered = body.covered[a][index_in_block<D>(face, body.count)];
      if (covered.part == 0) return;
      const Motion along = carried(body, sum<D>(body.first, face), axis, covered);
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] += sign * along[i];
    };
    add(local, -1);
    add(after, 1);
  }
  return row;
}

template <int D>
void ImmersedBodies<D>::tie(const PoissonSystem<D>& system) {
  const std::size_t end = system.tiles().count() * tile_size<D>;
  for (Body& body : bodies_) {
    body.cells.clear();
    body.rows.clear();
    for_each_in_block<D>(body.count, [&](const Cell<D>& local) {
      const std::size_t index = system.tiles().find_cell(sum<D>(body.first, local));
      if (index >= end || !system.is_unknown(index / tile_size<D>, index % tile_size<D>)) return;
      const Motion row = row_of(body, local);
      if (std::ranges::all_of(row, [](double value) { return value == 0; })) return;
      body.cells.push_back(static_cast<std::uint32_t>(index));
      body.rows.push_back(row);
    });
  }
}

template <int D>
auto ImmersedBodies<D>::press(const Body& body, const auto& pressure) const -> Motion {
  Motion sum{};
  for (std::size_t n = 0; n < body.cells.size(); ++n) {
    const auto p = static_cast<double>(pressure[body.cells[n]]);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += p * body.rows[n][i];
  }
  return sum;
}

// m M^-1 times what presses.
template <int D>
auto ImmersedBodies<D>::response(const Body& body, const Motion& impulse) const -> Motion {
  if (body.has_attached) {
    Motion change;
    Eigen::Map<Vec6>(change.data()) = body.answer * Eigen::Map<const Vec6>(impulse.data());
    return change;
  }
  const Vec3 linear =
      mass_of_cell_ * body.rigid.inverse_mass * Vec3(impulse[0], impulse[1], impulse[2]);
  const Vec3 angular =
      mass_of_cell_ * body.rigid.inverse_inertia * Vec3(impulse[3], impulse[4], impulse[5]);
  return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
}

template <int D>
double ImmersedBodies<D>::apply(std::span<const float> x, std::span<double> image) const {
  double energy = 0;
  for (const Body& body : bodies_) {
    if (body.rigid.inverse_mass == 0) continue;
    const Motion impulse = press(body, x);
    const Motion change = response(body, impulse);
    for (std::size_t i = 0; i < change.size(); ++i)
      energy += impulse[i] * change[i];
    for (std::size_t n = 0; n < body.cells.size(); ++n) {
      for (std::size_t i = 0; i < change.size(); ++i)
        image[body.cells[n]] += body.rows[n][i] * change[i];
    }
  }
  return energy;
}

template <int D>
auto ImmersedBodies<D>::tied_cells() const -> std::vector<std::span<const std::uint32_t>> {
  std::vector<std::span<const std::uint32_t>> all;
  for (const RigidTie& tie : rigid_ties())
    all.push_back(tie.cells);
  return all;
}

template <int D>
auto ImmersedBodies<D>::rigid_ties() const -> std::vector<RigidTie> {
  std::vector<RigidTie> all;
  for (const Body& body : bodies_) {
    if (body.rigid.inverse_mass == 0 || body.cells.empty()) continue;
    if (body.has_attached) {
      const Mat3 linear = body.answer.template topLeftCorner<3, 3>();
      const Mat3 angular = body.answer.template bottomRightCorner<3, 3>();
      all.push_back({body.cells, body.rows, linear.trace() / 3, angular});
      continue;
    }
    all.push_back({body.cells, body.rows, mass_of_cell_ * body.rigid.inverse_mass,
                   mass_of_cell_ * body.rigid.inverse_inertia});
  }
  return all;
}

template <int D>
void ImmersedBodies<D>::accelerate(std::span<const double> pressure, MacGrid<D>& grid) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    Motion impulse = press(body, pressure);
    const Motion change = response(body, impulse);
    // The fluid that goes along takes its part of that.
    if (body.has_attached)
      Eigen::Map<Vec6>(impulse.data()) -= body.attached * Eigen::Map<const Vec6>(change.data());
    impulses_[b].force += mass_of_cell_ * Vec3(impulse[0], impulse[1], impulse[2]);
    impulses_[b].torque += mass_of_cell_ * Vec3(impulse[3], impulse[4], impulse[5]);
    body.rigid.velocity += Vec3(change[0], change[1], change[2]);
    body.rigid.angular_velocity += Vec3(change[3], change[4], change[5]);
    add_flow(body, change, grid);
  }
}

template <int D>
void ImmersedBodies<D>::limit_slits(MacGrid<D>& grid) const {
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  const float flow_speed = largest_on_wide_faces(grid);
  for (const Body& body : bodies_) {
    double radius = 0;
    for (const TriangleIndices& triangle : body.rigid.triangles) {
      for (const std::int32_t corner : triangle) {
        const Vec3& x = body.rigid.vertices[static_cast<std::size_t>(corner)];
        radius = std::max(radius, (x - body.rigid.centre).norm());
      }
    }
    const auto most = flow_speed + static_cast<float>(body.rigid.velocity.norm() +
                                                      radius * body.rigid.angular_velocity.norm());
    for_each_at_once<D>(body.count, [&](const Cell<D>& local) {
      const std::size_t in_block = index_in_block<D>(local, body.count);
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (body.covered[axis][in_block].part == 0) continue;
        const std::size_t face = grid.tiles.find_cell(sum<D>(body.first, local));
        if (face >= end || !(grid.open[axis][face] < slit)) continue;
        grid.velocity[axis][face] = std::clamp(grid.velocity[axis][face], -most, most);
      }
    });
  }
}

template <int D>
void ImmersedBodies<D>::constrain(MacGrid<D>& grid) const {
  // From the velocities as they were, to others: aside at first.
  struct Change {
    std::size_t axis, face;
    float velocity;
  };
  std::vector<Change> changes;
  const std::size_t end = grid.tiles.count() * tile_size<D>;
  for (const Body& body : bodies_) {
    for_each_in_block<D>(body.count, [&](const Cell<D>& local) {
      const std::size_t in_block = index_in_block<D>(local, body.count);
      const Cell<D> cell = sum<D>(body.first, local);
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (body.covered[axis][in_block].part == 0) continue;
        const std::size_t face = grid.tiles.find_cell(cell);
        if (face >= end || grid.open[axis][face] > 0) continue;
        const Vec3 x = middle_of(body, cell, static_cast<int>(axis));
        const Vec<D> of_body = in_grid<D>(body.rigid.velocity +
                                          body.rigid.angular_velocity.cross(x - body.rigid.centre));
        float velocity = of_body[static_cast<int>(axis)];
        // Outwards, by how the room around grows.
        const Vec<D> X = frame_.coordinates(x.cast<float>()) - Vec<D>::Constant(0.5F);
        Vec<D> normal;
        for (int a = 0; a < D; ++a) {
          const Vec<D> half = 0.5F * Vec<D>::Unit(a);
          normal[a] = interpolate<D>(grid.tiles, grid.room.data(), X + half) -
                      interpolate<D>(grid.tiles, grid.room.data(), X - half);
        }
        if (normal.norm() > least_slope) {
          normal.normalize();
          const Vec<D> flow = grid::velocity_at(frame_, grid, x.cast<float>());
          float across = normal.dot(flow - of_body);
          // Where no liquid is pressed to it, what flies may leave.
          if (!is_wet<D>(grid, cell, axis)) across = std::min(across, 0.0F);
          velocity = grid.velocity[axis][face] - across * normal[static_cast<int>(axis)];
        }
        changes.push_back({axis, face, velocity});
      }
    });
  }
  for (const Change& change : changes)
    grid.velocity[change.axis][change.face] = change.velocity;
}

template <int D>
void ImmersedBodies<D>::find_layers(const MacGrid<D>& grid) {
  layers_.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const auto take = [&](const Cell<D>& local, std::size_t axis) {
      layers_.take(b, frame_, sum<D>(body.first, local), axis, body.rigid.centre, grid);
    };
    for_each_in_block<D>(body.count, [&](const Cell<D>& local) {
      for (std::size_t axis = 0; axis < D; ++axis) {
        if (body.covered[axis][index_in_block<D>(local, body.count)].part == 0) continue;
        take(local, axis);
        for (std::size_t side = 0; side < side_count<D>; ++side) {
          Cell<D> next = local;
          next[side / 2] += side % 2 == 0 ? -1 : 1;
          take(next, axis);
        }
      }
    });
  }
  layers_.share_out();
}

template <int D>
void ImmersedBodies<D>::add_layer_motions(const typename MacGrid<D>::template Faces<float>& weights,
                                          MacGrid<D>& grid) {
  const auto motion_of = [](const Vec3& linear, const Vec3& angular) {
    return Motion{linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
  };
  std::vector<typename LayerMomentum<D>::Body> bodies;
  bodies.reserve(bodies_.size());
  for (const Body& body : bodies_) {
    bodies.push_back({motion_of(body.rigid.velocity, body.rigid.angular_velocity),
                      motion_of(body.rigid.owed.force, body.rigid.owed.torque)});
  }
  layers_.add(bodies, weights, mass_of_cell_, grid);
}

template class ImmersedBodies<2>;
template class ImmersedBodies<3>;

}  // namespace sluice::fluid::grid
