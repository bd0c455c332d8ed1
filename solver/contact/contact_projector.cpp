// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/contact_projector.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "solver/parallel/parallel_for.h"

namespace sluice::contact {
namespace {

constexpr std::int64_t grain = 512;  // Candidates a chunk, some 20 us.

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

void ContactProjector::begin(const ContactBodies& bodies, const PointsView& t0,
                             std::span<const Candidate> candidates, double recovery) {
  assert(bodies.materials.size() == t0.particles.size());
  assert(bodies.vertex_inverse_masses.size() == t0.vertices.size());
  assert(bodies.triangle_gaps.size() == bodies.triangles.size());
  bodies_ = bodies;
  t0_ = t0;
  candidates_ = candidates;
  particle_shares_.resize(t0.particles.size(), 0);
  vertex_shares_.resize(t0.vertices.size(), 0);
  vertex_shifts_.resize(t0.vertices.size(), Vec3::Zero());
  starts_.resize(candidates.size());
  parallel::parallel_for(
      0, static_cast<std::int64_t>(candidates.size()), grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
          const auto triangle = at(candidates[c].triangle);
          const TriangleIndices& t = bodies.triangles[triangle];
          const PairGap gap =
              measure_gap(t0.particles[at(candidates[c].particle)].cast<double>(),
                          t0.vertices[at(t[0])], t0.vertices[at(t[1])], t0.vertices[at(t[2])]);
          starts_[c] = {gap.normal,
                        std::min(bodies.triangle_gaps[triangle], gap.distance + recovery)};
        }
      });
}

ProjectionReport ContactProjector::sweep(const PointsSpan& t1) {
  measure(t1);
  ProjectionReport report{static_cast<std::int64_t>(contacts_.size()), 0};
  for (const Contact& contact : contacts_) {
    report.largest_violation = std::max(report.largest_violation,
                                        starts_[contact.candidate].target - contact.gap.distance);
  }
  count_shares();
  add_shifts(t1);
  return report;
}

// Fills contacts_ with the candidates whose gap is below their target, in order.
void ContactProjector::measure(const PointsView& t1) {
  const auto count = static_cast<std::int64_t>(candidates_.size());
  const auto chunks = static_cast<std::size_t>(parallel::chunk_count(0, count, grain));
  if (chunk_contacts_.size() < chunks) chunk_contacts_.resize(chunks);
  parallel::parallel_for(0, count, grain, [&](std::int64_t first, std::int64_t last) {
    std::vector<Contact>& found = chunk_contacts_[static_cast<std::size_t>(first / grain)];
    found.clear();
    for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(last); ++c) {
      const TriangleIndices& t = bodies_.triangles[at(candidates_[c].triangle)];
      const Start& start = starts_[c];
      const double height =
          start.normal.dot(t1.particles[at(candidates_[c].particle)].cast<double>());
      const double top = std::max({start.normal.dot(t1.vertices[at(t[0])]),
                                   start.normal.dot(t1.vertices[at(t[1])]),
                                   start.normal.dot(t1.vertices[at(t[2])])});
      // What separated them at t0 still does, by enough: most candidates.
      if (height - top >= start.target) continue;
      const PairGap gap = measure_gap(motion_of(candidates_[c].particle, t, t0_, t1));
      if (gap.distance < start.target) found.push_back({c, gap});
    }
  });
  contacts_.clear();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    contacts_.insert(contacts_.end(), chunk_contacts_[chunk].begin(), chunk_contacts_[chunk].end());
  }
}

void ContactProjector::count_shares() {
  for (const Contact& contact : contacts_) {
    const Candidate& candidate = candidates_[contact.candidate];
    ++particle_shares_[at(candidate.particle)];
    const TriangleIndices& t = bodies_.triangles[at(candidate.triangle)];
    for (std::size_t k = 0; k < 3; ++k) {
      // A contact at a corner or edge does not touch the other vertices.
      if (contact.gap.weights[static_cast<Eigen::Index>(k)] > 0) ++vertex_shares_[at(t[k])];
    }
  }
}

void ContactProjector::add_shifts(const PointsSpan& t1) {
  for (std::size_t i = 0; i < contacts_.size();) {
    // The contacts of one particle follow each other.
    const std::int32_t particle = candidates_[contacts_[i].candidate].particle;
    const int share = particle_shares_[at(particle)];
    const double inverse_mass = bodies_.material_inverse_masses[bodies_.materials[at(particle)]];
    Vec3 particle_shift = Vec3::Zero();
    for (int n = 0; n < share; ++n, ++i) {
      const Contact& contact = contacts_[i];
      const TriangleIndices& t = bodies_.triangles[at(candidates_[contact.candidate].triangle)];
      PairValues inverse_masses{inverse_mass, {}}, shares{static_cast<double>(share), {}};
      for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        inverse_masses.vertices[axis] = bodies_.vertex_inverse_masses[at(t[k])];
        shares.vertices[axis] = vertex_shares_[at(t[k])];
      }
      const PairShifts shifts =
          project(contact.gap, starts_[contact.candidate].target, inverse_masses, shares);
      particle_shift += shifts.particle;
      for (std::size_t k = 0; k < 3; ++k)
        vertex_shifts_[at(t[k])] += shifts.vertices[k];
    }
    particle_shares_[at(particle)] = 0;
    Vec3f& place = t1.particles[at(particle)];
    place = (place.cast<double>() + particle_shift).cast<float>();
  }
  for (const Contact& contact : contacts_) {
    for (const std::int32_t vertex :
         bodies_.triangles[at(candidates_[contact.candidate].triangle)]) {
      t1.vertices[at(vertex)] += vertex_shifts_[at(vertex)];
      vertex_shifts_[at(vertex)].setZero();  // Added once, for the next sweep as well.
      vertex_shares_[at(vertex)] = 0;
    }
  }
}

}  // namespace sluice::contact
