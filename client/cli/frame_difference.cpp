// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sluice/v1/frames.pb.h"

namespace sluice::cli {
namespace {

/// NaN equals itself here, and 0 is not -0.
bool are_same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::string field_name(v1::Field field) {
  std::string name = v1::Field_Name(field).substr(std::string_view("FIELD_").size());
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool has_same_shape(const client::FrameArray& a, const client::FrameArray& b) {
  return a.body == b.body && a.field == b.field && a.count == b.count &&
         a.component_count == b.component_count && a.values.size() == b.values.size();
}

}  // namespace

std::optional<std::string> first_difference(const client::Frame& stored,
                                            const client::Frame& again) {
  if (stored.index != again.index || stored.epoch != again.epoch) {
    return fmt::format("frame {} of epoch {} has become frame {} of epoch {}", stored.index,
                       stored.epoch, again.index, again.epoch);
  }
  const auto begin = fmt::format("frame {}: ", stored.index);
  if (stored.time_seconds != again.time_seconds) {
    return begin + fmt::format("the time is {} s as stored and {} s when computed again",
                               stored.time_seconds, again.time_seconds);
  }
  if (!std::ranges::equal(stored.arrays, again.arrays, has_same_shape)) {
    return begin + "it has other bodies or fields when computed again";
  }
  for (std::size_t i = 0; i < stored.arrays.size(); ++i) {
    const client::FrameArray &array = stored.arrays[i], &other = again.arrays[i];
    const auto [at, there] = std::ranges::mismatch(array.values, other.values, are_same_bits);
    if (at != array.values.end()) {
      const auto row = (at - array.values.begin()) / array.component_count;
      return begin + fmt::format(
                         "{} of \"{}\" differs first in row {}: {} as stored, {} when "
                         "computed again",
                         field_name(array.field), array.body, row, *at, *there);
    }
  }
  const bool same_obstacles =
      std::ranges::equal(stored.obstacle_offsets, again.obstacle_offsets,
                         [](const client::ObstacleOffset& a, const client::ObstacleOffset& b) {
                           return a.body == b.body && a.offset == b.offset;
                         });
  if (!same_obstacles) {
    return begin + "obstacles are elsewhere when computed again";
  }
  return std::nullopt;
}

}  // namespace sluice::cli
