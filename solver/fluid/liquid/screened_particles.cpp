// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/liquid/screened_particles.h"

#include <algorithm>
#include <array>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid::grid {
namespace {

constexpr std::int64_t screened_particles_grain = 256;  // Particles.

// Particles are where they are at the start of the substep.
constexpr double at_start = 1;

}  // namespace

template <int D>
void ScreenedParticles<D>::note(const ParticleCells<D>& cells, const Screens<D>& screens,
                                const Particles& particles) {
  screened_.clear();
  if (screens.is_empty()) return;
  for (const std::uint32_t tile : cells.occupied) {
    if (!screens.has_near(tile)) continue;
    for (std::size_t cell = tile * tile_size<D>; cell < (tile + 1) * tile_size<D>; ++cell) {
      if (screens.near(cell).empty()) continue;
      for (std::uint32_t n = cells.first[cell]; n < cells.first[cell + 1]; ++n) {
        const std::uint32_t i = cells.order[n];
        screened_.push_back({i, particles.velocities[i]});
      }
    }
  }
}

template <int D>
bool ScreenedParticles<D>::gather(const SeenFlow<D>& flow, float cell_size, const MacGrid<D>& grid,
                                  const Faces<float>& before, const Blend& blend,
                                  Particles& particles) const {
  using Hidden = typename SeenFlow<D>::Hidden;
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(screened_.size()), screened_particles_grain, true,
      [&](std::int64_t begin, std::int64_t end) {
        bool is_finite = true;
        for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
          const auto& [i, kept] = screened_[n];
          const Event at{particles.positions[i].template cast<double>(), at_start};
          const auto now = flow.sample(at, grid.velocity, Hidden::goes_along);
          Vec<D> change = Vec<D>::Zero();
          if (blend.flip > 0)
            change = now.velocity - flow.sample(at, before, Hidden::goes_on).velocity;
          for (int axis = 0; axis < D; ++axis) {
            const int world = world_axis<D>(axis);
            const float v = now.velocity[axis];
            particles.velocities[i][world] = v + blend.flip * (kept[world] + change[axis] - v);
            for (int a = 0; blend.is_affine && a < D; ++a) {
              particles.affine[i].c[3 * world_axis<D>(a) + world] =
                  now.gradient[static_cast<std::size_t>(axis)][a] / cell_size;
            }
          }
          is_finite = is_finite && particles.velocities[i].allFinite();
        }
        return is_finite;
      },
      [](bool a, bool b) { return a && b; });
}

template <int D>
void ScreenedParticles<D>::trace(const SeenFlow<D>& flow, float h, scene::PathIntegrator integrator,
                                 Particles& particles) const {
  parallel::parallel_for(
      0, static_cast<std::int64_t>(screened_.size()), screened_particles_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
          const std::uint32_t i = screened_[n].index;
          const Event from{particles.positions[i].template cast<double>(), at_start};
          particles.targets[i] =
              flow.trace(from, static_cast<double>(h), integrator).template cast<float>();
        }
      });
}

template class ScreenedParticles<2>;
template class ScreenedParticles<3>;

}  // namespace sluice::fluid::grid
