// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/point_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "solver/contact/gap.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

namespace {

constexpr std::int64_t vertex_grain = 2048;
constexpr std::int64_t pair_grain = 256;
constexpr std::int64_t contactor_grain = 128;

// Iterations from one search for normals and active pairs to the next.
constexpr int evaluation_interval = 5;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
std::int64_t size_of(const auto& range) { return static_cast<std::int64_t>(range.size()); }

/// Which corners carry the nearest point: pairs that share it are one contact.
std::array<std::int32_t, 3> feature_of(const TriangleIndices& triangle, const Vec3& weights) {
  std::array<std::int32_t, 3> feature{-1, -1, -1};
  for (int i = 0; i < 3; ++i) {
    if (weights[i] > 0)
      feature[static_cast<std::size_t>(i)] = triangle[static_cast<std::size_t>(i)];
  }
  std::sort(feature.begin(), feature.end());
  return feature;
}

}  // namespace

PointContact::PointContact(const scene::Scene& scene, const solid::DeformableSystem& solids)
    : contacts_at_vertex_(solids.positions.size(), 0),
      forces_(solids.positions.size(), Vec3::Zero()),
      forces_before_(solids.positions.size(), Vec3::Zero()) {
  for (const solid::BodyRange& range : solids.bodies) {
    gap_of_triangle_.insert(gap_of_triangle_.end(), at(range.triangle_count),
                            scene.coupling.contact_distance + range.half_thickness);
    largest_gap_ = std::max(largest_gap_, gap_of_triangle_.back());
  }
  if (!solids.rigid_bodies.empty()) {
    rigid_of_vertex_.assign(solids.positions.size(), -1);
    for (std::size_t i = 0; i < rigid_of_vertex_.size(); ++i)
      rigid_of_vertex_[i] = solids.bodies[at(solids.body_of_vertex[i])].rigid_body;
    for (const solid::RigidMember& member : solids.rigid_bodies)
      friction_of_rigid_.push_back(member.friction);
    contacts_at_rigid_.assign(solids.rigid_bodies.size(), 0);
    torques_.assign(solids.rigid_bodies.size(), Vec3::Zero());
  }
  if (solids.bodies.size() < 2) return;
  body_of_point_.assign(solids.positions.size(), -1);
  for (const TriangleIndices& triangle : solids.triangles) {
    for (const std::int32_t corner : triangle)
      body_of_point_[at(corner)] = solids.body_of_vertex[at(corner)];
  }
  lambda_by_vertex_.assign(solids.positions.size(), 0.0);
  double thickest = 0;
  for (const std::int32_t body : solids.body_of_vertex) {
    thickness_of_vertex_.push_back(solids.bodies[at(body)].half_thickness);
    thickest = std::max(thickest, thickness_of_vertex_.back());
  }
  largest_gap_ += thickest;
}

void PointContact::begin_frame() {
  std::fill(lambda_by_id_.begin(), lambda_by_id_.end(), 0.0);
  std::fill(lambda_by_vertex_.begin(), lambda_by_vertex_.end(), 0.0);
  std::fill(torques_.begin(), torques_.end(), Vec3::Zero());
  std::fill(forces_.begin(), forces_.end(), Vec3::Zero());
}

