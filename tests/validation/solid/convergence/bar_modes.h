// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "solver/solid/potential.h"
#include "tests/validation/solid/tet_bar.h"

namespace sluice::solid {

/// A bar of tets that hangs along z from its upper end and obeys a linear law: its first
/// longitudinal mode.
struct BarMode {
  std::vector<Vec3> sag;    ///< [m] By vertex, how far its weight moves it at rest.
  std::vector<Vec3> shape;  ///< [m] By vertex, downwards, 1 at the most.
  double frequency;         ///< [rad/s]
};

/// By all eigenvalues of the mesh's own matrices. `is_held` by vertex; `gravity` [m/s^2] along -z.
[[nodiscard]] BarMode first_longitudinal_mode(const TetBar& bar, const Potential& elastic,
                                              const std::vector<double>& mass,
                                              const std::vector<std::uint8_t>& is_held,
                                              double gravity);

}  // namespace sluice::solid
