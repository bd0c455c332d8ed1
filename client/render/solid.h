// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/placement.h"
#include "client/render/vector.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// The solid inside of a scene's shape.
class Solid {
 public:
  explicit Solid(const v1::Shape& shape) : shape_(shape), placement_(shape.transform()) {}

  /// Whether `point` of the world is inside or on the surface; never for a shape without a form.
  [[nodiscard]] bool contains(const Float3& point) const;

 private:
  v1::Shape shape_;
  Placement placement_;
};

}  // namespace sluice::render
