// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/ordering.h"

#include <metis.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>

#include "solver/linalg/partition.h"
#include "solver/linalg/random_numbers.h"

namespace sluice::linalg {

namespace {

/// A pattern as METIS wants it: the neighbours of each row, without itself.
struct Graph {
  std::vector<idx_t> starts{0}, neighbours;

  explicit Graph(const SparsePattern& pattern) {
    for (std::size_t i = 0; i < pattern.row_count(); ++i) {
      for (auto n = static_cast<std::size_t>(pattern.row_starts[i]);
           n < static_cast<std::size_t>(pattern.row_starts[i + 1]); ++n) {
        if (pattern.columns[n] != static_cast<std::int32_t>(i))
          neighbours.push_back(pattern.columns[n]);
      }
      starts.push_back(static_cast<idx_t>(neighbours.size()));
    }
  }
};

/// Runs `call` alone: METIS sets handlers of signals, which are the process's.
template <typename Call>
void run_metis(const Call& call) {
  static std::mutex of_signals;
  const std::lock_guard lock(of_signals);
  restart_random_numbers();
  if (call() != METIS_OK) throw std::bad_alloc();  // The input is valid by construction.
}

}  // namespace

std::vector<std::int32_t> nested_dissection(const SparsePattern& pattern) {
  std::vector<std::int32_t> order(pattern.row_count());
  std::iota(order.begin(), order.end(), 0);
  Graph graph(pattern);
  if (graph.neighbours.empty()) return order;  // METIS refuses a graph without edges.
  auto count = static_cast<idx_t>(order.size());
  std::vector<idx_t> elimination_order(order.size()), place(order.size());
  run_metis([&] {
    return METIS_NodeND(&count, graph.starts.data(), graph.neighbours.data(), nullptr, nullptr,
                        elimination_order.data(), place.data());
  });
  std::copy(elimination_order.begin(), elimination_order.end(), order.begin());
  return order;
}

std::vector<std::int32_t> partition(const SparsePattern& pattern, int part_count) {
  std::vector<std::int32_t> parts(pattern.row_count(), 0);
  Graph graph(pattern);
  if (part_count == 1 || graph.neighbours.empty()) return parts;
  auto count = static_cast<idx_t>(parts.size());
  idx_t constraints = 1, wanted = part_count, cut = 0;
  std::vector<idx_t> found(parts.size());
  run_metis([&] {
    return METIS_PartGraphKway(&count, &constraints, graph.starts.data(), graph.neighbours.data(),
                               nullptr, nullptr, nullptr, &wanted, nullptr, nullptr, nullptr, &cut,
                               found.data());
  });
  std::copy(found.begin(), found.end(), parts.begin());
  return parts;
}

}  // namespace sluice::linalg
