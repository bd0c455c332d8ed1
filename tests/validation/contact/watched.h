// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "solver/certificate/crossing_certificate.h"
#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::test {

/// A simulation under the eyes of the crossing certificate. Marches, and stops at the first frame
/// that fails or lets something through.
class Watched {
 public:
  explicit Watched(const scene::Scene& scene)
      : simulation_(make_simulation(scene, 1, &certificate_)) {}

  [[nodiscard]] Simulation& simulation() { return *simulation_; }

  void advance(int frame_count) {
    for (int i = 0; i < frame_count && !testing::Test::HasFatalFailure(); ++i)
      advance_frame();
  }

  [[nodiscard]] std::int64_t pair_count() const { return certificate_.pair_count(); }
  [[nodiscard]] const FrameStatistics& last_frame() const { return last_frame_; }

 private:
  void advance_frame() {
    const auto statistics = simulation_->advance_frame();
    ASSERT_TRUE(statistics) << statistics.error().message;
    ASSERT_EQ(certificate_.crossing_count(), 0) << "frame " << simulation_->frame_index();
    ASSERT_EQ(certificate_.jump_count(), 0);
    last_frame_ = statistics.value();
  }

  certificate::CrossingCertificate certificate_;
  std::unique_ptr<Simulation> simulation_;
  FrameStatistics last_frame_;
};

}  // namespace sluice::test
