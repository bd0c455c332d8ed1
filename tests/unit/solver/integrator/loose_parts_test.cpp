// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/loose_parts.h"

#include <gtest/gtest.h>

#include <limits>

#include "solver/solid/spring_potential.h"

namespace sluice::integrator {
namespace {

TEST(LooseParts, moves_each_part_that_nothing_holds_to_its_least_energy) {
  // By hand: the parts {0, 3, 4}, {1}, {2, 5}; of the last one vertex is held.
  const solid::SpringPotential springs(std::vector<solid::Spring>{
      {3, 4, 1, 1, solid::SpringKind::structural}, {0, 3, 1, 1, solid::SpringKind::structural}});
  const solid::SpringPotential others(
      std::vector<solid::Spring>{{5, 2, 1, 1, solid::SpringKind::structural}});
  const std::vector<const solid::Potential*> potentials{&springs, &others};
  const std::vector<double> inertia{1, 4, 1, 2, 3, std::numeric_limits<double>::infinity()};
  const std::vector<Vec3> targets(6, Vec3::Zero());
  const std::vector<Vec3> forces{{0, 0, 6}, {0, 0, 2}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 9}};
  const std::vector<Vec3> start{{6, 0, 0}, {7, 0, 0}, {8, 0, 0}, {3, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  std::vector<Vec3> x = start;
  LooseParts(potentials, 6).place({inertia, targets, forces, potentials}, x);
  // The first part: 1 x 6 + 2 x 3 of a pull back in x, 6 forwards in z, over 6.
  for (const std::size_t vertex : {0, 3, 4})
    EXPECT_EQ(x[vertex], start[vertex] + Vec3(-2, 0, 1));
  EXPECT_EQ(x[1], Vec3(0, 0, 0.5));
  EXPECT_EQ(x[2], start[2]);
  EXPECT_EQ(x[5], start[5]);
}

}  // namespace
}  // namespace sluice::integrator
