// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/surface_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t surface_contact_grain = 2048;
constexpr std::int64_t pair_grain = 256;
constexpr std::int64_t contactor_grain = 128;

// At least this part of a normal's length is in the plane of slices; the normal of a pair that lies
// in one slice has nothing there.
constexpr double least_in_plane = 0.5;

// The part of the way to a point's nearest point on a triangle that may be beside the triangle's
// normal.
constexpr double steepest_over_face = 0.25;

// Iterations from one search for normals and active pairs to the next.
constexpr int evaluation_interval = 5;

using contact::PairKind;

std::int64_t size_of(const auto& range) { return static_cast<std::int64_t>(range.size()); }

/// The first of a pair's points that belongs to its second primitive.
std::size_t second_of(PairKind kind) { return kind == PairKind::point_triangle ? 1 : 2; }

double weight(const geometry::Vec4& weights, std::size_t k) {
  return weights[static_cast<Eigen::Index>(k)];
}

/// Which corners of a triangle carry the nearest point: pairs that share it are one contact.
std::array<std::int32_t, 3> feature_of(const std::array<std::int32_t, 4>& vertices,
                                       const geometry::Vec4& weights) {
  std::array<std::int32_t, 3> feature{-1, -1, -1};
  for (std::size_t k = 1; k < 4; ++k) {
    if (weight(weights, k) != 0) feature[k - 1] = vertices[k];
  }
  std::sort(feature.begin(), feature.end());
  return feature;
}

/// How far the first primitive is beyond the second along `normal`, at least.
double separation(PairKind kind, const Vec3& normal, const geometry::PairPoints& x) {
  std::array<double, 4> heights{};
  for (std::size_t k = 0; k < 4; ++k)
    heights[k] = normal.dot(x[k]);
  return kind == PairKind::point_triangle
             ? heights[0] - std::max({heights[1], heights[2], heights[3]})
             : std::min(heights[0], heights[1]) - std::max(heights[2], heights[3]);
}

/// The gap of a point that is a little beside its triangle as one over the triangle's plane. Along
/// the shortest way to a rim, faces that rest on each other would push each other off it: a pile of
/// sheets without friction, rim over rim, is then as unstable as a pencil on its tip.
contact::PairGap over_face(const contact::PairGap& gap, const geometry::PairPoints& x) {
  if (gap.is_inside()) return gap;
  const Vec3 u = x[2] - x[1], v = x[3] - x[1], across = u.cross(v);
  const double squared = across.squaredNorm();
  if (!(squared > 0)) return gap;
  Vec3 normal = across / std::sqrt(squared);
  if (normal.dot(gap.normal) < 0) normal = -normal;
  if (!((gap.normal - normal).squaredNorm() < steepest_over_face * steepest_over_face)) return gap;
  const Vec3 d = x[0] - x[1];
  const double b = d.cross(v).dot(across) / squared, c = u.cross(d).dot(across) / squared;
  return {geometry::Vec4(1, b + c - 1, -b, -c), normal.dot(d), normal};
}

}  // namespace

SurfaceContact::SurfaceContact(const scene::Scene& scene, const solid::DeformableSystem& solids,
                               SolidPairs solid_pairs)
    : surfaces_(scene, solids),
      are_solids_pressed_(solid_pairs == SolidPairs::pressed),
      is_of_slices_(scene::are_cloths_slices(scene) && !scene.cloths.empty()),
      contacts_at_vertex_(solids.positions.size(), 0),
      forces_(solids.positions.size(), Vec3::Zero()),
      fluid_forces_(solids.positions.size(), Vec3::Zero()),
      forces_before_(solids.positions.size(), Vec3::Zero()) {
  if (!solids.rigid_bodies.empty()) {
    rigid_of_vertex_.assign(solids.positions.size(), -1);
    for (std::size_t i = 0; i < rigid_of_vertex_.size(); ++i)
      rigid_of_vertex_[i] = solids.bodies[at(solids.body_of_vertex[i])].rigid_body;
    contacts_at_rigid_.assign(solids.rigid_bodies.size(), 0);
    torques_.assign(solids.rigid_bodies.size(), Vec3::Zero());
  }
  if (!surfaces_.is_between_solids()) return;
  force_by_vertex_.resize(solids.positions.size());
  force_by_edge_.resize(solids.edges.size());
}

