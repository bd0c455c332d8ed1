// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/reactions.h"

#include <algorithm>
#include <cmath>

#include "solver/fluid/mpm/kernel.h"

namespace sluice::fluid {

namespace {

// The force expected on a patch is at most so many times that by which the patch's stress acts on
// its particles' share of the surface. More than one, as not each particle of a surface is in
// contact all the time. With 2, a floating box sinks by 8 mm in 8 s, with 6 by 2 mm; without a
// bound, a jet of 50 m/s takes six times as long to solve (tests/validation: floating_test,
// hard_scenes_test).
constexpr float most_stress = 6;

// [Pa] The size of the stress with which a particle presses or pulls.
float stress_size(std::span<const Material> materials, const Particles& particles, std::size_t i) {
  if (materials[particles.materials[i]].is_liquid()) return pressure_of(materials, particles, i);
  const float* s = particles.elastic[i].stress;
  return std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] +
                   2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

Int4 first_node(const GridFrame& frame, scene::Kernel kernel, const Vec3f& x) {
  const Float4 X = frame.from_world(Float4{x[0], x[1], x[2], 0});
  return kernel == scene::Kernel::quadratic ? frame.base<BSpline<scene::Kernel::quadratic>>(X)
                                            : frame.base<BSpline<scene::Kernel::cubic>>(X);
}

}  // namespace

void Reactions::add(float h, Particles& particles) const {
  for (const Reaction& reaction : expected_)
    particles.velocities[reaction.particle] += h * reaction.acceleration;
}

void Reactions::take_off(float h, const Boundary& boundary, Particles& particles) const {
  for (const Reaction& reaction : expected_) {
    const std::size_t i = reaction.particle;
    boundary.send(h, particles.velocities[i] - h * reaction.acceleration, i, particles);
  }
}

void Reactions::mark_cells(const GridFrame& frame, scene::Kernel kernel, const Particles& particles,
                           PressedCells& pressed) const {
  pressed.clear();
  for (const Reaction& reaction : expected_)
    pressed.add_around(frame, first_node(frame, kernel, particles.positions[reaction.particle]));
}

void Reactions::note(std::size_t particle, const Vec3f& change) {
  noted_.push_back({static_cast<std::uint32_t>(particle), change});
}

void Reactions::expect_noted(float h, std::span<const Material> materials, const GridFrame& frame,
                             scene::Kernel kernel, const Particles& particles) {
  patch_index_.clear();
  patches_.clear();
  patch_of_.clear();
  for (Reaction& reaction : noted_) {
    reaction.acceleration /= h;
    const std::size_t i = reaction.particle;
    const Material& material = materials[particles.materials[i]];
    const std::uint64_t key = frame.block_key(first_node(frame, kernel, particles.positions[i]));
    const std::uint32_t patch =
        patch_index_.find_or_insert(key, static_cast<std::uint32_t>(patches_.size()));
    if (patch == patches_.size()) patches_.emplace_back();
    const float spacing = std::cbrt(material.rest_volume);
    patches_[patch].force += material.mass * reaction.acceleration.norm();
    patches_[patch].stress +=
        spacing * spacing * std::max(0.0F, stress_size(materials, particles, i));
    patch_of_.push_back(patch);
  }
  expected_.clear();
  for (std::size_t n = 0; n < noted_.size(); ++n) {
    const Patch& patch = patches_[patch_of_[n]];
    const float most = most_stress * patch.stress;
    if (most == 0) continue;
    expected_.push_back(noted_[n]);
    if (patch.force > most) expected_.back().acceleration *= most / patch.force;
  }
  noted_.clear();
}

void Reactions::move(std::span<const std::uint32_t> places) {
  std::size_t kept = 0;
  for (const Reaction& reaction : expected_) {
    const std::uint32_t place = places[reaction.particle];
    if (place == no_row) continue;
    expected_[kept] = reaction;
    expected_[kept++].particle = place;
  }
  expected_.resize(kept);
}

}  // namespace sluice::fluid
