// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/substep_end.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::coupling {
namespace {

constexpr std::int64_t substep_end_grain = 512;

}  // namespace

void SubstepEnd::filter(double h, const contact::MotionBounds& bounds,
                        const contact::PairsView& pairs, const solid::DeformableSystem& solids,
                        fluid::ParticleFluid* fluid, RigidStep& rigid, std::span<Vec3> x,
                        SubstepReport& report) {
  const std::span<Vec3f> targets = fluid != nullptr ? fluid->targets() : std::span<Vec3f>{};
  particles_before_.assign(targets.begin(), targets.end());
  vertices_before_.assign(x.begin(), x.end());
  const contact::FilterReport filtered =
      filter_.limit(bounds, pairs, method_, {targets, x}, rigid.is_empty() ? nullptr : &rigid);
  report.stopped_count += filtered.limited_count;
  if (filtered.limited_count == 0) return;
  if (fluid != nullptr) report.filter_impulse += take_back(h, *fluid);
  report.filter_impulse += change_of_vertices(h, solids, x);
  if (!rigid.is_empty()) report.filter_impulse += rigid.shorten(filtered.rigid_fractions);
}

// Takes the way that the filter took from the particles from their velocities too, as far as it is
// these that led there: a liquid's grid moves what is too dense apart without any velocity, by a
// part of a cell, which over a short substep would be a great one. Returns the change of their
// momentum.
Vec3 SubstepEnd::take_back(double h, fluid::ParticleFluid& fluid) const {
  const auto targets = fluid.targets();
  const auto velocities = fluid.velocities();
  const auto materials = fluid.materials();
  const auto sum = [](const Vec3& a, const Vec3& b) { return Vec3(a + b); };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(targets.size()), 16384, Vec3(Vec3::Zero()),
      [&](std::int64_t first, std::int64_t last) {
        Vec3 impulse = Vec3::Zero();
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const Vec3 taken = (targets[i] - particles_before_[i]).cast<double>() / h;
          if (taken.isZero(0)) continue;
          const double part = -taken.dot(velocities[i].cast<double>()) / taken.squaredNorm();
          const Vec3f change = (std::clamp(part, 0.0, 1.0) * taken).cast<float>();
          velocities[i] += change;
          impulse += static_cast<double>(fluid.mass(materials[i])) * change.cast<double>();
        }
        return impulse;
      },
      sum);
}

// The change of momentum by the parts that the filter took from vertices' ways, which give their
// velocities.
Vec3 SubstepEnd::change_of_vertices(double h, const solid::DeformableSystem& solids,
                                    std::span<const Vec3> x) const {
  Vec3 of_vertices = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (solids.is_held[i] == 0) of_vertices += solids.mass[i] / h * (x[i] - vertices_before_[i]);
  }
  return of_vertices;
}

void SubstepEnd::place(double h, std::span<const Vec3> x, const RigidStep& rigid,
                       solid::DeformableSystem& solids, const solid::ThetaRule& rule,
                       std::span<const std::uint8_t> is_touched) {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(x.size()), substep_end_grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          if (solids.is_held[i] == 0) {
            const bool is_free = is_touched.empty() || is_touched[i] == 0;
            solids.velocities[i] =
                solid::end_velocity(solids, h, i, x[i], is_free ? rule : solid::ThetaRule{});
          }
          solids.positions[i] = x[i];
        }
      });
  solid::advance_pins(solids, h);
  rigid.finish(solids);
}

}  // namespace sluice::coupling
