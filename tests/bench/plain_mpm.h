// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sluice::bench {

/// MLS-MPM water as its papers' sample programs have it: particles one after the other in the order
/// that they were made in, 27 nodes each on a dense grid, plain floats. The baseline that the
/// solver's transfers are measured against. The same method: quadratic APIC, Tait's equation of
/// state, walls at the sides.
class PlainMpm {
 public:
  /// About `count` particles, eight a cell, in a cube at the corner of a box that is twice as long.
  explicit PlainMpm(std::int64_t count);

  void step(float h);

  [[nodiscard]] std::int64_t particle_count() const {
    return static_cast<std::int64_t>(particles_.size());
  }
  [[nodiscard]] float top_speed() const;

 private:
  struct Particle {
    std::array<float, 3> x, v;
    std::array<float, 9> c;
    float j;
  };
  static_assert(sizeof(Particle) == 64);
  using Node = std::array<float, 4>;  // Momentum or velocity, mass.

  [[nodiscard]] std::size_t node(int i, int j, int k) const {
    const int number = (i * size_[1] + j) * size_[2] + k;
    return static_cast<std::size_t>(number);
  }

  std::array<int, 3> size_;
  std::vector<Node> nodes_;
  std::vector<Particle> particles_;
};

}  // namespace sluice::bench
