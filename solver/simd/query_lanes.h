// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// The numbers that the kernels of ccd compute with: one double, or those of several queries side
/// by side. Every kind has the same operations, each of them one IEEE operation in each lane, so
/// that a query has the same bits in any of them.
///
/// A kind L must have L::width and L::Mask; construction from a double; load and store; + - * / and
/// unary -; < and >; select(mask, a, b), `a` where `mask` is set; min, max (b if either is NaN),
/// abs, sqrt; of masks & | !, any(mask) and bits(mask), bit i of lane i; load_points.
namespace sluice::simd {

struct Lanes1 {
  static constexpr std::size_t width = 1;

  struct Mask {
    bool value;
    friend Mask operator&(Mask a, Mask b) { return {a.value && b.value}; }
    friend Mask operator|(Mask a, Mask b) { return {a.value || b.value}; }
    friend Mask operator!(Mask a) { return {!a.value}; }
    friend bool any(Mask a) { return a.value; }
    friend unsigned bits(Mask a) { return a.value ? 1 : 0; }
  };

  double value;
  Lanes1() = default;
  Lanes1(double all) : value(all) {}  // NOLINT: constants stand in formulas.

  static Lanes1 load(const double* from) { return *from; }
  void store(double* to) const { *to = value; }

  friend Lanes1 operator+(Lanes1 a, Lanes1 b) { return a.value + b.value; }
  friend Lanes1 operator-(Lanes1 a, Lanes1 b) { return a.value - b.value; }
  friend Lanes1 operator*(Lanes1 a, Lanes1 b) { return a.value * b.value; }
  friend Lanes1 operator/(Lanes1 a, Lanes1 b) { return a.value / b.value; }
  friend Lanes1 operator-(Lanes1 a) { return -a.value; }
  friend Mask operator<(Lanes1 a, Lanes1 b) { return {a.value < b.value}; }
  friend Mask operator>(Lanes1 a, Lanes1 b) { return {a.value > b.value}; }
  friend Lanes1 select(Mask mask, Lanes1 a, Lanes1 b) { return mask.value ? a : b; }
  friend Lanes1 min(Lanes1 a, Lanes1 b) { return a.value < b.value ? a : b; }
  friend Lanes1 max(Lanes1 a, Lanes1 b) { return a.value > b.value ? a : b; }
  friend Lanes1 abs(Lanes1 a) { return std::abs(a.value); }
  friend Lanes1 sqrt(Lanes1 a) { return std::sqrt(a.value); }

  /// Loads x, y, z of a point for each lane, three doubles each.
  static std::array<Lanes1, 3> load_points(const std::array<const double*, width>& points) {
    return {points[0][0], points[0][1], points[0][2]};
  }
};

template <typename L>
struct Vector {
  L x, y, z;

  friend Vector operator+(const Vector& a, const Vector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Vector operator-(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Vector operator*(const L& s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend L dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend Vector min(const Vector& a, const Vector& b) {
    return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
  }
  friend Vector max(const Vector& a, const Vector& b) {
    return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
  }
  friend Vector abs(const Vector& a) { return {abs(a.x), abs(a.y), abs(a.z)}; }
  friend Vector select(const typename L::Mask& mask, const Vector& a, const Vector& b) {
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
  }
  friend L largest(const Vector& a) { return max(max(a.x, a.y), a.z); }
};

}  // namespace sluice::simd
