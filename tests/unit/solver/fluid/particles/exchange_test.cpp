// SPDX-License-Identifier: Apache-2.0
// Fluid that comes in, goes out and comes round.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/parallel/thread_limit.h"
#include "tests/unit/solver/fluid/scenes.h"

namespace sluice::fluid {
namespace {

using test::box;

bool is_free(const Vec3& /*place*/) { return true; }

struct Totals {
  std::int64_t emitted = 0, removed = 0;
};

// A fluid and its time.
struct Flowing {
  explicit Flowing(const scene::Scene& of) : scene(of), fluid(of) {}

  void advance_to(double end, const std::function<bool(const Vec3&)>& free = is_free) {
    while (time < end - 1e-9) {
      const double h = std::min({fluid.stable_substep(), end - time, 4e-3});
      fluid.advance_velocities(h, scene.gravity);
      fluid.commit();
      time += h;
      const Exchange exchange = fluid.exchange(time, free);
      totals.emitted += exchange.emitted_count;
      totals.removed += exchange.removed_count;
    }
  }

  scene::Scene scene;
  MpmFluid fluid;
  double time = 0;
  Totals totals;
};

constexpr double cell = 0.02;
constexpr double spacing = cell / 2;
constexpr double volume = spacing * spacing * spacing;

scene::Emitter make_emitter(const geometry::Shape& shape, const Vec3& velocity) {
  scene::Emitter emitter;
  emitter.name = "tap";
  emitter.shape = shape;
  emitter.velocity = velocity;
  return emitter;
}

// A tank without gravity and, at first, without water, where a jet comes in along x.
scene::Scene make_jet(const Vec3& velocity) {
  scene::Scene scene = test::tank({0.8, 0.4, 0.4}, cell, {});
  scene.gravity.setZero();
  scene.fluids[0].regions.clear();
  scene.fluids[0].emitters = {make_emitter(box({0.1, 0.14, 0.14}, {0.16, 0.26, 0.26}), velocity)};
  return scene;
}

TEST(Emitters, let_in_what_their_cross_section_carries) {
  for (const double speed : {0.5, 2.0}) {
    Flowing run(make_jet(Vec3(speed, 0, 0)));
    EXPECT_EQ(run.fluid.particle_count(), 0);
    EXPECT_TRUE(std::isfinite(run.fluid.stable_substep())) << "something is to come";
    const double seconds = 0.5 / speed;
    run.advance_to(seconds);
    const double expected = 0.12 * 0.12 * speed * seconds / volume;
    const double layer = 0.12 * 0.12 / (spacing * spacing);
    EXPECT_NEAR(static_cast<double>(run.totals.emitted), expected, layer);
    EXPECT_EQ(run.fluid.particle_count(), run.totals.emitted);
    // The water is as it came in: no faster, no slower, and as dense.
    for (const Vec3f& v : run.fluid.velocities())
      EXPECT_NEAR((v.cast<double>() - Vec3(speed, 0, 0)).norm(), 0, 1e-3 * speed);
    for (const float J : run.fluid.volume_ratios())
      EXPECT_GT(J, 0.998) << "nothing is squeezed in";
  }
}

TEST(Emitters, set_particles_on_a_lattice_in_any_direction) {
  // Each particle is one spacing from its nearest neighbour: none came in twice, none is missing.
  Flowing run(make_jet(Vec3(1.1, 0.7, -0.3)));
  run.advance_to(0.06);
  const auto x = run.fluid.positions();
  ASSERT_GT(x.size(), 500U);
  for (std::size_t i = 0; i < x.size(); ++i) {
    float nearest = 1;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (i != j) nearest = std::min(nearest, (x[i] - x[j]).norm());
    }
    EXPECT_NEAR(nearest, spacing, 0.02 * spacing);
  }
}

TEST(Emitters, come_down_to_a_rate) {
  scene::Scene scene = make_jet(Vec3(1, 0, 0));
  const double capacity = 0.12 * 0.12 * 1;
  for (const double part : {0.1, 0.65, 3.0}) {
    scene.fluids[0].emitters[0].rate = part * capacity;
    Flowing run(scene);
    run.advance_to(0.5);
    const double layer = 0.12 * 0.12 / (spacing * spacing);
    EXPECT_NEAR(static_cast<double>(run.totals.emitted),
                std::min(part, 1.0) * capacity * 0.5 / volume, layer)
        << part;
  }
}

TEST(Emitters, open_and_shut_in_time_or_as_told) {
  scene::Scene scene = make_jet(Vec3(1, 0, 0));
  scene.fluids[0].emitters[0].open = {0.1, 0.2};
  const double rate = 0.12 * 0.12 / volume, layer = 0.12 * 0.12 / (spacing * spacing);
  Flowing run(scene);
  run.advance_to(0.09);
  EXPECT_EQ(run.totals.emitted, 0);
  run.advance_to(0.3);
  EXPECT_NEAR(static_cast<double>(run.totals.emitted), 0.1 * rate, 2 * layer);
  const auto at_first = run.totals.emitted;

  EXPECT_FALSE(run.fluid.set_emitter(0, "hose", true, nullptr));
  const Vec3 faster(2, 0, 0);
  ASSERT_TRUE(run.fluid.set_emitter(0, "tap", true, &faster));
  run.advance_to(0.35);
  EXPECT_NEAR(static_cast<double>(run.totals.emitted - at_first), 0.05 * 2 * rate, 2 * layer);
  const auto then = run.totals.emitted;
  ASSERT_TRUE(run.fluid.set_emitter(0, "tap", false, nullptr));
  run.advance_to(0.4);
  EXPECT_EQ(run.totals.emitted, then);
}

TEST(Emitters, let_nothing_in_where_there_is_something) {
  // Into a full tank that nothing leaves: places are taken, so that no particle lies on another.
  scene::Scene scene = test::tank({0.4, 0.4, 0.4}, cell, box({0, 0, 0}, {0.4, 0.4, 0.4}));
  scene.gravity.setZero();
  scene.fluids[0].emitters = {
      make_emitter(box({0.1, 0.14, 0.14}, {0.16, 0.26, 0.26}), {0.2, 0, 0})};
  Flowing full(scene);
  full.advance_to(0.2);
  EXPECT_LT(full.totals.emitted, full.fluid.particle_count() / 1000);

  // Solids and obstacles take places too.
  Flowing half(make_jet(Vec3(1, 0, 0)));
  half.advance_to(0.2, [](const Vec3& x) { return x[1] < 0.2; });
  const double rate = 0.12 * 0.06 / volume;
  EXPECT_NEAR(static_cast<double>(half.totals.emitted), 0.2 * rate, 0.01 * rate);
  scene::Scene behind = make_jet(Vec3(1, 0, 0));
  scene::Obstacle obstacle;
  obstacle.name = "plug";
  obstacle.shape = box({0.05, 0.1, 0.1}, {0.2, 0.3, 0.3});
  behind.obstacles = {obstacle};
  Flowing plugged(behind);
  plugged.advance_to(0.2);
  EXPECT_EQ(plugged.totals.emitted, 0);
}

// A tank with 0.2 m of water, at whose floor a jet of 1 m/s comes in upwards.
scene::Scene make_covered_jet() {
  scene::Scene scene = test::tank({0.3, 0.3, 0.8}, cell, box({0, 0, 0}, {0.3, 0.3, 0.2}));
  scene.fluids[0].emitters = {make_emitter(box({0.1, 0.1, 0.02}, {0.2, 0.2, 0.08}), {0, 0, 1})};
  return scene;
}

TEST(Emitters, deliver_their_flux_under_water) {
  // Symptom: a covered jet brought 65 % of its flux, as what is around it was in the way. Oracle:
  // 0.1 m x 0.1 m x 1 m/s x 0.5 s; at rest, a layer's mean height is half its depth.
  Flowing run(make_covered_jet());
  const auto at_first = run.fluid.particle_count();
  run.advance_to(0.2);
  static_cast<void>(run.fluid.take_emitter_reports());
  const auto before = run.totals.emitted;
  run.advance_to(0.7);
  const double flux = 0.1 * 0.1 * 0.5;
  EXPECT_NEAR(static_cast<double>(run.totals.emitted - before) * volume, flux, 0.02 * flux);
  const std::vector<EmitterReport> reports = run.fluid.take_emitter_reports();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].name, "tap");
  EXPECT_NEAR(reports[0].delivered, flux, 0.02 * flux);
  EXPECT_NEAR(reports[0].delivered, reports[0].wanted, 0.001 * flux);
  // The water made room.
  EXPECT_LT(run.fluid.lost_volume_part(), 0.03);
  ASSERT_TRUE(run.fluid.set_emitter(0, "tap", false, nullptr));
  run.advance_to(1.5);
  double height = 0;
  for (const Vec3f& x : run.fluid.positions())
    height += static_cast<double>(x[2]);
  const auto count = static_cast<double>(run.fluid.particle_count());
  const double depth = count * volume / (0.3 * 0.3);
  EXPECT_GT(count, 1.3 * static_cast<double>(at_first));
  EXPECT_NEAR(height / count, depth / 2, 0.03 * depth / 2);
}

