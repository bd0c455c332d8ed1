// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/step_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/contact/gap.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::contact {
namespace {

constexpr double no_contact = std::numeric_limits<double>::infinity();
// Part of the way to a contact that is allowed: leaves a gap for the next substep to work with.
constexpr double part_to_contact = 0.8;
// Rounds of shortening before stricter stages. Crowds at a corner need 3 or 4.
constexpr int fraction_rounds = 16;
// Less than a half, so that two sides that both use it cannot meet; the rest is for rounding.
constexpr double clearance_part = 0.45;
// A body that may go less than this part of its way does not move at all.
constexpr double smallest_fraction = 1e-6;
constexpr std::int64_t step_filter_grain = 256;  // Pairs a chunk, some 20 us.

// The double that remains of `value` after storage as a float. GCC 12's SLP vectorizer drops pairs
// of conversions to float and back (-O3, two coordinates at a time), and the end point that was
// tested is then not the one stored; step_filter_test, StepAfterStep... fails. Hence the volatile.
double stored_as_float(double value) {
  volatile float stored = static_cast<float>(value);
  return static_cast<double>(stored);
}

// A place between start and asked that the point's storage holds exactly.
Vec3 place_between(const Vec3& start, const Vec3& asked, double fraction, bool is_particle) {
  if (fraction >= 1) return asked;
  Vec3 place = start + fraction * (asked - start);
  // The sum may be rounded past an end.
  place = place.cwiseMax(start.cwiseMin(asked)).cwiseMin(start.cwiseMax(asked));
  return is_particle ? Vec3(place.unaryExpr(&stored_as_float)) : place;
}

}  // namespace

FilterReport StepFilter::limit(const MotionBounds& bounds, const PairsView& pairs,
                               FilterMethod method, const PointsSpan& t1,
                               const RigidMotion* rigid) {
  FilterReport report;
  rigid_ = rigid;
  const std::size_t loose_vertices = rigid == nullptr
                                         ? t1.vertices.size()
                                         : static_cast<std::size_t>(rigid->vertex_ranges().front());
  report.limited_count = bounds.clamp(t1, loose_vertices);
  clamp_bodies(bounds, t1);
  gather(bounds.t0(), t1, pairs);
  double everywhere = 1;  // Fraction of the global method.
  for (int round = 0;; ++round) {
    const std::int64_t hits = test(round);
    ++report.round_count;
    if (round == 0) report.hit_count = hits;
    if (hits == 0) break;
    if (method == FilterMethod::global) {
      const double first = *std::min_element(times_.begin(), times_.end());
      everywhere *= round < fraction_rounds ? part_to_contact * first : 0;
      for (Point& point : points_) {
        point.next_fraction =
            everywhere *
            (point.body == no_body ? 1 : body_fractions_[static_cast<std::size_t>(point.body)]);
      }
    } else if (round < fraction_rounds) {
      limit_by_fraction();
    } else {
      promote_stages(round + 1);
    }
    if (rigid_ != nullptr && method == FilterMethod::local) unite_bodies(round + 1);
    move(round + 1);
  }
  report.limited_count += method == FilterMethod::global && everywhere < 1
                              ? scale_everything(bounds.t0(), t1, everywhere)
                              : scatter(t1);
  report.rigid_fractions = body_fractions_;
  return report;
}

void StepFilter::place_body(std::size_t body, std::span<Vec3> vertices) const {
  const std::span<const std::int32_t> ranges = rigid_->vertex_ranges();
  for (std::int32_t v = ranges[body]; v < ranges[body + 1]; ++v) {
    vertices[static_cast<std::size_t>(v)] = rigid_->place(body, v, body_fractions_[body]);
  }
}

// Shortens the way of each body until all its vertices are in their boxes.
void StepFilter::clamp_bodies(const MotionBounds& bounds, const PointsSpan& t1) {
  body_fractions_.clear();
  if (rigid_ == nullptr) return;
  const std::span<const std::int32_t> ranges = rigid_->vertex_ranges();
  body_fractions_.assign(ranges.size() - 1, 1);
  for (std::size_t b = 0; b < body_fractions_.size(); ++b) {
    const auto is_allowed = [&] {
      for (auto v = static_cast<std::size_t>(ranges[b]);
           v < static_cast<std::size_t>(ranges[b + 1]); ++v) {
        if (!bounds.allows(v, t1.vertices[v])) return false;
      }
      return true;
    };
    if (is_allowed()) continue;
    double& fraction = body_fractions_[b];
    do {
      fraction = fraction > smallest_fraction ? fraction * part_to_contact : 0;
      place_body(b, t1.vertices);
    } while (fraction > 0 && !is_allowed());
  }
}

