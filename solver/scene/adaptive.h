// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/scene/visitable.h"

namespace sluice::scene {

/// How a grid's cells are divided where the detail is: `Adaptive` of scene.proto.
struct Adaptive {
  int levels = 5;     ///< Sizes of cells; the largest are 2^(levels - 1) times the smallest.
  double detail = 1;  ///< The larger it is, the smaller are differences that count.
  std::vector<geometry::Shape> finest;    ///< Regions that have the smallest cells.
  std::optional<std::int64_t> max_cells;  ///< Most cells, of all sizes.
};

template <Of<Adaptive> Self, typename Visit>
void visit_fields(Self& adaptive, Visit&& visit) {
  auto& [levels, detail, finest, max_cells] = adaptive;
  visit(levels, detail, finest, max_cells);
}

}  // namespace sluice::scene
