// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "client/render/camera.h"
#include "client/render/colour_map.h"
#include "client/render/contact_sheet.h"
#include "client/render/image.h"
#include "client/render/mesh.h"
#include "client/render/raster.h"
#include "client/render/renderer.h"
#include "client/render/stage.h"

namespace sluice::render {
namespace {

TEST(SpeedColour, grows_evenly_lighter) {
  float last = oklab_from_linear(speed_colour(0)).x;
  for (int i = 1; i <= 10; ++i) {
    const float lightness = oklab_from_linear(speed_colour(static_cast<float>(i) / 10)).x;
    EXPECT_NEAR(lightness - last, 0.054F, 0.005F) << i;
    last = lightness;
  }
}

// Values cut off at 0 or 1 would bend the scale: none of the stops may lie outside sRGB.
TEST(SpeedColour, lies_inside_srgb) {
  for (int i = 0; i <= 100; ++i) {
    const Float3 c = speed_colour(static_cast<float>(i) / 100);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GT(c[axis], 0.0F) << i;
      EXPECT_LT(c[axis], 1.0F) << i;
    }
  }
}

TEST(SpeedColour, takes_the_ends_for_what_is_outside) {
  EXPECT_EQ(speed_colour(-1).x, speed_colour(0).x);
  EXPECT_EQ(speed_colour(2).x, speed_colour(1).x);
  EXPECT_EQ(speed_colour(std::nanf("")).x, speed_colour(0).x);
}

// Oracle: Ottosson's table, XYZ (1, 0, 0) aside; white, and the round trip.
TEST(Oklab, white_has_lightness_one_and_no_colour) {
  const Float3 white = oklab_from_linear({1, 1, 1});
  EXPECT_NEAR(white.x, 1, 1e-4F);
  EXPECT_NEAR(white.y, 0, 1e-4F);
  EXPECT_NEAR(white.z, 0, 1e-4F);
  const Float3 back = linear_from_oklab(oklab_from_linear({0.2F, 0.5F, 0.9F}));
  EXPECT_NEAR(back.x, 0.2F, 1e-4F);
  EXPECT_NEAR(back.y, 0.5F, 1e-4F);
  EXPECT_NEAR(back.z, 0.9F, 1e-4F);
}

std::size_t count_id(const VisibilityBuffer& buffer, std::uint32_t id) {
  return static_cast<std::size_t>(std::count(buffer.id.begin(), buffer.id.end(), id));
}

// Oracle: the areas of circle and triangle.
TEST(Rasterise, covers_the_silhouette) {
  VisibilityBuffer buffer(400, 300);
  const std::vector<ScreenSphere> spheres{{150.3F, 140.7F, 60, 5, 0.5F, 7}};
  rasterise({}, spheres, Projection::perspective, 1, buffer);
  const double circle = std::numbers::pi * 60 * 60;
  EXPECT_NEAR(static_cast<double>(count_id(buffer, 7)), circle, 0.01 * circle);
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      const double r = std::hypot(x + 0.5 - 150.3, y + 0.5 - 140.7);
      if (std::abs(r - 60) > 0.01) {
        EXPECT_EQ(buffer.id[buffer.index(x, y)] == 7, r < 60) << x << " " << y;
      }
    }
  }
  VisibilityBuffer other(400, 300);
  const std::vector<ScreenTriangle> triangles{{{10, 10, 1}, {310, 40, 1}, {90, 280, 1}, 3}};
  rasterise(triangles, {}, Projection::perspective, 1, other);
  const double area = 0.5 * std::abs(300.0 * 270 - 80.0 * 30);
  EXPECT_NEAR(static_cast<double>(count_id(other, 3)), area, 0.01 * area);
}

TEST(Rasterise, shows_the_nearest_whatever_the_order) {
  const ScreenTriangle far_one{{0, 0, 0.1F}, {100, 0, 0.1F}, {0, 100, 0.1F}, 1};
  const ScreenTriangle near_one{{0, 0, 0.5F}, {100, 0, 0.5F}, {0, 100, 0.5F}, 2};
  for (const auto& triangles : {std::vector{far_one, near_one}, std::vector{near_one, far_one}}) {
    VisibilityBuffer buffer(100, 100);
    // A ball at depth 5 is nearer than 1/0.1 and farther than 1/0.5.
    rasterise(triangles, std::vector<ScreenSphere>{{20, 20, 10, 5, 0.1F, 9}},
              Projection::perspective, 1, buffer);
    EXPECT_EQ(buffer.id[buffer.index(20, 20)], 2U);
  }
}