TEST(Emitters, tell_what_they_could_not_let_in) {
  // Into a full tank, what the water's compression leaves room for is little.
  scene::Scene full = test::tank({0.3, 0.3, 0.3}, cell, box({0, 0, 0}, {0.3, 0.3, 0.3}));
  full.fluids[0].emitters = {make_emitter(box({0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}), {0, 0, 1})};
  Flowing blocked(full);
  blocked.advance_to(0.5);
  static_cast<void>(blocked.fluid.take_emitter_reports());
  blocked.advance_to(1);
  const EmitterReport in_full = blocked.fluid.take_emitter_reports().at(0);
  EXPECT_NEAR(in_full.wanted, 0.1 * 0.1 * 0.5, 0.1 * 0.1 * 0.05);
  EXPECT_LT(in_full.delivered, 0.1 * in_full.wanted);
  EXPECT_LT(blocked.fluid.lost_volume_part(), 0.1);
  for (const Vec3f& v : blocked.fluid.velocities())
    EXPECT_LT(v.norm(), 3);

  // An emitter that solids shut in whole delivers nothing, and says so; one that is free in part
  // has its free part alone to deliver.
  Flowing shut(make_jet(Vec3(1, 0, 0)));
  shut.advance_to(0.2, [](const Vec3&) { return false; });
  const EmitterReport in_solid = shut.fluid.take_emitter_reports().at(0);
  EXPECT_EQ(in_solid.delivered, 0);
  EXPECT_NEAR(in_solid.wanted, 0.12 * 0.12 * 0.2, 0.12 * 0.12 * spacing);
  Flowing half(make_jet(Vec3(1, 0, 0)));
  half.advance_to(0.2, [](const Vec3& x) { return x[1] < 0.2; });
  const EmitterReport beside = half.fluid.take_emitter_reports().at(0);
  EXPECT_EQ(beside.delivered, beside.wanted);
  EXPECT_GT(beside.delivered, 0);
}

