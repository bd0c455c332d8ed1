// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/tet_faults.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/solver/geometry/tet_boxes.h"

namespace sluice::geometry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TetMesh two_tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
                       {{0, 1, 2, 3}, {1, 2, 3, 4}}};

TEST(FindFaults, finds_none_in_good_meshes) {
  EXPECT_THAT(find_faults(two_tets), IsEmpty());
  EXPECT_THAT(find_faults(make_tet_cube(4)), IsEmpty());
}

TEST(FindFaults, tells_indices_and_coordinates_first) {
  TetMesh mesh = two_tets;
  mesh.tets[1][2] = 5;
  mesh.tets[0][0] = -1;
  mesh.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::index_out_of_range, 0, -1},
                                             TetFault{TetFaultKind::index_out_of_range, 1, 5},
                                             TetFault{TetFaultKind::not_finite, 3}));
  EXPECT_EQ(describe(find_faults(mesh)[1], mesh),
            "tetrahedron 1 (1, 2, 5, 4) has the vertex 5; the mesh has vertices 0 to 4");
}

TEST(FindFaults, tells_inverted_tetrahedra) {
  TetMesh mesh = two_tets;
  std::swap(mesh.tets[0][0], mesh.tets[0][1]);
  // Seen from the common face, both are now on one side.
  EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::inverted, 0},
                                             TetFault{TetFaultKind::overlap, 0, 1}));
  EXPECT_THAT(describe(find_faults(mesh)[0], mesh), HasSubstr("tetrahedron 0 (1, 0, 2, 3)"));
}

// The bound of 1e-6 from both sides, at two scales of length.
TEST(FindFaults, tells_flat_tetrahedra_whatever_the_unit) {
  for (const double scale : {1e-3, 1e3}) {
    for (const double height : {0.0, 1e-7, 1e-5}) {
      TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, height}}, {{0, 1, 2, 3}}};
      for (Vec3& vertex : mesh.vertices)
        vertex *= scale;
      if (height < 1e-6) {
        EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::flat, 0}));
      } else {
        EXPECT_THAT(find_faults(mesh), IsEmpty());
      }
    }
  }
}

TEST(FindFaults, tells_repeated_and_unused_vertices) {
  TetMesh mesh = two_tets;
  mesh.tets[1] = {1, 2, 3, 3};
  EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::repeated_vertex, 1},
                                             TetFault{TetFaultKind::unused_vertex, 4}));
}

TEST(FindFaults, tells_doubles_and_overlaps_once) {
  TetMesh mesh = two_tets;
  mesh.tets.push_back({1, 2, 0, 3});  // Tetrahedron 0 again, turned.
  EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::overlap, 0, 2}));
  mesh = two_tets;
  mesh.vertices.emplace_back(2, 2, 2);
  mesh.tets.push_back({1, 2, 3, 5});  // On the side of tetrahedron 1.
  EXPECT_THAT(find_faults(mesh), ElementsAre(TetFault{TetFaultKind::overlap, 1, 2}));
  EXPECT_THAT(describe(find_faults(mesh)[0], mesh), HasSubstr("same side of a common face"));
}

}  // namespace
}  // namespace sluice::geometry
