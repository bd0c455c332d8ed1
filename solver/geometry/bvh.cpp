// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/bvh.h"

#include <cassert>

#include "solver/geometry/morton_order.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::geometry {
namespace {

constexpr std::int64_t bvh_grain = 4096;

Bounds hull(const Bounds& a, const Bounds& b) {
  return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
}

}  // namespace

void Bvh::build(std::span<const Bounds> boxes) {
  order_ = morton_order(boxes);
  level_count_ = 1;
  for (std::size_t size = boxes.size(); size > 1; size = (size + 1) / 2)
    ++level_count_;
  if (levels_.size() < level_count_) levels_.resize(level_count_);
  refit(boxes);
}

void Bvh::refit(std::span<const Bounds> boxes) {
  assert(boxes.size() == order_.size());
  if (boxes.empty()) return;
  levels_[0].resize(boxes.size());
  parallel::parallel_for(0, static_cast<std::int64_t>(boxes.size()), bvh_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (auto leaf = static_cast<std::size_t>(first);
                                leaf < static_cast<std::size_t>(last); ++leaf) {
                             levels_[0][leaf] = boxes[static_cast<std::size_t>(order_[leaf])];
                           }
                         });
  for (std::size_t level = 1; level < level_count_; ++level) {
    const std::vector<Bounds>& children = levels_[level - 1];
    std::vector<Bounds>& parents = levels_[level];
    parents.resize((children.size() + 1) / 2);
    parallel::parallel_for(
        0, static_cast<std::int64_t>(parents.size()), bvh_grain,
        [&](std::int64_t first, std::int64_t last) {
          for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
            parents[i] = 2 * i + 1 < children.size() ? hull(children[2 * i], children[2 * i + 1])
                                                     : children[2 * i];
          }
        });
  }
}

}  // namespace sluice::geometry