void SurfaceContact::forget_forces() {
  for (std::vector<KeptForce>* kept : {&force_by_row_, &force_by_vertex_, &force_by_edge_})
    std::ranges::fill(*kept, KeptForce{});
}

void SurfaceContact::begin_frame() {
  forget_forces();
  std::ranges::fill(torques_, Vec3::Zero());
  std::ranges::fill(forces_, Vec3::Zero());
  std::ranges::fill(fluid_forces_, Vec3::Zero());
}

void SurfaceContact::renumber_particles(std::span<const std::uint32_t> former_rows) {
  std::vector<KeptForce> kept(former_rows.size());
  for (std::size_t row = 0; row < kept.size(); ++row) {
    // Before the first substep of a frame nothing is kept.
    if (former_rows[row] < force_by_row_.size()) kept[row] = force_by_row_[former_rows[row]];
  }
  force_by_row_.swap(kept);
}

void SurfaceContact::begin(double h, const solid::DeformableSystem& solids,
                           std::span<const Vec3> predicted, std::span<const double> diagonal,
                           std::span<const RigidCompliance> rigid, const ParticleMotion& particles,
                           const contact::PairsView& candidates) {
  x_n_ = solids.positions;
  v_n_ = solids.velocities;
  diagonal_ = diagonal;
  rigid_ = rigid;
  particles_ = particles;
  edges_take_part_ = are_solids_pressed_;
  edges_wait_ = is_evaluation_due_ = false;
  force_by_row_.resize(particles.positions.size());
  choose(h, predicted, candidates);
  keep(candidates);
  chunk_sums_.resize(
      static_cast<std::size_t>(parallel::chunk_count(0, size_of(contactors_), contactor_grain)));
  expect_forces();
}

void SurfaceContact::choose(double h, std::span<const Vec3> predicted,
                            const contact::PairsView& candidates) {
  chosen_.resize(candidates.size());
  const contact::PointsView points_t0{particles_.positions, x_n_};
  const contact::PointsView points_t1{particles_.targets, predicted};
  const std::size_t particle_count = particles_.positions.size();
  const double recovered = std::min(1.0, recovery_rate * h);
  parallel::parallel_for(
      0, size_of(candidates), pair_grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const PairKind kind = candidates.kind(i);
          const std::array<std::int32_t, 4> points = candidates.indices(i, particle_count);
          const contact::PairGap start =
              in_plane(contact::measure_gap(kind, contact::places(points, points_t0)));
          const auto offset = static_cast<std::int32_t>(particle_count);
          const double gap = surfaces_.gap(kind, points[0] < offset ? -1 : points[0] - offset,
                                           points[second_of(kind)] - offset);
          // Where both are expected, along what separates them now; contact may move them by
          // another gap or so. A pair that is misjudged here is left to the filter.
          const double end = separation(kind, start.normal, contact::places(points, points_t1));
          chosen_[i] = {
              .vertices = {},
              .kind = kind,
              .is_active = std::min(end, start.distance) < 2 * gap &&
                           (points[0] >= offset || start.distance < particles_.taking_part * gap),
              .wanted = std::min(gap, start.distance + recovered * (gap - start.distance)),
              .lambda = 0,
              .friction = Vec3::Zero(),
              .start_normal = start.normal,
              .gap = start};
          for (std::size_t k = 0; k < 4; ++k) {
            chosen_[i].vertices[k] = points[k] < offset ? -1 : points[k] - offset;
          }
          if (end < chosen_[i].wanted) bounce(h, chosen_[i]);
        }
      });
}

