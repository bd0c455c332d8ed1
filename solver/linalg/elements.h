// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::linalg {

/// Elements of one kind as a matrix sees them: each has k vertices and a map G_e of r rows, and
/// adds (G_e x I_3)^T H_e (G_e x I_3) for some symmetric H_e of 3r x 3r, or w_e G_e^T G_e.
struct ElementGroup {
  int vertices_per_element;                ///< k
  int rows;                                ///< r
  std::span<const std::int32_t> stencils;  ///< k vertex indices an element
  std::span<const double> maps;            ///< G_e, row-major, r k an element

  [[nodiscard]] std::size_t count() const {
    return stencils.size() / static_cast<std::size_t>(vertices_per_element);
  }
};

}  // namespace sluice::linalg
