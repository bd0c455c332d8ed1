// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/admm_ipc.h"
#include "solver/coupling/boundary_map.h"
#include "solver/coupling/immersed_boundary.h"
#include "solver/coupling/method.h"
#include "solver/coupling/newton_ipc.h"
#include "solver/coupling/one_way.h"
#include "solver/coupling/variational_rigid.h"
#include "solver/coupling/weak.h"

namespace sluice::coupling {

std::unique_ptr<Method> make_method(const scene::Scene& scene, solid::DeformableSystem& solids) {
  switch (scene.coupling.method) {
    case scene::CouplingMethod::boundary_map:
      return std::make_unique<BoundaryMap>(scene, solids, BoundaryMap::Exchange::at_once);
    case scene::CouplingMethod::immersed_boundary:
      return std::make_unique<ImmersedBoundary>(scene, solids);
    case scene::CouplingMethod::weak:
      if (scene::is_elastic_on_grid(scene))
        return std::make_unique<BoundaryMap>(scene, solids, BoundaryMap::Exchange::weak);
      return std::make_unique<Weak>(scene, solids);
    case scene::CouplingMethod::one_way:
      return std::make_unique<OneWay>(scene, solids);
    case scene::CouplingMethod::variational_rigid:
      return std::make_unique<VariationalRigid>(scene, solids);
    case scene::CouplingMethod::admm_ipc:
      break;
    case scene::CouplingMethod::newton_ipc:
      return std::make_unique<NewtonIpc>(scene, solids);
  }
  return std::make_unique<AdmmIpc>(scene, solids);
}

}  // namespace sluice::coupling
