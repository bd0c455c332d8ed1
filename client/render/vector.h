// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace sluice::render {

/// A point, direction or linear colour. Single precision is plenty for a picture.
struct Float3 {
  float x{0};
  float y{0};
  float z{0};

  float& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  float operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  Float3& operator+=(const Float3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
};

constexpr Float3 operator+(const Float3& a, const Float3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr Float3 operator-(const Float3& a, const Float3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
constexpr Float3 operator-(const Float3& a) { return {-a.x, -a.y, -a.z}; }
constexpr Float3 operator*(const Float3& a, float s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Float3 operator*(float s, const Float3& a) { return a * s; }
constexpr Float3 operator*(const Float3& a, const Float3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
constexpr float dot(const Float3& a, const Float3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Float3 cross(const Float3& a, const Float3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(const Float3& a) { return std::sqrt(dot(a, a)); }

/// Returns the unit vector along `a`, or the z axis if `a` is (almost) zero.
inline Float3 normalized(const Float3& a) {
  const float size = length(a);
  return size > 1e-30F ? a * (1 / size) : Float3{0, 0, 1};
}

constexpr Float3 mix(const Float3& a, const Float3& b, float t) { return a + (b - a) * t; }

}  // namespace sluice::render
