// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/flow_of_grid.h"

#include "solver/fluid/mpm/kernel.h"
#include "solver/fluid/mpm/particle_weights.h"

namespace sluice::fluid {

namespace {

template <scene::Kernel kernel>
Flow sample(const GridFrame& frame, const Grid& grid, const Vec3f& x) {
  using Spline = BSpline<kernel>;
  const ParticleWeights<Spline> at(frame, x);
  Vec3 momentum = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < Spline::support; ++i) {
    for (int j = 0; j < Spline::support; ++j) {
      for (int k = 0; k < Spline::support; ++k) {
        const NodeBlock* nodes = grid.find(frame.block_key(at.base + Int4{i, j, k, 0}));
        if (nodes == nullptr) continue;
        const auto within = [&](int axis, int step) {
          return static_cast<std::size_t>((at.base[axis] + step) % block_edge);
        };
        const Float4& node =
            (*nodes)[(within(0, i) * block_edge + within(1, j)) * block_edge + within(2, k)];
        const double part = static_cast<double>(at.weight(i, j, k) * node[3]);
        mass += part;
        momentum += part * Vec3(node[0], node[1], node[2]);
      }
    }
  }
  if (!(mass > 0)) return {};
  return {momentum / mass, mass / static_cast<double>(frame.node_volume())};
}

}  // namespace

Flow flow_of_grid(const GridFrame& frame, scene::Kernel kernel, const Grid& grid, const Vec3f& x) {
  return kernel == scene::Kernel::quadratic ? sample<scene::Kernel::quadratic>(frame, grid, x)
                                            : sample<scene::Kernel::cubic>(frame, grid, x);
}

}  // namespace sluice::fluid