void PointContact::begin(double h, const solid::DeformableSystem& solids,
                         std::span<const Vec3> predicted, std::span<const double> diagonal,
                         std::span<const RigidCompliance> rigid, const ParticleMotion& particles,
                         std::span<const contact::Candidate> candidates) {
  triangles_ = solids.triangles;
  x_n_ = solids.positions;
  diagonal_ = diagonal;
  rigid_ = rigid;
  particles_ = particles;
  lambda_by_id_.resize(particles.positions.size(), 0.0);
  pairs_.clear();
  kept_.clear();
  contactors_.clear();
  choose(h, predicted, candidates);
  const auto particle_count = static_cast<std::int32_t>(particles.positions.size());
  std::int32_t point = -1;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!chosen_[i].is_active) continue;
    if (candidates[i].point != point) {
      point = candidates[i].point;
      const auto first = static_cast<std::int32_t>(pairs_.size());
      if (point < particle_count) {
        const Vec3 target = particles.targets[at(point)].cast<double>();
        contactors_.push_back({point, first, first, 0, 0,
                               particles.inertia[particles.materials[at(point)]], target, target});
      } else {
        const std::int32_t vertex = point - particle_count;
        const Vec3& place = predicted[at(vertex)];
        contactors_.push_back({-1, first, first, 0, 0, 0, place, place, vertex});
      }
    }
    pairs_.push_back(chosen_[i]);
    pairs_.back().is_active = false;
    kept_.push_back(candidates[i]);
    ++contactors_.back().last_pair;
  }
  chunk_sums_.resize(
      static_cast<std::size_t>(parallel::chunk_count(0, size_of(contactors_), contactor_grain)));
  expect_forces();
}

void PointContact::choose(double h, std::span<const Vec3> predicted,
                          std::span<const contact::Candidate> candidates) {
  chosen_.resize(candidates.size());
  const contact::PointsView points_t0{particles_.positions, x_n_};
  const contact::PointsView points_t1{particles_.targets, predicted};
  const auto particle_count = static_cast<std::int32_t>(particles_.positions.size());
  parallel::parallel_for(
      0, size_of(candidates), pair_grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const auto [point, index] = candidates[i];
          const TriangleIndices& t = triangles_[at(index)];
          const auto a = at(t[0]), b = at(t[1]), c = at(t[2]);
          const contact::PairGap start =
              contact::measure_gap(points_t0.at(point), x_n_[a], x_n_[b], x_n_[c]);
          double gap = gap_of_triangle_[at(index)];
          if (point >= particle_count) gap += thickness_of_vertex_[at(point - particle_count)];
          // Where both are expected, along what separates them now; contact may move them by
          // another gap or so. What is misjudged here is left to the filter.
          const Vec3& n = start.normal;
          const double top =
              std::max({n.dot(predicted[a]), n.dot(predicted[b]), n.dot(predicted[c])});
          const double end = n.dot(points_t1.at(point)) - top;
          chosen_[i] = {.triangle = index,
                        .is_active = std::min(end, start.distance) < 2 * gap,
                        .wanted = std::min(gap, start.distance + recovery_rate * gap * h),
                        .lambda = 0,
                        .friction = Vec3::Zero(),
                        .start_normal = start.normal,
                        .gap = start};
        }
      });
}

Vec3 PointContact::start_of(const Contactor& contactor) const {
  return contactor.vertex < 0 ? Vec3(particles_.positions[at(contactor.particle)].cast<double>())
                              : x_n_[at(contactor.vertex)];
}

double& PointContact::kept_lambda(const Contactor& contactor) {
  return contactor.vertex < 0 ? lambda_by_id_[particles_.ids[at(contactor.particle)]]
                              : lambda_by_vertex_[at(contactor.vertex)];
}

// Gives the force that a point had in the substep before to the nearest of its pairs.
void PointContact::expect_forces() {
  for (const Contactor& contactor : contactors_) {
    const double lambda = kept_lambda(contactor);
    if (lambda == 0) continue;
    const auto first = pairs_.begin() + contactor.first_pair;
    Pair& nearest = *std::min_element(
        first, pairs_.begin() + contactor.last_pair,
        [](const Pair& p, const Pair& q) { return p.gap.distance < q.gap.distance; });
    nearest.lambda = lambda;
    nearest.is_active = true;
  }
  collect_contacts();
  sum_forces();
  for (Contactor& contactor : contactors_) {
    if (contactor.vertex >= 0) break;  // They come last; the solids' predictions have it already.
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      contactor.position += contacts_[at(i)].lambda / contactor.inertia * contacts_[at(i)].normal;
    }
  }
}

