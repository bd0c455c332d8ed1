// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/transfers.h"

#include <algorithm>
#include <cstddef>

#include "solver/fluid/mpm/transfer_kernels.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t transfers_grain = 4;

const TransferKernels& best_kernels() noexcept {
#ifdef __x86_64__
  static const bool has_avx512 = cpu_has_avx512();
  if (has_avx512) return avx512_kernels;
#endif
  return base_kernels;
}

template <int support, typename ScatterBlock>
void scatter_all(const ParticleBlocks& blocks, Grid& grid, const ScatterBlock& scatter_block) {
  grid.make_scattered<support>();
  const auto count = static_cast<std::int64_t>(blocks.blocks.size());
  parallel::parallel_for(0, count, transfers_grain, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      Tile<support>& tile = grid.scattered<support>(b);
      tile = {};
      scatter_block(blocks.blocks[b], tile);
    }
  });
  grid.sum_scattered<support>(blocks.copies);
}

template <int support, typename GatherBlock>
GatherReport gather_all(Grid& grid, const ParticleBlocks& blocks, const GatherBlock& gather_block) {
  const auto gather_one = [&](const ParticleBlock& block, std::size_t b) {
    Tile<support> tile;
    load_tile(grid, b, tile);
    return gather_block(tile, block);
  };
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(blocks.blocks.size()), transfers_grain, GatherReport{},
      [&](std::int64_t first, std::int64_t last) {
        GatherReport report;
        for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
          report = both(report, gather_one(blocks.blocks[b], b));
        }
        return report;
      },
      both);
}

}  // namespace

void particles_to_grid(const Substep& step, scene::Kernel kernel, const Particles& particles,
                       const ParticleBlocks& blocks, Grid& grid) {
  const TransferKernels& kernels = best_kernels();
  if (kernel == scene::Kernel::quadratic) {
    scatter_all<3>(blocks, grid, [&](const ParticleBlock& block, Tile<3>& tile) {
      kernels.scatter_quadratic(step, particles, blocks, block, tile,
                                grid.scattered_copies().data());
    });
  } else {
    scatter_all<4>(blocks, grid, [&](const ParticleBlock& block, Tile<4>& tile) {
      kernels.scatter_cubic(step, particles, blocks, block, tile, grid.scattered_copies().data());
    });
  }
}

GatherReport grid_to_particles(const Substep& step, scene::Kernel kernel, Grid& grid,
                               const ParticleBlocks& blocks, Particles& particles) {
  const TransferKernels& kernels = best_kernels();
  if (kernel == scene::Kernel::quadratic) {
    return gather_all<3>(grid, blocks, [&](const Tile<3>& tile, const ParticleBlock& block) {
      return kernels.gather_quadratic(step, tile, grid.copies().data(), blocks, block, particles);
    });
  }
  return gather_all<4>(grid, blocks, [&](const Tile<4>& tile, const ParticleBlock& block) {
    return kernels.gather_cubic(step, tile, grid.copies().data(), blocks, block, particles);
  });
}

}  // namespace sluice::fluid
