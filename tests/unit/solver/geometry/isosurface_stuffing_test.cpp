// SPDX-License-Identifier: Apache-2.0
#include "solver/geometry/isosurface_stuffing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

#include "solver/geometry/tet_faults.h"
#include "solver/geometry/tet_quality.h"

namespace sluice::geometry {
namespace {

constexpr double degree = std::numbers::pi / 180;

bool is_outermost(const BccLattice& lattice, const LatticePoint& p) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (p[axis] <= 1 || p[axis] >= 2 * lattice.cell_counts[axis] - 1) return true;
  }
  return false;
}

TEST(BccLattice, numbers_its_points_both_ways) {
  const BccLattice lattice{{1, 2, 3}, 0.5, {3, 4, 5}};
  EXPECT_EQ(lattice.point_count(), 4 * 5 * 6 + 3 * 4 * 5);
  for (std::int64_t i = 0; i < lattice.point_count(); ++i) {
    EXPECT_EQ(lattice.index(lattice.point(i)), i);
  }
  EXPECT_EQ(lattice.position({6, 8, 10}), Vec3(2.5, 4, 5.5));
  for (std::size_t d = 0; d < bcc_directions.size(); ++d) {
    EXPECT_EQ(neighbour(neighbour({4, 4, 4}, d), d ^ 1U), (LatticePoint{4, 4, 4}));
    EXPECT_EQ(direction_between({4, 4, 4}, neighbour({4, 4, 4}, d)), d);
  }
}

// Oracle: [Labelle2007]: 10.7843 and 164.7400 degrees for any surface whatever. Surfaces
// here are random and adverse: cuts lie just inside or outside of where points are moved, which is
// where the extremes are. 0.002 degrees are the digits to which the parameters are given.
TEST(StuffIsosurface, keeps_its_angles_whatever_the_surface) {
  double smallest = 1e9, largest = 0;
  for (std::uint64_t round = 0; round < 120; ++round) {
    const BccLattice lattice{{0, 0, 0}, 1, {6, 6, 6}};
    std::mt19937_64 random{round};
    std::vector<std::uint8_t> is_inside(static_cast<std::size_t>(lattice.point_count()));
    for (std::size_t i = 0; i < is_inside.size(); ++i) {
      const bool fill = random() % 10 < 2 + 2 * (round % 4);
      is_inside[i] = fill && !is_outermost(lattice, lattice.point(static_cast<std::int64_t>(i)));
    }
    const auto cut = [&](const LatticePoint& p, const LatticePoint& q) {
      const auto i = static_cast<std::uint64_t>(lattice.index(p)),
                 j = static_cast<std::uint64_t>(lattice.index(q));
      std::mt19937_64 edge{(round << 40) + (i << 20) + j};
      const double alpha = direction_between(p, q) < long_direction_count ? 0.28511 : 0.39877;
      switch (edge() % (round % 2 == 0 ? 4 : 5)) {
        case 0:
          return alpha * (1 + 1e-9);
        case 1:
          return alpha * (1 - 1e-9);
        case 2:
          return 1 - alpha * (1 + 1e-9);
        case 3:
          return 1 - alpha * (1 - 1e-9);
        default:
          return static_cast<double>(edge() % 1000) / 999;
      }
    };
    const TetMesh mesh = stuff_isosurface(lattice, is_inside, cut);
    if (mesh.tets.empty()) continue;  // All few points moved onto the surface.
    ASSERT_THAT(find_faults(mesh), testing::IsEmpty()) << round;
    const TetQuality worst = worst_quality(mesh);
    smallest = std::min(smallest, worst.smallest_dihedral);
    largest = std::max(largest, worst.largest_dihedral);
  }
  EXPECT_GT(smallest, 10.782 * degree);
  EXPECT_LT(largest, 164.742 * degree);
  // The search comes close to both bounds, so it would see a wrong rule or parameter.
  EXPECT_LT(smallest, 10.9 * degree);
  EXPECT_GT(largest, 164.0 * degree);
}

// Oracle: the volume below a plane, which cuts of the plane's own distances reproduce exactly, at
// any tilt: warped or not, boundary vertices are on it. The other sides are far from the plane.
TEST(StuffIsosurface, puts_flat_surfaces_exactly_in_place) {
  const BccLattice lattice{{0, 0, 0}, 1, {10, 10, 10}};
  for (const Vec3& n : {Vec3(0, 0, 1), Vec3(1, 2, 3), Vec3(-1, 1, 0.1), Vec3(0.3, 1, -2)}) {
    const Vec3 normal = n.normalized();
    const auto height = [&](const LatticePoint& p) {
      return normal.dot(lattice.position(p) - Vec3(5.1, 4.9, 5.2));
    };
    std::vector<std::uint8_t> is_inside(static_cast<std::size_t>(lattice.point_count()));
    for (std::size_t i = 0; i < is_inside.size(); ++i) {
      const LatticePoint p = lattice.point(static_cast<std::int64_t>(i));
      is_inside[i] = !is_outermost(lattice, p) && height(p) < 0;
    }
    const TetMesh mesh =
        stuff_isosurface(lattice, is_inside, [&](const LatticePoint& p, const LatticePoint& q) {
          // The walls of the lattice cut halfway.
          return height(q) < 0 ? 0.5 : height(p) / (height(p) - height(q));
        });
    double highest = -1e9;
    for (const Vec3& vertex : mesh.vertices)
      highest = std::max(highest, normal.dot(vertex - Vec3(5.1, 4.9, 5.2)));
    EXPECT_NEAR(highest, 0, 1e-14);
    EXPECT_THAT(find_faults(mesh), testing::IsEmpty());
  }
}

// Oracle: 24 tetrahedra meet at a lattice point; cuts halfway along their edges bound it.
TEST(StuffIsosurface, of_one_point_is_the_polyhedron_of_its_cuts) {
  const BccLattice lattice{{0, 0, 0}, 1, {4, 4, 4}};
  std::vector<std::uint8_t> is_inside(static_cast<std::size_t>(lattice.point_count()));
  is_inside[static_cast<std::size_t>(lattice.index({4, 4, 4}))] = 1;
  const TetMesh mesh = stuff_isosurface(
      lattice, is_inside, [](const LatticePoint& /*p*/, const LatticePoint& /*q*/) { return 0.5; });
  EXPECT_EQ(mesh.tets.size(), 24U);
  EXPECT_EQ(mesh.vertices.size(), 15U);
  EXPECT_NEAR(signed_volume(mesh), 24 * (1.0 / 12) / 8, 1e-15);
  // Cuts at the point itself leave nothing of it.
  const TetMesh none = stuff_isosurface(
      lattice, is_inside, [](const LatticePoint& /*p*/, const LatticePoint& /*q*/) { return 0.0; });
  EXPECT_TRUE(none.tets.empty());
  EXPECT_TRUE(none.vertices.empty());
}

}  // namespace
}  // namespace sluice::geometry
