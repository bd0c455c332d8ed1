// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/fluid/mpm/gather_kernel.h"
#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/particle_batch.h"
#include "solver/fluid/mpm/scatter_kernel.h"
#include "solver/fluid/mpm/transfers.h"

/// Private to transfers: the scatter and the gather of one block's particles. A translation unit
/// for each instruction set instantiates them.
///
/// Particles come in batches of `width`. The work on each by itself (weights, stress, the update of
/// its state) is done for a batch at once, a lane a particle. The work on nodes is done for one
/// particle after the other, a register (or two) holding a row of nodes in z; particles of a cell
/// follow each other (ParticleBlocks), so that rows stay in registers from one to the next.
///
/// Symbols: m mass, v velocity, C affine velocity, J volume ratio, p pressure, h duration, D_inv =
/// inertia_inverse / dx^2. Offsets are in cells: a particle stands at `offset` from its node (1, 1,
/// 1), in a support of nodes 0 .. support - 1.
namespace sluice::fluid {

using namespace simd;

/// The block functions of one instruction set.
struct TransferKernels {
  void (*scatter_quadratic)(const Substep&, const Particles&, const ParticleBlocks&,
                            const ParticleBlock&, Tile<3>&, Float4* copies);
  void (*scatter_cubic)(const Substep&, const Particles&, const ParticleBlocks&,
                        const ParticleBlock&, Tile<4>&, Float4* copies);
  GatherReport (*gather_quadratic)(const Substep&, const Tile<3>&, const Float4* copies,
                                   const ParticleBlocks&, const ParticleBlock&, Particles&);
  GatherReport (*gather_cubic)(const Substep&, const Tile<4>&, const Float4* copies,
                               const ParticleBlocks&, const ParticleBlock&, Particles&);
};

extern const TransferKernels base_kernels;  ///< Run on any CPU that the build is for.
#ifdef __x86_64__
extern const TransferKernels avx512_kernels;
[[nodiscard]] inline bool cpu_has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

template <int width>
constexpr TransferKernels make_transfer_kernels() {
  using Quadratic = BSpline<scene::Kernel::quadratic>;
  using Cubic = BSpline<scene::Kernel::cubic>;
  return {scatter_block<Quadratic, width>, scatter_block<Cubic, width>,
          gather_block<Quadratic, width>, gather_block<Cubic, width>};
}

}  // namespace sluice::fluid
