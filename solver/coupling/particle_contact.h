// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/points.h"
#include "solver/contact/projection.h"
#include "solver/coupling/walls.h"
#include "solver/scene/scene.h"
#include "solver/solid/cloth_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The fluid's side of a substep, as contact sees it: positions at t^n, where the particles want to
/// go, and inertia.
struct ParticleMotion {
  std::span<const Vec3f> positions;         ///< [m] at t^n
  std::span<const Vec3f> targets;           ///< [m] y of the fluid
  std::span<const std::uint8_t> materials;  ///< Index into `inertia`.
  std::span<const double> inertia;          ///< [N/m] particle mass / h^2, by material
  Vec3 lower, upper;                        ///< [m] where particles may be
};

/// Contact of fluid particles with the triangles of cloth within one substep: the contact local and
/// global steps of [Yang2023] Algorithm 5.
///
/// Constraint of a pair: the particle stays on the side of the triangle where it was at x^n, at
/// least `gap` = contact distance + half thickness from it (or, if it started closer, no closer,
/// moving out at a limited rate).
///
///   local    A pair that is violated at x^ by s gets the force along the unit normal n from the
///   triangle's nearest point,
///            of barycentric weights b:  lambda += s / (c_f / D_f + sum_i c_i b_i^2 / D_i), lambda
///            >= 0.
///   global   x_f = y_f + sum lambda n / D_f,  x_i -= (change of sum lambda b_i n) / D_i.
///
/// This is the mass-weighted projection of [Yang2023] (3.9) as corrected: D = m / h^2 for
/// particles, and for vertices the diagonal of the global step, m / h^2 + stiffness: the mass that
/// the implicit step lets a force feel, so that the iteration's fixed point balances springs and
/// contact. The sum over pairs conserves momentum: every lambda n acts on the particle and,
/// opposite, on the triangle at the nearest point. c counts the active pairs of a particle or
/// vertex: each pair owns that share of its mass, so that pairs solved at the same time do not
/// overshoot [Tonge2012, mass splitting]. Keeping lambda through the iterations replaces (3.6)'s
/// dual u_d.
class ParticleContact {
 public:
  ParticleContact(const scene::Scene& scene, const solid::ClothSystem& cloth);

  /// [m] largest gap kept: give bodies that much room beyond their prediction when looking for
  /// candidates.
  [[nodiscard]] double largest_gap() const noexcept { return largest_gap_; }

  /// Starts a substep: of the candidates, ordered by particle, keeps the pairs that can come within
  /// their gap. `predicted` is where the cloth's vertices are expected. `cloth` stays as it is
  /// until the next call.
  void begin(double h, const solid::ClothSystem& cloth, std::span<const Vec3> predicted,
             const ParticleMotion& particles, std::span<const contact::Candidate> candidates);

  /// Without pairs nothing below need be called.
  [[nodiscard]] bool has_pairs() const noexcept { return !pairs_.empty(); }

  /// Contact local and global step: moves the vertices `x` (of diagonals `diagonal`, infinite if
  /// held) and the particles that take part. Returns sum D_f |change of x_f|^2, [J].
  double respond(std::span<const TriangleIndices> triangles, std::span<const double> diagonal,
                 const ParticleMotion& particles, const Walls& walls, std::span<Vec3> x);

  /// [N] what the particles press on each vertex; zero before the first `respond`.
  [[nodiscard]] std::span<const Vec3> forces() const noexcept { return forces_; }

  /// Writes where the particles that contact moves go to `targets`, and adds the change over `h` to
  /// `velocities` (both of all particles).
  void write_results(double h, std::span<Vec3f> targets, std::span<Vec3f> velocities) const;

  [[nodiscard]] std::int64_t active_count() const noexcept;

 private:
  struct Pair {
    std::int32_t triangle;
    double wanted;         ///< [m] gap to keep in this substep
    Vec3 start_normal;     ///< Separates the pair at x^n.
    double lambda;         ///< [N]
    contact::PairGap gap;  ///< At the last evaluation; n and b are its normal and weights.
    bool is_active;
  };
  struct Contactor {  ///< A particle with pairs.
    std::int32_t particle, first_pair, last_pair;
    Vec3 target;    ///< [m] y
    Vec3 position;  ///< [m] current iterate
  };

  void choose(double h, const solid::ClothSystem& cloth, std::span<const Vec3> predicted,
              const ParticleMotion& particles, std::span<const contact::Candidate> candidates);
  void evaluate(const Contactor& contactor, std::span<const TriangleIndices> triangles,
                std::span<const Vec3> x, const Vec3f& start);

  std::vector<double> gap_of_triangle_;
  double largest_gap_ = 0;
  std::vector<Pair> pairs_, chosen_;
  std::vector<Contactor> contactors_;
  std::vector<Vec3> forces_, forces_before_;
  std::vector<std::int32_t> active_at_vertex_;
  std::vector<double> chunk_sums_;
  std::span<const Vec3> x_n_;
};

}  // namespace sluice::coupling
