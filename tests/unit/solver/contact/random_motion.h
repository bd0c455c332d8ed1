// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "solver/geometry/ccd.h"
#include "solver/types.h"

namespace sluice::test {

/// A particle near the face, an edge or a corner of a moving triangle, which may go through it.
inline geometry::PointTriangleMotion random_motion(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto point = [&](double size) {
    return Vec3(size * Vec3{uniform(random), uniform(random), uniform(random)});
  };
  geometry::PointTriangleMotion m;
  m.a_t0 = point(1);
  m.b_t0 = point(1);
  m.c_t0 = point(1);
  const Vec3 w = point(1).cwiseAbs();
  const Vec3 on_triangle = (w[0] * m.a_t0 + w[1] * m.b_t0 + w[2] * m.c_t0) / w.sum();
  m.p_t0 = on_triangle + point(0.2);
  m.p_t1 = m.p_t0 + point(0.3);
  m.a_t1 = m.a_t0 + point(0.05);
  m.b_t1 = m.b_t0 + point(0.05);
  m.c_t1 = m.c_t0 + point(0.05);
  return m;
}

}  // namespace sluice::test
