// SPDX-License-Identifier: Apache-2.0
#include "solver/coupling/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "solver/parallel/parallel_for.h"

namespace sluice::coupling {

std::int64_t first_not_finite(std::span<const Vec3> values) {
  std::atomic<bool> found{false};
  parallel::parallel_for(0, static_cast<std::int64_t>(values.size()), 16384,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i) {
                             if (!values[static_cast<std::size_t>(i)].cast<float>().allFinite()) {
                               found.store(true, std::memory_order_relaxed);
                             }
                           }
                         });
  if (!found) return -1;
  const auto at = std::find_if(values.begin(), values.end(),
                               [](const Vec3& v) { return !v.cast<float>().allFinite(); });
  return at - values.begin();
}

Error diverged(const std::string& body, const char* cause) {
  return {ErrorCode::solver_diverged,
          fmt::format("the motion of \"{}\" is no longer finite: {}", body, cause)};
}

}  // namespace sluice::coupling
