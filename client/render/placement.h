// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "client/render/vector.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// Maps a body's frame to the world: rotations about the fixed axes x, then y, then z; translation.
class Placement {
 public:
  explicit Placement(const v1::Transform& transform);

  [[nodiscard]] Float3 direction(const Float3& v) const {
    return columns_[0] * v.x + columns_[1] * v.y + columns_[2] * v.z;
  }
  [[nodiscard]] Float3 point(const Float3& p) const { return direction(p) + translation_; }

  /// The inverse of `point`: maps a point of the world to the body's frame.
  [[nodiscard]] Float3 to_body(const Float3& p) const {
    const Float3 v = p - translation_;
    return {dot(columns_[0], v), dot(columns_[1], v), dot(columns_[2], v)};
  }

 private:
  std::array<Float3, 3> columns_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Float3 translation_;
};

}  // namespace sluice::render