void PointContact::evaluate(Contactor& contactor, std::span<const Vec3> x) {
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Pair& pair = pairs_[at(contacts_[at(i)].pair)];
    pair.lambda = contacts_[at(i)].lambda;
    pair.friction = contacts_[at(i)].friction;
  }
  const Vec3 start = start_of(contactor);
  if (contactor.vertex >= 0) contactor.position = x[at(contactor.vertex)];
  for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
    Pair& pair = pairs_[at(i)];
    const TriangleIndices& t = triangles_[at(pair.triangle)];
    const auto a = at(t[0]), b = at(t[1]), c = at(t[2]);
    if (pair.lambda == 0) {
      // What separated them at x^n still does, by enough: most pairs.
      const Vec3& n = pair.start_normal;
      const double top = std::max({n.dot(x[a]), n.dot(x[b]), n.dot(x[c])});
      pair.is_active = n.dot(contactor.position) - top < pair.wanted;
      if (!pair.is_active) continue;
    }
    pair.gap = contact::measure_gap(
        {start, x_n_[a], x_n_[b], x_n_[c], contactor.position, x[a], x[b], x[c]});
    pair.is_active = pair.gap.distance < pair.wanted || pair.lambda > 0;
    if (pair.gap.normal.isZero(0)) pair.is_active = false;  // No way out: left to the filter.
    if (!pair.is_active) {
      pair.lambda = 0;
      pair.friction.setZero();
      continue;
    }
    // Triangles that share an edge or a corner see the same contact there: one of them has it.
    const auto feature = feature_of(t, pair.gap.weights);
    if (feature[0] >= 0) continue;  // Inside the face: nobody else's.
    for (std::int32_t j = contactor.first_pair; j < i; ++j) {
      if (pairs_[at(j)].is_active && feature_of(triangles_[at(pairs_[at(j)].triangle)],
                                                pairs_[at(j)].gap.weights) == feature) {
        pairs_[at(j)].lambda += pair.lambda;
        pairs_[at(j)].friction += pair.friction;
        pair.lambda = 0;
        pair.friction.setZero();
        pair.is_active = false;
        break;
      }
    }
  }
}

void PointContact::collect_contacts() {
  contacts_.clear();
  std::fill(contacts_at_vertex_.begin(), contacts_at_vertex_.end(), 0);
  std::fill(contacts_at_rigid_.begin(), contacts_at_rigid_.end(), 0);
  const auto count_at_rigid = [&](std::int32_t vertex) {
    if (rigid_of_vertex_.empty() || rigid_of_vertex_[at(vertex)] < 0) return;
    ++contacts_at_rigid_[at(rigid_of_vertex_[at(vertex)])];
  };
  for (Contactor& contactor : contactors_) {
    contactor.first_contact = static_cast<std::int32_t>(contacts_.size());
    for (std::int32_t i = contactor.first_pair; i < contactor.last_pair; ++i) {
      const Pair& pair = pairs_[at(i)];
      if (!pair.is_active) continue;
      const TriangleIndices& t = triangles_[at(pair.triangle)];
      contacts_.push_back({t, i, pair.gap.normal, pair.gap.weights, pair.wanted, 0, pair.lambda});
      count_at_rigid(t[0]);
      if (contactor.vertex >= 0) {
        contacts_.back().point_vertex = contactor.vertex;
        ++contacts_at_vertex_[at(contactor.vertex)];
        count_at_rigid(contactor.vertex);
      }
      for (std::size_t k = 0; k < 3; ++k) {
        // A contact at an edge or corner does not touch the other vertices.
        if (pair.gap.weights[static_cast<Eigen::Index>(k)] > 0) ++contacts_at_vertex_[at(t[k])];
      }
    }
    contactor.last_contact = static_cast<std::int32_t>(contacts_.size());
  }
  for (const Contactor& contactor : contactors_)
    set_compliances(contactor);
}

