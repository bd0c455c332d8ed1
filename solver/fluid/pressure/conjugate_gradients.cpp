// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/conjugate_gradients.h"

#include "solver/fluid/pressure/conjugate_gradients_iteration.h"

namespace sluice::fluid::grid {

template class ConjugateGradients<2>;
template class ConjugateGradients<3>;
template class ConjugateGradients<2, CoupledSystem<2>>;
template class ConjugateGradients<3, CoupledSystem<3>>;

}  // namespace sluice::fluid::grid
