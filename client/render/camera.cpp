// SPDX-License-Identifier: Apache-2.0
#include "client/render/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sluice::render {
namespace {

float tangent_of_half(float degrees) { return std::tan(degrees * std::numbers::pi_v<float> / 360); }

/// A camera on the side `away`, a unit vector, from which all of `bounds` is in the picture.
Camera fit_from(const Bounds& bounds, const Float3& away, const Float3& up, float aspect) {
  Camera camera;
  camera.up = up;
  camera.vertical_field_of_view = 32;
  camera.target = mix(bounds.lower, bounds.upper, 0.5F);
  const float tan_y = tangent_of_half(camera.vertical_field_of_view);
  const float tan_x = tan_y * aspect;
  const Float3 right = normalized(cross(-away, up));
  const Float3 above = cross(right, -away);
  float distance = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Float3 p = Float3{(corner & 1) != 0 ? bounds.upper.x : bounds.lower.x,
                            (corner & 2) != 0 ? bounds.upper.y : bounds.lower.y,
                            (corner & 4) != 0 ? bounds.upper.z : bounds.lower.z} -
                     camera.target;
    const float needed = std::max(std::abs(dot(p, right)) / tan_x, std::abs(dot(p, above)) / tan_y);
    distance = std::max(distance, dot(p, away) + needed);
  }
  constexpr float margin = 1.03F;
  camera.eye = camera.target + away * (distance * margin);
  return camera;
}

}  // namespace

Float3 to_float3(const google::protobuf::RepeatedField<double>& vector, const Float3& fallback) {
  return vector.size() == 3 ? Float3{static_cast<float>(vector[0]), static_cast<float>(vector[1]),
                                     static_cast<float>(vector[2])}
                            : fallback;
}

Camera make_camera(const v1::Camera& camera) {
  Camera made;
  made.eye = to_float3(camera.eye());
  made.target = to_float3(camera.target());
  made.up = to_float3(camera.up(), made.up);
  if (camera.has_vertical_field_of_view_degrees()) {
    made.vertical_field_of_view = static_cast<float>(camera.vertical_field_of_view_degrees());
  }
  return made;
}

Camera fit_camera(const Bounds& bounds, const Float3& up, float aspect) {
  // Front and side are any two directions across `up`.
  const Float3 axis = std::abs(up.x) < 0.9F ? Float3{1, 0, 0} : Float3{0, 1, 0};
  const Float3 side = normalized(axis - up * dot(axis, up));
  const Float3 front = cross(side, up);
  return fit_from(bounds, normalized(side * 0.55F + front * 1.0F + up * 0.42F), up, aspect);
}

Camera face_camera(const Bounds& bounds, int axis, const Float3& up, float aspect) {
  Float3 away;
  away[axis] = -1;
  Float3 across = up;
  if (std::abs(up[axis]) > 0.5F) {
    across = axis == 2 ? Float3{0, 1, 0} : Float3{0, 0, 1};
  }
  return fit_from(bounds, away, across, aspect);
}

View::View(const Camera& camera, int width, int height)
    : eye_(camera.eye),
      right_(normalized(cross(camera.target - camera.eye, camera.up))),
      up_(normalized(cross(right_, camera.target - camera.eye))),
      forward_(normalized(camera.target - camera.eye)),
      focal_(static_cast<float>(height) / 2 / tangent_of_half(camera.vertical_field_of_view)),
      centre_x_(static_cast<float>(width) / 2),
      centre_y_(static_cast<float>(height) / 2) {}

}  // namespace sluice::render
