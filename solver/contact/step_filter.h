// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/motion_bounds.h"
#include "solver/contact/pairs.h"
#include "solver/contact/points.h"

namespace sluice::contact {

enum class FilterMethod {
  local,   ///< Each contact stops only its own points.
  global,  ///< The first contact stops everything. [Yang2023] (3.11), the reference method.
};

/// Bodies that do not deform: all vertices of one stop at the same part of its way. Their vertices
/// are the last ones of the state.
class RigidMotion {
 public:
  virtual ~RigidMotion() = default;
  /// The first vertex of each body, and the end of the last.
  [[nodiscard]] virtual std::span<const std::int32_t> vertex_ranges() const = 0;
  /// [m] Returns where a vertex of a body is after the part `fraction` in [0, 1] of its way:
  /// exactly its places at t0 and t1 for 0 and 1.
  [[nodiscard]] virtual Vec3 place(std::size_t body, std::int32_t vertex,
                                   double fraction) const = 0;
};

/// The outcome of a filter.
struct FilterReport {
  std::int64_t limited_count = 0;            ///< Points that did not get as far as asked.
  std::int64_t hit_count = 0;                ///< Pairs that would have touched, in the first round.
  int round_count = 0;                       ///< Passes over the pairs.
  std::vector<double> rigid_fractions = {};  ///< How far each rigid body got of its way.
};

/// Shortens the motion of a substep until no point meets a triangle on the way, and no edge an
/// edge.
///
/// Guarantee: let the pairs be complete for `bounds` (CandidateFinder) and none of them in contact
///   at t0. Then after `limit` none touches at any time in [0, 1] while
///   all points go straight from t0 to t1, decided on the values as stored in t1 (particles rounded
///   to float). For every pair either first_contact (geometry/ccd.h, no false negatives) denied
///   contact for exactly these end points, or none of its four points moves. By induction no point
///   ever crosses from a start that is free of contact; and surfaces of which neither vertices meet
///   triangles nor edges edges do not intersect.
///
/// Local method: each pair that would touch at time t limits its four points to the fraction
///   0.8 t of their way, all against the same state (Jacobi) and the smallest for each point; then
///   pairs with a changed point are tested again. A point slowed by one contact may run into
///   another, so this repeats; after 16 rounds the points still in contact may only move 0.45 of
///   the clearance to their nearest candidate, which is safe if both sides keep to it, and at last
///   not at all. Each point goes through these stages once, so it ends. The vertices of a rigid
///   body do all this together.
/// Deterministic for any number of threads. Buffers are kept between calls.
class StepFilter {
 public:
  /// `t1` first returns into `bounds` where it left them.
  FilterReport limit(const MotionBounds& bounds, const PairsView& pairs, FilterMethod method,
                     const PointsSpan& t1, const RigidMotion* rigid = nullptr);

 private:
  /// How a point is limited; each stage is stricter than the one before.
  enum class Stage : std::uint8_t { fraction, clearance, still };

  static constexpr std::int32_t no_body = -1;

  /// A particle or vertex that is in some pair.
  struct Point {
    Vec3 start, asked, end;  ///< [m] `end` is exactly what t1 can store.
    double fraction;         ///< Part of its own way, or of its rigid body's.
    double next_fraction;    ///< The smallest that a contact of this round allows.
    std::int32_t changed;    ///< The round before which `end` last changed.
    std::int32_t index;      ///< Into the particles or vertices.
    std::int32_t body;       ///< Its rigid body, or no_body.
    Stage stage;
    bool is_particle;
  };
  /// A pair, its points by their places in points_.
  struct Pair {
    PairKind kind;
    std::array<std::int32_t, 4> points;
  };

  void gather(const PointsView& t0, const PointsView& t1, const PairsView& pairs);
  std::int64_t test(int round);
  void clamp_bodies(const MotionBounds& bounds, const PointsSpan& t1);
  void place_body(std::size_t body, std::span<Vec3> vertices) const;
  void limit_by_fraction();
  void promote_stages(int round);
  void unite_bodies(int round);
  void set_clearances();
  void move(int round);
  std::int64_t scatter(const PointsSpan& t1);
  std::int64_t scale_everything(const PointsView& t0, const PointsSpan& t1, double fraction);

  std::vector<Point> points_;
  std::vector<Pair> pairs_;
  std::vector<double> times_;           ///< Time of each pair's contact, or no_contact.
  std::vector<std::int32_t> places_;    ///< By particle, then vertex: index into points_ or -1.
  std::vector<double> clearances_;      ///< [m] by point; empty until needed.
  const RigidMotion* rigid_ = nullptr;  ///< The one given to the call at hand.
  std::vector<double> body_fractions_;
};

}  // namespace sluice::contact
