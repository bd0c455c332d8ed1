// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "server/convert/problem_sink.h"
#include "sluice/v1/scene.pb.h"
#include "solver/geometry/shape.h"
#include "solver/types.h"

namespace sluice::convert {

/// x in the body becomes rotation * (scale * x) + translation.
struct Placement {
  Vec3 translation = Vec3::Zero();   ///< [m]
  Mat3 rotation = Mat3::Identity();  ///< world_from_body
  double scale = 1;

  /// Moves points from the body to the world.
  void apply(std::span<Vec3> points) const {
    for (Vec3& point : points)
      point = rotation * (scale * point) + translation;
  }
};

/// The placement that `transform` says, with defaults for what is omitted or refused.
[[nodiscard]] Placement convert_placement(const v1::Transform& transform, const std::string& path,
                                          ProblemSink& problems);

/// The shape; one without a form, or with a vector that is not one, is an error and a ball of
/// radius NaN, which no check takes for a real one. Ranges of sizes are scene::validate's.
[[nodiscard]] geometry::Shape convert_shape(const v1::Shape& shape, const std::string& path,
                                            ProblemSink& problems);

}  // namespace sluice::convert
