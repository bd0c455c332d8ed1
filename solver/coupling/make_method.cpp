// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/admm_ipc.h"
#include "solver/coupling/method.h"

namespace sluice::coupling {

std::unique_ptr<Method> make_method(const scene::Scene& scene, solid::DeformableSystem& solids) {
  switch (scene.coupling.method) {
    case scene::CouplingMethod::admm_ipc:
      break;
  }
  return std::make_unique<AdmmIpc>(scene, solids);
}

}  // namespace sluice::coupling