// The nearest point on a slice is a sum that is rounded, and a little off its plane: the gap's
// normal along y is noise, which would throw the slice out of the plane.
contact::PairGap SurfaceContact::in_plane(contact::PairGap gap) const {
  if (!is_of_slices_) return gap;
  gap.normal.y() = 0;
  const double length = gap.normal.norm();
  gap.normal = length > least_in_plane ? Vec3(gap.normal / length) : Vec3(Vec3::Zero());
  return gap;
}

// Has a pair of solids that will meet come apart as fast as restitution says.
void SurfaceContact::bounce(double h, Pair& pair) const {
  if (pair.vertices[0] < 0) return;
  const double restitution =
      surfaces_.material(pair.vertices[0], pair.vertices[second_of(pair.kind)]).restitution;
  if (restitution == 0) return;
  Vec3 velocity = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    velocity += weight(pair.gap.weights, k) * v_n_[at(pair.vertices[k])];
  const double approach = -velocity.dot(pair.start_normal);
  if (approach > 0)
    pair.wanted = std::max(pair.wanted, pair.gap.distance + restitution * approach * h);
}

// Keeps the chosen pairs, by what they are pairs of.
void SurfaceContact::keep(const contact::PairsView& candidates) {
  pairs_.clear();
  kept_.clear();
  contactors_.clear();
  const auto particle_count = static_cast<std::int32_t>(particles_.positions.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!chosen_[i].is_active) continue;
    Contactor of{Contactor::Kind::particle, 0, 0, 0, 0, 0, 0, Vec3::Zero(), Vec3::Zero()};
    if (i < candidates.points.size()) {
      of.index = candidates.points[i].point;
      kept_.points.push_back(candidates.points[i]);
      if (of.index >= particle_count) {
        of.kind = Contactor::Kind::vertex;
        of.index -= particle_count;
      }
    } else {
      of.kind = Contactor::Kind::edge;
      of.index = candidates.edges[i - candidates.points.size()].first;
      kept_.edges.push_back(candidates.edges[i - candidates.points.size()]);
    }
    if (contactors_.empty() || contactors_.back().kind != of.kind ||
        contactors_.back().index != of.index) {
      of.first_pair = of.last_pair = static_cast<std::int32_t>(pairs_.size());
      if (of.kind == Contactor::Kind::particle) {
        of.inertia = particles_.inertia[particles_.materials[at(of.index)]];
        of.target = of.position = particles_.targets[at(of.index)].cast<double>();
      }
      contactors_.push_back(of);
    }
    pairs_.push_back(chosen_[i]);
    pairs_.back().is_active = false;
    ++contactors_.back().last_pair;
  }
}

Vec3 SurfaceContact::start_of(const Contactor& particle) const {
  return particles_.positions[at(particle.index)].cast<double>();
}

SurfaceContact::KeptForce& SurfaceContact::kept_force(const Contactor& contactor) {
  switch (contactor.kind) {
    case Contactor::Kind::particle:
      return force_by_row_[particles_.rows[at(contactor.index)]];
    case Contactor::Kind::vertex:
      return force_by_vertex_[at(contactor.index)];
    case Contactor::Kind::edge:
      break;
  }
  return force_by_edge_[at(contactor.index)];
}

// Gives the force that a contactor had in the substep before to the nearest of its pairs.
void SurfaceContact::expect_forces() {
  for (const Contactor& contactor : contactors_) {
    const KeptForce kept = kept_force(contactor);
    if (kept.lambda == 0) continue;
    const auto first = pairs_.begin() + contactor.first_pair;
    Pair& nearest = *std::min_element(
        first, pairs_.begin() + contactor.last_pair,
        [](const Pair& p, const Pair& q) { return p.gap.distance < q.gap.distance; });
    nearest.lambda = kept.lambda;
    nearest.friction = kept.friction;
    nearest.is_active = true;
  }
  collect_contacts(x_n_);
  sum_forces();
  for (Contactor& contactor : contactors_) {
    // Particles come first; the solids' predictions have it already.
    if (contactor.kind != Contactor::Kind::particle) break;
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      const Contact& contact = contacts_[at(i)];
      contactor.position +=
          (contact.lambda * contact.normal + contact.friction) / contactor.inertia;
    }
  }
}

