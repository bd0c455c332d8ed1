// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "server/convert/field_path.h"
#include "server/convert/problem_sink.h"
#include "server/convert/shape_convert.h"
#include "sluice/v1/scene.pb.h"
#include "solver/geometry/shape.h"

namespace sluice::convert {

/// Converts the shape of the body at `path` and checks that it can be cut into elements: sizes are
/// in range, it is no half-space, and `placement` does not scale it. Nothing after an error.
[[nodiscard]] std::optional<geometry::Shape> convert_body_shape(const v1::Shape& shape,
                                                                const std::string& path,
                                                                const Placement& placement,
                                                                ProblemSink& problems);

/// Returns `size` [m] if it is in its documented range, or nothing after an error at `path`.
[[nodiscard]] std::optional<double> checked_element_size(double size, const std::string& path,
                                                         ProblemSink& problems);

/// Returns the edge length [m] of a body's elements: its `element_size`, or by default a twelfth of
/// `longest_side` [m], the longest side of the body. Nothing after an error.
template <typename Body>
[[nodiscard]] std::optional<double> element_size(const Body& body, const std::string& path,
                                                 double longest_side, ProblemSink& problems) {
  constexpr double elements_along_body = 12;  // as documented in scene.proto
  if (!body.has_element_size()) return longest_side / elements_along_body;
  return checked_element_size(body.element_size(), child_path(path, "element_size"), problems);
}

}  // namespace sluice::convert
