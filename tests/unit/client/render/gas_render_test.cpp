// SPDX-License-Identifier: Apache-2.0
// Pictures of gases. Oracles: Beer and Lambert's law, symmetry, and what hides what.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "client/render/gas_field.h"
#include "client/render/gas_light.h"
#include "client/render/gas_look.h"
#include "client/render/gas_volume.h"
#include "client/render/renderer.h"
#include "client/render/solid.h"
#include "tests/unit/client/render/gas_fields.h"

namespace sluice::render {
namespace {

constexpr GasScale scale{300, 100, {0.5F, 0.5F, 0.5F}};

TEST(GasLook, tints_smoke_with_dye_and_shows_dye_alone) {
  const GasLook smoke = look_of({.smoke = 0.5F, .dye = Float3{}}, scale);
  EXPECT_EQ(smoke.density, 0.5F);
  EXPECT_EQ(smoke.albedo.x, 0.5F);
  const GasLook tinted = look_of({.smoke = 0.5F, .dye = Float3{0.5F, 0, 0}}, scale);
  EXPECT_EQ(tinted.density, 0.5F);
  EXPECT_GT(tinted.albedo.x, 0.9F);
  EXPECT_LT(tinted.albedo.y, 0.1F);
  const GasLook alone = look_of({.dye = Float3{0, 0.25F, 0.125F}}, scale);
  EXPECT_EQ(alone.density, 0.25F);
  EXPECT_EQ(alone.albedo.y, 1.0F);
  EXPECT_EQ(alone.albedo.z, 0.5F);
}

// Symptom: a white line where dye began to be. The inverse of the smallest strengths is infinite.
TEST(GasLook, has_a_colour_for_the_smallest_strength) {
  const float least = std::numeric_limits<float>::denorm_min();
  const GasLook look = look_of({.dye = Float3{least, 0, 0}}, scale);
  EXPECT_EQ(look.albedo.x, 1.0F);
  EXPECT_EQ(look.albedo.y, 0.0F);
}

TEST(GasLook, glows_from_400_kelvin_above_ambient_on_and_ever_whiter) {
  const auto glow = [](float temperature) {
    return look_of({.smoke = 1.0F, .temperature = temperature}, scale).emission;
  };
  EXPECT_EQ(glow(699).x, 0.0F);
  EXPECT_GT(glow(800).x, 0.0F);
  EXPECT_GT(glow(1200).x, glow(800).x);
  EXPECT_GT(glow(1600).y / glow(1600).x, glow(900).y / glow(900).x);
  EXPECT_LT(glow(900).z, 0.1F * glow(900).x) << "embers are red";
  EXPECT_EQ(look_of({.smoke = 1.0F, .temperature = 1200.0F}, scale).albedo.x, 0.0F)
      << "light smoke would outshine them";
}

TEST(GasLook, of_heat_alone_is_red_and_of_cold_blue) {
  const GasLook hot = look_of({.temperature = 350.0F}, scale);
  const GasLook cool = look_of({.temperature = 250.0F}, scale);
  EXPECT_EQ(hot.density, 0.5F);
  EXPECT_EQ(cool.density, 0.5F);
  EXPECT_GT(hot.albedo.x, hot.albedo.z);
  EXPECT_GT(cool.albedo.z, cool.albedo.x);
  EXPECT_EQ(look_of({.temperature = 300.0F}, scale).density, 0.0F);
}

// Oracle: the way through a box of even density, by hand.
TEST(GasLight, is_the_way_to_the_borders_where_density_is_even) {
  const CellLattice lattice{{6, 5, 4}, {0, 0, 0}, {0.5, 0.25, 1}};
  const std::vector<float> even(lattice.cell_count(), 2.0F);
  const auto up = gas_before_light(lattice, even, {0, 0, 1}, 1);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(up[k * 30 + 17], 2 * (3.5F - static_cast<float>(k)), 1e-5F) << k;
  }
  const auto left = gas_before_light(lattice, even, {-1, 0, 0}, 2);
  EXPECT_NEAR(left[0], 2 * 0.25F, 1e-6F);
  EXPECT_NEAR(left[5], 2 * 2.75F, 1e-5F);
  // Aslant, and out by the top.
  const Float3 aslant = normalized({0, 0.05F, 1});
  const auto slanted = gas_before_light(lattice, even, aslant, 2);
  EXPECT_NEAR(slanted[9], 2 * 3.5F / aslant.z, 1e-4F);
  EXPECT_EQ(gas_before_light(lattice, even, aslant, 1), slanted);
}

TEST(Solid, contains_what_is_inside) {
  v1::Shape shape;
  for (const double x : {1, 0, 0}) {
    shape.mutable_transform()->add_translation(x);
  }
  for (const double degrees : {0, 90, 0}) {
    shape.mutable_transform()->add_rotation_degrees(degrees);
  }
  shape.mutable_cylinder()->set_radius(0.2);  // Its axis is along x now, from 0 to 2.
  shape.mutable_cylinder()->set_length(2);
  EXPECT_TRUE(Solid(shape).contains({0.1F, 0.1F, 0.1F}));
  EXPECT_FALSE(Solid(shape).contains({-0.1F, 0, 0}));
  EXPECT_FALSE(Solid(shape).contains({1, 0.2F, 0.2F}));
  shape.mutable_capsule()->set_radius(0.2);
  shape.mutable_capsule()->set_length(2);
  EXPECT_TRUE(Solid(shape).contains({-0.1F, 0, 0}));
  EXPECT_FALSE(Solid(shape).contains({-0.1F, 0.19F, 0}));
  shape.mutable_sphere()->set_radius(0.5);
  EXPECT_TRUE(Solid(shape).contains({1.49F, 0, 0}));
  EXPECT_FALSE(Solid(shape).contains({1.4F, 0, 0.4F}));
  shape.mutable_half_space();  // Its upper side looks along x.
  EXPECT_TRUE(Solid(shape).contains({0.9F, 5, 5}));
  EXPECT_FALSE(Solid(shape).contains({1.1F, 5, 5}));
  for (const double size : {1.0, 2.0, 4.0}) {  // Along -z, y and x.
    shape.mutable_box()->add_size(size);
  }
  EXPECT_TRUE(Solid(shape).contains({2.9F, 0.9F, 0.4F}));
  EXPECT_FALSE(Solid(shape).contains({2.9F, 0.9F, 0.6F}));
  shape.clear_form();
  EXPECT_FALSE(Solid(shape).contains({1, 0, 0}));
}

int brightness(const Image& image, int x, int y) { return image.pixel(x, y)[1]; }

void set(google::protobuf::RepeatedField<double>& field, const std::vector<double>& values) {
  field.Assign(values.begin(), values.end());
}

/// A box of a metre with 32 cells along each axis.
class GasPicture : public testing::Test {
 protected:
  void make(int dimensions) {
    set(*scene.mutable_domain()->mutable_lower(), {0, 0, 0});
    set(*scene.mutable_domain()->mutable_upper(), {1, dimensions == 2 ? 0.1 : 1, 1});
    scene.mutable_fluid_grid()->set_cell_size(1.0 / 32);
    scene.mutable_fluid_grid()->set_dimensions(dimensions);
    scene.mutable_gas()->set_name("air");
    add_cells(layout, {32, dimensions == 2 ? 1 : 32, 32}, 1.0 / 32);
    if (dimensions == 2) {
      layout.mutable_bodies(0)->mutable_lattice()->set_edges(1, 0.1);
    }
  }
  void add_ball_obstacle(double x, double y, double z, double radius) {
    v1::Obstacle& ball = *scene.add_obstacles();
    ball.set_name("ball");
    ball.mutable_shape()->mutable_sphere()->set_radius(radius);
    set(*ball.mutable_shape()->mutable_transform()->mutable_translation(), {x, y, z});
  }
  [[nodiscard]] Image draw(int threads = 2) {
    RenderOptions options{
        .width = 160, .height = 160, .thread_count = threads, .has_cells = has_cells};
    if (scene.fluid_grid().dimensions() == 3) {
      options.camera = Camera{{0.5F, -3, 0.5F}, {0.5F, 0.5F, 0.5F}, {0, 0, 1}, 24};
    }
    return Renderer(scene, options).draw(frame, layout);
  }

