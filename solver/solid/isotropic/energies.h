// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <tuple>

#include "solver/solid/isotropic/fixed_corotated.h"
#include "solver/solid/isotropic/lame.h"
#include "solver/solid/isotropic/linear.h"
#include "solver/solid/isotropic/neo_hookean.h"
#include "solver/solid/isotropic/saint_venant_kirchhoff.h"
#include "solver/solid/isotropic/stable_neo_hookean.h"

namespace sluice::solid {

/// The energies of principal stretches (stretches.h). To add one: its file in this folder, its name
/// here, and its value in scene.proto's ElasticModel, which is `name` in capitals.
using StretchEnergies =
    std::tuple<StableNeoHookean, NeoHookean, SaintVenantKirchhoff, FixedCorotated>;

/// All energies. The linear one knows no rotations, so that membranes cannot have it.
using Energies = decltype(std::tuple_cat(StretchEnergies{}, std::tuple<LinearElasticity>{}));

/// The material of an isotropic elastic solid.
struct IsotropicMaterial {
  std::string model;  ///< The `name` of one of Energies.
  Lame lame;
};

namespace detail {
template <typename Body, typename First, typename... Rest>
auto with_energy_of(const IsotropicMaterial& material, Body&& body,
                    const std::tuple<First, Rest...>* /*energies*/) {
  if constexpr (sizeof...(Rest) > 0) {
    if (material.model != First::name) {
      constexpr std::tuple<Rest...>* rest = nullptr;
      return with_energy_of(material, body, rest);
    }
  }
  assert(material.model == First::name);
  return body(First{material.lame});
}
}  // namespace detail

/// `body(energy)` with the class of the material's model, which is not linear (asserted).
template <typename Body>
auto with_stretch_energy(const IsotropicMaterial& material, Body&& body) {
  constexpr StretchEnergies* energies = nullptr;
  return detail::with_energy_of(material, body, energies);
}

/// `body(energy)` with the class of the material's model.
template <typename Body>
auto with_energy(const IsotropicMaterial& material, Body&& body) {
  constexpr Energies* energies = nullptr;
  return detail::with_energy_of(material, body, energies);
}

}  // namespace sluice::solid
