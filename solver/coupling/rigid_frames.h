// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/coupling/rigid_step.h"
#include "solver/solid/deformable_system.h"
#include "solver/solid/element_potential.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The free rigid bodies of a step that is minimised: each is carried by four points, to which its
/// vertices are tied, and which a stiff energy keeps at their distances. [Lan2022]
///
/// The points are those of four equal masses with the mass, the centre and the moments of the body:
/// in its own frame s_k = (+-a, +-b, +-c) with an even number of minus signs, a^2 the mean of x^2
/// over the body's mass. So their inertia is that of vertices, m / (4 h^2), and a force on them
/// moves them, to first order, as it moves the body. Their solution gives the forces of contact;
/// RigidStep moves the body by these.
class RigidFrames {
 public:
  static constexpr std::size_t points_per_body = 4;
  using Points = std::array<std::int32_t, points_per_body>;
  using Weights = std::array<double, points_per_body>;

  /// The points come after the vertices of `solids`, which outlive this.
  explicit RigidFrames(const solid::DeformableSystem& solids);

  [[nodiscard]] bool is_empty() const noexcept { return bodies_.empty(); }
  /// Number of all the points.
  [[nodiscard]] std::size_t point_count() const noexcept {
    return points_per_body * bodies_.size();
  }

  /// Starts a step of `h` seconds from where `rigid` has the bodies go by themselves: appends their
  /// targets [m] and inertia [N/m].
  void begin(double h, const RigidStep& rigid, std::vector<Vec3>& targets,
             std::vector<double>& inertia);

  /// The energy that keeps the points at their distances.
  [[nodiscard]] solid::Potential& shape() noexcept { return shape_; }

  /// Returns the points of a vertex's body; none if the body deforms, or moves as told.
  [[nodiscard]] std::optional<Points> points_of(std::int32_t vertex) const;
  /// Returns the weights of these points in that vertex, which sum to 1.
  [[nodiscard]] Weights weights_of(std::int32_t vertex) const;

  /// Puts the vertices of the bodies where their points in `x`, which holds both, carry them.
  void carry(std::span<Vec3> x) const;

 private:
  struct Body {
    std::size_t rigid_body;  ///< Index into DeformableSystem::rigid_bodies.
    Vec3 spread;             ///< [m] a, b, c
  };

  /// K / 2 |B - R diag(spread)|^2 with R the rotation that makes it least, B = A diag(spread) of
  /// the affine map A. Its Hessian is the one for a fixed R, but 0 along the rotations.
  class Shape final : public solid::ElementPotential {
   public:
    Shape(const solid::DeformableSystem& solids, std::vector<Body> bodies,
          std::int32_t first_point);

    void begin_step(std::span<const Vec3> x_n, double h) override;
    void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                  solid::HessianForm form, std::span<double> out) const override;
    void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                    std::span<double> z) const override;

   private:
    [[nodiscard]] Mat3 rotation_at(std::size_t e, const Mat3& B) const;
    double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
    void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                         std::span<Vec3> slots) const override;

    std::vector<Body> bodies_;
    std::vector<double> masses_;  ///< [kg]
  };

  const solid::DeformableSystem& solids_;
  std::int32_t first_point_;
  std::vector<Body> bodies_;
  std::vector<std::int32_t> body_of_rigid_;  ///< Index into bodies_, by rigid body; -1 if scripted.
  Shape shape_;
};

}  // namespace sluice::coupling
