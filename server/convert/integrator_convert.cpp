// SPDX-License-Identifier: Apache-2.0
#include "server/convert/integrator_convert.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::convert {
namespace {

constexpr std::array<std::pair<v1::Integrator, scene::Integrator>, 9> integrators{{
    {v1::INTEGRATOR_CONSENSUS_ADMM, scene::Integrator::consensus_admm},
    {v1::INTEGRATOR_ACCELERATED_CONSENSUS_ADMM, scene::Integrator::accelerated_consensus_admm},
    {v1::INTEGRATOR_ADMM, scene::Integrator::admm},
    {v1::INTEGRATOR_PROJECTIVE_DYNAMICS, scene::Integrator::projective_dynamics},
    {v1::INTEGRATOR_LBFGS, scene::Integrator::lbfgs},
    {v1::INTEGRATOR_NEWTON, scene::Integrator::newton},
    {v1::INTEGRATOR_NEWTON_PCG, scene::Integrator::newton_pcg},
    {v1::INTEGRATOR_STEEPEST_DESCENT, scene::Integrator::steepest_descent},
    {v1::INTEGRATOR_SYMPLECTIC_EULER, scene::Integrator::symplectic_euler},
}};

}  // namespace

scene::Integrator convert_integrator(v1::Integrator integrator) {
  const auto found =
      std::ranges::find(integrators, integrator, [](const auto& pair) { return pair.first; });
  return found != integrators.end() ? found->second : scene::Integrator::consensus_admm;
}

std::string name_of_integrator(const scene::Scene& scene) {
  if (scene.cloths.empty() && scene.soft_bodies.empty()) return {};
  if (scene.coupling.method == scene::CouplingMethod::newton_ipc) return {};
  const auto found = std::ranges::find(integrators, scene.solid_solver.integrator,
                                       [](const auto& pair) { return pair.second; });
  return v1::Integrator_Name(found->first);
}

}  // namespace sluice::convert
