// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "solver/integrator/integrator.h"
#include "solver/scene/scene.h"
#include "solver/solid/potential.h"

namespace sluice::integrator {

/// Makes the integrator that a scene asks for; it refers to `potentials`. Newton's method is
/// SpringNewton where there are springs alone, and ProjectedNewton otherwise.
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(
    scene::Integrator kind, std::span<const solid::Potential* const> potentials,
    std::size_t vertex_count);

}  // namespace sluice::integrator
