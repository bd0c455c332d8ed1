// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/convert/field_path.h"
#include "server/convert/problem_sink.h"
#include "server/convert/shape_convert.h"
#include "solver/geometry/shape.h"
#include "solver/scene/time_span.h"

/// Converts the fields that emitters, drains, regions and sources have in common: a `shape`, and
/// (regions do not have them) `start_seconds` and `stop_seconds`.
namespace sluice::convert {

template <typename Message>
geometry::Shape required_shape(const Message& from, const std::string& path,
                               ProblemSink& problems) {
  const std::string shape_path = child_path(path, "shape");
  if (!from.has_shape()) {
    problems.error(shape_path, "is required");
    return {};
  }
  return convert_shape(from.shape(), shape_path, problems);
}

template <typename Message>
scene::TimeSpan convert_times(const Message& from) {
  scene::TimeSpan times;
  if (from.has_start_seconds()) times.start = from.start_seconds();
  if (from.has_stop_seconds()) times.stop = from.stop_seconds();
  return times;
}

}  // namespace sluice::convert
