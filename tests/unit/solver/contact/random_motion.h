// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "solver/contact/pairs.h"
#include "solver/types.h"

namespace sluice::test {

struct PairMotion {
  geometry::PairPoints t0, t1;
};

/// A particle near the face, an edge or a corner of a moving triangle, or an edge near another,
/// which may go through it.
inline PairMotion random_motion(contact::PairKind kind, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&](double size) {
    return Vec3(size * Vec3{uniform(random), uniform(random), uniform(random)});
  };
  PairMotion m;
  for (Vec3& x : m.t0)
    x = point(1);
  const bool is_point = kind == contact::PairKind::point_triangle;
  const Vec3 w = point(1).cwiseAbs();
  const Vec3 near = (is_point ? Vec3(w[0] * m.t0[1] + w[1] * m.t0[2] + w[2] * m.t0[3])
                              : Vec3(w[1] * m.t0[2] + w[2] * m.t0[3])) /
                    (is_point ? w.sum() : w[1] + w[2]);
  const Vec3 shift = near + point(0.2) - (is_point ? m.t0[0] : 0.5 * (m.t0[0] + m.t0[1]));
  const Vec3 way = point(0.3);
  const std::size_t first_count = is_point ? 1 : 2;
  for (std::size_t k = 0; k < 4; ++k) {
    if (k < first_count) m.t0[k] += shift;
    m.t1[k] = m.t0[k] + (k < first_count ? way : point(0.05));
  }
  return m;
}

}  // namespace sluice::test
