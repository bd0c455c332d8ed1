// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/result.h"

namespace sluice::solid {

/// The elasticity of an isotropic solid by the constants that are measured.
struct Elasticity {
  double young_modulus;  ///< E [Pa], > 0
  double poisson_ratio;  ///< nu, in (-1, 0.5)
};

/// The same elasticity by Lame's constants, which the energies use. [Pa]
struct Lame {
  double mu;      ///< Shear modulus, > 0.
  double lambda;  ///< > -2/3 mu, so that the bulk modulus is positive.
};

/// Returns Lame's constants of a solid in three dimensions, and in plane strain, where the third
/// stretch is held at 1. The error names the constant that is out of its range and the range.
[[nodiscard]] Result<Lame> lame_of(const Elasticity& elasticity);

/// The inverse of `lame_of`. The error names the constant that is out of its range.
[[nodiscard]] Result<Elasticity> elasticity_of(const Lame& lame);

/// Returns the constants of two-dimensional energies for a sheet free of stress across it: lambda
/// becomes 2 mu lambda / (lambda + 2 mu), which is E nu / (1 - nu^2).
[[nodiscard]] Lame plane_stress(const Lame& lame) noexcept;

}  // namespace sluice::solid
