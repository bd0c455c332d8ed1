// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/vector.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// An axis-aligned box in the world, in metres.
struct Bounds {
  Float3 lower;
  Float3 upper;
};

/// A pinhole camera in the world frame.
struct Camera {
  Float3 eye;                        ///< Position of the eye, in metres.
  Float3 target;                     ///< Point in the middle of the picture, in metres.
  Float3 up{0, 0, 1};                ///< Upward direction, not along the view.
  float vertical_field_of_view{40};  ///< Full angle, in degrees.
};

/// Converts a vector of a scene; an omitted one gives `fallback`.
[[nodiscard]] Float3 to_float3(const google::protobuf::RepeatedField<double>& vector,
                               const Float3& fallback = {});

/// Converts the camera of a scene.
[[nodiscard]] Camera make_camera(const v1::Camera& camera);

/// Returns a camera that has all of `bounds` in a picture of `aspect` (width over height), seen
/// from the front, from one side and from above; `up` is the picture's upward direction.
[[nodiscard]] Camera fit_camera(const Bounds& bounds, const Float3& up, float aspect);

/// Returns a camera that has all of `bounds` in a picture of `aspect` and looks straight along the
/// positive `axis`. Upward is `up`, or another axis if `up` is along `axis`.
[[nodiscard]] Camera face_camera(const Bounds& bounds, int axis, const Float3& up, float aspect);

/// Maps the world to a picture of `width` x `height` samples.
class View {
 public:
  View(const Camera& camera, int width, int height);

  /// Projects a point: x right and y down in samples, z the depth in metres, positive in front.
  [[nodiscard]] Float3 project(const Float3& world) const {
    const Float3 p = world - eye_;
    const float z = dot(p, forward_);
    const float scale = focal_ / z;
    return {centre_x_ + dot(p, right_) * scale, centre_y_ - dot(p, up_) * scale, z};
  }

  /// Returns a point in the camera's frame: right, up, forward, in metres.
  [[nodiscard]] Float3 to_view(const Float3& world) const {
    const Float3 p = world - eye_;
    return {dot(p, right_), dot(p, up_), dot(p, forward_)};
  }

  /// Projects a point of the camera's frame as `project` does.
  [[nodiscard]] Float3 project_view(const Float3& p) const {
    const float scale = focal_ / p.z;
    return {centre_x_ + p.x * scale, centre_y_ - p.y * scale, p.z};
  }

  /// Returns the world direction through a point of the picture, with a component of 1 along the
  /// view: the point at depth z is `eye() + z * ray(x, y)`.
  [[nodiscard]] Float3 ray(float x, float y) const {
    return forward_ + right_ * ((x - centre_x_) / focal_) + up_ * ((centre_y_ - y) / focal_);
  }

  [[nodiscard]] const Float3& eye() const { return eye_; }
  [[nodiscard]] const Float3& right() const { return right_; }
  [[nodiscard]] const Float3& up() const { return up_; }
  [[nodiscard]] const Float3& forward() const { return forward_; }
  [[nodiscard]] float focal() const { return focal_; }  ///< Focal length in samples.

 private:
  Float3 eye_;
  Float3 right_;
  Float3 up_;
  Float3 forward_;
  float focal_;
  float centre_x_;
  float centre_y_;
};

}  // namespace sluice::render