TEST(Emitters, bring_a_rate_through_what_is_free_of_them) {
  scene::Scene scene = make_jet(Vec3(1, 0, 0));
  const double capacity = 0.12 * 0.12 * 1;
  scene.fluids[0].emitters[0].rate = 0.4 * capacity;
  Flowing run(scene);
  run.advance_to(0.5, [](const Vec3& x) { return x[1] < 0.2; });
  EXPECT_NEAR(static_cast<double>(run.totals.emitted) * volume, 0.4 * capacity * 0.5,
              0.02 * capacity * 0.5);
}

TEST(Emitters, stop_at_the_most_particles_and_go_on_below) {
  scene::Scene scene = make_jet(Vec3(1, 0, 0));
  scene.grid.max_particles = 1000;
  Flowing run(scene);
  run.advance_to(0.2);
  EXPECT_EQ(run.fluid.particle_count(), 1000);
  scene.drains = {{box({0.3, 0, 0}, {0.8, 0.4, 0.4}), {}}};
  Flowing drained(scene);
  drained.advance_to(0.6);
  EXPECT_LE(drained.fluid.particle_count(), 1000);
  EXPECT_GT(drained.totals.emitted, 2000);
}

TEST(Drains, take_away_what_is_in_them_while_they_are_open) {
  scene::Scene scene = make_jet(Vec3(1, 0, 0));
  const auto drain = box({0.4, 0, 0}, {0.8, 0.4, 0.4});
  scene.drains = {{drain, {0, 0.6}}};
  Flowing run(scene);
  run.advance_to(0.6 - 1e-3);
  for (const Vec3f& x : run.fluid.positions())
    EXPECT_LT(x[0], 0.401);
  EXPECT_GT(run.totals.removed, 1000);
  EXPECT_EQ(run.fluid.particle_count(), run.totals.emitted - run.totals.removed);
  run.advance_to(0.75);
  const auto x = run.fluid.positions();
  EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](const Vec3f& p) { return p[0] > 0.45F; }));
}

