// SPDX-License-Identifier: Apache-2.0
// Oracles: closed surfaces, volumes by formula, vertices at distance 0 from the shape, lengths of
// edges.
#include "solver/geometry/tessellate_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "solver/geometry/closed_surface.h"

namespace sluice::geometry {
namespace {

using std::numbers::pi;

struct SurfaceCase {
  Shape shape;
  double volume;          // [m^3]
  double relative_error;  // That facets may cost at an edge of 0.02 m.
};

std::vector<SurfaceCase> cases() {
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Vec3 place(0.3, -0.2, 0.9);
  return {{{Box{{0.1, 0.2, 0.15}}, place, turn}, 0.2 * 0.4 * 0.3, 1e-12},
          {{Sphere{0.2}, place, turn}, 4.0 / 3 * pi * 0.008, 0.01},
          {{Capsule{0.1, 0.15}, place, turn}, pi * 0.01 * (0.3 + 0.4 / 3), 0.015},
          {{Cylinder{0.1, 0.15}, place, turn}, pi * 0.01 * 0.3, 0.008}};
}

TEST(TessellateShape, closes_a_surface_on_the_shape) {
  for (const auto& [shape, volume, relative_error] : cases()) {
    const auto mesh = tessellate_shape(shape, 0.02, 100'000);
    ASSERT_TRUE(mesh) << shape.form.index();
    EXPECT_FALSE(check_closed(mesh.value())) << shape.form.index();
    const double found = signed_volume(mesh.value());
    EXPECT_GE(found, volume * (1 - relative_error)) << shape.form.index();
    EXPECT_LE(found, volume * (1 + 1e-12)) << shape.form.index();
    for (const Vec3& x : mesh.value().vertices)
      EXPECT_NEAR(signed_distance(shape, x).distance, 0, 1e-14);
    for (const auto& [a, b, c] : mesh.value().triangles) {
      const auto at = [&](std::int32_t i) {
        return mesh.value().vertices[static_cast<std::size_t>(i)];
      };
      EXPECT_LT((at(a) - at(b)).norm(), 0.04 + 1e-12);
      EXPECT_LT((at(b) - at(c)).norm(), 0.04 + 1e-12);
    }
  }
}

TEST(TessellateShape, keeps_round_things_round_at_any_edge) {
  for (const auto& [shape, volume, relative_error] : cases()) {
    const auto mesh = tessellate_shape(shape, 100, 100'000);
    ASSERT_TRUE(mesh);
    EXPECT_FALSE(check_closed(mesh.value())) << shape.form.index();
    EXPECT_GT(signed_volume(mesh.value()), 0.5 * volume);
  }
}

TEST(TessellateShape, refuses_what_is_too_fine) {
  for (const auto& [shape, volume, relative_error] : cases()) {
    EXPECT_FALSE(tessellate_shape(shape, 0.02, 500));
    EXPECT_FALSE(tessellate_shape(shape, 1e-300, 100'000));
  }
}

}  // namespace
}  // namespace sluice::geometry
