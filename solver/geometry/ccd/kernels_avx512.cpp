// SPDX-License-Identifier: Apache-2.0
// Compiled for CPUs that have AVX-512, and called on those only.
#include "solver/geometry/ccd/batch.h"
#include "solver/simd/query_lanes_avx512.h"

namespace sluice::geometry::ccd {

using namespace simd;

constinit const Kernels avx512_kernels = kernels_of<Lanes8>();

}  // namespace sluice::geometry::ccd