// Returns whether an edge came near that takes no part yet.
bool SurfaceContact::evaluate(Contactor& contactor, std::span<const Vec3> x) {
  bool waits = false;
  const auto places = [](const Pair& pair, const Vec3& particle, std::span<const Vec3> vertices) {
    geometry::PairPoints points;
    for (std::size_t k = 0; k < 4; ++k)
      points[k] = pair.vertices[k] < 0 ? particle : vertices[at(pair.vertices[k])];
    return points;
  };
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Pair& pair = pairs_[at(contacts_[at(i)].pair)];
    pair.lambda = contacts_[at(i)].lambda;
    pair.friction = contacts_[at(i)].friction;
  }
  const bool is_particle = contactor.kind == Contactor::Kind::particle;
  const Vec3 start = is_particle ? start_of(contactor) : Vec3::Zero();
  for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
    Pair& pair = pairs_[at(i)];
    const geometry::PairPoints now = places(pair, contactor.position, x);
    if (pair.lambda == 0) {
      // Most pairs are still far enough apart along the normal that separated them at x^n.
      pair.is_active = separation(pair.kind, pair.start_normal, now) < pair.wanted;
      if (pair.is_active && pair.kind == PairKind::edge_edge && !edges_take_part_) {
        pair.is_active = false;
        waits = true;
      }
      if (!pair.is_active) continue;
    }
    pair.gap = in_plane(contact::measure_gap(pair.kind, places(pair, start, x_n_), now));
    pair.is_active = pair.gap.distance < pair.wanted || pair.lambda > 0;
    if (pair.gap.normal.isZero(0)) pair.is_active = false;  // No way out: left to the filter.
    // A pair of edges that do not cross is a contact of points.
    if (pair.kind == PairKind::edge_edge && !pair.gap.is_inside()) pair.is_active = false;
    if (!pair.is_active) {
      pair.lambda = 0;
      pair.friction.setZero();
      continue;
    }
    if (pair.gap.is_inside()) continue;  // Nobody else's.
    // Triangles that share an edge or a corner see the same contact there: one of them has it.
    const auto feature = feature_of(pair.vertices, pair.gap.weights);
    for (std::int32_t j = contactor.first_pair; j < i; ++j) {
      Pair& other = pairs_[at(j)];
      if (other.is_active && feature_of(other.vertices, other.gap.weights) == feature) {
        other.lambda += pair.lambda;
        other.friction += pair.friction;
        pair.lambda = 0;
        pair.friction.setZero();
        pair.is_active = false;
        break;
      }
    }
  }
  for (std::int32_t i = contactor.first_pair; are_solids_pressed_ && i < contactor.last_pair; ++i) {
    Pair& pair = pairs_[at(i)];
    if (pair.is_active && !is_particle && pair.kind == PairKind::point_triangle)
      pair.gap = over_face(pair.gap, places(pair, contactor.position, x));
  }
  return waits;
}