  v1::Scene scene;
  v1::Layout layout;
  client::Frame frame{0, 0, 0.0, {}, {}};
  bool has_cells = false;
};

float ball_of_smoke(double x, double y, double z, int /*component*/) {
  return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.25 ? 1.0F : 0.0F;
}

TEST_F(GasPicture, of_smoke_is_dark_where_it_is_and_nowhere_else) {
  make(3);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 0.0F; });
  const Image clear = draw();
  frame.arrays.clear();
  add_field(frame, layout, v1::FIELD_SMOKE, 1, ball_of_smoke);
  const Image smoky = draw();
  EXPECT_LT(brightness(smoky, 80, 90), brightness(clear, 80, 90) - 30);
  // Light falls in from above: the lower half is in the smoke's own shadow.
  EXPECT_GT(brightness(smoky, 75, 60), brightness(smoky, 85, 100) + 20);
  for (const int x : {20, 140}) {
    EXPECT_EQ(brightness(smoky, x, 40), brightness(clear, x, 40)) << x;
  }
}

TEST_F(GasPicture, hides_obstacles_behind_smoke_and_shows_those_before) {
  make(3);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, ball_of_smoke);
  const Image smoke = draw();
  add_ball_obstacle(0.5, 0.9, 0.5, 0.08);
  const Image behind = draw();
  scene.clear_obstacles();
  add_ball_obstacle(0.5, 0.1, 0.5, 0.08);
  const Image before = draw();
  EXPECT_NEAR(brightness(behind, 80, 80), brightness(smoke, 80, 80), 3);
  frame.arrays.clear();
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 0.0F; });
  const Image alone = draw();
  EXPECT_NEAR(brightness(before, 80, 80), brightness(alone, 80, 80), 3);
  EXPECT_GT(std::abs(brightness(alone, 80, 80) - brightness(smoke, 80, 80)), 12)
      << "smoke and stone look the same: nothing was shown";
}

