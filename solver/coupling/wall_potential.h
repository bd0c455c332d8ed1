// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/contact/friction.h"
#include "solver/coupling/wall_touch.h"
#include "solver/solid/element_potential.h"
#include "solver/types.h"

/// Walls as energies of the points near them: elements of one vertex, for which D_e x = x. Walls
/// hold points in place, so that the sum of forces over bodies alone is not 0.
namespace sluice::coupling {

/// The barrier of each touch, contact::Barrier of one stiffness. The weight is that stiffness.
///
/// Both forms of the Hessian are its part along the normal. The rest of the Hessian comes from the
/// curvature of the wall; it is negative semidefinite outside of convex shapes, and all shapes are
/// convex.
class WallBarrier final : public solid::ElementPotential {
 public:
  WallBarrier(double stiffness, std::vector<WallTouch> touches);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                solid::HessianForm form, std::span<double> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  double stiffness_;
  std::vector<WallTouch> touches_;
};

/// Friction at a wall, with the quantities that were lagged (contact/friction.h).
struct WallFrictionTouch {
  contact::FrictionPair pair;  ///< Only its first point counts.
  Vec3 start;                  ///< [m] Where the point is if it goes along with the wall.
};

/// Returns the friction of a touch at `x`, for points that start at `x_n`; none where there is no
/// friction or nothing presses.
[[nodiscard]] std::optional<WallFrictionTouch> lag_friction(double stiffness,
                                                            const WallTouch& touch,
                                                            std::span<const Vec3> x_n,
                                                            std::span<const Vec3> x);

/// The friction of touches; `eps` [m] is the way below which they stick.
class WallFriction final : public solid::ElementPotential {
 public:
  WallFriction(std::vector<WallFrictionTouch> touches, double eps);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                solid::HessianForm form, std::span<double> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  [[nodiscard]] Vec3 way(std::size_t e, std::span<const Vec3> x) const;
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  std::vector<WallFrictionTouch> touches_;
  double eps_;
};

}  // namespace sluice::coupling