void SurfaceContact::collect_contacts(std::span<const Vec3> x) {
  contacts_.clear();
  first_solid_contact_ = 0;
  std::ranges::fill(contacts_at_vertex_, 0);
  std::ranges::fill(contacts_at_rigid_, 0);
  for (Contactor& contactor : contactors_) {
    contactor.first_contact = static_cast<std::int32_t>(contacts_.size());
    for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
      const Pair& pair = pairs_[at(i)];
      if (!pair.is_active) continue;
      contacts_.push_back({pair.vertices, pair.kind, i, pair.gap.normal, pair.gap.weights,
                           pair.wanted, 0, pair.lambda});
      contacts_.back().friction = pair.friction;
      for (std::size_t k = 0; k < 4; ++k) {
        // A contact at an edge or corner does not touch the other vertices.
        if (pair.vertices[k] >= 0 && weight(pair.gap.weights, k) != 0)
          ++contacts_at_vertex_[at(pair.vertices[k])];
      }
      for (const std::int32_t body : rigid_bodies_of(contacts_.back())) {
        if (body >= 0) ++contacts_at_rigid_[at(body)];
      }
    }
    contactor.last_contact = static_cast<std::int32_t>(contacts_.size());
    if (contactor.kind == Contactor::Kind::particle) first_solid_contact_ = contacts_.size();
  }
  for (const Contactor& contactor : contactors_)
    set_compliances(contactor, x);
}

void SurfaceContact::set_compliances(const Contactor& contactor, std::span<const Vec3> x) {
  const int count = contactor.last_contact - contactor.first_contact;
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Contact& contact = contacts_[at(i)];
    contact.compliance = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (contact.vertices[k] < 0) {
        contact.compliance += count / contactor.inertia;
        continue;
      }
      const auto v = at(contact.vertices[k]);
      const double w = weight(contact.weights, k);
      contact.compliance += contacts_at_vertex_[v] * w * w / diagonal_[v];
    }
    contact.slip_compliance = contact.compliance;
    if (!rigid_of_vertex_.empty()) add_rigid(contactor, x, contact);
    begin_friction(contact);
    // Between what nothing moves there is nothing to do: the filter keeps it apart.
    if (contact.compliance == 0) contact.compliance = std::numeric_limits<double>::infinity();
  }
}

// The rigid bodies of the first primitive and the second: -1 for one that is not rigid.
std::array<std::int32_t, 2> SurfaceContact::rigid_bodies_of(const Contact& contact) const {
  if (rigid_of_vertex_.empty()) return {-1, -1};
  const std::int32_t first = contact.vertices[0];
  return {first < 0 ? -1 : rigid_of_vertex_[at(first)],
          rigid_of_vertex_[at(contact.vertices[second_of(contact.kind)])]};
}

// Adds what rigid bodies yield to the compliances of a contact.
void SurfaceContact::add_rigid(const Contactor& contactor, std::span<const Vec3> x,
                               Contact& contact) const {
  Vec3 place = contactor.position;
  if (contact.vertices[0] >= 0) {
    place.setZero();
    for (std::size_t k = 0; k < second_of(contact.kind); ++k)
      place += weight(contact.weights, k) * x[at(contact.vertices[k])];
  }
  for (const std::int32_t body : rigid_bodies_of(contact)) {
    if (body < 0) continue;
    const RigidCompliance& own = rigid_[at(body)];
    const int count = contacts_at_rigid_[at(body)];
    contact.compliance += count * own.along(contact.normal, place);
    contact.slip_compliance += count * own.largest(place);
  }
}

// The friction that a contact had goes on across its new normal.
void SurfaceContact::begin_friction(Contact& contact) const {
  const Vec3 before = contact.friction;
  contact.friction.setZero();
  if (contact.slip_compliance == 0) return;
  contact.coefficient =
      surfaces_.material(contact.vertices[0], contact.vertices[second_of(contact.kind)]).friction;
  contact.friction = before - before.dot(contact.normal) * contact.normal;
}

// Coulomb's law for the contact's present lambda.
void SurfaceContact::update_friction(const Contactor& contactor, std::span<const Vec3> x,
                                     Contact& contact) const {
  Vec3 slip = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k) {
    const std::int32_t v = contact.vertices[k];
    slip += weight(contact.weights, k) *
            (v < 0 ? Vec3(contactor.position - start_of(contactor)) : Vec3(x[at(v)] - x_n_[at(v)]));
  }
  slip -= slip.dot(contact.normal) * contact.normal;
  contact.friction -= slip / contact.slip_compliance;
  const double most = contact.coefficient * contact.lambda, size = contact.friction.norm();
  if (size > most) contact.friction *= most / size;
}