// Positions by fluid and id.
std::map<std::pair<std::size_t, std::uint32_t>, Vec3f> by_id(const MpmFluid& fluid,
                                                             std::size_t fluid_count) {
  std::vector<Vec3f> rows(static_cast<std::size_t>(fluid.particle_count()));
  fluid.gather_rows(fluid.positions(), rows);
  std::map<std::pair<std::size_t, std::uint32_t>, Vec3f> found;
  std::size_t row = 0;
  for (std::size_t f = 0; f < fluid_count; ++f) {
    const auto ids = fluid.ids(f);
    for (std::int64_t n = 0; n < fluid.particle_count(f); ++n) {
      const auto id =
          ids.empty() ? static_cast<std::uint32_t>(n) : ids[static_cast<std::size_t>(n)];
      found[{f, id}] = rows[row++];
    }
  }
  return found;
}

// Two jets of two fluids that meet, an open side and a drain: something of each comes in and goes
// out, all the time.
scene::Scene make_fountain() {
  scene::Scene scene = test::tank({0.5, 0.3, 0.4}, cell, box({0, 0, 0}, {0.5, 0.3, 0.06}));
  scene.grid.sides[0][1] = scene::Side::open;
  scene.fluids[0].emitters = {
      make_emitter(box({0.04, 0.1, 0.2}, {0.1, 0.2, 0.28}), Vec3(1.5, 0.2, 0.3))};
  scene::Fluid mud;
  mud.name = "mud";
  mud.material = scene::Bingham{};
  mud.emitters = {make_emitter(box({0.3, 0.1, 0.3}, {0.36, 0.2, 0.36}), Vec3(-1, 0, -0.5))};
  mud.emitters[0].rate = 0.003;
  scene.fluids.push_back(mud);
  scene.drains = {{box({0.18, 0.1, 0}, {0.26, 0.2, 0.02}), {}}};
  return scene;
}

