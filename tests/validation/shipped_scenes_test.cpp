// SPDX-License-Identifier: Apache-2.0
// No particle crosses the cloth, in any substep of the shipped scenes. Oracle: solver/certificate,
// which shares no code with the contact it judges and decides in integers where rounding could.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "solver/certificate/crossing_certificate.h"
#include "solver/simulation.h"
#include "tests/validation/scene_files.h"

namespace sluice::validation {
namespace {

// Long scenes are run up to where things that meet have met, which is also where contact is
// hardest: the blob's blow on the sheet, the wave's on the curtain and its way past it, the
// trampoline's first throws, a gust of wind, sand that slides and sand that stays, the river around
// its rocks until the second sluice opens. The rest is more of the same: SLUICE_WHOLE_SCENES=1 runs
// that too.
std::int64_t frame_count_of(std::string_view name, const scene::Scene& scene) {
  static const std::map<std::string_view, std::int64_t> parts = {
      {"water_on_sloped_cloth", 36}, {"dam_break_cloth_curtain", 60},
      {"flag_in_wind", 120},         {"trampoline", 60},
      {"four_materials", 45},        {"river", 80},
      {"sand_on_two_cloths", 45}};
  const auto part = parts.find(name);
  if (part == parts.end() || std::getenv("SLUICE_WHOLE_SCENES") != nullptr)
    return scene.frame_count;
  return part->second;
}

class ShippedScene : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ShippedScene,
                         testing::Values("water_on_sloped_cloth", "dam_break_cloth_curtain",
                                         "cloth_on_sphere", "jelly_cube_drop", "flag_in_wind",
                                         "twisted_bar", "kelvin_voigt_beam", "trampoline",
                                         "four_materials", "river", "sand_on_two_cloths"),
                         [](const auto& scene) { return std::string(scene.param); });

TEST_P(ShippedScene, lets_no_particle_through_its_cloth) {
  const scene::Scene scene =
      read_scene(std::filesystem::path(SLUICE_SCENES) / (std::string(GetParam()) + ".json"));
  const std::int64_t frame_count = frame_count_of(GetParam(), scene);
  certificate::CrossingCertificate certificate;
  auto simulation = Simulation::create(scene, {.thread_count = 1, .observer = &certificate});
  ASSERT_TRUE(simulation) << simulation.error().message;
  double smallest_gap = std::numeric_limits<double>::infinity();
  std::int64_t substep_count = 0;
  for (std::int64_t frame = 0; frame < frame_count; ++frame) {
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