TEST_F(GasPicture, of_smoke_throws_a_shadow_on_the_ground) {
  make(3);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 0.0F; });
  const auto from_above = [&] {
    RenderOptions options{.width = 160, .height = 160, .thread_count = 2};
    options.camera = Camera{{0.5F, -0.5F, 6}, {0.5F, 0.5F, 0}, {0, 1, 0}, 40};
    return Renderer(scene, options).draw(frame, layout);
  };
  const Image clear = from_above();
  frame.arrays.clear();
  add_field(frame, layout, v1::FIELD_SMOKE, 1, ball_of_smoke);
  const Image smoky = from_above();
  int shadowed = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      // Outside of what the ball itself covers.
      shadowed +=
          std::hypot(x - 80, y - 75) > 16 && brightness(smoky, x, y) < brightness(clear, x, y) - 25;
    }
  }
  EXPECT_GT(shadowed, 30);
}

// Oracle: Beer and Lambert's law, with 4 for a tenth of the height.
TEST(GasVolume, lets_through_what_the_law_says) {
  v1::Layout layout;
  add_cells(layout, {16, 16, 16}, 1.0 / 16);
  client::Frame frame{0, 0, 0.0, {}, {}};
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 0.02F; });
  const std::optional<GasField> field = find_gas(frame, layout);
  ASSERT_TRUE(field);
  const ShadowMap nothing({}, {0, 0, 1}, 8, 1);
  const GasVolume volume(*field, scale, 1, nothing, {0, 0, 1}, {0, 0, 1}, 1);
  const float infinity = std::numeric_limits<float>::infinity();
  const Float3 eye{0.5F, -1, 0.5F};
  EXPECT_NEAR(volume.seen(eye, {0, 1, 0}, infinity).transmittance, std::exp(-0.8F), 1e-3F);
  EXPECT_NEAR(volume.seen(eye, {0, 2, 0}, 0.75F).transmittance, std::exp(-0.4F), 1e-3F)
      << "to a surface in the middle";
  EXPECT_EQ(volume.seen(eye, {0, 1, 0}, 0.9F).transmittance, 1.0F);
  EXPECT_EQ(volume.seen(eye, {0, -1, 0}, infinity).transmittance, 1.0F);
  EXPECT_NEAR(volume.sun({0.5F, 0.5F, -3}), std::exp(-0.02F * 40 * 31 / 32), 2e-2F);
  EXPECT_EQ(volume.sun({0.5F, 0.5F, 2}), 1.0F);
}

