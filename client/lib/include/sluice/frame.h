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

/// The numbers of one field of one body in one frame.
struct FrameArray {
  std::string body;           ///< Name of the body in the scene.
  v1::Field field;            ///< The quantity; frames.proto says its unit.
  std::int64_t count;         ///< Number of rows: particles, vertices or cells.
  int component_count;        ///< Numbers in each row.
  std::vector<float> values;  ///< `count` * `component_count`, row by row, in the solver's order.
};

/// How far an obstacle has moved from its place in the scene.
struct ObstacleOffset {
  std::string body;              ///< Name of the obstacle.
  std::array<double, 3> offset;  ///< Its displacement, in metres.
};

/// The state of a session at one time.
struct Frame {
  std::int64_t epoch;   ///< Frames of one epoch have the same particles, in the same order.
  std::int64_t index;   ///< Number of the frame; frame 0 is the state at time 0.
  double time_seconds;  ///< Simulated time, in seconds.
  std::vector<FrameArray> arrays;
  std::optional<v1::FrameStatistics> statistics;   ///< Unset for frame 0.
  std::vector<ObstacleOffset> obstacle_offsets{};  ///< One for each obstacle that has moved.

  /// Returns a view of one array's numbers, valid as long as the frame; empty if there is no such.
  [[nodiscard]] std::span<const float> values(std::string_view body, v1::Field field) const;
};

/// Returns the SHA-256 of the little-endian float32 bytes of all arrays, in the frame's order, in
/// 64 lower-case hex digits. Equal if and only if the arrays of two frames have the same bits.
[[nodiscard]] std::string digest(const Frame& frame);

}  // namespace sluice::client
