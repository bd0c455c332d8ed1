// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/geometry/broad_phase.h"
#include "solver/geometry/shape.h"

namespace sluice::geometry {

/// A linear bounding volume hierarchy: the plain broad phase (see broad_phase.h).
///
/// The boxes are sorted along a Morton curve through their centres, and a balanced binary tree
/// stands over that order: node i of a level holds nodes 2i and 2i + 1 of the one below. So the
/// tree is its boxes and nothing else.
///
/// Source: [Lauterbach2009] 3.1, the order. Not its splits, where the bits of the codes change: the
///   middle is as good to within a few percent of a query and needs no pointers.
/// Cost: build is O(boxes); a refit takes half as long.
class Bvh {
 public:
  void build(std::span<const Bounds> boxes);

  /// Replaces the boxes by others of the same number and keeps their order. Always exact; queries
  /// slow down as boxes move away from those that were their neighbours at the build.
  void refit(std::span<const Bounds> boxes);

  [[nodiscard]] Bounds bounds() const {
    return order_.empty() ? nothing() : levels_[level_count_ - 1][0];
  }

  template <typename Visit>
  void for_each_overlap(const Bounds& query, Visit&& visit) const {
    visit_from(0, query, [&](std::size_t leaf) { visit(order_[leaf]); });
  }

  template <typename BoxOf, typename Visit>
  void for_overlaps(std::span<const std::int32_t> queries, BoxOf&& box_of, Visit&& visit) const {
    for (const std::int32_t query : queries) {
      for_each_overlap(box_of(query), [&](std::int32_t box) {
        const BoxPair pair{query, box};
        visit(std::span(&pair, 1));
      });
    }
  }

  [[nodiscard]] std::int64_t part_count() const {
    return parallel::chunk_count(0, static_cast<std::int64_t>(order_.size()), part_size);
  }

  template <typename Visit>
  void for_pairs(std::int64_t part, Visit&& visit) const;

 private:
  static constexpr std::int64_t part_size = 256;  // Boxes that one part pairs with all after them.

  // Calls visit(leaf) for the leaves from `first` on that overlap `query`.
  template <typename Visit>
  void visit_from(std::size_t first, const Bounds& query, Visit&& visit) const;

  std::vector<std::int32_t> order_;          // Indices of the boxes, along the curve.
  std::vector<std::vector<Bounds>> levels_;  // Boxes in order, then their parents, ... to the root.
  std::size_t level_count_ = 0;              // How many of levels_ are in use.
};

template <typename Visit>
void Bvh::visit_from(std::size_t first, const Bounds& query, Visit&& visit) const {
  if (order_.empty()) return;
  struct Node {
    std::size_t level, i;
  };
  std::array<Node, 32> stack;  // One of each level is open at most: fewer than 2^31 boxes.
  std::size_t height = 0;
  stack[height++] = {level_count_ - 1, 0};
  while (height > 0) {
    auto [level, i] = stack[--height];
    while (((i + 1) << level) > first && overlap(levels_[level][i], query)) {
      if (level == 0) {
        visit(i);
        break;
      }
      --level;
      i *= 2;
      if (i + 1 < levels_[level].size()) stack[height++] = {level, i + 1};
    }
  }
}

template <typename Visit>
void Bvh::for_pairs(std::int64_t part, Visit&& visit) const {
  const auto begin = static_cast<std::size_t>(part * part_size);
  const std::size_t end = std::min(begin + part_size, order_.size());
  for (std::size_t leaf = begin; leaf < end; ++leaf) {
    visit_from(leaf + 1, levels_[0][leaf], [&](std::size_t other) {
      const std::int32_t i = order_[leaf], j = order_[other];
      const BoxPair pair{std::min(i, j), std::max(i, j)};
      visit(std::span(&pair, 1));
    });
  }
}

static_assert(BroadPhase<Bvh>);

}  // namespace sluice::geometry
