// SPDX-License-Identifier: Apache-2.0
#include "solver/solid/vertex_gather.h"

#include <cassert>

namespace sluice::solid {

namespace {
constexpr std::int64_t vertex_gather_grain = 4096;  // vertices: 10 us or so
}

VertexGather::VertexGather(std::span<const std::int32_t> stencils, std::size_t vertices_per_element)
    : vertices_per_element_(vertices_per_element), partial_of_(stencils.size()), chunk_begins_{0} {
  assert(vertices_per_element >= 1 && vertices_per_element <= most_per_element);
  assert(stencils.size() % vertices_per_element == 0);
  const std::size_t slots_per_chunk = chunk * vertices_per_element;
  std::vector<std::int32_t> vertices;  // The vertex of each partial sum.
  for (std::size_t begin = 0; begin < stencils.size(); begin += slots_per_chunk) {
    const auto own = stencils.subspan(begin, std::min(slots_per_chunk, stencils.size() - begin));
    std::vector<std::int32_t> touched(own.begin(), own.end());
    std::ranges::sort(touched);
    touched.erase(std::ranges::unique(touched).begin(), touched.end());
    for (std::size_t s = 0; s < own.size(); ++s) {
      const auto place = std::ranges::lower_bound(touched, own[s]) - touched.begin();
      partial_of_[begin + s] =
          static_cast<std::int32_t>(vertices.size()) + static_cast<std::int32_t>(place);
    }
    vertices.insert(vertices.end(), touched.begin(), touched.end());
    chunk_begins_.push_back(vertices.size());
  }
  partials_.resize(vertices.size());
  assert(vertices.empty() || std::ranges::min(vertices) >= 0);
  const std::size_t vertex_count =
      vertices.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(vertices)) + 1;
  first_.assign(vertex_count + 1, 0);
  for (const std::int32_t vertex : vertices)
    ++first_[static_cast<std::size_t>(vertex) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v)
    first_[v] += first_[v - 1];
  partials_of_vertex_.resize(vertices.size());
  std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t n = 0; n < vertices.size(); ++n) {
    std::int32_t& place = next[static_cast<std::size_t>(vertices[n])];
    partials_of_vertex_[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(n);
  }
}

void VertexGather::clear(std::size_t chunk_index) const {
  std::fill(partials_.begin() + static_cast<std::ptrdiff_t>(chunk_begins_[chunk_index]),
            partials_.begin() + static_cast<std::ptrdiff_t>(chunk_begins_[chunk_index + 1]),
            Vec3::Zero());
}

void VertexGather::add_partials(std::span<Vec3> out) const {
  assert(out.size() + 1 >= first_.size());
  const auto vertex_count = static_cast<std::int64_t>(first_.size()) - 1;
  parallel::parallel_for(
      0, vertex_count, vertex_gather_grain, [&](std::int64_t first, std::int64_t last) {
        for (auto v = static_cast<std::size_t>(first); v < static_cast<std::size_t>(last); ++v) {
          Vec3 sum = Vec3::Zero();
          for (std::int32_t i = first_[v]; i < first_[v + 1]; ++i) {
            const std::int32_t partial = partials_of_vertex_[static_cast<std::size_t>(i)];
            sum += partials_[static_cast<std::size_t>(partial)];
          }
          out[v] += sum;
        }
      });
}

}  // namespace sluice::solid