TEST(Rasterise, leaves_no_gap_between_neighbours) {
  // A square of many slanted triangles: each sample inside belongs to one of them.
  std::vector<ScreenTriangle> triangles;
  const auto corner = [](int i, int j) {
    return ScreenVertex{10 + 7.3F * static_cast<float>(i) + 0.4F * static_cast<float>(j),
                        10 + 6.1F * static_cast<float>(j) - 0.3F * static_cast<float>(i), 1};
  };
  for (int j = 0; j < 20; ++j) {
    for (int i = 0; i < 20; ++i) {
      triangles.push_back({corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), 1});
      triangles.push_back({corner(i, j), corner(i + 1, j + 1), corner(i, j + 1), 1});
    }
  }
  VisibilityBuffer buffer(200, 200);
  rasterise(triangles, {}, Projection::perspective, 1, buffer);
  for (int y = 20; y < 120; ++y) {
    for (int x = 25; x < 140; ++x) {
      EXPECT_EQ(buffer.id[buffer.index(x, y)], 1U) << x << " " << y;
    }
  }
}

TEST(Rasterise, takes_what_is_outside_or_undefined) {
  VisibilityBuffer buffer(64, 64);
  const float nan = std::nanf("");
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<ScreenSphere> spheres{{nan, 5, 3, 1, 1, 1},
                                          {5, 5, inf, 1, 1, 1},
                                          {-1e30F, 5, 3, 1, 1, 1},
                                          {1e9F, 1e9F, 3, 1, 1, 1}};
  const std::vector<ScreenTriangle> triangles{{{nan, 0, 1}, {1, 1, 1}, {0, 9, 1}, 2},
                                              {{5, 5, 1}, {5, 5, 1}, {5, 5, 1}, 2}};
  rasterise(triangles, spheres, Projection::perspective, 2, buffer);
  EXPECT_EQ(count_id(buffer, 2), 0U);
}

TEST(FitCamera, has_all_of_the_box_in_the_picture) {
  for (const Bounds bounds : {Bounds{{0, 0, 0}, {1, 1, 1}}, Bounds{{-5, 0, 2}, {5, 0.1F, 2.5F}},
                              Bounds{{0, 0, 0}, {0.1F, 0.1F, 9}}}) {
    const View view(fit_camera(bounds, {0, 0, 1}, 16.0F / 9), 1280, 720);
    for (int corner = 0; corner < 8; ++corner) {
      const Float3 p = view.project({(corner & 1) != 0 ? bounds.upper.x : bounds.lower.x,
                                     (corner & 2) != 0 ? bounds.upper.y : bounds.lower.y,
                                     (corner & 4) != 0 ? bounds.upper.z : bounds.lower.z});
      EXPECT_GT(p.z, 0);
      EXPECT_GE(p.x, 0);
      EXPECT_LE(p.x, 1280);
      EXPECT_GE(p.y, 0);
      EXPECT_LE(p.y, 720);
    }
  }
}

TEST(View, projects_the_points_of_its_rays) {
  const View view({{1, -4, 2}, {0, 0, 1}, {0, 0, 1}, 40}, 800, 600);
  const Float3 back = view.project(view.eye() + view.ray(123.5F, 77.25F) * 3.5F);
  EXPECT_NEAR(back.x, 123.5F, 1e-2F);
  EXPECT_NEAR(back.y, 77.25F, 1e-2F);
  EXPECT_NEAR(back.z, 3.5F, 1e-4F);
}

/// Volume inside a closed surface whose triangles look outwards.
float volume(const Mesh& mesh) {
  float sum = 0;
  for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return mesh.positions[static_cast<std::size_t>(mesh.triangles[i + k])];
    };
    sum += dot(at(0), cross(at(1), at(2))) / 6;
  }
  return sum;
}

v1::Shape moved(v1::Shape shape) {
  for (const double x : {0.3, -0.2, 0.5}) {
    shape.mutable_transform()->add_translation(x);
  }
  for (const double degrees : {30, 45, 60}) {
    shape.mutable_transform()->add_rotation_degrees(degrees);
  }
  return shape;
}