void StepFilter::gather(const PointsView& t0, const PointsView& t1, const PairsView& pairs) {
  points_.clear();
  clearances_.clear();
  pairs_.resize(pairs.size());
  times_.resize(pairs.size());
  const std::size_t particle_count = t0.particles.size();
  places_.assign(particle_count + t0.vertices.size(), -1);
  const auto append = [&](std::int32_t point) {
    const bool is_particle = static_cast<std::size_t>(point) < particle_count;
    const std::int32_t index =
        is_particle ? point : point - static_cast<std::int32_t>(particle_count);
    std::int32_t body = no_body;
    double fraction = 1;
    if (rigid_ != nullptr && !is_particle && index >= rigid_->vertex_ranges().front()) {
      const std::span<const std::int32_t> ranges = rigid_->vertex_ranges();
      const auto end = std::upper_bound(ranges.begin(), ranges.end(), index);
      body = static_cast<std::int32_t>(end - ranges.begin()) - 1;
      fraction = body_fractions_[static_cast<std::size_t>(body)];
    }
    const Vec3 asked = t1.at(point);
    points_.push_back({t0.at(point), asked, asked, fraction, fraction, 0, index, body,
                       Stage::fraction, is_particle});
    return static_cast<std::int32_t>(points_.size()) - 1;
  };
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    pairs_[p] = {pairs.kind(p), pairs.indices(p, particle_count)};
    for (std::int32_t& point : pairs_[p].points) {
      std::int32_t& place = places_[static_cast<std::size_t>(point)];
      if (place < 0) place = append(point);
      point = place;
    }
  }
}

// Fills times_ and counts the contacts. Pairs of which nothing changed since they passed are not
// asked again.
std::int64_t StepFilter::test(int round) {
  const auto count = static_cast<std::int64_t>(pairs_.size());
  parallel::parallel_for(0, count, step_filter_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      times_[p] = no_contact;
      bool has_changed = false, is_moving = false;
      geometry::PairPoints start, end;
      for (std::size_t k = 0; k < 4; ++k) {
        const Point& point = points_[static_cast<std::size_t>(pairs_[p].points[k])];
        has_changed |= point.changed == round;
        is_moving |= point.end != point.start;
        start[k] = point.start;
        end[k] = point.end;
      }
      if (!has_changed || !is_moving) continue;
      const auto time = first_contact(pairs_[p].kind, start, end);
      if (time) times_[p] = *time;
    }
  });
  return static_cast<std::int64_t>(times_.size()) -
         std::count(times_.begin(), times_.end(), no_contact);
}

void StepFilter::limit_by_fraction() {
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    if (times_[p] == no_contact) continue;
    for (const std::int32_t place : pairs_[p].points) {
      Point& point = points_[static_cast<std::size_t>(place)];
      point.next_fraction =
          std::min(point.next_fraction, part_to_contact * times_[p] * point.fraction);
    }
  }
}

void StepFilter::promote_stages(int round) {
  if (clearances_.empty()) set_clearances();
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    if (times_[p] == no_contact) continue;
    Stage least = Stage::still;
    for (const std::int32_t place : pairs_[p].points) {
      least = std::min(least, points_[static_cast<std::size_t>(place)].stage);
    }
    for (const std::int32_t place : pairs_[p].points) {
      Point& point = points_[static_cast<std::size_t>(place)];
      if (point.stage != least) continue;
      point.changed = round;  // Tested again even if it need not move less.
      point.stage = least == Stage::fraction ? Stage::clearance : Stage::still;
      const double way = (point.asked - point.start).norm();
      const double allowed = clearance_part * clearances_[static_cast<std::size_t>(place)];
      point.next_fraction = point.stage == Stage::still ? 0
                            : way > allowed             ? std::min(point.fraction, allowed / way)
                                                        : point.fraction;
    }
  }
}

