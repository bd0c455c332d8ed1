// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/parallel/parallel_for.h"
#include "solver/types.h"

namespace sluice::solid {

/// Sums the contributions of elements to each of their vertices, without a buffer of all elements:
/// they are cut into chunks, each of which adds up its own in order, into one partial sum a vertex
/// that it touches; then each vertex adds up its partial sums in the order of the chunks. So the
/// sum has the same bits for any number of threads, and no two threads write to one place.
///
/// One call at a time: partial sums are kept in the object.
class VertexGather {
 public:
  /// Elements in a chunk: 10 us or more of the cheapest kind.
  static constexpr std::size_t chunk = 1024;
  /// Elements written at once, at most; chunks are cut into whole blocks of these.
  static constexpr std::size_t block = 64;

  static constexpr std::size_t most_per_element = 8;

  /// `stencils`: `vertices_per_element` vertices an element, in [1, most_per_element]; an element
  /// may name a vertex more than once.
  VertexGather(std::span<const std::int32_t> stencils, std::size_t vertices_per_element);

  /// out[v] += the elements' sum at v. Calls write(first, last, slots) for blocks of elements,
  /// those of a chunk one after the other, which writes `vertices_per_element` slots each.
  template <typename Write>
  void add(const Write& write, std::span<Vec3> out) const {
    const std::size_t k = vertices_per_element_, end = partial_of_.size() / k;
    parallel::parallel_for(
        0, static_cast<std::int64_t>(end), chunk, [&](std::int64_t begin, std::int64_t chunk_end) {
          clear(static_cast<std::size_t>(begin) / chunk);
          std::array<Vec3, most_per_element * block> slots;
          for (auto first = static_cast<std::size_t>(begin);
               first < static_cast<std::size_t>(chunk_end); first += block) {
            const std::size_t last = std::min(first + block, static_cast<std::size_t>(chunk_end));
            const std::span<Vec3> own(slots.data(), k * (last - first));
            write(first, last, own);
            for (std::size_t s = 0; s < own.size(); ++s)
              partials_[static_cast<std::size_t>(partial_of_[k * first + s])] += own[s];
          }
        });
    add_partials(out);
  }

 private:
  void clear(std::size_t chunk_index) const;
  void add_partials(std::span<Vec3> out) const;

  std::size_t vertices_per_element_;
  std::vector<std::int32_t> partial_of_;   ///< Partial sum of each slot.
  std::vector<std::size_t> chunk_begins_;  ///< First partial sum of each chunk, and the end.
  std::vector<std::int32_t> first_;        ///< By vertex: first in partials_of_vertex_, and end.
  std::vector<std::int32_t> partials_of_vertex_;
  mutable std::vector<Vec3> partials_;  ///< By chunk, then vertex.
};

}  // namespace sluice::solid
