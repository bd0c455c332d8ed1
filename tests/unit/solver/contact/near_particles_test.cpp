// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/near_particles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

// Oracle: every particle against every box, in each of many substeps.
namespace sluice::contact {
namespace {

class NearParticlesTest : public testing::Test {
 protected:
  explicit NearParticlesTest(int count = 3000) {
    for (int i = 0; i < count; ++i)
      particles_.push_back(random_place().cast<float>());
    for (int i = 0; i < 60; ++i)
      corners_.push_back(0.3 * random_place());
  }

  Vec3 random_place() { return {uniform_(random_), uniform_(random_), uniform_(random_)}; }

  /// A substep in which particles move by up to `way` along an axis, and boxes by a third of it.
  /// Returns how many particles are listed.
  std::size_t step(double way, double reach = 0.01) {
    std::vector<Vec3f> ends = particles_;
    for (Vec3f& x : ends)
      x += (way * random_place()).cast<float>();
    bounds_.begin({particles_, {}}, {ends, {}}, 0.1 * way);
    std::vector<geometry::Bounds> boxes;
    for (Vec3& corner : corners_) {
      const Vec3 end = corner + way / 3 * random_place();
      boxes.push_back({corner.cwiseMin(end), corner.cwiseMax(end).array() + 0.05});
      corner = end;
    }
    geometry::SparseGrid grid;
    grid.build(boxes);
    const auto listed = near_.find(bounds_, boxes, grid, reach);
    EXPECT_TRUE(std::ranges::is_sorted(listed));
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      geometry::Bounds box = bounds_.particle_box(i);
      box.lower.array() -= reach;
      box.upper.array() += reach;
      const bool is_near = std::ranges::any_of(
          boxes, [&](const geometry::Bounds& other) { return geometry::overlap(box, other); });
      if (is_near) {
        EXPECT_TRUE(std::ranges::binary_search(listed, static_cast<std::int32_t>(i))) << i;
      }
    }
    particles_ = ends;
    return listed.size();
  }

  std::mt19937_64 random_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
  std::vector<Vec3f> particles_;
  std::vector<Vec3> corners_;
  MotionBounds bounds_;
  NearParticles near_;
};

TEST_F(NearParticlesTest, misses_none_and_leaves_most_out) {
  for (int i = 0; i < 200; ++i)
    EXPECT_LT(step(1e-3), particles_.size() / 4);
}

TEST_F(NearParticlesTest, some_that_fly_far_cost_no_list) {
  for (int i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < particles_.size() / 50; ++k)
      particles_[k] = random_place().cast<float>();
    EXPECT_LT(step(1e-3), particles_.size() / 4);
  }
}

TEST_F(NearParticlesTest, misses_none_whatever_speeds_reach_and_order_become) {
  for (int i = 0; i < 60; ++i) {
    step(i % 7 == 0 ? 0.2 : 1e-3, i % 20 < 10 ? 0.01 : 0.02);
    if (i % 9 == 0) std::ranges::shuffle(particles_, random_);
    if (i % 11 == 0) particles_.resize(particles_.size() - 100);
    if (i % 13 == 0) corners_.pop_back();
  }
}

TEST_F(NearParticlesTest, takes_all_where_a_list_would_not_last) {
  EXPECT_EQ(step(0.5), particles_.size());
  EXPECT_LT(step(1e-3), particles_.size());
}

}  // namespace
}  // namespace sluice::contact
