// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/parallel/collector.h"

namespace sluice::geometry {

/// Whether two closed boxes have a point in common: touching counts. False where a number is NaN.
[[nodiscard]] inline bool overlap(const Bounds& a, const Bounds& b) noexcept {
  // Not &&: six comparisons cost less than a branch that is mispredicted.
  return ((a.lower.x() <= b.upper.x()) & (b.lower.x() <= a.upper.x()) &
          (a.lower.y() <= b.upper.y()) & (b.lower.y() <= a.upper.y()) &
          (a.lower.z() <= b.upper.z()) & (b.lower.z() <= a.upper.z())) != 0;
}

/// A box that overlaps nothing.
[[nodiscard]] inline Bounds nothing() noexcept {
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  return {Vec3::Constant(not_a_number), Vec3::Constant(not_a_number)};
}

/// Appends the items for which `keep` is true. Without a branch, which would be mispredicted.
template <typename Item, typename Keep>
void append_if(std::vector<Item>& list, std::span<const Item> items, Keep&& keep) {
  std::size_t count = list.size();
  list.resize(count + items.size());
  for (const Item& item : items) {
    list[count] = item;
    count += static_cast<std::size_t>(keep(item));
  }
  list.resize(count);
}

/// Two boxes that overlap, by their indices: a query and a box of the set; or two of the set, the
/// smaller index first.
struct BoxPair {
  std::int32_t first, second;
  friend bool operator==(const BoxPair&, const BoxPair&) = default;
};

/// Finds which axis-aligned boxes of a set overlap others: sparse_grid.h for all pairs of a step,
/// bvh.h for single questions. A class that serves has
///
/// - `build(boxes)`: replaces the set. Boxes are finite, lower <= upper, fewer than 2^27. Copies.
/// - `bounds()`: bounds of all boxes of the set; of an empty set, a box that overlaps nothing.
/// - `for_each_overlap(query, visit)`: calls `visit(box)` with the index of each box that overlaps
///   `query`, which may be any box, even infinite; one with NaN overlaps nothing.
/// - `for_overlaps(queries, box_of, visit)`: the same for the boxes `box_of(i)` of i in `queries`:
///   calls `visit(pairs)` with pairs (i, box), some at a time, by the order of `queries`. Much
///   quicker where queries that are near each other in space are so in the list, too: what they
///   share then is in the caches.
/// - `for_pairs(part, visit)`: calls `visit(pairs)` with the pairs of boxes of the set that
///   overlap, some at a time. A part is the work done in one piece; those in [0, part_count()) find
///   all pairs.
///
/// Guarantee: exactly the pairs that `overlap` tells, each once.
/// Determinism: pairs and their order depend on the boxes and queries alone.
/// Threads: the const members may run at the same time as each other.
template <typename T>
concept BroadPhase =
    requires(T t, const T& built, std::span<const Bounds> boxes, void (*visit)(std::int32_t),
             Bounds (*box_of)(std::int32_t), void (*visit_pairs)(std::span<const BoxPair>)) {
      t.build(boxes);
      { built.bounds() } -> std::convertible_to<Bounds>;
      built.for_each_overlap(boxes[0], visit);
      built.for_overlaps(std::span<const std::int32_t>{}, box_of, visit_pairs);
      { built.part_count() } -> std::same_as<std::int64_t>;
      built.for_pairs(std::int64_t{}, visit_pairs);
    };

/// Sets `pairs` to the overlaps of `box_of(i)` for i in [0, count) with the boxes of
/// `broad_phase`, by ascending i, in parallel.
template <BroadPhase Phase, typename BoxOf>
void find_overlaps(const Phase& broad_phase, std::int64_t count, BoxOf&& box_of,
                   parallel::Collector<BoxPair>& collector, std::vector<BoxPair>& pairs) {
  constexpr std::int64_t grain = 2048;  // Some 10 us of queries that miss.
  const Bounds bounds = broad_phase.bounds();
  collector.collect(
      count, grain,
      [&](std::int64_t first, std::int64_t last, std::vector<BoxPair>& found) {
        // Most queries are far from all boxes. No branch, which would be mispredicted.
        std::array<std::int32_t, grain> near;
        std::size_t near_count = 0;
        for (std::int64_t i = first; i < last; ++i) {
          near[near_count] = static_cast<std::int32_t>(i);
          near_count += static_cast<std::size_t>(overlap(box_of(i), bounds));
        }
        broad_phase.for_overlaps(std::span(near).first(near_count), box_of,
                                 [&](std::span<const BoxPair> some) {
                                   found.insert(found.end(), some.begin(), some.end());
                                 });
      },
      pairs);
}

/// Sets `pairs` to the pairs (i, j) of boxes that overlap and of which `keep(i, j)` is true, in
/// the order of `broad_phase`, in parallel.
template <BroadPhase Phase, typename Keep>
void find_pairs(const Phase& broad_phase, Keep&& keep, parallel::Collector<BoxPair>& collector,
                std::vector<BoxPair>& pairs) {
  collector.collect(
      broad_phase.part_count(), 1,
      [&](std::int64_t first, std::int64_t last, std::vector<BoxPair>& found) {
        for (std::int64_t part = first; part < last; ++part) {
          broad_phase.for_pairs(part, [&](std::span<const BoxPair> some) {
            append_if(found, some, [&](const BoxPair& p) { return keep(p.first, p.second); });
          });
        }
      },
      pairs);
}

}  // namespace sluice::geometry
