// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/ordering.h"

#include <metis.h>

#include <mutex>
#include <new>
#include <numeric>

namespace sluice::linalg {

std::vector<std::int32_t> nested_dissection(const SparsePattern& pattern) {
  std::vector<std::int32_t> order(pattern.row_count());
  std::iota(order.begin(), order.end(), 0);
  // METIS wants neighbours without the vertex itself.
  std::vector<idx_t> starts{0}, neighbours;
  for (std::size_t i = 0; i < pattern.row_count(); ++i) {
    for (auto n = static_cast<std::size_t>(pattern.row_starts[i]);
         n < static_cast<std::size_t>(pattern.row_starts[i + 1]); ++n) {
      if (pattern.columns[n] != static_cast<std::int32_t>(i))
        neighbours.push_back(pattern.columns[n]);
    }
    starts.push_back(static_cast<idx_t>(neighbours.size()));
  }
  if (neighbours.empty()) return order;  // METIS refuses a graph without edges.
  auto count = static_cast<idx_t>(order.size());
  std::vector<idx_t> elimination_order(order.size()), place(order.size());
  {
    static std::mutex of_random_numbers;
    const std::lock_guard lock(of_random_numbers);
    const int status = METIS_NodeND(&count, starts.data(), neighbours.data(), nullptr, nullptr,
                                    elimination_order.data(), place.data());
    if (status != METIS_OK) throw std::bad_alloc();  // The input is valid by construction.
  }
  for (std::size_t p = 0; p < order.size(); ++p)
    order[p] = static_cast<std::int32_t>(elimination_order[p]);
  return order;
}

}  // namespace sluice::linalg
