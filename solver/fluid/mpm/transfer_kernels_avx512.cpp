// SPDX-License-Identifier: Apache-2.0
// Compiled for CPUs that have AVX-512, and called on those only.
#include "solver/fluid/mpm/transfer_kernels.h"

namespace sluice::fluid {

constinit const TransferKernels avx512_kernels = make_transfer_kernels<16>();

}  // namespace sluice::fluid
