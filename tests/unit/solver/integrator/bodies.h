// SPDX-License-Identifier: Apache-2.0
// One small body of every kind of energy, for promises that hold for all of them.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "solver/solid/bending_potential.h"
#include "solver/solid/continuum.h"
#include "solver/solid/kelvin_voigt.h"
#include "tests/unit/solver/integrator/scenes.h"

namespace sluice::integrator {

enum class BodyKind {
  springs,
  membrane,  ///< With bending.
  linear_tets,
  st_venant_kirchhoff_tets,
  neo_hookean_tets,
  stable_neo_hookean_tets,
  fixed_corotated_tets,
  damped_tets,  ///< Stable Neo-Hookean and Kelvin-Voigt.
};

inline constexpr std::array all_body_kinds{BodyKind::springs,
                                           BodyKind::membrane,
                                           BodyKind::linear_tets,
                                           BodyKind::st_venant_kirchhoff_tets,
                                           BodyKind::neo_hookean_tets,
                                           BodyKind::stable_neo_hookean_tets,
                                           BodyKind::fixed_corotated_tets,
                                           BodyKind::damped_tets};

inline const char* name_of(BodyKind kind) {
  constexpr std::array names{"springs",    "membrane",         "linear",         "StVK",
                             "NeoHookean", "StableNeoHookean", "FixedCorotated", "Damped"};
  return names[static_cast<std::size_t>(kind)];
}

/// Potentials and rest shape of a body 0.2 to 0.3 m long; the first potential is what stores
/// energy.
inline TestStep make_body(BodyKind kind) {
  const auto bar = [](const std::string& model) { return tet_bar(2, model, 1, 1); };
  switch (kind) {
    case BodyKind::springs:
      return spring_sheet(4, 1, 1);
    case BodyKind::membrane: {
      TestStep step;
      const auto mesh = solid::grid_mesh(4, 4, 0.1);
      step.rest = mesh.vertices;
      step.inertia.assign(step.rest.size(), 1);
      step.add(solid::make_membrane(
          mesh.vertices, mesh.triangles,
          {solid::StableNeoHookean::name, solid::lame_of({1e4, 0.3}).value()}, 0.005));
      step.add(std::make_unique<solid::BendingPotential>(mesh.vertices, mesh.triangles, 1e-3));
      return step;
    }
    case BodyKind::linear_tets:
      return bar(solid::LinearElasticity::name);
    case BodyKind::st_venant_kirchhoff_tets:
      return bar(solid::SaintVenantKirchhoff::name);
    case BodyKind::neo_hookean_tets:
      return bar(solid::NeoHookean::name);
    case BodyKind::fixed_corotated_tets:
      return bar(solid::FixedCorotated::name);
    case BodyKind::stable_neo_hookean_tets:
    case BodyKind::damped_tets:
      break;
  }
  TestStep step = bar(solid::StableNeoHookean::name);
  if (kind == BodyKind::damped_tets)
    step.add(solid::make_tet_damping(step.rest, step.tets, {10, 15}));
  return step;
}

}  // namespace sluice::integrator
