// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_mesh.h"

#include "solver/parallel/parallel_reduce.h"

namespace sluice::geometry {

double signed_volume(const TetMesh& mesh) {
  constexpr std::int64_t grain = 4096;
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(mesh.tets.size()), grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double sum = 0;
        for (std::int64_t i = first; i < last; ++i) {
          sum += signed_volume(corners_of(mesh, mesh.tets[static_cast<std::size_t>(i)]));
        }
        return sum;
      },
      [](double left, double right) { return left + right; });
}

}  // namespace sluice::geometry
