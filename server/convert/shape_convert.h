// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::convert {

/// Where a body stands: x in the body's frame becomes rotation * (scale * x) + translation.
struct Placement {
  Vec3 translation = Vec3::Zero();   ///< [m]
  Mat3 rotation = Mat3::Identity();  ///< world_from_body
  double scale = 1;

  /// Moves `points` from the body's frame to the world frame.
  void apply(std::span<Vec3> points) const {
    for (Vec3& point : points)
      point = rotation * (scale * point) + translation;
  }
};

/// Converts `transform`; fields that are omitted or refused get their defaults.
[[nodiscard]] Placement convert_placement(const v1::Transform& transform, const std::string& path,
                                          ProblemSink& problems);

/// Converts a shape. A missing form or a malformed size is an error and gives a ball of radius NaN,
/// which no later check accepts as a real shape. scene::validate checks the ranges of sizes.
[[nodiscard]] geometry::Shape convert_shape(const v1::Shape& shape, const std::string& path,
                                            ProblemSink& problems);

}  // namespace sluice::convert