TEST_F(GasPicture, in_two_dimensions_fills_the_picture_and_has_the_dyes_colours) {
  make(2);
  scene.mutable_gas()->add_carries(v1::CARRIED_DYE);
  add_field(frame, layout, v1::FIELD_DYE, 3, [](double x, double, double z, int c) {
    return (x < 0.5 ? c == 0 : c == 2) && z > 0.5 ? 1.0F : 0.0F;
  });
  const Image image = draw();
  const auto expect_colour = [&](int x, int y, std::vector<int> colour) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(image.pixel(x, y)[c], colour[static_cast<std::size_t>(c)], 4) << x << " " << y;
    }
  };
  expect_colour(40, 40, {255, 0, 0});
  expect_colour(120, 40, {0, 0, 255});
  expect_colour(40, 120, {26, 30, 37});  // Nothing: the plate.
  expect_colour(5, 5, {255, 0, 0});      // It fills the picture.
  expect_colour(154, 5, {0, 0, 255});
}

TEST_F(GasPicture, in_two_dimensions_shows_the_sections_of_obstacles_where_they_are) {
  make(2);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 1.0F; });
  add_ball_obstacle(0.25, 0.05, 0.75, 0.1);
  const Image still = draw();
  EXPECT_LT(brightness(still, 42, 42), 180);
  EXPECT_GT(brightness(still, 118, 42), 220);
  frame.obstacle_offsets = {{"ball", {0.5, 0, 0}}};
  const Image moved = draw();
  EXPECT_GT(brightness(moved, 42, 42), 220);
  EXPECT_LT(brightness(moved, 118, 42), 180);
}

// Four large cells on the left, small ones on the right, five pixels wide.
TEST_F(GasPicture, has_the_edges_of_cells_of_many_sizes_where_it_is_told) {
  make(2);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, [](double, double, double, int) { return 0.0F; });
  add_field(frame, layout, v1::FIELD_CELL_LEVEL, 1,
            [](double x, double, double, int) { return x < 0.5 ? 3.0F : 0.0F; });
  const Image without = draw();
  has_cells = true;
  const Image with = draw();
  const auto lines_of = [&](int from, int to, int y) {
    int lines = 0;
    for (int x = from; x < to; ++x) {
      const bool is_line = brightness(with, x, y) > brightness(without, x, y) + 10;
      const bool was_line = brightness(with, x - 1, y) > brightness(without, x - 1, y) + 10;
      lines += is_line && !was_line ? 1 : 0;
    }
    return lines;
  };
  EXPECT_EQ(lines_of(4, 76, 100), 1) << "in the middle of the left half";
  EXPECT_NEAR(lines_of(84, 156, 102), 14, 2);
  EXPECT_EQ(without.rgb == with.rgb, false);
}

TEST_F(GasPicture, is_the_same_for_any_number_of_threads) {
  make(3);
  add_field(frame, layout, v1::FIELD_SMOKE, 1, ball_of_smoke);
  add_ball_obstacle(0.3, 0.3, 0.6, 0.1);
  EXPECT_EQ(draw(1).rgb, draw(3).rgb);
}

}  // namespace
}  // namespace sluice::render
