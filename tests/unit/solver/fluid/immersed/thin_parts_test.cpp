// SPDX-License-Identifier: Apache-2.0
// Oracle: by hand, where a plate parts cells.
#include "solver/fluid/immersed/thin_parts.h"

#include <gtest/gtest.h>

#include "tests/unit/solver/geometry/closed_meshes.h"

namespace sluice::fluid::grid::thin_parts_test {
namespace {

constexpr float edge = 0.1F;  // [m]

template <int D>
std::vector<ThinPart<D>> parts_of(const geometry::TriangleMesh& mesh) {
  return find_thin_parts<D>({edge, Vec3f::Zero()}, 0.5, Tiles<D>({Cell<D>{}}), mesh.vertices,
                            mesh.triangles);
}

TEST(ThinParts, of_a_plate_between_middles_are_one_layer_of_faces) {
  const auto parts = parts_of<3>(geometry::make_box({0.06, 0, 0}, {0.07, 0.4, 0.4}));
  ASSERT_EQ(parts.size(), 16U);
  for (const ThinPart<3>& part : parts) {
    EXPECT_EQ(part.axis, 0);
    EXPECT_EQ(part.face[0], 1);
    EXPECT_TRUE(part.is_screen);
  }
}

TEST(ThinParts, of_a_plate_around_middles_are_the_faces_on_both_sides_of_them) {
  int lower = 0, upper = 0;
  for (const ThinPart<2>& part : parts_of<2>(geometry::make_box({0.04, 0, 0}, {0.06, 1, 0.4}))) {
    ASSERT_EQ(part.axis, 0);
    lower += part.face[0] == 0 ? 1 : 0;
    upper += part.face[0] == 1 ? 1 : 0;
  }
  EXPECT_EQ(lower, 4);
  EXPECT_EQ(upper, 4);
}

TEST(ThinParts, of_what_is_thick_are_none) {
  EXPECT_TRUE(parts_of<3>(geometry::make_box({0.03, 0.03, 0.03}, {0.57, 0.6, 0.61})).empty());
  EXPECT_TRUE(parts_of<2>(geometry::make_box({0.03, 0, 0.03}, {0.57, 1, 0.61})).empty());
}

}  // namespace
}  // namespace sluice::fluid::grid::thin_parts_test
