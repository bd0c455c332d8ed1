// SPDX-License-Identifier: Apache-2.0
#include "server/convert/body_shape.h"

#include <variant>

#include "solver/scene/validate.h"

namespace sluice::convert {
namespace {

constexpr double smallest_element = 1e-5;  // [m] as documented in scene.proto
constexpr double largest_element = 1e3;    // [m]

}  // namespace

std::optional<geometry::Shape> convert_body_shape(const v1::Shape& shape, const std::string& path,
                                                  const Placement& placement,
                                                  ProblemSink& problems) {
  const std::string shape_path = child_path(path, "shape");
  const std::size_t problems_before = problems.count();
  geometry::Shape converted = convert_shape(shape, shape_path, problems);
  if (problems.count() == problems_before) {
    for (const scene::Problem& problem : scene::validate_shape(converted, shape_path))
      problems.error(problem.path, problem.message);
  }
  if (std::holds_alternative<geometry::HalfSpace>(converted.form)) {
    problems.error(shape_path, "a half-space has no end: give another shape");
  }
  if (placement.scale != 1) {
    problems.error(child_path(path, "transform.scale"),
                   "must be 1 or omitted: a shape's size is in its form");
  }
  if (problems.count() > problems_before) return std::nullopt;
  return converted;
}

std::optional<double> checked_element_size(double size, const std::string& path,
                                           ProblemSink& problems) {
  if (!problems.in_range(size, smallest_element, largest_element, path)) return std::nullopt;
  return size;
}

}  // namespace sluice::convert
