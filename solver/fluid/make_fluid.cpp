// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/adaptive/tree_gas.h"
#include "solver/fluid/adaptive/tree_interior.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/gas.h"
#include "solver/fluid/gas/grid_gas.h"
#include "solver/fluid/liquid/grid_fluid.h"
#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/fluid/particle_fluid.h"

namespace sluice::fluid {

std::unique_ptr<Gas> make_gas(const scene::Scene& scene) {
  if (scene.grid.adaptive) {
    if (scene.grid.dimensions == 2) return std::make_unique<adaptive::TreeGas<2>>(scene);
    return std::make_unique<adaptive::TreeGas<3>>(scene);
  }
  if (scene.grid.dimensions == 2) return std::make_unique<grid::GridGas<2>>(scene);
  return std::make_unique<grid::GridGas<3>>(scene);
}

namespace {

template <int D>
std::unique_ptr<ParticleFluid> make_grid_fluid(const scene::Scene& scene, Start start) {
  std::unique_ptr<grid::Interior<D>> interior;
  if (scene.grid.adaptive) interior = std::make_unique<adaptive::TreeInterior<D>>(scene);
  return std::make_unique<grid::GridFluid<D>>(scene, start, std::move(interior));
}

}  // namespace

std::unique_ptr<ParticleFluid> make_particle_fluid(const scene::Scene& scene, Start start) {
  if (scene.grid.solver == scene::FluidSolver::mpm) return std::make_unique<MpmFluid>(scene, start);
  if (scene.grid.dimensions == 2) return make_grid_fluid<2>(scene, start);
  return make_grid_fluid<3>(scene, start);
}

std::unique_ptr<Fluid> make_fluid(const scene::Scene& scene, Start start) {
  // A gas is the same for both starts: what it is at time 0 is what restore() replaces.
  if (scene.gas) return make_gas(scene);
  if (scene.fluids.empty()) return nullptr;
  return make_particle_fluid(scene, start);
}

}  // namespace sluice::fluid
