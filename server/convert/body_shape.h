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

/// The shape that the body at `path` is made of, fit to be cut into elements: sizes in their
/// ranges, no half-space, and not scaled by `placement`. Nothing after an error.
[[nodiscard]] std::optional<geometry::Shape> convert_body_shape(const v1::Shape& shape,
                                                                const std::string& path,
                                                                const Placement& placement,
                                                                ProblemSink& problems);

/// [m] `size` in its range, or nothing after an error at `path`.
[[nodiscard]] std::optional<double> checked_element_size(double size, const std::string& path,
                                                         ProblemSink& problems);

/// [m] Edge of the elements of a body that is `longest_side` [m] long: what it asks for, or a
/// twelfth of that; nothing after an error.
template <typename Body>
[[nodiscard]] std::optional<double> element_size(const Body& body, const std::string& path,
                                                 double longest_side, ProblemSink& problems) {
  constexpr double elements_along_body = 12;  // as documented in scene.proto
  if (!body.has_element_size()) return longest_side / elements_along_body;
  return checked_element_size(body.element_size(), child_path(path, "element_size"), problems);
}

}  // namespace sluice::convert
