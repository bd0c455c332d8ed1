// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "solver/fluid/lattice/advection.h"
#include "solver/fluid/lattice/cell_box.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/screens.h"

namespace sluice::fluid::grid {

/// Bit n of the result: whether one of the solids `close` to a place (Screens::close_to) is between
/// it and corner n (by x first) of the cell of values that it is in, whose lower corner is `low`.
/// Values are on faces across `axis`, or in the middles of cells (no_axis). Their time is `before`
/// parts of a substep before the substep's end: 0 is the end, 1 the start.
template <int D>
[[nodiscard]] std::uint32_t hidden_corners(const Screens<D>& screens,
                                           typename Screens<D>::Near close, const Event& at,
                                           const Cell<D>& low, int axis, double before);

/// The values of a grid as they are seen from places near thin solids: from each place, those on
/// its own side of them.
///
/// A velocity there has, in place of the velocities of faces that are hidden or parted, the mean of
/// those that are seen, as far as the solids leave it: fluid goes along thin solids, or sticks to
/// them, as it does at thick ones, and knows nothing of the fluid beyond.
template <int D>
class SeenFlow {
 public:
  template <typename T>
  using Faces = typename MacGrid<D>::template Faces<T>;

  /// The grid and the screens must outlive it. `before`: the time of the grid's values, in parts of
  /// a substep before the substep's end.
  SeenFlow(const MacGrid<D>& grid, const Screens<D>& screens, double before)
      : grid_(grid), screens_(screens), before_(before) {}

  /// A velocity [m/s] and, by its component, its gradient [m/s a cell].
  struct Sample {
    Vec<D> velocity;
    std::array<Vec<D>, D> gradient;
  };
  /// The velocity that hidden faces are taken to have: the mean of the faces seen,
  enum class Hidden : std::uint8_t {
    goes_along,  ///< as far as the solids leave it, along which it slips or to which it sticks.
    goes_on,     ///< as it is, also where it leads into the solids.
  };
  [[nodiscard]] Sample sample(const Event& at, const Faces<float>& velocity, Hidden hidden) const;

  /// [m] Where a place is after `h` [s]; a negative `h` goes back from the end of the substep to
  /// its start. The places between at which the integrator looks are cut off where a thin solid is
  /// in the way; the place that it ends at is not.
  [[nodiscard]] Vec3 trace(const Event& from, double h, scene::PathIntegrator integrator) const;

  /// Interpolates between the values in the middles of cells (no_axis) or on faces across `axis`
  /// that are seen from a place and of which is_known(index in arrays). Nothing if there is none.
  template <typename IsKnown>
  [[nodiscard]] std::optional<float> value(const Event& at, int axis, const Array<float>& values,
                                           const IsKnown& is_known) const {
    Corners around = look(screens_.close_to(screens_.near(at.x), at), at, axis);
    Values found;
    for (std::size_t corner = 0; corner < found.size(); ++corner) {
      found[corner] = values[around.indices[corner]];
      if (!is_known(around.indices[corner])) around.hidden |= 1U << corner;
    }
    return mean_of_seen(found, around);
  }

  /// The mean of such values at a cell and those next to it, corner to corner, that are seen from a
  /// place in it or near it. For a place next to a surface, where value() may find nothing, since
  /// all values that it interpolates between may be on the surface or beyond it.
  template <typename IsKnown>
  [[nodiscard]] std::optional<float> mean_around(const Event& at, const Cell<D>& cell, int axis,
                                                 const Array<float>& values,
                                                 const IsKnown& is_known) const {
    Vec<D> within = Vec<D>::Constant(0.5F);
    if (axis != no_axis) within[axis] = 0;
    const std::size_t own = grid_.tiles.find_cell(cell);
    float sum = 0;
    int count = 0;
    Cell<D> first = cell, end = cell;
    for (std::size_t a = 0; a < D; ++a) {
      --first[a];
      end[a] += 2;
    }
    for_each_in_box<D>(first, end, [&](const Cell<D>& next) {
      const std::size_t index = grid_.tiles.find_cell(next);
      if (!is_known(index)) return;
      if (screens_.hides(screens_.near(own), at, {screens_.place(next, within), before_})) return;
      sum += values[index];
      ++count;
    });
    return count > 0 ? std::optional(sum / static_cast<float>(count)) : std::nullopt;
  }

 private:
  using Values = std::array<float, std::size_t{1} << D>;
  struct Corners {
    std::array<std::size_t, std::size_t{1} << D> indices;
    Values weights;
    Vec<D> part;
    std::uint32_t hidden;
  };
  [[nodiscard]] Corners look(typename Screens<D>::Near close, const Event& at, int axis) const;
  /// The mean of the values seen, by their weights; nothing where none is seen.
  [[nodiscard]] static std::optional<float> mean_of_seen(const Values& values,
                                                         const Corners& around);

  const MacGrid<D>& grid_;
  const Screens<D>& screens_;
  double before_;
};

extern template std::uint32_t hidden_corners<2>(const Screens<2>&, Screens<2>::Near, const Event&,
                                                const Cell<2>&, int, double);
extern template std::uint32_t hidden_corners<3>(const Screens<3>&, Screens<3>::Near, const Event&,
                                                const Cell<3>&, int, double);
extern template class SeenFlow<2>;
extern template class SeenFlow<3>;

}  // namespace sluice::fluid::grid
