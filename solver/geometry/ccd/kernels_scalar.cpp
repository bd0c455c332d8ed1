// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/ccd/batch.h"

namespace sluice::geometry::ccd {

constinit const Kernels scalar_kernels = kernels_of<Lanes1>();

}  // namespace sluice::geometry::ccd