TEST(Exchange, keeps_ids_with_their_particles) {
  Flowing run(make_fountain());
  auto before = by_id(run.fluid, 2);
  int kept = 0;
  for (int step = 0; step < 100; ++step) {
    const double h = run.fluid.stable_substep();
    run.fluid.advance_velocities(h, run.scene.gravity);
    run.fluid.commit();
    run.time += h;
    const Exchange exchange = run.fluid.exchange(run.time, is_free);
    const auto now = by_id(run.fluid, 2);
    EXPECT_EQ(now.size(), before.size() + static_cast<std::size_t>(exchange.emitted_count) -
                              static_cast<std::size_t>(exchange.removed_count));
    for (const auto& [id, x] : now) {
      const auto found = before.find(id);
      if (found == before.end()) continue;
      ++kept;
      EXPECT_LT((x - found->second).norm(), 0.9F * static_cast<float>(cell));
    }
    before = now;
  }
  EXPECT_GT(kept, 10'000);
}

TEST(Exchange, gives_the_same_bits_on_two_threads_and_after_a_restore) {
  const scene::Scene scene = make_fountain();
  std::vector<std::byte> expected;
  for (const int threads : {1, 2}) {
    parallel::ThreadLimit limit(threads);
    limit.run([&] {
      Flowing run(scene);
      run.advance_to(0.15);
      EXPECT_GT(run.totals.emitted, 100);
      EXPECT_GT(run.totals.removed, 100);
      if (threads == 1) expected = run.fluid.save();
      EXPECT_EQ(run.fluid.save(), expected) << threads;
    });
  }
  Flowing first(scene);
  first.advance_to(0.07);
  auto restored = MpmFluid::restore(scene, first.fluid.save());
  ASSERT_TRUE(restored) << restored.error().message;
  Flowing second(scene);
  second.fluid = std::move(restored).value();
  second.time = first.time;
  EXPECT_EQ(second.fluid.save(), first.fluid.save());
  first.advance_to(0.15);
  second.advance_to(0.15);
  EXPECT_EQ(second.fluid.save(), first.fluid.save());
}

TEST(OpenSides, let_fluid_go_as_if_there_was_more_room) {
  // A ball of water that flies out: until then as in a larger tank; then it is gone.
  const auto fly = [](double length, scene::Side side, double end) {
    scene::Scene scene =
        test::tank({length, 0.3, 0.3}, cell, test::sphere({0.2, 0.15, 0.15}, 0.08));
    scene.gravity.setZero();
    scene.fluids[0].velocity = Vec3(2, 0, 0);
    scene.grid.sides[0][1] = side;
    Flowing run(scene);
    run.advance_to(end);
    return run.fluid.positions().empty()
               ? std::vector<Vec3f>{}
               : std::vector<Vec3f>(run.fluid.positions().begin(), run.fluid.positions().end());
  };
  const auto sorted = [](std::vector<Vec3f> points) {
    std::sort(points.begin(), points.end(), [](const Vec3f& a, const Vec3f& b) {
      return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
    });
    return points;
  };
  // Half out: those that are left are where they would be anyway.
  const auto here = sorted(fly(0.4, scene::Side::open, 0.1));
  auto there = fly(1, scene::Side::wall, 0.1);
  std::erase_if(there, [](const Vec3f& x) { return x[0] > 0.4F; });
  there = sorted(there);
  ASSERT_EQ(here.size(), there.size());
  ASSERT_GT(here.size(), 500U);
  for (std::size_t i = 0; i < here.size(); ++i)
    EXPECT_LT((here[i] - there[i]).norm(), 1e-4F);
  EXPECT_TRUE(fly(0.4, scene::Side::open, 0.25).empty());
}

TEST(PeriodicSides, are_no_place_like_another) {
  // A drop that swings flies through the sides along all axes; as in the middle of a larger tank.
  for (const scene::Kernel kernel : {scene::Kernel::quadratic, scene::Kernel::cubic}) {
    const auto make = [&](double size, const Vec3& middle, bool is_periodic) {
      scene::Scene scene = test::tank(Vec3::Constant(size), cell, test::sphere(middle, 0.07));
      scene.gravity.setZero();
      scene.grid.kernel = kernel;
      scene.fluids[0].velocity = Vec3(1.5, 0.8, -0.6);
      if (is_periodic) scene.grid.sides.fill({scene::Side::periodic, scene::Side::periodic});
      return scene;
    };
    Flowing around(make(0.3, Vec3::Constant(0.15), true));
    Flowing straight(make(0.9, Vec3::Constant(0.45), false));
    around.advance_to(0.2);
    straight.advance_to(0.2);
    ASSERT_EQ(around.fluid.particle_count(), straight.fluid.particle_count());
    const auto a = by_id(around.fluid, 1), s = by_id(straight.fluid, 1);
    for (const auto& [id, x] : a) {
      const Vec3f shift = (s.at(id) - x - Vec3f::Constant(0.3F)) / 0.3F;
      const Vec3f whole(std::round(shift[0]), std::round(shift[1]), std::round(shift[2]));
      EXPECT_LT((shift - whole).norm(), 1e-3F);
      EXPECT_TRUE((x.array() >= 0).all() && (x.array() < 0.3F).all());
    }
    EXPECT_LT((around.fluid.momentum() - straight.fluid.momentum()).norm(),
              1e-5 * straight.fluid.momentum().norm());
  }
}

TEST(PeriodicSides, meet_obstacles_as_one_row_of_domains) {
  // Water that falls through the floor and in by the ceiling, onto a ball that reaches through both
  // sides; and the same, half a domain higher.
  const auto fall = [](double shift) {
    scene::Scene scene = test::tank({0.3, 0.3, 0.4}, cell, {});
    scene.grid.sides[2].fill(scene::Side::periodic);
    const auto at = [&](double z) { return std::fmod(z + shift, 0.4); };
    scene.fluids[0].regions.clear();
    for (const double z : {at(0.2) - 0.4, at(0.2), at(0.2) + 0.4})
      scene.fluids[0].regions.push_back(test::sphere({0.15, 0.15, z}, 0.06));
    for (const double z : {at(0.0) - 0.4, at(0.0), at(0.0) + 0.4}) {
      scene::Obstacle ball;
      ball.name = "ball";
      ball.name += std::to_string(scene.obstacles.size());
      ball.shape = test::sphere({0.15, 0.16, z}, 0.07);
      scene.obstacles.push_back(ball);
    }
    Flowing run(scene);
    run.advance_to(0.25);
    Vec3 mean = Vec3::Zero();
    for (const Vec3f& v : run.fluid.velocities())
      mean += v.cast<double>() / static_cast<double>(run.fluid.particle_count());
    return mean;
  };
  const Vec3 at_sides = fall(0), inside = fall(0.2);
  EXPECT_GT(std::abs(inside[2] + 9.81 * 0.25), 0.5) << "the ball is in the way";
  EXPECT_LT((at_sides - inside).norm(), 0.02 * inside.norm());
}

}  // namespace
}  // namespace sluice::fluid
