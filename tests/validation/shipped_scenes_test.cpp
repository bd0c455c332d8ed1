// SPDX-License-Identifier: Apache-2.0
// No particle crosses the cloth, in any substep of any shipped scene. Oracle: solver/certificate,
// which shares no code with the contact it judges and decides in integers where rounding could.
#include <gtest/gtest.h>

#include <thread>

#include "solver/certificate/crossing_certificate.h"
#include "solver/simulation.h"
#include "tests/validation/scene_files.h"

namespace sluice::validation {
namespace {

class ShippedScene : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ShippedScene,
                         testing::Values("water_on_sloped_cloth", "dam_break_cloth_curtain",
                                         "cloth_on_sphere", "jelly_cube_drop", "flag_in_wind",
                                         "twisted_bar", "kelvin_voigt_beam", "trampoline",
                                         "four_materials", "river", "sand_on_two_cloths"),
                         [](const auto& scene) { return std::string(scene.param); });

TEST_P(ShippedScene, LetsNoParticleThroughItsCloth) {
  const scene::Scene scene =
      read_scene(std::filesystem::path(SLUICE_SCENES) / (std::string(GetParam()) + ".json"));
  certificate::CrossingCertificate certificate;
  const int thread_count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto simulation =
      Simulation::create(scene, {.thread_count = thread_count, .observer = &certificate});
  ASSERT_TRUE(simulation) << simulation.error().message;
  double smallest_gap = std::numeric_limits<double>::infinity();
  std::int64_t substep_count = 0;
  for (std::int64_t frame = 0; frame < scene.frame_count; ++frame) {
    const auto statistics = simulation.value()->advance_frame();
    ASSERT_TRUE(statistics) << "frame " << frame + 1 << ": " << statistics.error().message;
    smallest_gap = std::min(smallest_gap, statistics.value().smallest_gap);
    substep_count += statistics.value().substep_count;
    ASSERT_EQ(certificate.crossing_count(), 0) << "frame " << frame + 1;
  }
  EXPECT_EQ(certificate.substep_count(), substep_count);
  EXPECT_EQ(certificate.jump_count(), 0);
  if (!scene.fluids.empty() && !scene.cloths.empty()) {
    EXPECT_GT(certificate.pair_count(), 0) << "water never came near the cloth: nothing was proven";
    EXPECT_GT(smallest_gap, 0);
  }
  RecordProperty("substeps", std::to_string(substep_count));
  RecordProperty("pairs", std::to_string(certificate.pair_count()));
  RecordProperty("decided_exactly", std::to_string(certificate.exact_count()));
}

}  // namespace
}  // namespace sluice::validation
