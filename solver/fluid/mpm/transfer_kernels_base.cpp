// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/transfer_kernels.h"

namespace sluice::fluid {

constinit const TransferKernels base_kernels = make_transfer_kernels<8>();

}  // namespace sluice::fluid
