// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/contact/gap.h"
#include "solver/contact/pairs.h"
#include "solver/coupling/contact_surfaces.h"
#include "solver/coupling/rigid_compliance.h"
#include "solver/coupling/walls.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/scene/scene.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::coupling {

/// The fluid's side of a substep, as contact sees it: the particles' positions at t^n, their
/// targets and their inertia.
struct ParticleMotion {
  std::span<const Vec3f> positions;                 ///< [m] at t^n
  std::span<const Vec3f> targets;                   ///< [m] y of the fluid
  std::span<const std::uint32_t> rows;              ///< ParticleFluid::rows
  std::span<const std::uint8_t> materials;          ///< Index into `inertia`.
  std::span<const double> inertia;                  ///< [N/m] particle mass / h^2, by material
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();  ///< [m] where particles may be
  /// A particle takes part in contact with solids where it starts closer than this part of its gap.
  double taking_part = std::numeric_limits<double>::infinity();
};

/// [1/s] Where bodies start closer to each other or to a wall than contact keeps them, they come
/// apart at this rate times that distance: within a frame, and slowly enough to add no energy to
/// speak of.
inline constexpr double recovery_rate = 60;

/// Contact of fluid particles and the vertices of solids with triangles of solids, and of edges
/// with edges: the contact local and global steps of [Yang2023] Algorithm 5.
///
/// Constraint of a pair: the point stays on the side of the triangle where it was at x^n, and an
/// edge on its side of the other edge, at least `gap` = contact distance + half thickness (of both
/// bodies; contact_surfaces.h) from it (or, if it started closer, no closer, moving out at a
/// limited rate). Edges count where they cross; all else that two edges have in common is a point's
/// contact.
///
///   local    A pair that is s closer than that at x^ gets the force along the unit normal n
///            between the nearest points sum_i w_i x_i (w is 1 and minus the weights in the
///            triangle for a point, the fractions for edges):
///                lambda += s / sum_i c_i w_i^2 / D_i,  lambda >= 0.
///   global   x_f = y_f + sum lambda n / D_f,  x_i += (change of sum lambda w_i n) / D_i.
///
/// This is the mass-weighted projection of [Yang2023] (3.9) as corrected: D = m / h^2 for
/// particles, and for vertices the diagonal of the global step, m / h^2 + stiffness: the mass that
/// the implicit step lets a force feel, so that the iteration's fixed point balances springs and
/// contact. The sum over pairs conserves momentum: every lambda n acts on the particle and,
/// opposite, at the nearest point of what it touches. c counts the contacts of a particle or
/// vertex: each owns that share of its mass, so that contacts solved at the same time do not
/// overshoot [Tonge2012, mass splitting]. Keeping lambda through the iterations replaces (3.6)'s
/// dual u_d; keeping it, by point, through the substeps of a frame saves most of the iterations.
///
/// A rigid body's part of the denominator is c (h^2 / m + (r x n) . h^2 I^-1 (r x n)), c the number
/// of contacts on all of the body; RigidStep moves the body by the forces.
///
/// Friction, by Coulomb's law: a force t across n, t -= slip over its own compliance,
/// |t| <= mu lambda, where slip is the way across n that the two have moved against each other
/// since x^n.
///
/// Restitution e of rigid bodies: a pair that is expected within its gap and comes together at the
/// speed v at x^n has to be e v h further apart at the end than it was, instead of only that gap,
/// so that it comes off at e v.
///
/// n, w and which pairs are in contact are found anew every few iterations; in between the distance
/// is linear, n . sum w_i x_i, as (3.8).
///
/// Where the solids are minimised over together with their contacts (solid_presses.h), pairs of
/// solids are found, kept and counted here, edges from the start, but their forces come from there:
/// `evaluate`, then `set_force` for each of `solid_contacts`, then `respond`, which moves
/// particles.
class SurfaceContact {
 public:
  /// Whether forces between solids are found by iteration here, or by SolidPresses.
  enum class SolidPairs { iterated, pressed };

  /// An active pair, with the numbers that stay the same until the next evaluation.
  struct Contact {
    std::array<std::int32_t, 4> vertices;  ///< The pair's points; -1 for a particle.
    contact::PairKind kind;
    std::int32_t pair;
    Vec3 normal;
    geometry::Vec4 weights;
    double wanted;                 ///< [m] gap to keep in this substep
    double compliance;             ///< [m/N] the denominator of lambda's update
    double lambda;                 ///< [N]
    double coefficient = 0;        ///< Coulomb coefficient.
    double slip_compliance = 0;    ///< [m/N]
    Vec3 friction = Vec3::Zero();  ///< [N]
  };

