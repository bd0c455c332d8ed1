// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "solver/geometry/ccd/contact_time.h"
#include "solver/geometry/ccd/moving_polygon.h"
#include "solver/simd/query_lanes.h"

/// Private to ccd: many queries, L::width at a time, by stages that keep ever fewer of them. A
/// translation unit for each instruction set instantiates it.
namespace sluice::geometry::ccd {

using namespace simd;

/// Queries whose corners are in arrays: three doubles a point, `corner_count` indices a primitive.
struct Batch {
  struct Side {
    const double *points_t0, *points_t1;
    const std::int32_t* corners;  ///< Null where the primitives are the points themselves.
  };
  Side one, other;
  const std::int32_t* pairs;  ///< Two indices a query: the primitive of `one` and of `other`.
  double distance;
  double* times;  ///< Out: the first contact of each query; infinity without one.
};

/// Queries at a time: so many that the last, half-empty group of a stage does not matter.
constexpr std::size_t most_queries = 4096;

/// Point p against abc: relative to p, the triangle.
struct PointTriangleKind {
  static constexpr std::size_t polygon_corners = 3, one_corners = 1, other_corners = 3;

  template <typename L>
  static std::array<Vector<L>, 3> polygon(const std::array<Vector<L>, 4>& corners) {
    const auto& [p, a, b, c] = corners;
    return {a - p, b - p, c - p};
  }
};

/// Edge ab against cd: all differences of their points are a parallelogram.
struct EdgeEdgeKind {
  static constexpr std::size_t polygon_corners = 4, one_corners = 2, other_corners = 2;

  template <typename L>
  static std::array<Vector<L>, 4> polygon(const std::array<Vector<L>, 4>& corners) {
    const auto& [a, b, c, d] = corners;
    return {a - c, b - c, b - d, a - d};
  }
};

/// At most most_queries queries of a batch, from `first` on.
template <typename L, typename Kind>
class BatchPart {
 public:
  BatchPart(const Batch& batch, std::size_t first, std::size_t count)
      : batch_(batch), first_(first), left_count_(count) {
    assert(count <= most_queries);
    for (std::size_t i = 0; i < count; ++i)
      left_[i] = static_cast<std::uint16_t>(i);
  }

  void solve() {
    std::fill_n(batch_.times + first_, left_count_, no_contact);
    keep([&](const Group& group) {
      return !is_separated_by_an_axis(MotionBox(load(group)), batch_.distance);
    });
    keep([&](const Group& group) {
      const auto polygon = load(group);
      const auto extent = MotionBox(polygon).extent();
      const Mask is_solvable = is_in_range(extent, batch_.distance);
      store(group, group.is_used & !is_solvable, 0);
      return is_solvable & !is_separated_by_fixed_directions(polygon, extent, batch_.distance);
    });
    // Gathered again every few advances, as most lanes are done by then.
    constexpr int advances_a_round = 2;
    static_assert(max_advances % advances_a_round == 0);
    for (int done = 0; done < max_advances; done += advances_a_round) {
      keep([&](const Group& group) {
        const auto polygon = load(group);
        const Search search(polygon, batch_.distance);
        L time = done == 0 ? 0 : load_times(group);
        Mask is_searching = group.is_used;
        for (int k = 0; k < advances_a_round && any(is_searching); ++k)
          search.advance(time, is_searching);
        store(group, group.is_used, select(time > 1, no_contact, time));
        return is_searching;
      });
    }
  }

 private:
  using Mask = typename L::Mask;
  using Polygon = MovingPolygon<L, Kind::polygon_corners>;

  static constexpr double no_contact = std::numeric_limits<double>::infinity();

  struct Group {
    std::array<std::size_t, L::width> queries;
    Mask is_used;  ///< Lanes with a query; others repeat the last one for nothing.
  };

  // Calls stage(group) for all queries left, a group at a time, and keeps those whose bit is set in
  // what it returns.
  template <typename Stage>
  void keep(Stage&& stage) {
    std::size_t kept = 0;
    for (std::size_t first = 0; first < left_count_; first += L::width) {
      const std::size_t used = std::min(L::width, left_count_ - first);
      Group group;
      group.is_used = first_lanes(used);
      for (std::size_t lane = 0; lane < L::width; ++lane)
        group.queries[lane] = first_ + left_[first + std::min(lane, used - 1)];
      const unsigned is_kept = bits(stage(group) & group.is_used);
      for (std::size_t lane = 0; lane < used; ++lane) {
        left_[kept] = left_[first + lane];
        kept += is_kept >> lane & 1;
      }
    }
    left_count_ = kept;
  }