// Moves lambda of the contacts of one contactor, then a particle. Returns D_f |its change|^2.
double SurfaceContact::solve(Contactor& contactor, const Walls& walls, std::span<const Vec3> x) {
  if (are_solids_pressed_ && contactor.kind != Contactor::Kind::particle) return 0;
  Vec3 force = Vec3::Zero();
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Contact& contact = contacts_[at(i)];
    Vec3 between = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      between += weight(contact.weights, k) *
                 (contact.vertices[k] < 0 ? contactor.position : x[at(contact.vertices[k])]);
    }
    const double distance = contact.normal.dot(between);
    contact.lambda =
        std::max(0.0, contact.lambda + (contact.wanted - distance) / contact.compliance);
    if (contact.coefficient > 0) update_friction(contactor, x, contact);
    force += contact.lambda * contact.normal + contact.friction;
  }
  if (contactor.kind != Contactor::Kind::particle) return 0;
  const Vec3 before = contactor.position;
  contactor.position = contactor.target;
  if (!force.isZero(0)) {
    contactor.position =
        walls.resolve_particle(start_of(contactor), contactor.target + force / contactor.inertia,
                               particles_.lower, particles_.upper);
  }
  return contactor.inertia * (contactor.position - before).squaredNorm();
}

void SurfaceContact::sum_forces() {
  std::ranges::fill(forces_, Vec3::Zero());
  std::ranges::fill(torques_, Vec3::Zero());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (i == first_solid_contact_) fluid_forces_ = forces_;
    const Contact& contact = contacts_[i];
    const Vec3 force = contact.lambda * contact.normal + contact.friction;
    for (std::size_t k = 0; k < 4; ++k) {
      if (contact.vertices[k] >= 0)
        forces_[at(contact.vertices[k])] += weight(contact.weights, k) * force;
    }
  }
  if (first_solid_contact_ == contacts_.size()) fluid_forces_ = forces_;
  if (rigid_of_vertex_.empty()) return;
  for (const Contactor& contactor : contactors_) {
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i)
      add_torques(contactor, contacts_[at(i)]);
  }
}

void SurfaceContact::add_torques(const Contactor& contactor, const Contact& contact) {
  const auto [a, b] = rigid_bodies_of(contact);
  const Vec3 force = contact.lambda * contact.normal + contact.friction;
  if ((a < 0 && b < 0) || force.isZero(0)) return;
  Vec3 between = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k) {
    between += weight(contact.weights, k) *
               (contact.vertices[k] < 0 ? start_of(contactor) : x_n_[at(contact.vertices[k])]);
  }
  const double share = a >= 0 && b >= 0 ? 0.5 : 1;
  const Vec3 torque = -share * between.cross(force);
  for (const std::int32_t body : {a, b}) {
    if (body >= 0) torques_[at(body)] += torque;
  }
}

template <typename Body>
double SurfaceContact::sum_over_contactors(const Body& body) {
  parallel::parallel_for(0, size_of(contactors_), contactor_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           double sum = 0;
                           for (std::int64_t i = first; i < last; ++i) {
                             sum += body(contactors_[static_cast<std::size_t>(i)]);
                           }
                           chunk_sums_[static_cast<std::size_t>(first / contactor_grain)] = sum;
                         });
  return std::accumulate(chunk_sums_.begin(), chunk_sums_.end(), 0.0);
}

void SurfaceContact::evaluate(std::span<const Vec3> x) {
  edges_wait_ = sum_over_contactors(
                    [&](Contactor& contactor) { return evaluate(contactor, x) ? 1.0 : 0.0; }) > 0;
  is_evaluation_due_ = false;
  collect_contacts(x);
}