  SurfaceContact(const scene::Scene& scene, const solid::DeformableSystem& solids,
                 SolidPairs solid_pairs = SolidPairs::iterated);

  /// Forgets the forces of the last substep: a state saved between frames need not hold them.
  void begin_frame();

  /// Gives particles other rows from now on: see Method.
  void renumber_particles(std::span<const std::uint32_t> former_rows);

  /// [m] largest gap kept, between two thick bodies: look for candidates that far.
  [[nodiscard]] double largest_gap() const noexcept { return surfaces_.largest_gap(); }

  /// Returns the surfaces that can touch.
  [[nodiscard]] contact::Surfaces surfaces() const noexcept { return surfaces_.view(); }

  /// Whether solids can touch solids.
  [[nodiscard]] bool is_between_solids() const noexcept { return surfaces_.is_between_solids(); }

  /// Starts a substep: keeps those of the candidates that can come within their gap. `predicted` is
  /// where the solids' vertices are expected; `diagonal` is the diagonal of the global step,
  /// infinite for a held vertex; `rigid` has an entry for each rigid body. All spans stay as they
  /// are until the next call.
  void begin(double h, const solid::DeformableSystem& solids, std::span<const Vec3> predicted,
             std::span<const double> diagonal, std::span<const RigidCompliance> rigid,
             const ParticleMotion& particles, const contact::PairsView& candidates);

  /// Without pairs there is nothing to respond to.
  [[nodiscard]] bool has_pairs() const noexcept { return !pairs_.empty(); }

  /// Contact local and global step of iteration `k` = 0, 1, ...: moves the vertices `x` and the
  /// particles that take part. Returns sum D_f |change of x_f|^2, [J].
  double respond(int k, const Walls& walls, std::span<Vec3> x);

  /// Finds normals and active pairs anew where vertices are at `x`.
  void evaluate(std::span<const Vec3> x);

  /// The active pairs of solids at the last evaluation.
  [[nodiscard]] std::span<const Contact> solid_contacts() const noexcept {
    return std::span(contacts_).subspan(first_solid_contact_);
  }
  /// Gives one of the solid_contacts() its force [N].
  void set_force(std::size_t solid_contact, double lambda, const Vec3& friction);

  /// Ask this before an iteration ends: whether edges have come near each other that took no part
  /// yet. They take part from the next `respond` on.
  [[nodiscard]] bool admit_edges() noexcept;

  /// [N/m] sum of D_f over the particles that have pairs.
  [[nodiscard]] double inertia_of_particles() const noexcept;

  /// Writes the places in the iteration of particles that have pairs; leaves the others.
  void place_particles(std::span<Vec3f> places) const;

  /// Keeps the forces of the last `respond` to start from in the next `begin`; `finish` does too.
  void keep_forces();

  /// The pairs that `begin` has kept.
  [[nodiscard]] contact::PairsView pairs() const noexcept { return {surfaces(), kept_}; }

  /// [N] The force of contact on each vertex: of the last `respond` or, before, expected from the
  /// substep before.
  [[nodiscard]] std::span<const Vec3> forces() const noexcept { return forces_; }

  /// [N] The fluid's part of these forces.
  [[nodiscard]] std::span<const Vec3> fluid_forces() const noexcept { return fluid_forces_; }

  /// [N m] Torques by rigid body, to be added to those of forces() at the places of x^n: then both
  /// sides of a contact have the same arm, so that angular momentum is conserved as linear momentum
  /// is. Between rigid bodies that arm leads to the middle of the two points at x^n, else to the
  /// point that is not rigid.
  [[nodiscard]] std::span<const Vec3> torques() const noexcept { return torques_; }

  /// Ends a substep: tells `fluid`, which is null where there are no particles, where contact moves
  /// them. A particle's velocity follows its place, but may keep a part that leads against a
  /// surface, by `most_against` [m] in the substep at most. Returns the first particle whose place
  /// or velocity is not finite, or -1.
  [[nodiscard]] std::int64_t finish(double h, fluid::ParticleFluid* fluid, double most_against = 0);

