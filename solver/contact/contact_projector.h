// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/gap.h"
#include "solver/contact/points.h"
#include "solver/contact/projection.h"

namespace sluice::contact {

/// What contact must know of the bodies, all of it constant during a substep.
struct ContactBodies {
  std::span<const double> material_inverse_masses;  ///< [1/kg] of one particle of each fluid
  std::span<const std::uint8_t> materials;          ///< Fluid of each particle.
  std::span<const double> vertex_inverse_masses;    ///< [1/kg]; 0 if held
  std::span<const TriangleIndices> triangles;       ///< Into the vertices.
  std::span<const double> triangle_gaps;            ///< [m] distance that contact keeps, each > 0
};

struct ProjectionReport {
  std::int64_t active_count = 0;  ///< Candidates closer than their target, before the sweep.
  double largest_violation = 0;   ///< [m] largest target minus distance, before the sweep.
};

/// Pushes particles and triangles apart until the gap between them is kept: the contact local and
/// global steps of [Yang2023, algorithm 5].
///
/// A sweep measures all candidates against the same state (Jacobi), splits the mass of each point
/// among the contacts it is in [Tonge2012], projects each contact by itself, and adds up the
/// displacements. A displacement belongs to a contact and conserves its momentum, so the sum does,
/// up to the rounding of particles to float. One sweep meets the target of contacts that share no
/// point and never overshoots the others, which further sweeps bring closer.
/// Deterministic for any number of threads: measured in parallel, added in order.
class ContactProjector {
 public:
  /// Starts a substep from `t0`. All spans stay valid until the next call. A pair that starts
  /// closer than its gap is only asked to gain `recovery` [m] in this substep: to jump apart at
  /// once would be a blow. `candidates` are ordered by particle.
  void begin(const ContactBodies& bodies, const PointsView& t0,
             std::span<const Candidate> candidates, double recovery);

  /// Moves the points of `t1` once.
  ProjectionReport sweep(const PointsSpan& t1);

 private:
  struct Start {
    Vec3 normal;    // Separates the pair at t0.
    double target;  // [m]
  };
  struct Contact {
    std::size_t candidate;
    PairGap gap;
  };

  void measure(const PointsView& t1);
  void count_shares();
  void add_shifts(const PointsSpan& t1);

  ContactBodies bodies_;
  PointsView t0_;
  std::span<const Candidate> candidates_;
  std::vector<Start> starts_;
  std::vector<std::vector<Contact>> chunk_contacts_;
  std::vector<Contact> contacts_;
  std::vector<std::int32_t> particle_shares_, vertex_shares_;  // 0 outside of a sweep.
  std::vector<Vec3> vertex_shifts_;                            // 0 outside of a sweep.
};

}  // namespace sluice::contact
