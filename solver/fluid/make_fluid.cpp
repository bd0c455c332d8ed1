// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "solver/fluid/grid/grid_fluid.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::fluid {
namespace {

template <typename Solver>
Result<std::unique_ptr<ParticleFluid>> restore_as(const scene::Scene& scene,
                                                  std::span<const std::byte> snapshot) {
  auto restored = Solver::restore(scene, snapshot);
  if (!restored) return restored.error();
  return std::unique_ptr<ParticleFluid>(std::make_unique<Solver>(std::move(restored).value()));
}

}  // namespace

std::unique_ptr<ParticleFluid> make_fluid(const scene::Scene& scene) {
  if (scene.grid.solver == scene::FluidSolver::incompressible) {
    if (scene.grid.dimensions == 2) return std::make_unique<grid::GridFluid<2>>(scene);
    return std::make_unique<grid::GridFluid<3>>(scene);
  }
  return std::make_unique<MpmFluid>(scene);
}

Result<std::unique_ptr<ParticleFluid>> restore_fluid(const scene::Scene& scene,
                                                     std::span<const std::byte> snapshot) {
  if (scene.grid.solver == scene::FluidSolver::incompressible) {
    if (scene.grid.dimensions == 2) return restore_as<grid::GridFluid<2>>(scene, snapshot);
    return restore_as<grid::GridFluid<3>>(scene, snapshot);
  }
  return restore_as<MpmFluid>(scene, snapshot);
}

}  // namespace sluice::fluid
