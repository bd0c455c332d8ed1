// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/coupling/contact_materials.h"
#include "solver/coupling/wall_touch.h"
#include "solver/geometry/point_triangle.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

namespace sluice::coupling {

/// A point of a solid, which walls hold off.
struct WallPoint {
  Vec3 x_n;           ///< [m] at the start of the substep
  Vec3 v_n;           ///< [m/s] there
  std::int32_t body;  ///< Index as in solid::DeformableSystem.
  double gap;         ///< [m] that it keeps from walls
  double recovery;    ///< [m] by which it is led out at most in a substep where it starts closer
};

/// A point of a triangle that may touch an obstacle where no corner of the triangle does.
struct FacePoint {
  std::int32_t feature;  ///< Number of an obstacle's feature, the same from call to call.
  Vec3 weights;          ///< Barycentric.
};

/// A wall near a point, as a plane: the point stays where normal . x >= wanted.
struct WallPlane {
  std::int32_t feature;  ///< Obstacle or side of the domain; the same number from call to call.
  Vec3 normal;           ///< Unit, into the room.
  double wanted;         ///< [m] least normal . x
  double bounced;        ///< [m] `wanted` of a point that would get closer: by restitution.
  Vec3 start;            ///< [m] Where the point is if it goes along with the wall.
  double friction;       ///< Coulomb coefficient
};

/// How a barrier keeps a point off walls.
struct WallMargin {
  double floor;  ///< [m] Distance that is never reached, <= 0; less where the point starts deeper.
  double range;  ///< [m] Above the floor, where the barrier begins.
  Vec3 lower, upper;       ///< [m] The box that it stays in.
  std::int32_t body = -1;  ///< Index as in WallPoint; -1 for a particle, which slides.
};

/// The solids that move only as told: the scene's obstacles and the six sides of its domain, or the
/// four of one in two dimensions. A place that is not finite is returned as it is: a wall would
/// make it a number, and nobody would know.
class Walls {
 public:
  explicit Walls(const scene::Scene& scene);

  /// Starts a substep of `h` seconds, at whose end the obstacles are as given; their velocities say
  /// how they got there. They are the scene's obstacles, in its order.
  void move(std::span<const scene::Obstacle> obstacles, double h);

  [[nodiscard]] bool have_obstacles() const noexcept { return !obstacles_.empty(); }

  /// [m] Longest way of an obstacle in the substep.
  [[nodiscard]] double largest_step() const noexcept;

  /// Returns where a point of a solid ends that is to go to `x`.
  ///
  /// It is projected along the normal, then moved back along the surface by Coulomb friction: by at
  /// most the coefficient times the depth of the projection, which the implicit step scales like
  /// the normal force (both are forces over the same diagonal). A point that starts closer than the
  /// gap is led out by at most the recovery, so that a tight start adds no energy. With
  /// restitution, a point that meets a wall at a speed goes from where it was, by that part of the
  /// speed, instead of only to the gap. Depth, slide, speed and start are relative to the obstacle,
  /// which takes its contacts along.
  [[nodiscard]] Vec3 resolve(const WallPoint& point, const Vec3& x) const;

  /// Appends the walls that `resolve` would hold a point off at `x`, or after a move of up to
  /// `reach` [m]: obstacles as the plane that touches them nearest to x.
  void add_planes(const WallPoint& point, const Vec3& x, double reach,
                  std::vector<WallPlane>& planes) const;

  /// Appends the touches of a point that starts the substep at `x_n` and is at `x`: of all walls
  /// that its barrier could act at while it moves by `reach` [m] at most. Obstacles have gone
  /// `part` of their way. Friction is that of `resolve`.
  void add_touches(std::int32_t point, const Vec3& x_n, const Vec3& x, double part,
                   const WallMargin& margin, double reach, std::vector<WallTouch>& touches) const;

  /// Returns whether `x` is closer than `distance` [m] to an obstacle or to a side of the domain,
  /// or past it.
  [[nodiscard]] bool is_near(const Vec3& x, double distance) const;

  /// [m] Returns how far `x` is past a side of the domain or inside an obstacle: 0 outside.
  [[nodiscard]] double depth(const Vec3& x) const;

  /// Appends points of a triangle closer than `distance` [m] to an obstacle, corners left out: for
  /// each obstacle the deepest one, and those nearest to the obstacle's support points
  /// (geometry/deepest_point.h).
  void add_face_points(const geometry::Triangle& triangle, double distance,
                       std::vector<FacePoint>& points) const;

  /// Returns where a point ends that goes straight from `x_n` to `x` [m]: there, or right before
  /// the first obstacle that it would pass through, with which it goes along from there. It passes
  /// an obstacle in which it ends deeper than a quarter of the thickness, or that it has come out
  /// of on another side.
  [[nodiscard]] Vec3 end_of_way(const Vec3& x_n, const Vec3& x) const;

  /// Returns where a particle goes instead of `x`: out of obstacles, into the fluid's domain.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x, const Vec3& lower, const Vec3& upper) const;
  /// Likewise at the end of the way from `x_n`: contact may push further than an obstacle is thick.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x_n, const Vec3& x, const Vec3& lower,
                                      const Vec3& upper) const;

 private:
  /// The hold of an obstacle on a point that is next to it along `normal`.
  struct Hold {
    Vec3 start;      ///< [m] The point, had it gone along with the obstacle.
    double wanted;   ///< [m] Distance to keep.
    double bounced;  ///< [m] Distance for a point that would get closer, >= wanted.
    double friction;
  };
  [[nodiscard]] Hold hold_at(std::size_t obstacle, const WallPoint& point,
                             const Vec3& normal) const;
  /// [m] Returns where a side of the domain, upper or lower, holds a point along an axis.
  [[nodiscard]] double side_at(int axis, bool is_upper, const WallPoint& point) const;
  /// [m] The same for a point that would go past it: by restitution.
  [[nodiscard]] double bounce_at(int axis, bool is_upper, const WallPoint& point) const;

  ContactMaterials materials_;
  std::vector<scene::Obstacle> obstacles_;
  std::vector<geometry::Bounds> bounds_;
  std::vector<std::vector<Vec3>> supports_;  ///< [m] by obstacle, from its translation
  std::vector<Vec3> steps_;                  ///< [m] way of each obstacle in the substep
  Vec3 lower_, upper_;
  double h_ = 0;  ///< [s] of the substep
};

}  // namespace sluice::coupling
