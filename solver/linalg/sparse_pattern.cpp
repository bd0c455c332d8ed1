// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/sparse_pattern.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "solver/types.h"

namespace sluice::linalg {

namespace {

/// Calls visit(vertices of an element) for each element of each group, in order.
template <typename Visit>
void for_each_element(std::span<const ElementGroup> groups, const Visit& visit) {
  for (const ElementGroup& group : groups) {
    const auto k = static_cast<std::size_t>(group.vertices_per_element);
    for (std::size_t e = 0; e < group.count(); ++e)
      visit(group.stencils.subspan(e * k, k));
  }
}

/// Elements by vertex, as (element's place in `stencil_of`) lists.
struct Incidence {
  std::vector<std::int32_t> starts;
  std::vector<std::span<const std::int32_t>> stencils;

  Incidence(std::size_t vertex_count, std::span<const ElementGroup> groups)
      : starts(vertex_count + 1, 0) {
    for_each_element(groups, [&](std::span<const std::int32_t> stencil) {
      for (const std::int32_t vertex : stencil)
        ++starts[at(vertex) + 1];
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    stencils.resize(at(starts.back()));
    std::vector<std::int32_t> next(starts.begin(), starts.end() - 1);
    for_each_element(groups, [&](std::span<const std::int32_t> stencil) {
      for (const std::int32_t vertex : stencil)
        stencils[at(next[at(vertex)]++)] = stencil;
    });
  }
};

}  // namespace

std::int32_t SparsePattern::entry(std::int32_t row, std::int32_t column) const {
  const auto first = columns.begin() + row_starts[at(row)];
  const auto last = columns.begin() + row_starts[at(row) + 1];
  const auto found = std::lower_bound(first, last, column);
  assert(found != last && *found == column);
  return static_cast<std::int32_t>(found - columns.begin());
}

SparsePattern make_pattern(std::size_t vertex_count, std::span<const ElementGroup> groups) {
  const Incidence incidence(vertex_count, groups);
  SparsePattern pattern;
  pattern.row_starts.push_back(0);
  std::vector<std::int32_t> row;
  for (std::size_t i = 0; i < vertex_count; ++i) {
    const auto own = static_cast<std::int32_t>(i);
    row.assign(1, own);
    for (std::int32_t n = incidence.starts[i]; n < incidence.starts[i + 1]; ++n) {
      const auto& stencil = incidence.stencils[at(n)];
      row.insert(row.end(), stencil.begin(), stencil.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    const auto place = std::lower_bound(row.begin(), row.end(), own) - row.begin();
    pattern.diagonal.push_back(pattern.row_starts.back() + static_cast<std::int32_t>(place));
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.row_starts.push_back(static_cast<std::int32_t>(pattern.columns.size()));
  }
  return pattern;
}

void assemble_scalar(const SparsePattern& pattern, std::span<const ElementGroup> groups,
                     std::span<const std::span<const double>> weights,
                     std::span<const double> diagonal, std::span<double> entries) {
  assert(diagonal.size() == pattern.row_count() && entries.size() == pattern.entry_count());
  std::fill(entries.begin(), entries.end(), 0.0);
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    entries[at(pattern.diagonal[i])] = diagonal[i] == infinity ? 1 : diagonal[i];
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ElementGroup& group = groups[g];
    const auto k = static_cast<std::size_t>(group.vertices_per_element);
    const auto r = static_cast<std::size_t>(group.rows);
    for (std::size_t e = 0; e < group.count(); ++e) {
      const auto stencil = group.stencils.subspan(e * k, k);
      const auto G = group.maps.subspan(e * r * k, r * k);
      for (std::size_t a = 0; a < k; ++a) {
        if (diagonal[at(stencil[a])] == infinity) continue;
        for (std::size_t b = 0; b < k; ++b) {
          if (diagonal[at(stencil[b])] == infinity) continue;
          double product = 0;
          for (std::size_t p = 0; p < r; ++p)
            product += G[p * k + a] * G[p * k + b];
          entries[at(pattern.entry(stencil[a], stencil[b]))] += weights[g][e] * product;
        }
      }
    }
  }
}

}  // namespace sluice::linalg
