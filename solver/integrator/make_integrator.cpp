// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/make_integrator.h"

#include "solver/integrator/admm.h"
#include "solver/integrator/lbfgs.h"
#include "solver/integrator/newton_pcg.h"
#include "solver/integrator/projected_newton.h"
#include "solver/integrator/projective_dynamics.h"
#include "solver/integrator/spring_newton.h"
#include "solver/integrator/steepest_descent.h"
#include "solver/integrator/symplectic_euler.h"

namespace sluice::integrator {

std::unique_ptr<Integrator> make_integrator(scene::Integrator kind,
                                            std::span<const solid::Potential* const> potentials,
                                            std::size_t vertex_count) {
  switch (kind) {
    case scene::Integrator::consensus_admm:
      return std::make_unique<ConsensusAdmmIntegrator>(potentials, vertex_count, false);
    case scene::Integrator::accelerated_consensus_admm:
      return std::make_unique<ConsensusAdmmIntegrator>(potentials, vertex_count, true);
    case scene::Integrator::admm:
      return std::make_unique<Admm>(potentials, vertex_count);
    case scene::Integrator::projective_dynamics:
      return std::make_unique<ProjectiveDynamics>(potentials, vertex_count);
    case scene::Integrator::lbfgs:
      return std::make_unique<Lbfgs>(potentials, vertex_count);
    case scene::Integrator::newton:
      if (SpringStep::serves(potentials)) {
        return std::make_unique<SpringNewton>(potentials, vertex_count);
      }
      return std::make_unique<ProjectedNewton>(potentials, vertex_count);
    case scene::Integrator::newton_pcg:
      return std::make_unique<NewtonPcg>(potentials, vertex_count);
    case scene::Integrator::steepest_descent:
      return std::make_unique<SteepestDescent>();
    case scene::Integrator::symplectic_euler:
      return std::make_unique<SymplecticEuler>(potentials, vertex_count);
  }
  return nullptr;
}

}  // namespace sluice::integrator