void PointContact::set_compliances(const Contactor& contactor) {
  const int count = contactor.last_contact - contactor.first_contact;
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Contact& contact = contacts_[at(i)];
    contact.compliance = contactor.vertex < 0 ? count / contactor.inertia
                                              : contacts_at_vertex_[at(contactor.vertex)] /
                                                    diagonal_[at(contactor.vertex)];
    for (std::size_t k = 0; k < 3; ++k) {
      const double b = contact.weights[static_cast<Eigen::Index>(k)];
      const auto v = at(contact.vertices[k]);
      contact.compliance += contacts_at_vertex_[v] * b * b / diagonal_[v];
    }
    if (!rigid_of_vertex_.empty()) set_friction(contactor, contact);
    // Between what nothing moves there is nothing to do: the filter keeps it apart.
    if (contact.compliance == 0) contact.compliance = std::numeric_limits<double>::infinity();
  }
}

// Adds what rigid bodies yield to the compliance of a contact; with one there is friction.
void PointContact::set_friction(const Contactor& contactor, Contact& contact) const {
  const std::int32_t a = contactor.vertex < 0 ? -1 : rigid_of_vertex_[at(contactor.vertex)];
  const std::int32_t b = rigid_of_vertex_[at(contact.vertices[0])];
  contact.slip_compliance = contact.compliance;
  double product = 1;
  for (const std::int32_t body : {a, b}) {
    if (body < 0) continue;
    const RigidCompliance& own = rigid_[at(body)];
    const int count = contacts_at_rigid_[at(body)];
    contact.compliance += count * own.along(contact.normal, contactor.position);
    contact.slip_compliance += count * own.largest(contactor.position);
    product *= friction_of_rigid_[at(body)];
  }
  if ((a < 0 && b < 0) || contactor.vertex < 0 || contact.slip_compliance == 0) return;
  contact.coefficient = a >= 0 && b >= 0 ? std::sqrt(product) : product;
  const Vec3& before = pairs_[at(contact.pair)].friction;
  contact.friction = before - before.dot(contact.normal) * contact.normal;
}

// Coulomb's law for the contact's present lambda.
void PointContact::update_friction(const Contactor& contactor, std::span<const Vec3> x,
                                   Contact& contact) const {
  Vec3 slip = contactor.position - start_of(contactor);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto v = at(contact.vertices[k]);
    slip -= contact.weights[static_cast<Eigen::Index>(k)] * (x[v] - x_n_[v]);
  }
  slip -= slip.dot(contact.normal) * contact.normal;
  contact.friction -= slip / contact.slip_compliance;
  const double most = contact.coefficient * contact.lambda, size = contact.friction.norm();
  if (size > most) contact.friction *= most / size;
}

// Moves lambda of the contacts of one point, then the point if it is a particle. Returns D_f |its
// change|^2.
double PointContact::solve(Contactor& contactor, const Walls& walls, std::span<const Vec3> x) {
  Vec3 force = Vec3::Zero();
  if (contactor.vertex >= 0) contactor.position = x[at(contactor.vertex)];
  for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
    Contact& contact = contacts_[at(i)];
    const Vec3& b = contact.weights;
    const double distance =
        contact.normal.dot(contactor.position - b[0] * x[at(contact.vertices[0])] -
                           b[1] * x[at(contact.vertices[1])] - b[2] * x[at(contact.vertices[2])]);
    contact.lambda =
        std::max(0.0, contact.lambda + (contact.wanted - distance) / contact.compliance);
    force += contact.lambda * contact.normal;
    if (contact.coefficient > 0) update_friction(contactor, x, contact);
  }
  if (contactor.vertex >= 0) return 0;
  const Vec3 before = contactor.position;
  contactor.position = contactor.target;
  if (!force.isZero(0)) {
    contactor.position = walls.resolve_particle(contactor.target + force / contactor.inertia,
                                                particles_.lower, particles_.upper);
  }
  return contactor.inertia * (contactor.position - before).squaredNorm();
}

void PointContact::sum_forces() {
  std::fill(forces_.begin(), forces_.end(), Vec3::Zero());
  std::fill(torques_.begin(), torques_.end(), Vec3::Zero());
  for (const Contact& contact : contacts_) {
    Vec3 force = contact.lambda * contact.normal;
    if (contact.coefficient > 0) force += contact.friction;
    for (std::size_t k = 0; k < 3; ++k) {
      forces_[at(contact.vertices[k])] -= contact.weights[static_cast<Eigen::Index>(k)] * force;
    }
    if (contact.point_vertex >= 0) forces_[at(contact.point_vertex)] += force;
  }
  if (rigid_of_vertex_.empty()) return;
  for (const Contactor& contactor : contactors_) {
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      const Contact& contact = contacts_[at(i)];
      add_torques(contactor, contact, contact.lambda * contact.normal + contact.friction);
    }
  }
}