// Oracle: the volumes of the shapes; positive, so that the triangles look outwards.
TEST(Tessellate, encloses_the_shapes_volume) {
  constexpr float pi = std::numbers::pi_v<float>;
  v1::Shape ball;
  ball.mutable_sphere()->set_radius(0.5);
  EXPECT_NEAR(volume(tessellate(moved(ball), {})), 4 * pi / 3 * 0.125F, 0.005F);
  v1::Shape box;
  for (const double edge : {1.0, 2.0, 0.5}) {
    box.mutable_box()->add_size(edge);
  }
  EXPECT_NEAR(volume(tessellate(moved(box), {})), 1.0F, 1e-5F);
  v1::Shape cylinder;
  cylinder.mutable_cylinder()->set_radius(0.5);
  cylinder.mutable_cylinder()->set_length(2);
  EXPECT_NEAR(volume(tessellate(moved(cylinder), {})), pi / 2, 0.01F);
  v1::Shape capsule;
  capsule.mutable_capsule()->set_radius(0.5);
  capsule.mutable_capsule()->set_length(2);
  EXPECT_NEAR(volume(tessellate(moved(capsule), {})), pi / 2 + pi / 6, 0.02F);
}

// By hand: about x first, then y, then z. The z axis of a cylinder goes to -y, then stays, then x.
TEST(Tessellate, turns_about_the_fixed_axes_in_order) {
  v1::Shape plane;
  plane.mutable_half_space();
  for (const double degrees : {90.0, 0.0, 90.0}) {
    plane.mutable_transform()->add_rotation_degrees(degrees);
  }
  const Mesh mesh = tessellate(plane, {{-1, -1, -1}, {1, 1, 1}});
  EXPECT_NEAR(mesh.normals[0].x, 1, 1e-6F);
  for (const Float3& p : mesh.positions) {
    EXPECT_NEAR(p.x, 0, 1e-6F);
    EXPECT_NEAR(std::abs(p.y), 1, 1e-5F);
    EXPECT_NEAR(std::abs(p.z), 1, 1e-5F);
  }
}

class RendererTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const double x : {-1, -1, 0}) {
      scene.mutable_domain()->add_lower(x);
    }
    for (const double x : {1, 1, 2}) {
      scene.mutable_domain()->add_upper(x);
    }
    scene.mutable_fluid_grid()->set_cell_size(0.4);
    scene.add_fluids()->set_name("water");
    v1::Body& water = *layout.add_bodies();
    water.set_name("water");
    water.set_kind(v1::BODY_KIND_PARTICLES);
    water.set_count(1);
    frame.arrays.push_back({"water", v1::FIELD_POSITION, 1, 3, {0, 0, 1}});
    frame.arrays.push_back({"water", v1::FIELD_VELOCITY, 1, 3, {0, 0, 0}});
  }
  v1::Scene scene;
  v1::Layout layout;
  client::Frame frame{0, 0, 0.0, {}, {}};
};

TEST_F(RendererTest, puts_a_blue_ball_in_the_middle_and_a_shadow_on_the_ground) {
  RenderOptions options{.width = 320, .height = 180};
  options.camera = Camera{{0, -6, 1}, {0, 0, 1}, {0, 0, 1}, 40};
  const Image image = Renderer(scene, options).draw(frame, layout);
  const std::uint8_t* middle = image.pixel(160, 90);
  EXPECT_GT(middle[2], middle[0] + 60);  // Still water is deep blue.
  // Outline: radius 0.62 * 0.2 m at 6 m, 180 / 2 / tan(20 deg) pixels a metre at 1 m.
  const double radius = 0.124 * 90 / std::tan(20 * std::numbers::pi / 180) / 6;
  const auto is_blue = [&](double x) {
    const std::uint8_t* p = image.pixel(static_cast<int>(160 + x), 90);
    return p[2] > p[0] + 40;
  };
  EXPECT_TRUE(is_blue(0.8 * radius));
  EXPECT_FALSE(is_blue(1.3 * radius));
}

