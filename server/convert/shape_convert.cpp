// SPDX-License-Identifier: Apache-2.0
#include "server/convert/shape_convert.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace sluice::convert {
namespace {

constexpr double largest_translation = 1e4;  // [m] as documented in scene.proto
constexpr double largest_rotation = 3600;    // [degrees]
constexpr double smallest_scale = 1e-6;
constexpr double largest_scale = 1e6;

double nan() { return std::numeric_limits<double>::quiet_NaN(); }

// A quarter turn is exact: pi/2 in doubles would leave 6e-17 where a zero belongs, and a grid that
// was laid flat on a coordinate plane would not be on it.
Mat3 axis_rotation(double degrees, int axis) {
  const double turns = std::remainder(degrees, 360.0);
  double cosine = std::cos(turns * std::numbers::pi / 180);
  double sine = std::sin(turns * std::numbers::pi / 180);
  if (std::remainder(turns, 90.0) == 0) {
    cosine = std::round(cosine);
    sine = std::round(sine);
  }
  const int next = (axis + 1) % 3;
  const int last = (axis + 2) % 3;
  Mat3 rotation = Mat3::Identity();
  rotation(next, next) = cosine;
  rotation(next, last) = -sine;
  rotation(last, next) = sine;
  rotation(last, last) = cosine;
  return rotation;
}

double required(bool given, double value, const std::string& path, ProblemSink& problems) {
  if (given) return value;
  problems.error(path, "is required, in metres");
  return nan();
}

}  // namespace

Placement convert_placement(const v1::Transform& transform, const std::string& path,
                            ProblemSink& problems) {
  Placement placement;
  const std::string translation_path = child_path(path, "translation");
  const std::string rotation_path = child_path(path, "rotation_degrees");
  if (const auto translation = problems.vector(transform.translation(), translation_path);
      translation && problems.in_range(*translation, -largest_translation, largest_translation,
                                       translation_path)) {
    placement.translation = *translation;
  }
  if (const auto degrees = problems.vector(transform.rotation_degrees(), rotation_path);
      degrees && problems.in_range(*degrees, -largest_rotation, largest_rotation, rotation_path)) {
    placement.rotation = axis_rotation(degrees->z(), 2) * axis_rotation(degrees->y(), 1) *
                         axis_rotation(degrees->x(), 0);
  }
  if (transform.has_scale() && problems.in_range(transform.scale(), smallest_scale, largest_scale,
                                                 child_path(path, "scale"))) {
    placement.scale = transform.scale();
  }
  return placement;
}

geometry::Shape convert_shape(const v1::Shape& shape, const std::string& path,
                              ProblemSink& problems) {
  geometry::Shape converted{geometry::Sphere{nan()}, Vec3::Zero(), Mat3::Identity()};
  const std::string transform_path = child_path(path, "transform");
  if (shape.has_transform()) {
    const Placement placement = convert_placement(shape.transform(), transform_path, problems);
    converted.translation = placement.translation;
    converted.rotation = placement.rotation;
    if (placement.scale != 1) {
      problems.error(child_path(transform_path, "scale"),
                     "must be 1 or omitted: a shape's size is in its form");
    }
  }
  switch (shape.form_case()) {
    case v1::Shape::kBox: {
      const std::string size_path = child_path(path, "box.size");
      const auto size = problems.required_vector(shape.box().size(), size_path);
      converted.form = geometry::Box{size ? Vec3(*size / 2) : Vec3::Constant(nan())};
      break;
    }
    case v1::Shape::kSphere:
      converted.form =
          geometry::Sphere{required(shape.sphere().has_radius(), shape.sphere().radius(),
                                    child_path(path, "sphere.radius"), problems)};
      break;
    case v1::Shape::kCapsule:
      converted.form =
          geometry::Capsule{required(shape.capsule().has_radius(), shape.capsule().radius(),
                                     child_path(path, "capsule.radius"), problems),
                            required(shape.capsule().has_length(), shape.capsule().length(),
                                     child_path(path, "capsule.length"), problems) /
                                2};
      break;
    case v1::Shape::kCylinder:
      converted.form =
          geometry::Cylinder{required(shape.cylinder().has_radius(), shape.cylinder().radius(),
                                      child_path(path, "cylinder.radius"), problems),
                             required(shape.cylinder().has_length(), shape.cylinder().length(),
                                      child_path(path, "cylinder.length"), problems) /
                                 2};
      break;
    case v1::Shape::kHalfSpace:
      converted.form = geometry::HalfSpace{};
      break;
    case v1::Shape::FORM_NOT_SET:
      problems.error(path, "is required: one of box, sphere, capsule, cylinder, half_space");
      break;
  }
  return converted;
}

}  // namespace sluice::convert
