// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/v1/frames.pb.h"

namespace sluice::client {

/// Numbers of one body in one frame.
struct FrameArray {
  std::string body;           ///< Name, from the scene.
  v1::Field field;            ///< What the numbers are, with their unit.
  std::int64_t count;         ///< Rows: particles or vertices.
  int component_count;        ///< Numbers a row.
  std::vector<float> values;  ///< `count` * `component_count`, row by row, in the solver's order.
};

/// How far an obstacle is from where the scene has it.
struct ObstacleOffset {
  std::string body;              ///< Its name.
  std::array<double, 3> offset;  ///< In metres.
};

/// The state of a session at one time.
struct Frame {
  std::int64_t epoch;   ///< While topology and order of particles stand.
  std::int64_t index;   ///< 0 is the state at time 0.
  double time_seconds;  ///< Simulated time.
  std::vector<FrameArray> arrays;
  std::optional<v1::FrameStatistics> statistics;   ///< Unset for frame 0.
  std::vector<ObstacleOffset> obstacle_offsets{};  ///< Of the obstacles that have moved.

  /// The numbers of one array; empty when the frame has no such array. Valid while the frame is.
  [[nodiscard]] std::span<const float> values(std::string_view body, v1::Field field) const;
};

/// SHA-256 of the little-endian float32 bytes of all arrays in the frame's order, as 64 lower-case
/// hex digits: equal if and only if two frames' arrays carry the same bits.
[[nodiscard]] std::string digest(const Frame& frame);

}  // namespace sluice::client