// Symptom: obstacles, which are often typed deeper than the domain, hid the water between them.
TEST_F(RendererTest, shows_a_liquid_in_two_dimensions_from_its_front_past_deep_obstacles) {
  scene.mutable_fluid_grid()->set_dimensions(2);
  const Image without = Renderer(scene, {.width = 320, .height = 180}).draw(frame, layout);
  for (const double x : {-0.5, 0.5}) {
    v1::Obstacle& wall = *scene.add_obstacles();
    wall.set_name("wall");
    for (const double size : {0.1, 4.0, 1.0})
      wall.mutable_shape()->mutable_box()->add_size(size);
    for (const double place : {x, 0.0, 1.0})
      wall.mutable_shape()->mutable_transform()->add_translation(place);
  }
  const Image with = Renderer(scene, {.width = 320, .height = 180}).draw(frame, layout);
  const auto blue_count = [](const Image& image) {
    int count = 0;
    for (int y = 0; y < image.height - 40; ++y) {  // Below is the scale of speeds.
      for (int x = 0; x < image.width; ++x)
        count += image.pixel(x, y)[2] > image.pixel(x, y)[0] + 40;
    }
    return count;
  };
  EXPECT_GT(blue_count(without), 50);
  EXPECT_NEAR(blue_count(with), blue_count(without), 5) << "a shadow at its edge";
}

TEST_F(RendererTest, draws_the_same_for_any_number_of_threads) {
  const auto draw = [&](int threads) {
    return Renderer(scene, {.width = 200, .height = 130, .thread_count = threads})
        .draw(frame, layout)
        .rgb;
  };
  EXPECT_EQ(draw(1), draw(3));
}

TEST(ContactSheet, spreads_its_pictures_over_the_run) {
  const ContactSheet sheet(120, 1, 64, 32);
  int count = 0;
  for (std::int64_t i = 0; i <= 120; ++i) {
    count += sheet.wants(i) ? 1 : 0;
  }
  EXPECT_EQ(count, 12);
  EXPECT_TRUE(sheet.wants(0));
  EXPECT_TRUE(sheet.wants(120));
  ContactSheet strided(120, 50, 64, 32);
  EXPECT_TRUE(strided.wants(100));
  EXPECT_FALSE(strided.wants(120));
  ContactSheet tiny(0, 1, 64, 32);
  EXPECT_TRUE(tiny.wants(0));
  tiny.add(0, Image(64, 32, 10));
  EXPECT_EQ(tiny.page().pixel(20, 10)[0], 10);
  EXPECT_EQ(tiny.page().pixel(1, 1)[0], 255);
}

TEST(Stage, draws_obstacles_where_they_are) {
  v1::Scene scene;
  for (const std::string name : {"still", "moved"}) {
    v1::Obstacle& obstacle = *scene.add_obstacles();
    obstacle.set_name(name);
    obstacle.mutable_shape()->mutable_sphere()->set_radius(0.5);
  }
  Stage stage(scene, false);
  client::Frame frame{0, 1, 0, {}, {}};
  const DrawList before = stage.draw_list(frame, {});
  frame.obstacle_offsets = {{"moved", {1, 0, -2}}};
  const DrawList after = stage.draw_list(frame, {});
  ASSERT_EQ(after.positions.size(), before.positions.size());
  const std::size_t half = before.positions.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    EXPECT_EQ(length(after.positions[i] - before.positions[i]), 0);
    const Float3 way = after.positions[half + i] - before.positions[half + i];
    EXPECT_NEAR(length(way - Float3{1, 0, -2}), 0, 1e-6);
  }
}

TEST(Image, shrinks_by_means_and_pastes_within_its_border) {
  Image image(4, 2);
  image.pixel(0, 0)[0] = 40;
  image.pixel(1, 1)[0] = 80;
  const Image small = shrink(image, 2, 1);
  EXPECT_EQ(small.pixel(0, 0)[0], 30);
  EXPECT_EQ(small.pixel(1, 0)[0], 0);
  Image page(3, 3);
  paste(page, Image(2, 2, 9), -1, -1);
  paste(page, Image(2, 2, 7), 2, 2);
  EXPECT_EQ(page.pixel(0, 0)[0], 9);
  EXPECT_EQ(page.pixel(1, 0)[0], 0);
  EXPECT_EQ(page.pixel(2, 2)[0], 7);
}

}  // namespace
}  // namespace sluice::render
