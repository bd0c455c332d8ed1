// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sluice::convert {

/// What remains of a scene's limits for the solids that are not converted yet. Conversion takes
/// from it, so that no scene costs more than its limits say.
struct BodyBudget {
  std::int64_t vertex_count;
  std::int64_t triangle_count;
  std::int64_t tetrahedron_count;
  std::int64_t pin_tests;  ///< Tests of a vertex against a pin's region.
};

}  // namespace sluice::convert
