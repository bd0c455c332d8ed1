// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/contact/step_filter.h"
#include "solver/coupling/rigid_compliance.h"
#include "solver/coupling/walls.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The actions on rigid bodies in a substep besides contact and walls.
struct RigidActions {
  Vec3 gravity = Vec3::Zero();             ///< [m/s^2]
  std::span<const solid::Anchor> anchors;  ///< On any vertices; only those of rigid bodies count.
  std::span<const Vec3> forces;            ///< [N] by vertex, or empty
  double time = 0;                         ///< [s] at the start of the substep
  std::span<const Wrench> wrenches = {};   ///< By body, or empty
};

/// A change and a motion of all rigid bodies, as squared norms: sum of m |dx|^2 / h^2 and
/// turn . I turn / h^2, [J].
struct RigidChange {
  double change = 0;  ///< From the iterate before.
  double motion = 0;  ///< From the start of the substep.
};

/// The rigid bodies of a scene in a substep of an iterative method: they answer to forces on their
/// vertices and hold themselves off walls.
///
/// A body's impulses J = h F, H = h T (T about its centre of mass) act at once at the start of the
/// substep, as those of gravity: v' = e^(-damping h) v + h g + J / m, L' = e^(-damping h) L + H,
/// and it moves with these for h seconds, straight and by free rotation (solid/rigid/rigid_body.h).
/// So the step is implicit Euler in the forces, as that of deformable bodies, it takes no energy
/// from a body that is free, and its momenta are those that the forces gave, to rounding.
///
/// Forces of contact come by vertex; their arms are those at the start of the substep: then the
/// angular momentum about any point of the world changes by x^n x f, as that of a particle or a
/// deformable body does.
///
/// Walls, and springs that people drag by, are solved for within the body: each of its vertices
/// near a wall, and points of its large triangles near an obstacle, have a force f, and with w =
/// largest(x) one of them after the other takes
///     f' = (proj(x - w f) - (x - w f)) / w,      proj = Walls::resolve,
/// a projected Gauss-Seidel on the forces: at its fixed point the vertex is where the wall wants
/// it, and the forces obey Coulomb's law, because resolve lets friction take back at most its part
/// of the depth w f_n. Deterministic, serial in a body.
class RigidStep final : public contact::RigidMotion {
 public:
  /// A point of the surface that a wall holds, or may.
  struct Touch {
    std::int64_t key;  ///< Vertex; or, after all of them, triangle and feature of an obstacle.
    TriangleIndices corners;
    Vec3 weights;
    double compliance = 0;      ///< [m/N]
    Vec3 force = Vec3::Zero();  ///< [N]

    /// Returns the point's value of a quantity that vertices have.
    [[nodiscard]] Vec3 place(std::span<const Vec3> x) const {
      return weights[0] * x[static_cast<std::size_t>(corners[0])] +
             weights[1] * x[static_cast<std::size_t>(corners[1])] +
             weights[2] * x[static_cast<std::size_t>(corners[2])];
    }
  };

  RigidStep(const scene::Scene& scene, const solid::DeformableSystem& solids);

  [[nodiscard]] bool is_empty() const noexcept { return bodies_.empty(); }

  /// Number of vertices of all bodies, which are the last ones of the system.
  [[nodiscard]] std::size_t vertex_count() const noexcept {
    return is_empty() ? 0
                      : static_cast<std::size_t>(vertex_ranges_.back() - vertex_ranges_.front());
  }

  /// [s] The longest substep in which no body turns by more than half a radian, and none jumps over
  /// an obstacle of the scene.
  [[nodiscard]] double longest_substep(const solid::DeformableSystem& solids) const;

  /// Starts a substep of `h` seconds: writes to `x` where the vertices of the bodies go if nothing
  /// touches them. `solids` stays as it is until `finish`.
  void begin(double h, const RigidActions& actions, const solid::DeformableSystem& solids,
             std::span<Vec3> x);

  /// After begin(): a body's present pose, and the momenta that it has if nothing touches it.
  [[nodiscard]] const solid::RigidState& free_state(std::size_t body) const noexcept {
    return bodies_[body].start;
  }
  /// After begin(): the pose that these momenta take it to.
  [[nodiscard]] const solid::Pose& free_end(std::size_t body) const noexcept {
    return bodies_[body].end.world_from_body;
  }
  /// Whether the step filter has cut the body's way short since begin(), by shorten().
  [[nodiscard]] bool was_stopped(std::size_t body) const noexcept {
    return bodies_[body].was_stopped;
  }

