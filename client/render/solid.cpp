// SPDX-License-Identifier: Apache-2.0
#include "client/render/solid.h"

#include <algorithm>
#include <cmath>

namespace sluice::render {

bool Solid::contains(const Float3& point) const {
  const Float3 p = placement_.to_body(point);
  switch (shape_.form_case()) {
    case v1::Shape::kBox: {
      const auto& size = shape_.box().size();
      return size.size() == 3 && 2 * std::abs(double{p.x}) <= size[0] &&
             2 * std::abs(double{p.y}) <= size[1] && 2 * std::abs(double{p.z}) <= size[2];
    }
    case v1::Shape::kSphere:
      return length(p) <= static_cast<float>(shape_.sphere().radius());
    case v1::Shape::kCapsule: {
      const auto half = static_cast<float>(shape_.capsule().length() / 2);
      const Float3 on_axis{0, 0, std::clamp(p.z, -half, half)};
      return length(p - on_axis) <= static_cast<float>(shape_.capsule().radius());
    }
    case v1::Shape::kCylinder:
      return std::hypot(p.x, p.y) <= static_cast<float>(shape_.cylinder().radius()) &&
             2 * std::abs(double{p.z}) <= shape_.cylinder().length();
    case v1::Shape::kHalfSpace:
      return p.z <= 0;
    case v1::Shape::FORM_NOT_SET:
      break;
  }
  return false;
}

}  // namespace sluice::render
