// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>

#include "solver/scene/scene.h"
#include "solver/solid/isotropic/fixed_corotated.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/isotropic/st_venant_kirchhoff.h"
#include "solver/solid/isotropic/stable_neo_hookean.h"
#include "solver/solid/lame.h"

namespace sluice::solid {

using IsotropicModel = scene::ElasticModel;

/// What an isotropic elastic solid is made of.
struct IsotropicMaterial {
  IsotropicModel model;
  Lame lame;
};

/// `body(energy)` with the class of the material's model, which is not linear (asserted).
template <typename Body>
auto with_nonlinear_energy(const IsotropicMaterial& material, Body&& body) {
  switch (material.model) {
    case IsotropicModel::st_venant_kirchhoff:
      return body(StVenantKirchhoff{material.lame});
    case IsotropicModel::neo_hookean:
      return body(NeoHookean{material.lame});
    case IsotropicModel::fixed_corotated:
      return body(FixedCorotated{material.lame});
    case IsotropicModel::stable_neo_hookean:
    case IsotropicModel::linear:
      break;
  }
  assert(material.model == IsotropicModel::stable_neo_hookean);
  return body(StableNeoHookean{material.lame});
}

/// `body(energy)` with the class of the material's model.
template <typename Body>
auto with_energy(const IsotropicMaterial& material, Body&& body) {
  if (material.model == IsotropicModel::linear) return body(LinearElasticity{material.lame});
  return with_nonlinear_energy(material, body);
}

}  // namespace sluice::solid
