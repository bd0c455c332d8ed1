// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sluice::convert {

/// What the solids of one scene may still use, so that no scene costs more than its
/// limits say.
struct BodyBudget {
  std::int64_t vertex_count;
  std::int64_t triangle_count;
  std::int64_t tetrahedron_count;
  std::int64_t pin_tests;  ///< Pairs of a vertex and a pin's region.
};

}  // namespace sluice::convert
