// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/types.h"

namespace sluice::solid {

/// The second pass of an assembly: sums what the elements have written for each of their vertices.
///
/// A slot is one vertex of one element; slot s belongs to vertex stencils[s]. Each vertex adds its
/// slots in the order of the elements, so the sum has the same bits for any number of threads, and
/// no two threads write to one place.
class VertexGather {
 public:
  explicit VertexGather(std::span<const std::int32_t> stencils);

  /// out[v] += the sum of the slots of v. `slots` has one entry a slot; `out` one a vertex, at
  /// least as many as the stencils name.
  void add(std::span<const Vec3> slots, std::span<Vec3> out) const;

 private:
  std::vector<std::int32_t> first_;  ///< Of each vertex in slots_, and the end.
  std::vector<std::int32_t> slots_;
};

}  // namespace sluice::solid