  /// [N] Writes the magnitude of contact's force on each particle, by row; 0 without a contact.
  void measure_forces(std::span<float> by_row) const;

  /// Returns the number of pairs with a force.
  [[nodiscard]] std::int64_t active_count() const noexcept;

  /// [N] Returns the sum of the forces on particles; that of forces() is the opposite, to rounding.
  [[nodiscard]] Vec3 force_on_particles() const noexcept;

 private:
  using Vertices = std::array<std::int32_t, 4>;  ///< A pair's points; -1 for a particle.

  struct Pair {
    Vertices vertices;
    contact::PairKind kind;
    bool is_active;
    double wanted;         ///< [m] gap to keep in this substep
    double lambda;         ///< [N]
    Vec3 friction;         ///< [N] across the normal
    Vec3 start_normal;     ///< Separates the pair at x^n.
    contact::PairGap gap;  ///< At the last evaluation.
  };
  /// [N] Sums over all contacts of a point or an edge.
  struct KeptForce {
    double lambda = 0;
    Vec3 friction = Vec3::Zero();
  };
  /// A point, or an edge, with its pairs.
  struct Contactor {
    enum class Kind : std::uint8_t { particle, vertex, edge };
    Kind kind;
    std::int32_t index;  ///< Number among those of its kind.
    std::int32_t first_pair, last_pair, first_contact, last_contact;
    double inertia;  ///< [N/m] of a particle
    Vec3 target;     ///< [m] y of a particle
    Vec3 position;   ///< [m] current iterate of a particle
  };

  void choose(double h, std::span<const Vec3> predicted, const contact::PairsView& candidates);
  void bounce(double h, Pair& pair) const;
  [[nodiscard]] contact::PairGap in_plane(contact::PairGap gap) const;
  void keep(const contact::PairsView& candidates);
  void expect_forces();
  [[nodiscard]] bool evaluate(Contactor& contactor, std::span<const Vec3> x);
  void collect_contacts(std::span<const Vec3> x);
  void set_compliances(const Contactor& contactor, std::span<const Vec3> x);
  void add_rigid(const Contactor& contactor, std::span<const Vec3> x, Contact& contact) const;
  void begin_friction(Contact& contact) const;
  void update_friction(const Contactor& contactor, std::span<const Vec3> x, Contact& contact) const;
  [[nodiscard]] double solve(Contactor& contactor, const Walls& walls, std::span<const Vec3> x);
  void sum_forces();
  void add_torques(const Contactor& contactor, const Contact& contact);
  [[nodiscard]] Vec3 start_of(const Contactor& particle) const;
  [[nodiscard]] std::array<std::int32_t, 2> rigid_bodies_of(const Contact& contact) const;
  [[nodiscard]] KeptForce& kept_force(const Contactor& contactor);
  void forget_forces();
  template <typename Body>
  double sum_over_contactors(const Body& body);

  // Constants of the scene.
  ContactSurfaces surfaces_;
  bool are_solids_pressed_;
  bool is_of_slices_;                          ///< Solids are slices, which stay in their plane.
  std::vector<std::int32_t> rigid_of_vertex_;  ///< Rigid body or -1; empty without any.
  // State of the substep.
  ParticleMotion particles_;
  bool edges_take_part_ = false;  ///< From the second evaluation on.
  bool edges_wait_ = false;       ///< Whether edges came near before that.
  bool is_evaluation_due_ = false;
  std::span<const Vec3> x_n_, v_n_;
  std::span<const double> diagonal_;
  std::span<const RigidCompliance> rigid_;
  std::vector<Pair> chosen_, pairs_;  ///< By candidate; and the ones kept.
  contact::Candidates kept_;
  std::vector<Contactor> contactors_;
  std::vector<Contact> contacts_;  ///< Contacts of particles come first.
  std::size_t first_solid_contact_ = 0;
  std::vector<std::int32_t> contacts_at_vertex_, contacts_at_rigid_;
  std::vector<Vec3> forces_, fluid_forces_, forces_before_, torques_;
  std::vector<double> chunk_sums_;
  // Kept between substeps, [N] sums over the contacts of a particle, by row, a vertex, an edge.
  std::vector<KeptForce> force_by_row_, force_by_vertex_, force_by_edge_;
};

}  // namespace sluice::coupling