// `force` acts on the point, and its opposite on the triangle.
void PointContact::add_torques(const Contactor& contactor, const Contact& contact,
                               const Vec3& force) {
  const std::int32_t a = contactor.vertex < 0 ? -1 : rigid_of_vertex_[at(contactor.vertex)];
  const std::int32_t b = rigid_of_vertex_[at(contact.vertices[0])];
  if ((a < 0 && b < 0) || force.isZero(0)) return;
  Vec3 between = start_of(contactor);
  for (std::size_t k = 0; k < 3; ++k)
    between -= contact.weights[static_cast<Eigen::Index>(k)] * x_n_[at(contact.vertices[k])];
  const double share = a >= 0 && b >= 0 ? 0.5 : 1;
  const Vec3 torque = -share * between.cross(force);
  for (const std::int32_t body : {a, b}) {
    if (body >= 0) torques_[at(body)] += torque;
  }
}

template <typename Body>
double PointContact::sum_over_contactors(const Body& body) {
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

double PointContact::respond(int k, const Walls& walls, std::span<Vec3> x) {
  if (k % evaluation_interval == 0) {
    sum_over_contactors([&](Contactor& contactor) {
      evaluate(contactor, x);
      return 0.0;
    });
    collect_contacts();
  }
  const double change =
      sum_over_contactors([&](Contactor& contactor) { return solve(contactor, walls, x); });
  forces_before_.swap(forces_);
  sum_forces();
  parallel::parallel_for(0, size_of(x), vertex_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      x[i] += (forces_[i] - forces_before_[i]) / diagonal_[i];
    }
  });
  return change;
}

std::int64_t PointContact::finish(double h, std::span<Vec3f> targets, std::span<Vec3f> velocities) {
  std::fill(lambda_by_id_.begin(), lambda_by_id_.end(), 0.0);
  std::fill(lambda_by_vertex_.begin(), lambda_by_vertex_.end(), 0.0);
  for (const Contactor& contactor : contactors_) {
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i)
      kept_lambda(contactor) += contacts_[at(i)].lambda;
    if (contactor.vertex >= 0) continue;
    const auto p = at(contactor.particle);
    const Vec3 shift = contactor.position - contactor.target;
    if (shift.isZero(0)) continue;
    targets[p] = contactor.position.cast<float>();
    velocities[p] += (shift / h).cast<float>();
    if (!targets[p].allFinite() || !velocities[p].allFinite()) return contactor.particle;
  }
  return -1;
}

double PointContact::inertia_of_particles() const noexcept {
  return std::accumulate(
      contactors_.begin(), contactors_.end(), 0.0,
      [](double sum, const Contactor& contactor) { return sum + contactor.inertia; });
}

void PointContact::measure_forces(std::span<float> by_id) const {
  std::fill(by_id.begin(), by_id.end(), 0.0F);
  for (const Contactor& contactor : contactors_) {
    Vec3 force = Vec3::Zero();
    for (std::int32_t i = contactor.first_contact; i < contactor.last_contact; ++i) {
      force += contacts_[at(i)].lambda * contacts_[at(i)].normal;
    }
    if (contactor.vertex >= 0) break;  // They come last.
    by_id[particles_.ids[at(contactor.particle)]] = static_cast<float>(force.norm());
  }
}

std::int64_t PointContact::active_count() const noexcept {
  return std::count_if(contacts_.begin(), contacts_.end(),
                       [](const Contact& contact) { return contact.lambda > 0; });
}

Vec3 PointContact::force_on_particles() const noexcept {
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : contacts_) {
    if (contact.point_vertex < 0) sum += contact.lambda * contact.normal;
  }
  return sum;
}

}  // namespace sluice::coupling
