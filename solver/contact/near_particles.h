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
/// particle or a triangle may have left where it was then by more than a margin [Verlet1967].
/// Complete whatever the particles' order: what counts is that each index stays near its place.
class NearParticles {
 public:
  /// Ascending indices of the particles, among them all whose box in `bounds`, `reach` larger,
  /// overlaps one of `boxes`, of which `grid` is built.
  std::span<const std::int32_t> find(const MotionBounds& bounds,
                                     std::span<const geometry::Bounds> boxes,
                                     const geometry::SparseGrid& grid, double reach);

 private:
  [[nodiscard]] bool is_valid(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                              double reach) const;
  void make_list(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                 const geometry::SparseGrid& grid);

  double reach_ = 0;                     ///< [m]
  double margin_ = 0;                    ///< [m] of particles, and of triangles
  std::vector<Vec3f> places_;            ///< Of all particles when the list was made.
  std::vector<geometry::Bounds> boxes_;  ///< Of the triangles then.
  std::vector<std::int32_t> near_;
  parallel::Collector<std::int32_t> collector_;
};

}  // namespace sluice::contact
