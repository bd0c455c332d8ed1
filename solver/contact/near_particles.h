// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::contact {

/// Finds the particles that a triangle may come near at all.
///
/// Most are far from any, substep after substep. So a list of the others is kept until a triangle,
/// or many particles, may have left their places of that time by more than a margin [Verlet1967].
/// The few particles that have done so before, as drops of spray do, are added to the list.
/// Complete whatever the particles' order: what counts is that an index stays near its place.
class NearParticles {
 public:
  /// Returns ascending indices of particles: at least all whose box in `bounds`, `reach` larger,
  /// overlaps one of the triangles' `boxes`, of which `grid` is built. Valid until the next call.
  std::span<const std::int32_t> find(const MotionBounds& bounds,
                                     std::span<const geometry::Bounds> boxes,
                                     const geometry::SparseGrid& grid, double reach);

 private:
  [[nodiscard]] bool is_list_of(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                                double reach) const;
  void make_list(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                 const geometry::SparseGrid& grid, double reach);
  void find_strays(const MotionBounds& bounds);

  double reach_ = 0;                     ///< [m]
  double margin_ = 0;                    ///< [m] by which particles, and triangles, may move
  std::vector<Vec3f> places_;            ///< Places of all particles when the list was made.
  std::vector<geometry::Bounds> boxes_;  ///< Boxes of the triangles then.
  std::vector<std::int32_t> list_, strays_, near_;
  parallel::Collector<std::int32_t> collector_;
};

}  // namespace sluice::contact