  /// The bodies' answer to `forces` [N] on the vertices and `torques` [N m] on the bodies, in
  /// iteration `k`: writes where their vertices are to `x`.
  RigidChange respond(int k, std::span<const Vec3> forces, std::span<const Vec3> torques,
                      const Walls& walls, std::span<Vec3> x);

  /// Returns the points of a body that walls hold or may, for vertices at `x`, with the forces that
  /// they have: for a caller that solves for these and sets them. The next `respond` whose
  /// iteration is no multiple of 5 starts from them.
  std::span<Touch> find_touches(std::size_t index, const Walls& walls, std::span<const Vec3> x);
  [[nodiscard]] std::span<Touch> touches(std::size_t index) noexcept {
    return bodies_[index].touches;
  }

  /// The compliances of the last `begin`, by body.
  [[nodiscard]] std::span<const RigidCompliance> compliances() const noexcept {
    return compliances_;
  }

  /// [N/m] Returns the sum of m / h^2 over the free bodies.
  [[nodiscard]] double inertia() const noexcept;

  /// Adds the forces of walls in the last `respond`, [N] by vertex.
  void add_wall_forces(std::span<Vec3> forces) const;

  [[nodiscard]] std::span<const std::int32_t> vertex_ranges() const override {
    return vertex_ranges_;
  }
  [[nodiscard]] Vec3 place(std::size_t body, std::int32_t vertex, double fraction) const override;

  /// Shortens the way of each body of which a vertex would end up past a wall, deeper than it is,
  /// or beyond an obstacle: no force holds a body that a script presses there. Places its vertices
  /// in `x` and returns the change of momentum [N s].
  Vec3 stay_outside(const Walls& walls, std::span<Vec3> x);

  /// Lets each body get only this far of its way, `fractions` in [0, 1], and takes that part of its
  /// momenta too. Returns the change of momentum [N s].
  Vec3 shorten(std::span<const double> fractions);

  /// Ends a substep: gives the bodies their new states, and their vertices places and velocities.
  void finish(solid::DeformableSystem& solids) const;

 private:
  /// A vertex that an anchor draws.
  struct Pull {
    solid::Anchor anchor;
    double compliance;
    Vec3 force;
  };
  struct Body {
    solid::RigidState start;  ///< Pose at the start of the substep, momenta without contact.
    solid::RigidState end;    ///< The iterate of the end.
    std::vector<Touch> touches;
    std::vector<Pull> pulls;
    bool was_stopped = false;
  };

  Vec3 cut_short(std::span<const double> fractions);
  void begin_free(double h, const RigidActions& actions, const solid::DeformableSystem& solids,
                  std::size_t index);
  void place_all(std::size_t index, std::span<Vec3> x) const;
  [[nodiscard]] solid::Pose pose_at(std::size_t index, double fraction) const;
  void move(std::size_t index, const Wrench& wrench);
  [[nodiscard]] Wrench own_forces(std::size_t index, std::span<const Vec3> x) const;
  void collect_near(std::size_t index, const Walls& walls, std::span<const Vec3> x,
                    std::vector<Touch>& touches);
  void solve_touches(std::size_t index, const Walls& walls, std::span<const Vec3> x);

  double gap_;    ///< [m] kept from walls
  bool is_flat_;  ///< In two dimensions bodies move along x and z, and turn about y.
  double smallest_half_extent_ = std::numeric_limits<double>::infinity();  ///< [m] of obstacles
  std::vector<std::int32_t> vertex_ranges_;
  std::vector<double> radii_;  ///< [m] farthest vertex from the centre of mass, by body
  std::vector<Body> bodies_;
  std::vector<RigidCompliance> compliances_;
  std::vector<std::vector<Touch>> chunks_;           ///< Scratch of collect_near.
  const solid::DeformableSystem* solids_ = nullptr;  ///< The solids of the substep.
  double h_ = 0;                                     ///< [s] of the substep
};

}  // namespace sluice::coupling