// Lets the points of each rigid body go as far as the one that may go least.
void StepFilter::unite_bodies(int round) {
  struct Body {
    double fraction = 1;
    Stage stage = Stage::fraction;
    bool has_changed = false;
  };
  std::vector<Body> bodies(body_fractions_.size());
  for (const Point& point : points_) {
    if (point.body == no_body) continue;
    Body& body = bodies[static_cast<std::size_t>(point.body)];
    body.fraction = std::min(body.fraction, point.next_fraction);
    body.stage = std::max(body.stage, point.stage);
    body.has_changed |= point.changed == round;
  }
  // Places turn with the body, so that their ways are not in proportion to the fraction.
  const auto keeps_clear = [&](const Point& point, std::size_t place, double fraction) {
    const Vec3 end = rigid_->place(static_cast<std::size_t>(point.body), point.index, fraction);
    return (end - point.start).norm() <= clearance_part * clearances_[place];
  };
  for (std::size_t place = 0; place < points_.size(); ++place) {
    const Point& point = points_[place];
    if (point.body == no_body) continue;
    Body& body = bodies[static_cast<std::size_t>(point.body)];
    if (body.stage != Stage::clearance) continue;
    while (body.fraction > 0 && !keeps_clear(point, place, body.fraction)) {
      body.fraction = body.fraction > smallest_fraction ? part_to_contact * body.fraction : 0;
    }
  }
  for (Point& point : points_) {
    if (point.body == no_body) continue;
    const Body& body = bodies[static_cast<std::size_t>(point.body)];
    point.next_fraction = body.fraction;
    point.stage = body.stage;
    if (body.has_changed) point.changed = round;
  }
}

// The distance at the start from each point to the nearest primitive it has a pair with.
void StepFilter::set_clearances() {
  std::vector<double> distances(pairs_.size());
  const auto count = static_cast<std::int64_t>(pairs_.size());
  parallel::parallel_for(0, count, step_filter_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      geometry::PairPoints start;
      for (std::size_t k = 0; k < 4; ++k)
        start[k] = points_[static_cast<std::size_t>(pairs_[p].points[k])].start;
      distances[p] = measure_gap(pairs_[p].kind, start).distance;
    }
  });
  clearances_.assign(points_.size(), no_contact);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    for (const std::int32_t place : pairs_[p].points) {
      double& clearance = clearances_[static_cast<std::size_t>(place)];
      clearance = std::min(clearance, distances[p]);
    }
  }
}

void StepFilter::move(int round) {
  for (Point& point : points_) {
    if (point.next_fraction == point.fraction) continue;
    point.fraction = point.next_fraction;
    point.end =
        point.body == no_body
            ? place_between(point.start, point.asked, point.fraction, point.is_particle)
            : rigid_->place(static_cast<std::size_t>(point.body), point.index, point.fraction);
    point.changed = round;
  }
}

std::int64_t StepFilter::scatter(const PointsSpan& t1) {
  std::int64_t limited = 0;
  for (const Point& point : points_) {
    if (point.body != no_body) {
      body_fractions_[static_cast<std::size_t>(point.body)] = point.fraction;
      continue;
    }
    if (point.end == point.asked) continue;
    ++limited;
    const auto i = static_cast<std::size_t>(point.index);
    if (point.is_particle) {
      t1.particles[i] = point.end.cast<float>();
    } else {
      t1.vertices[i] = point.end;
    }
  }
  for (std::size_t b = 0; b < body_fractions_.size(); ++b) {
    if (body_fractions_[b] == 1) continue;
    const std::span<const std::int32_t> ranges = rigid_->vertex_ranges();
    limited += ranges[b + 1] - ranges[b];
    place_body(b, t1.vertices);
  }
  return limited;
}

std::int64_t StepFilter::scale_everything(const PointsView& t0, const PointsSpan& t1,
                                          double fraction) {
  const auto scale = [&](auto& start, auto& end, bool is_particle) {
    using Scalar = typename std::decay_t<decltype(end[0])>::Scalar;
    parallel::parallel_for(
        0, static_cast<std::int64_t>(end.size()), 16 * step_filter_grain,
        [&](std::int64_t first, std::int64_t last) {
          for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
            end[i] = place_between(start[i].template cast<double>(), end[i].template cast<double>(),
                                   fraction, is_particle)
                         .template cast<Scalar>();
          }
        });
    return static_cast<std::int64_t>(end.size());
  };
  const std::int64_t count =
      scale(t0.particles, t1.particles, true) + scale(t0.vertices, t1.vertices, false);
  for (std::size_t b = 0; b < body_fractions_.size(); ++b) {
    body_fractions_[b] *= fraction;
    place_body(b, t1.vertices);
  }
  return count;
}

}  // namespace sluice::contact
