// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/simd/lanes.h"
#include "solver/simd/vectors.h"
#include "solver/types.h"

namespace sluice::integrator {

using namespace simd;

/// Eight floats at once: arithmetic on it is by lane.
using Lane = Float8;
inline constexpr std::size_t lane_width = Lanes<float>::count;

inline Lane larger(const Lane& a, const Lane& b) { return a > b ? a : b; }
inline Lane larger(const Lane& lane, float bound) { return larger(lane, Lane{} + bound); }

inline double sum(const Lane& lane) {
  std::array<float, lane_width> numbers;
  store(lane, numbers.data());
  double total = 0;
  for (const float number : numbers)
    total += static_cast<double>(number);
  return total;
}

/// Adds lanes in float for a while, then in double: sums of 10^5 terms keep float's precision.
class LaneSum {
 public:
  void add(const Lane& lane) {
    part_ += lane;
    if (++count_ % 32 == 0) flush();
  }
  double total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    total_ += sum(part_);
    part_ = Lane{};
  }
  Lane part_{};
  std::size_t count_ = 0;
  double total_ = 0;
};

/// Aligned to lanes: stores that cross a cache line take three times as long.
using Floats = std::vector<float, Eigen::aligned_allocator<float>>;

/// Numbers by vertex, with zeros up to a whole lane and two lanes more: SpringLanes reads there.
inline Floats make_lanes(std::size_t vertex_count) {
  const std::size_t lanes = (vertex_count + lane_width - 1) / lane_width + 2;
  return Floats(lanes * lane_width, 0.0F);
}

/// A vector of three floats a vertex, each coordinate apart.
struct LaneVector {
  std::array<Floats, 3> of_axis;

  explicit LaneVector(std::size_t vertex_count)
      : of_axis{make_lanes(vertex_count), make_lanes(vertex_count), make_lanes(vertex_count)} {}
  float* operator[](std::size_t axis) { return of_axis[axis].data(); }
  const float* operator[](std::size_t axis) const { return of_axis[axis].data(); }
};

}  // namespace sluice::integrator
