// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "solver/fluid/grid/poisson.h"

namespace sluice::fluid::grid {

using Ties = std::span<const std::span<const std::uint32_t>>;

/// Where unknowns that are tied to each other are tied to nothing fixed, all of them may be raised
/// by any number, and b has to sum up to 0 for a solution to be there. Takes the mean off there:
/// what is left is the part of b that has one. Serial; looks at the cells of tiles that are not
/// uniform. `ties` are unknowns that something else ties together: those on a body that moves.
template <int D>
void remove_null_space(const PoissonSystem<D>& system, std::span<double> b, Ties ties = {});

extern template void remove_null_space<2>(const PoissonSystem<2>&, std::span<double>, Ties);
extern template void remove_null_space<3>(const PoissonSystem<3>&, std::span<double>, Ties);

}  // namespace sluice::fluid::grid
