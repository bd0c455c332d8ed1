// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/vertex_gather.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "solver/parallel/parallel_for.h"

namespace sluice::solid {

namespace {
constexpr std::int64_t grain = 1024;  // vertices: 10 us or so at 20 slots each
}

VertexGather::VertexGather(std::span<const std::int32_t> stencils) {
  std::int32_t last = -1;
  for (const std::int32_t vertex : stencils) {
    assert(vertex >= 0);
    last = std::max(last, vertex);
  }
  first_.assign(static_cast<std::size_t>(last) + 2, 0);
  for (const std::int32_t vertex : stencils)
    ++first_[static_cast<std::size_t>(vertex) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v)
    first_[v] += first_[v - 1];
  slots_.resize(stencils.size());
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t s = 0; s < stencils.size(); ++s) {
    const auto vertex = static_cast<std::size_t>(stencils[s]);
    slots_[static_cast<std::size_t>(next[vertex]++)] = static_cast<std::int32_t>(s);
  }
}

void VertexGather::add(std::span<const Vec3> slots, std::span<Vec3> out) const {
  assert(slots.size() == slots_.size() && out.size() + 1 >= first_.size());
  const auto vertex_count = static_cast<std::int64_t>(first_.size()) - 1;
  parallel::parallel_for(0, vertex_count, grain, [&](std::int64_t first, std::int64_t last) {
    for (auto v = static_cast<std::size_t>(first); v < static_cast<std::size_t>(last); ++v) {
      Vec3 sum = Vec3::Zero();
      for (std::int32_t i = first_[v]; i < first_[v + 1]; ++i)
        sum += slots[static_cast<std::size_t>(slots_[static_cast<std::size_t>(i)])];
      out[v] += sum;
    }
  });
}

}  // namespace sluice::solid
