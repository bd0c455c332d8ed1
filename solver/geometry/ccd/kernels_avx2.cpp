// SPDX-License-Identifier: Apache-2.0
// Compiled for CPUs that have AVX2, and called on those only.
#include "solver/geometry/ccd/batch.h"
#include "solver/simd/query_lanes_avx2.h"

namespace sluice::geometry::ccd {

using namespace simd;

constinit const Kernels avx2_kernels = kernels_of<Lanes4>();

}  // namespace sluice::geometry::ccd
