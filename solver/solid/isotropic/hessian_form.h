// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::solid {

/// How a Hessian is returned.
enum class HessianForm {
  exact,
  positive_semidefinite,  ///< Its negative eigenvalues set to 0. [Smith2019] or by elements.
};

}  // namespace sluice::solid
