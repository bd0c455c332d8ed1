// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/parallel/collector.h"

namespace sluice::contact {

/// Which particles a triangle may come near at all.
///
/// Most are far from any, substep after substep. So a list of those that are not is kept until a
/// triangle, or many particles, may have left where they were then by more than a margin
/// [Verlet1967]. The few particles that have done so before, as drops of spray do, come on top of
/// it. Complete whatever the particles' order: what counts is that an index stays near its place.
class NearParticles {
 public:
  /// Ascending indices of particles, among them all whose box in `bounds`, `reach` larger, overlaps
  /// one of `boxes`, of which `grid` is built. Valid until the next call.
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
  double margin_ = 0;                    ///< [m] of particles, and of triangles
  std::vector<Vec3f> places_;            ///< Of all particles when the list was made.
  std::vector<geometry::Bounds> boxes_;  ///< Of the triangles then.
  std::vector<std::int32_t> list_, strays_, near_;
  parallel::Collector<std::int32_t> collector_;
};

}  // namespace sluice::contact
