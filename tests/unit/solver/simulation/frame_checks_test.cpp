// SPDX-License-Identifier: Apache-2.0
// Oracle: frames made by hand, of which something is wrong or nothing.
#include "solver/simulation/frame_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/solver/simulation_scenes.h"

namespace sluice::simulation::frame_checks_test {
namespace {

using testing::IsEmpty;

std::vector<WarningKind> kinds_of(const FrameStatistics& statistics) {
  std::vector<WarningKind> kinds;
  for (const Warning& warning : statistics.warnings)
    kinds.push_back(warning.kind);
  return kinds;
}

FrameStatistics energies(double kinetic, double potential) {
  FrameStatistics statistics;
  statistics.kinetic_energy = kinetic;
  statistics.potential_energy = potential;
  return statistics;
}

class FrameChecksTest : public testing::Test {
 protected:
  FrameChecksTest() {
    frame.gravity = scene.gravity;
    frame.mass = 1;
  }
  std::vector<WarningKind> check(FrameStatistics statistics) {
    checks->check(frame, statistics);
    return kinds_of(statistics);
  }
  void begin(double kinetic, double potential) {
    checks.emplace(scene);
    checks->begin(energies(kinetic, potential));
  }

  scene::Scene scene;
  CheckedFrame frame;
  std::optional<FrameChecks> checks;
};

TEST_F(FrameChecksTest, energy_may_turn_from_one_form_into_another) {
  begin(0, 10);
  EXPECT_THAT(check(energies(10, 0)), IsEmpty());
  EXPECT_THAT(check(energies(0.05, 10)), IsEmpty());  // Half a per cent of what is in play.
  EXPECT_THAT(check(energies(0, 5)), IsEmpty());
}

TEST_F(FrameChecksTest, energy_may_not_grow_from_nowhere) {
  begin(0, 10);
  EXPECT_THAT(check(energies(0, 5)), IsEmpty());
  EXPECT_THAT(check(energies(1, 5)), testing::ElementsAre(WarningKind::energy_grew));
  EXPECT_THAT(check(energies(1, 5)), IsEmpty());  // It is told once.
  EXPECT_THAT(check(energies(2, 5)), testing::ElementsAre(WarningKind::energy_grew));
  // A body of a kilogram at rest that is thrown up by 69 mm in a domain of 2 m.
  begin(0, 0);
  EXPECT_THAT(check(energies(0, 9.81 * 0.069)), testing::ElementsAre(WarningKind::energy_grew));
  EXPECT_THAT(check(energies(0, 9.81 * 0.001)), IsEmpty());
}

TEST_F(FrameChecksTest, what_others_do_is_no_growth_of_energy) {
  begin(0, 0);
  frame.is_undisturbed = false;
  EXPECT_THAT(check(energies(100, 0)), IsEmpty());
  frame.is_undisturbed = true;
  EXPECT_THAT(check(energies(100, 0)), IsEmpty());  // Compared with what was left.
  EXPECT_THAT(check(energies(110, 0)), testing::ElementsAre(WarningKind::energy_grew));
  scene::RigidBody paddle;
  paddle.script.resize(2);
  scene.rigid_bodies.push_back(paddle);
  begin(0, 0);
  EXPECT_THAT(check(energies(100, 0)), IsEmpty());
}

TEST_F(FrameChecksTest, particles_may_not_be_lost) {
  scene.fluids.push_back({.name = "water", .regions = {}});
  begin(0, 0);
  const std::vector<Vec3f> inside{{0, 0, 0}, {1, -1, 1}}, out{{0, 0, 0}, {0, 0, 1.01F}},
      none{{0, 0, 0}, {NAN, 0, 0}};
  frame.particle_count_before = 2;
  FrameStatistics statistics;
  statistics.particle_count = 2;
  frame.particles = inside;
  EXPECT_THAT(check(statistics), IsEmpty());
  frame.particles = out;
  EXPECT_THAT(check(statistics), testing::ElementsAre(WarningKind::particles_lost));
  frame.particles = none;
  EXPECT_THAT(check(statistics), testing::ElementsAre(WarningKind::particles_lost));
  frame.particles = inside;
  statistics.particle_count = 1;
  EXPECT_THAT(check(statistics), testing::ElementsAre(WarningKind::particles_lost));
  statistics.removed_count = 1;
  EXPECT_THAT(check(statistics), IsEmpty());
}

TEST_F(FrameChecksTest, volume_may_not_be_lost) {
  scene.fluids.push_back({.name = "water", .regions = {}});
  begin(0, 0);
  frame.lost_volume_part = 0.01;
  EXPECT_THAT(check({}), IsEmpty());
  frame.lost_volume_part = 0.3;
  FrameStatistics statistics;
  checks->check(frame, statistics);
  ASSERT_EQ(statistics.warnings.size(), 1U);
  EXPECT_EQ(statistics.warnings[0].kind, WarningKind::volume_lost);
  EXPECT_EQ(statistics.warnings[0].body, "water");
  EXPECT_EQ(statistics.warnings[0].value, 0.3);
}

TEST_F(FrameChecksTest, detail_may_not_be_lost_in_silence) {
  scene.gas.emplace().name = "air";
  scene.grid.adaptive.emplace().max_cells = 1000;
  begin(0, 0);
  FrameStatistics statistics;
  statistics.cell_counts = {600, 300};
  EXPECT_THAT(check(statistics), IsEmpty());
  frame.detail_lost = 2;
  checks->check(frame, statistics);
  ASSERT_EQ(statistics.warnings.size(), 1U);
  EXPECT_EQ(statistics.warnings[0].kind, WarningKind::detail_lost);
  EXPECT_EQ(statistics.warnings[0].body, "air");
  EXPECT_EQ(statistics.warnings[0].value, 2);
  EXPECT_THAT(statistics.warnings[0].message, testing::StartsWith("with at most 1000 cells, "));
  statistics.cell_counts = {900, 300};  // More than may be, as something needs small ones.
  checks->check(frame, statistics);
  EXPECT_THAT(statistics.warnings.back().message, testing::StartsWith("there are 1200 cells"));
}

TEST_F(FrameChecksTest, residuals_may_not_be_large_nor_anything_but_numbers) {
  scene.fluids.push_back({.name = "water", .regions = {}});
  begin(0, 0);
  for (double FrameStatistics::* const residual :
       {&FrameStatistics::residual, &FrameStatistics::pressure_residual}) {
    FrameStatistics statistics;
    statistics.*residual = 1e-5;
    EXPECT_THAT(check(statistics), IsEmpty());
    for (const double bad : {1e9, double{INFINITY}, double{NAN}}) {
      statistics.*residual = bad;
      EXPECT_THAT(check(statistics), testing::ElementsAre(WarningKind::not_converged)) << bad;
    }
  }
}

TEST_F(FrameChecksTest, scripted_bodies_may_not_stop_short) {
  scene.coupling.contact_distance = 1e-3;
  begin(0, 0);
  frame.script_lags = {{"plate", 1.9e-3}, {"arm", 0}};
  EXPECT_THAT(check({}), IsEmpty());
  frame.script_lags = {{"plate", 0.05}, {"arm", 0}};
  FrameStatistics statistics;
  checks->check(frame, statistics);
  ASSERT_EQ(statistics.warnings.size(), 1U);
  EXPECT_EQ(statistics.warnings[0].kind, WarningKind::stopped_short);
  EXPECT_EQ(statistics.warnings[0].body, "plate");
  EXPECT_EQ(statistics.warnings[0].value, 0.05);
  EXPECT_EQ(statistics.warnings[0].limit, 2e-3);
}

TEST_F(FrameChecksTest, emitters_let_in_what_their_flux_brings) {
  scene.fluids.push_back({.name = "water", .regions = {}});
  begin(0, 0);
  std::vector<fluid::EmitterReport> emitters{{0, "tap", 0, 0}, {0, "jet", 0.5, 0.495}};
  frame.emitters = emitters;
  EXPECT_THAT(check({}), IsEmpty());
  emitters[1].delivered = 0.4;
  FrameStatistics statistics;
  checks->check(frame, statistics);
  ASSERT_EQ(statistics.warnings.size(), 1U);
  EXPECT_EQ(statistics.warnings[0].kind, WarningKind::emitter_blocked);
  EXPECT_EQ(statistics.warnings[0].body, "water");
  EXPECT_THAT(statistics.warnings[0].message, testing::HasSubstr("\"jet\""));
  EXPECT_NEAR(statistics.warnings[0].value, 0.2, 1e-12);
}

TEST_F(FrameChecksTest, see_the_same_after_a_save_and_a_restore) {
  begin(0, 10);
  EXPECT_THAT(check(energies(0, 5)), IsEmpty());
  ByteWriter out;
  checks->save(out);
  const auto bytes = out.take();
  FrameChecks other(scene);
  ByteReader in(bytes);
  ASSERT_TRUE(other.restore(in));
  FrameStatistics statistics = energies(1, 5);
  other.check(frame, statistics);
  EXPECT_THAT(kinds_of(statistics), testing::ElementsAre(WarningKind::energy_grew));
}

}  // namespace
}  // namespace sluice::simulation::frame_checks_test