  static Mask first_lanes(std::size_t count) {
    std::array<double, L::width> lanes;
    for (std::size_t i = 0; i < L::width; ++i)
      lanes[i] = static_cast<double>(i);
    return L::load(lanes.data()) < static_cast<double>(count);
  }

  L load_times(const Group& group) const {
    std::array<double, L::width> times;
    for (std::size_t lane = 0; lane < L::width; ++lane)
      times[lane] = batch_.times[group.queries[lane]];
    return L::load(times.data());
  }

  void store(const Group& group, Mask mask, L values) const {
    std::array<double, L::width> times;
    values.store(times.data());
    for (unsigned left = bits(mask); left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      batch_.times[group.queries[lane]] = times[lane];
    }
  }

  // The corner indices of a primitive of each lane.
  using Primitives = std::array<const std::int32_t*, L::width>;

  // Calls would spill the registers that it fills.
  [[gnu::always_inline]] Polygon load(const Group& group) const {
    Primitives one, other;
    for (std::size_t lane = 0; lane < L::width; ++lane) {
      const std::int32_t* pair = batch_.pairs + 2 * group.queries[lane];
      one[lane] = primitive<Kind::one_corners>(batch_.one, pair);
      other[lane] = primitive<Kind::other_corners>(batch_.other, pair + 1);
    }
    return {load_polygon(batch_.one.points_t0, one, batch_.other.points_t0, other),
            load_polygon(batch_.one.points_t1, one, batch_.other.points_t1, other)};
  }

  template <std::size_t corner_count>
  static const std::int32_t* primitive(const Batch::Side& side, const std::int32_t* index) {
    if constexpr (corner_count == 1) return index;
    return side.corners + static_cast<std::ptrdiff_t>(corner_count) * *index;
  }

  [[gnu::always_inline]] static auto load_polygon(const double* points_of_one,
                                                  const Primitives& one,
                                                  const double* points_of_other,
                                                  const Primitives& other) {
    if constexpr (Kind::one_corners == 1) {
      return Kind::template polygon<L>(
          {load_corner(points_of_one, one, 0), load_corner(points_of_other, other, 0),
           load_corner(points_of_other, other, 1), load_corner(points_of_other, other, 2)});
    } else {
      return Kind::template polygon<L>(
          {load_corner(points_of_one, one, 0), load_corner(points_of_one, one, 1),
           load_corner(points_of_other, other, 0), load_corner(points_of_other, other, 1)});
    }
  }

  [[gnu::always_inline]] static Vector<L> load_corner(const double* points,
                                                      const Primitives& primitives,
                                                      std::size_t corner) {
    std::array<const double*, L::width> of_lanes;
    for (std::size_t lane = 0; lane < L::width; ++lane)
      of_lanes[lane] = points + 3 * static_cast<std::ptrdiff_t>(primitives[lane][corner]);
    const auto [x, y, z] = L::load_points(of_lanes);
    return {x, y, z};
  }

  const Batch& batch_;
  std::size_t first_, left_count_;
  std::array<std::uint16_t, most_queries> left_;  // Undecided queries, less first_.
};

/// BatchPart::solve of both kinds, compiled for one instruction set.
struct Kernels {
  void (*point_triangle)(const Batch&, std::size_t first, std::size_t count);
  void (*edge_edge)(const Batch&, std::size_t first, std::size_t count);
};

template <typename L>
constexpr Kernels kernels_of() {
  return {[](const Batch& batch, std::size_t first, std::size_t count) {
            BatchPart<L, PointTriangleKind>(batch, first, count).solve();
          },
          [](const Batch& batch, std::size_t first, std::size_t count) {
            BatchPart<L, EdgeEdgeKind>(batch, first, count).solve();
          }};
}

extern const Kernels scalar_kernels, avx2_kernels, avx512_kernels;

}  // namespace sluice::geometry::ccd