void SurfaceContact::set_force(std::size_t solid_contact, double lambda, const Vec3& friction) {
  Contact& contact = contacts_[first_solid_contact_ + solid_contact];
  contact.lambda = lambda;
  contact.friction = friction;
}

double SurfaceContact::respond(int k, const Walls& walls, std::span<Vec3> x) {
  edges_take_part_ |= k >= evaluation_interval;
  const bool is_due = k % evaluation_interval == 0 || is_evaluation_due_;
  if (is_due && !are_solids_pressed_) evaluate(x);
  const double change =
      sum_over_contactors([&](Contactor& contactor) { return solve(contactor, walls, x); });
  // Where solids are pressed, what they press with is in `x` already.
  const std::vector<Vec3>& moving = are_solids_pressed_ ? fluid_forces_ : forces_;
  forces_before_ = moving;
  sum_forces();
  parallel::parallel_for(
      0, size_of(x), surface_contact_grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          x[i] += (moving[i] - forces_before_[i]) / diagonal_[i];
        }
      });
  return change;
}

bool SurfaceContact::admit_edges() noexcept {
  if (!edges_wait_) return false;
  edges_take_part_ = is_evaluation_due_ = true;
  return true;
}

void SurfaceContact::place_particles(std::span<Vec3f> places) const {
  for (const Contactor& contactor : contactors_) {
    if (contactor.kind != Contactor::Kind::particle) break;  // They come first.
    places[at(contactor.index)] = contactor.position.cast<float>();
  }
}

void SurfaceContact::keep_forces() {
  forget_forces();
  for (const Contactor& contactor : contactors_) {
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      const Contact& contact = contacts_[at(i)];
      KeptForce& kept = kept_force(contactor);
      kept.lambda += contact.lambda;
      kept.friction += contact.friction;
    }
  }
}

std::int64_t SurfaceContact::finish(double h, fluid::ParticleFluid* fluid, double most_against) {
  keep_forces();
  for (const Contactor& contactor : contactors_) {
    if (contactor.kind != Contactor::Kind::particle) break;
    const auto p = at(contactor.index);
    const Vec3 shift = contactor.position - contactor.target;
    if (shift.isZero(0)) continue;
    const double part = std::max(0.0, 1 - most_against / shift.norm());
    fluid->move_by_contact(p, contactor.position.cast<float>(), (part * shift / h).cast<float>());
    if (!fluid->targets()[p].allFinite() || !fluid->velocities()[p].allFinite())
      return contactor.index;
  }
  return -1;
}

double SurfaceContact::inertia_of_particles() const noexcept {
  return std::accumulate(
      contactors_.begin(), contactors_.end(), 0.0,
      [](double sum, const Contactor& contactor) { return sum + contactor.inertia; });
}

void SurfaceContact::measure_forces(std::span<float> by_row) const {
  std::fill(by_row.begin(), by_row.end(), 0.0F);
  for (const Contactor& contactor : contactors_) {
    if (contactor.kind != Contactor::Kind::particle) break;  // They come first.
    Vec3 force = Vec3::Zero();
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      force += contacts_[at(i)].lambda * contacts_[at(i)].normal + contacts_[at(i)].friction;
    }
    by_row[particles_.rows[at(contactor.index)]] = static_cast<float>(force.norm());
  }
}

std::int64_t SurfaceContact::active_count() const noexcept {
  return std::count_if(contacts_.begin(), contacts_.end(),
                       [](const Contact& contact) { return contact.lambda > 0; });
}

Vec3 SurfaceContact::force_on_particles() const noexcept {
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : contacts_) {
    if (contact.vertices[0] < 0) sum += contact.lambda * contact.normal + contact.friction;
  }
  return sum;
}

}  // namespace sluice::coupling
