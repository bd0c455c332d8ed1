// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/vectors.h"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

namespace sluice::linalg {

namespace {
constexpr std::int64_t vectors_grain = 8192;  // Vectors of 24 bytes each: some 10 microseconds.
}

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  assert(a.size() == b.size());
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(a.size()), vectors_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        const Eigen::Index count = 3 * (last - first);
        const auto offset = static_cast<std::size_t>(first);
        return Eigen::Map<const Eigen::VectorXd>(a[offset].data(), count)
            .dot(Eigen::Map<const Eigen::VectorXd>(b[offset].data(), count));
      },
      std::plus<>());
}

double norm(std::span<const Vec3> a) { return std::sqrt(dot(a, a)); }

void add_scaled(double s, std::span<const Vec3> x, std::span<Vec3> y) { step_along(y, s, x, y); }

void step_along(std::span<const Vec3> x, double s, std::span<const Vec3> d, std::span<Vec3> out) {
  assert(x.size() == d.size() && x.size() == out.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(x.size()), vectors_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i) {
                             const auto n = static_cast<std::size_t>(i);
                             out[n] = x[n] + s * d[n];
                           }
                         });
}

}  // namespace sluice::linalg
