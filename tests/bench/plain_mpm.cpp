// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/plain_mpm.h"

#include <algorithm>
#include <cmath>

namespace sluice::bench {

namespace {

constexpr float cell = 0.01F, density = 1000, sound_speed = 20, gravity = -9.81F;
constexpr float volume = cell * cell * cell / 8, mass = density * volume;
constexpr float stiffness = density * sound_speed * sound_speed / 7;
constexpr int margin = 3;  // Nodes beyond the walls.

struct Weights {
  std::array<int, 3> base;
  std::array<std::array<float, 3>, 3> w;  // [axis][node]
  std::array<float, 3> away;              // Node base - particle, in cells.
};

Weights weights_at(const std::array<float, 3>& x) {
  Weights result;
  for (std::size_t a = 0; a < 3; ++a) {
    const float X = x[a] / cell + margin;
    result.base[a] = static_cast<int>(X - 0.5F);
    const float f = X - static_cast<float>(result.base[a]);
    result.w[a] = {0.5F * (1.5F - f) * (1.5F - f), 0.75F - (f - 1) * (f - 1),
                   0.5F * (f - 0.5F) * (f - 0.5F)};
    result.away[a] = -f;
  }
  return result;
}

}  // namespace

PlainMpm::PlainMpm(std::int64_t count) {
  const int side = static_cast<int>(std::lround(std::cbrt(static_cast<double>(count) / 8)));
  size_ = {2 * side + 2 * margin, side + 2 * margin, 3 * side / 2 + 2 * margin};
  nodes_.resize(static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                static_cast<std::size_t>(size_[2]));
  const auto place = [](int n) { return (static_cast<float>(n) + 0.5F) * cell / 2; };
  for (int i = 0; i < 2 * side; ++i) {
    for (int j = 0; j < 2 * side; ++j) {
      for (int k = 0; k < 2 * side; ++k)
        particles_.push_back({{place(i), place(j), place(k)}, {}, {}, 1});
    }
  }
}

void PlainMpm::step(float h) {
  std::fill(nodes_.begin(), nodes_.end(), Node{});
  constexpr float D_inv = 4 / (cell * cell);
  for (const Particle& p : particles_) {
    const Weights at = weights_at(p.x);
    const float less = 1 / p.j, square = less * less;
    const float pressure = std::max(0.0F, stiffness * (square * square * square * less - 1));
    const float stress = h * volume * p.j * D_inv * pressure;
    std::array<float, 9> affine;
    for (std::size_t n = 0; n < 9; ++n)
      affine[n] = mass * p.c[n] + (n % 4 == 0 ? stress : 0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          const auto [wi, wj, wk] =
              std::array{static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                         static_cast<std::size_t>(k)};
          const float w = at.w[0][wi] * at.w[1][wj] * at.w[2][wk];
          const std::array<float, 3> d = {(static_cast<float>(i) + at.away[0]) * cell,
                                          (static_cast<float>(j) + at.away[1]) * cell,
                                          (static_cast<float>(k) + at.away[2]) * cell};
          Node& to = nodes_[node(at.base[0] + i, at.base[1] + j, at.base[2] + k)];
          for (std::size_t r = 0; r < 3; ++r) {
            to[r] += w * (mass * p.v[r] + affine[r] * d[0] + affine[3 + r] * d[1] +
                          affine[6 + r] * d[2]);
          }
          to[3] += w * mass;
        }
      }
    }
  }
  for (int i = 0; i < size_[0]; ++i) {
    for (int j = 0; j < size_[1]; ++j) {
      for (int k = 0; k < size_[2]; ++k) {
        Node& at = nodes_[node(i, j, k)];
        if (at[3] == 0) continue;
        for (std::size_t r = 0; r < 3; ++r)
          at[r] /= at[3];
        at[2] += h * gravity;
        const std::array<int, 3> place = {i, j, k};
        for (std::size_t r = 0; r < 3; ++r) {
          if (place[r] <= margin) at[r] = std::max(at[r], 0.0F);
          if (place[r] >= size_[r] - 1 - margin) at[r] = std::min(at[r], 0.0F);
        }
      }
    }
  }
  for (Particle& p : particles_) {
    const Weights at = weights_at(p.x);
    std::array<float, 3> v{};
    std::array<float, 9> c{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          const auto [wi, wj, wk] =
              std::array{static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                         static_cast<std::size_t>(k)};
          const float w = at.w[0][wi] * at.w[1][wj] * at.w[2][wk];
          const std::array<float, 3> d = {(static_cast<float>(i) + at.away[0]) * cell,
                                          (static_cast<float>(j) + at.away[1]) * cell,
                                          (static_cast<float>(k) + at.away[2]) * cell};
          const Node& from = nodes_[node(at.base[0] + i, at.base[1] + j, at.base[2] + k)];
          for (std::size_t r = 0; r < 3; ++r) {
            const float part = w * from[r];
            v[r] += part;
            for (std::size_t a = 0; a < 3; ++a)
              c[3 * a + r] += D_inv * part * d[a];
          }
        }
      }
    }
    p.v = v;
    p.c = c;
    p.j = std::clamp(p.j * (1 + h * (c[0] + c[4] + c[8])), 0.5F, 1.05F);
    for (std::size_t a = 0; a < 3; ++a) {
      const float end = static_cast<float>(size_[a] - 1 - 2 * margin) * cell;
      p.x[a] = std::clamp(p.x[a] + h * v[a], 0.0F, end);
    }
  }
}

float PlainMpm::top_speed() const {
  float squared = 0;
  for (const Particle& p : particles_)
    squared = std::max(squared, p.v[0] * p.v[0] + p.v[1] * p.v[1] + p.v[2] * p.v[2]);
  return std::sqrt(squared);
}

}  // namespace sluice::bench
