// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/obstacles/seen_flow.h"

#include <algorithm>
#include <vector>

namespace sluice::fluid::grid {
namespace {

// A part of all weights: where what is seen has less, all that is seen counts the same.
constexpr float least_weight = 1e-3F;

template <int D>
Vec<D> along_grid(const Vec3& v) {
  Vec<D> along;
  for (int axis = 0; axis < D; ++axis)
    along[axis] = static_cast<float>(v[world_axis<D>(axis)]);
  return along;
}

template <int D>
Vec3 in_world(const Vec<D>& along) {
  Vec3 v = Vec3::Zero();
  for (int axis = 0; axis < D; ++axis)
    v[world_axis<D>(axis)] = static_cast<double>(along[axis]);
  return v;
}

template <int D>
Cell<D> corner_cell(const Cell<D>& low, std::size_t corner) {
  Cell<D> cell = low;
  for (std::size_t axis = 0; axis < D; ++axis)
    cell[axis] += static_cast<std::int32_t>(corner >> axis & 1U);
  return cell;
}

}  // namespace

template <int D>
std::uint32_t hidden_corners(const Screens<D>& screens, typename Screens<D>::Near close,
                             const Event& at, const Cell<D>& low, int axis, double before) {
  if (close.empty()) return 0;
  Vec<D> within = Vec<D>::Constant(0.5F);
  if (axis != no_axis) within[axis] = 0;
  std::uint32_t hidden = 0;
  for (std::size_t corner = 0; corner < std::size_t{1} << D; ++corner) {
    const Vec3 place = screens.place(corner_cell<D>(low, corner), within);
    if (screens.hides(close, at, {place, before})) hidden |= 1U << corner;
  }
  return hidden;
}

template <int D>
auto SeenFlow<D>::look(typename Screens<D>::Near close, const Event& at, int axis) const
    -> Corners {
  Vec<D> X = screens_.frame().coordinates(at.x.cast<float>()) - Vec<D>::Constant(0.5F);
  if (axis != no_axis) X[axis] += 0.5F;
  const Cell<D> low = cell_at<D>(X);
  Corners corners;
  for (int a = 0; a < D; ++a)
    corners.part[a] = X[a] - static_cast<float>(low[static_cast<std::size_t>(a)]);
  for (std::size_t corner = 0; corner < corners.indices.size(); ++corner) {
    corners.indices[corner] = grid_.tiles.find_cell(corner_cell<D>(low, corner));
    float weight = 1;
    for (int a = 0; a < D; ++a)
      weight *= (corner >> a & 1U) != 0 ? corners.part[a] : 1 - corners.part[a];
    corners.weights[corner] = weight;
  }
  corners.hidden = hidden_corners<D>(screens_, close, at, low, axis, before_);
  return corners;
}

template <int D>
std::optional<float> SeenFlow<D>::mean_of_seen(const Values& values, const Corners& around) {
  float sum = 0, weight = 0, plain = 0;
  int seen = 0;
  for (std::size_t corner = 0; corner < values.size(); ++corner) {
    if ((around.hidden >> corner & 1U) != 0) continue;
    sum += around.weights[corner] * values[corner];
    weight += around.weights[corner];
    plain += values[corner];
    ++seen;
  }
  if (seen == 0) return std::nullopt;
  return weight > least_weight ? sum / weight : plain / static_cast<float>(seen);
}

template <int D>
auto SeenFlow<D>::sample(const Event& at, const Faces<float>& velocity, Hidden hidden) const
    -> Sample {
  const typename Screens<D>::Near near = screens_.near(at.x);
  const std::vector<std::uint32_t> close = screens_.close_to(near, at);
  std::array<Corners, D> around;
  std::array<Values, D> values;
  Vec<D> ghost = Vec<D>::Zero();  // Where nothing is seen, nothing moves by itself.
  bool is_any_hidden = false;
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    around[a] = look(close, at, axis);
    for (std::size_t corner = 0; corner < values[a].size(); ++corner) {
      const std::size_t face = around[a].indices[corner];
      values[a][corner] = velocity[a][face];
      if (!grid_.parted[a].empty() && grid_.parted[a][face] != 0) around[a].hidden |= 1U << corner;
    }
    is_any_hidden = is_any_hidden || around[a].hidden != 0;
    ghost[axis] = mean_of_seen(values[a], around[a]).value_or(0);
  }
  if (is_any_hidden && hidden == Hidden::goes_along)
    ghost = along_grid<D>(screens_.leave(near, at, in_world<D>(ghost)));
  Sample sample;
  for (int axis = 0; axis < D; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    sample.velocity[axis] = 0;
    sample.gradient[a].setZero();
    for (std::size_t corner = 0; corner < values[a].size(); ++corner) {
      const float value = (around[a].hidden >> corner & 1U) != 0 ? ghost[axis] : values[a][corner];
      sample.velocity[axis] += around[a].weights[corner] * value;
      for (int along = 0; along < D; ++along) {
        float slope = (corner >> along & 1U) != 0 ? 1.0F : -1.0F;
        for (int b = 0; b < D; ++b) {
          if (b == along) continue;
          slope *= (corner >> b & 1U) != 0 ? around[a].part[b] : 1 - around[a].part[b];
        }
        sample.gradient[a][along] += slope * value;
      }
    }
  }
  return sample;
}

template <int D>
Vec3 SeenFlow<D>::trace(const Event& from, double h, scene::PathIntegrator integrator) const {
  const auto velocity_at = [&](const Event& at) {
    return in_world<D>(sample(at, grid_.velocity, Hidden::goes_along).velocity);
  };
  const auto after = [&](double part, const Vec3& velocity) {
    const Event to{from.x + part * h * velocity, from.before - (h < 0 ? -part : part)};
    return Event{screens_.end_of_way(from, to), to.before};
  };
  const Vec3 first = velocity_at(from);
  const Vec3 second = velocity_at(after(0.5, first));
  if (integrator == scene::PathIntegrator::rk2) return from.x + h * second;
  const Vec3 third = velocity_at(after(0.75, second));
  return from.x + h / 9 * (2 * first + 3 * second + 4 * third);
}

template std::uint32_t hidden_corners<2>(const Screens<2>&, Screens<2>::Near, const Event&,
                                         const Cell<2>&, int, double);
template std::uint32_t hidden_corners<3>(const Screens<3>&, Screens<3>::Near, const Event&,
                                         const Cell<3>&, int, double);
template class SeenFlow<2>;
template class SeenFlow<3>;

}  // namespace sluice::fluid::grid
