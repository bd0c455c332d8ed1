// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/filled_volume.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/node_bits.h"
#include "solver/fluid/mpm/node_boundary.h"
#include "solver/fluid/mpm/particle_weights.h"
#include "solver/fluid/mpm/wall_images.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t filled_volume_grain = 4;

float volume_of(const Material& material, const Affine& affine) {
  return material.rest_volume * (material.is_liquid() ? 1 : std::min(1.0F, 1 + affine.strain));
}

void swap_masses(Float4& a, Float4& b) {
  const float of_a = a[3];
  a[3] = b[3];
  b[3] = of_a;
}

// Adds up what the particles of a block fill of a tile. Particles of a cell mostly follow each
// other, and fill the same rows of nodes.
template <typename Spline>
class TileFiller {
 public:
  // `cell`: ParticleBlocks::cells.
  void add(int cell, const ParticleWeights<Spline>& at, float volume) {
    begin_cell(cell);
    for (int i = 0; i < support; ++i) {
      for (int j = 0; j < support; ++j)
        row(i, j) += row_of(at, volume, i, j);
    }
  }

  // Copies get what is of the nodes that `sight` does not see.
  void add(int cell, const ParticleWeights<Spline>& at, float volume, const Sight& sight,
           std::span<const NodeCopy> stand_ins, scene::WallCondition wall, Float4* copies) {
    begin_cell(cell);
    std::uint32_t copy = sight.first_copy;
    for (int i = 0; i < support; ++i) {
      for (int j = 0; j < support; ++j) {
        Float4 part = row_of(at, volume, i, j);
        for (int k = 0; k < support; ++k) {
          if ((sight.hidden >> node_bit(i, j, k) & 1) == 0) continue;
          copies[copy] += mirrored(stand_ins[copy].mirrors, wall, Float4{0, 0, 0, part[k]});
          part[k] = 0;
          ++copy;
        }
        row(i, j) += part;
      }
    }
  }

  void finish(Tile<Spline::support>& tile) {
    end_cell();
    for (std::size_t n = 0; n < Tile<support>::node_count; ++n)
      tile.nodes[n] = Float4{0, 0, 0, nodes_[n]};
  }

 private:
  static constexpr int support = Spline::support, edge = Tile<support>::edge;

  Float4& row(int i, int j) {
    const int place = i * support + j;
    return rows_[static_cast<std::size_t>(place)];
  }

  static Float4 row_of(const ParticleWeights<Spline>& at, float volume, int i, int j) {
    Float4 along_z{};
    for (int k = 0; k < support; ++k)
      along_z[k] = at.of_axes.w[k][2];
    return splat(volume * at.of_axes.w[i][0] * at.of_axes.w[j][1]) * along_z;
  }

  void begin_cell(int cell) {
    if (cell == cell_) return;
    end_cell();
    cell_ = cell;
  }

  void end_cell() {
    if (cell_ < 0) return;
    const auto [x, y, z] = node_of_bit(cell_);
    for (int i = 0; i < support; ++i) {
      for (int j = 0; j < support; ++j) {
        const int first = ((x + i) * edge + y + j) * edge + z;
        float* along_z = &nodes_[static_cast<std::size_t>(first)];
        for (int k = 0; k < support; ++k)
          along_z[k] += row(i, j)[k];
        row(i, j) = Float4{};
      }
    }
  }

  int cell_ = -1;
  std::array<Float4, std::size_t{support} * support> rows_{};  // The cell's rows of nodes along z.
  std::array<float, Tile<support>::node_count> nodes_{};
};

template <typename Spline>
void scatter(const GridFrame& frame, scene::WallCondition wall, std::span<const Material> materials,
             const Particles& particles, const ParticleBlocks& blocks, Grid& volumes) {
  constexpr int support = Spline::support;
  volumes.make_scattered<support>();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(blocks.blocks.size()), filled_volume_grain,
      [&](std::int64_t first, std::int64_t last) {
        for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
          const ParticleBlock& block = blocks.blocks[b];
          TileFiller<Spline> filler;
          for (std::uint32_t o = block.first; o < block.last; ++o) {
            const std::uint32_t p = blocks.order[o];
            const ParticleWeights<Spline> at(frame, particles.positions[p]);
            const float volume = volume_of(materials[particles.materials[p]], particles.affine[p]);
            if (o < block.sighted_last) {
              filler.add(blocks.cells[p], at, volume);
            } else {
              filler.add(blocks.cells[p], at, volume, blocks.sights[o], blocks.copies, wall,
                         volumes.scattered_copies().data());
            }
          }
          filler.finish(volumes.scattered<support>(b));
        }
      });
  volumes.sum_scattered<support>(blocks.copies);
}

}  // namespace

void FilledVolume::find(const GridFrame& frame, scene::Kernel kernel, scene::WallCondition wall,
                        std::span<const Material> materials, const Particles& particles,
                        const ParticleBlocks& blocks, Grid& grid) {
  volumes_.activate(frame, blocks.blocks);
  volumes_.copies().assign(grid.copies().size(), Float4{});
  volumes_.scattered_copies().assign(blocks.copies.size(), Float4{});
  if (kernel == scene::Kernel::quadratic) {
    scatter<BSpline<scene::Kernel::quadratic>>(frame, wall, materials, particles, blocks, volumes_);
  } else {
    scatter<BSpline<scene::Kernel::cubic>>(frame, wall, materials, particles, blocks, volumes_);
  }
  image_masses(frame, wall, volumes_);
}

void FilledVolume::exchange(Grid& grid) {
  parallel::parallel_for(0, static_cast<std::int64_t>(grid.block_count()), filled_volume_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto b = static_cast<std::size_t>(first);
                                b < static_cast<std::size_t>(last); ++b) {
                             for (std::size_t n = 0; n < block_nodes; ++n)
                               swap_masses(grid.nodes(b)[n], volumes_.nodes(b)[n]);
                           }
                         });
  for (std::size_t c = 0; c < grid.copies().size(); ++c)
    swap_masses(grid.copies()[c], volumes_.copies()[c]);
}

}  // namespace sluice::fluid
