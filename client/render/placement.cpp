// SPDX-License-Identifier: Apache-2.0
#include "client/render/placement.h"

#include <cmath>
#include <numbers>

#include "client/render/camera.h"

namespace sluice::render {
namespace {

float radians(double degrees) {
  return static_cast<float>(degrees) * std::numbers::pi_v<float> / 180;
}

/// Turns axis `a` towards axis `b`.
Float3 rotate(Float3 v, float angle, int a, int b) {
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  const float va = v[a];
  const float vb = v[b];
  v[a] = c * va - s * vb;
  v[b] = s * va + c * vb;
  return v;
}

}  // namespace

Placement::Placement(const v1::Transform& transform)
    : translation_(to_float3(transform.translation())) {
  const auto& r = transform.rotation_degrees();
  if (r.size() != 3) {
    return;
  }
  for (Float3& column : columns_) {
    column = rotate(column, radians(r[0]), 1, 2);
    column = rotate(column, radians(r[1]), 2, 0);
    column = rotate(column, radians(r[2]), 0, 1);
  }
}

}  // namespace sluice::render
