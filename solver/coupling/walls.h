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

/// A point of a solid that walls keep off them.
struct WallPoint {
  Vec3 x_n;           ///< [m] at the start of the substep
  Vec3 v_n;           ///< [m/s] there
  std::int32_t body;  ///< As in solid::DeformableSystem.
  double gap;         ///< [m] that it keeps
  double recovery;    ///< [m] by which it is led out at most in a substep where it starts closer
};

/// A point of a triangle that may touch an obstacle where no corner of the triangle does.
struct FacePoint {
  std::int32_t feature;  ///< Of an obstacle; the same one from call to call.
  Vec3 weights;          ///< Barycentric.
};

/// A wall near a point, as a plane: the point stays where normal . x >= wanted.
struct WallPlane {
  std::int32_t feature;  ///< Obstacle or side of the domain; the same one from call to call.
  Vec3 normal;           ///< Unit, into the room.
  double wanted;         ///< [m]
  double bounced;        ///< [m] The same for a point that would get closer: by restitution.
  Vec3 start;            ///< [m] Where the point is if it goes along with the wall.
  double friction;       ///< Coulomb coefficient
};

/// How a barrier keeps a point off walls.
struct WallMargin {
  double floor;  ///< [m] Distance that is never reached, <= 0; less where the point starts deeper.
  double range;  ///< [m] Above the floor, where the barrier begins.
  Vec3 lower, upper;       ///< [m] The box that it stays in.
  std::int32_t body = -1;  ///< As in solid::DeformableSystem; -1 of a particle, which slides.
};

/// The solids that move only as told: the scene's obstacles and the six sides of its domain, or the
/// four of one in two dimensions. A place that is not finite is answered as it is: a wall would
/// make it a number, and nobody would know.
class Walls {
 public:
  explicit Walls(const scene::Scene& scene);

  /// Starts a substep of `h` seconds, at whose end the obstacles are as given; their velocities say
  /// how they got there. The same ones in the same order.
  void move(std::span<const scene::Obstacle> obstacles, double h);

  [[nodiscard]] bool have_obstacles() const noexcept { return !obstacles_.empty(); }

  /// [m] Longest way of an obstacle in the substep.
  [[nodiscard]] double largest_step() const noexcept;

  /// Where a point of a solid goes that wants to go to `x`.
  ///
  /// Projected along the normal, then moved back along the surface by Coulomb friction: by at most
  /// the coefficient times the depth of the projection, which the implicit step scales like the
  /// normal force (both are forces over the same diagonal). A point that starts closer than the gap
  /// is led out by at most the recovery, so that a tight start adds no energy. With restitution, a
  /// point that meets a wall at a speed goes from where it was, by that part of the speed, instead
  /// of only to the gap. Depth, slide, speed and start are relative to the obstacle, which takes
  /// along what it holds.
  [[nodiscard]] Vec3 resolve(const WallPoint& point, const Vec3& x) const;

  /// Appends the walls that `resolve` would keep a point off which is at `x`, or nearer than
  /// `reach` [m] to where it would: obstacles by the plane that touches them nearest to x.
  void add_planes(const WallPoint& point, const Vec3& x, double reach,
                  std::vector<WallPlane>& planes) const;

  /// Appends what a barrier keeps a point off that starts the substep at `x_n` and is at `x`: all
  /// that its barrier could act at while it moves by `reach` [m] at most. Obstacles have gone
  /// `part` of their way. Friction as for `resolve`.
  void add_touches(std::int32_t point, const Vec3& x_n, const Vec3& x, double part,
                   const WallMargin& margin, double reach, std::vector<WallTouch>& touches) const;

  /// Whether `x` is closer than `distance` [m] to an obstacle or to a side of the domain, or past
  /// it.
  [[nodiscard]] bool is_near(const Vec3& x, double distance) const;

  /// [m] How far `x` is past a side of the domain or inside an obstacle: 0 outside.
  [[nodiscard]] double depth(const Vec3& x) const;

  /// Appends points of a triangle closer than `distance` [m] to an obstacle, corners left out: for
  /// each obstacle the deepest one, and those nearest to the obstacle's support points
  /// (geometry/deepest_point.h).
  void add_face_points(const geometry::Triangle& triangle, double distance,
                       std::vector<FacePoint>& points) const;

  /// Where a point ends that goes straight from `x_n` to `x` [m]: there, or right before the first
  /// obstacle that it would pass through, with which it goes along from there. It passes one in
  /// which it ends deeper than a quarter of the thickness, or that it has come out of on another
  /// side.
  [[nodiscard]] Vec3 end_of_way(const Vec3& x_n, const Vec3& x) const;

  /// Where a particle goes instead of `x`: outside the obstacles, inside the domain of the fluid.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x, const Vec3& lower, const Vec3& upper) const;
  /// The same at the end of the way from `x_n`: contact may push further than an obstacle is thick.
  [[nodiscard]] Vec3 resolve_particle(const Vec3& x_n, const Vec3& x, const Vec3& lower,
                                      const Vec3& upper) const;

 private:
  /// What keeps a point off an obstacle that it is next to along `normal`.
  struct Hold {
    Vec3 start;      ///< [m] The point, had it gone along with the obstacle.
    double wanted;   ///< [m] Distance.
    double bounced;  ///< [m] Distance of what would get closer than that, >= wanted.
    double friction;
  };
  [[nodiscard]] Hold hold_at(std::size_t obstacle, const WallPoint& point,
                             const Vec3& normal) const;
  /// [m] Where a side of the domain holds a point along an axis: the upper one or the lower one.
  [[nodiscard]] double side_at(int axis, bool is_upper, const WallPoint& point) const;
  /// [m] The same for what would go past it: by restitution.
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
