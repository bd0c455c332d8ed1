// SPDX-License-Identifier: Apache-2.0
#include "server/convert/frame_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "proto/wire/crc32c.h"
#include "server/convert/steer_convert.h"

namespace sluice::convert {
namespace {

std::vector<BodyLayout> two_bodies(std::int64_t particle_count) {
  return {{"water",
           BodyKind::particles,
           particle_count,
           {},
           {Field::position, Field::velocity, Field::pressure}},
          {"sheet", BodyKind::surface, 3, {{0, 1, 2}}, {Field::position, Field::velocity}}};
}

TEST(FrameConvert, cuts_arrays_into_chunks_of_exactly_the_solvers_bits) {
  // 12 bytes a particle: 200,000 of them are three chunks, the last one short.
  const std::int64_t count = 200'000;
  std::vector<float> positions(static_cast<std::size_t>(3 * count));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i * 2654435761U));  // NaNs too.
  }
  const std::vector<float> vertices = {0.F, -0.F, 1.F, 2.F, 3.F, 4.F, 5.F, 6.F, 7.F};
  const auto bodies = two_bodies(count);
  const std::vector<FieldView> fields = {{0, Field::position, positions},
                                         {1, Field::velocity, vertices}};
  v1::Cursor cursor;
  cursor.set_index(12);
  const FrameMessages frame = convert_frame(bodies, fields, {}, cursor, 0.2);

  EXPECT_EQ(frame.header.cursor().index(), 12);
  EXPECT_EQ(frame.header.time_seconds(), 0.2);
  ASSERT_EQ(frame.header.arrays_size(), 2);
  EXPECT_EQ(frame.header.arrays(0).body(), "water");
  EXPECT_EQ(frame.header.arrays(0).field(), v1::FIELD_POSITION);
  EXPECT_EQ(frame.header.arrays(0).count(), count);
  EXPECT_EQ(frame.header.arrays(0).component_count(), 3);
  EXPECT_EQ(frame.header.arrays(0).codec(), v1::CODEC_F32);
  EXPECT_EQ(frame.header.arrays(0).byte_count(), 12 * count);
  EXPECT_EQ(frame.header.arrays(1).body(), "sheet");
  EXPECT_EQ(frame.header.arrays(1).field(), v1::FIELD_VELOCITY);
  ASSERT_EQ(frame.chunks.size(), 4U);

  std::vector<std::string> arrays(2);
  for (const v1::FrameChunk& chunk : frame.chunks) {
    std::string& array = arrays.at(static_cast<std::size_t>(chunk.array()));
    EXPECT_EQ(chunk.offset(), static_cast<std::int64_t>(array.size()));
    EXPECT_LE(chunk.data().size(), frame_chunk_bytes);
    EXPECT_EQ(chunk.crc32c(), wire::crc32c(std::as_bytes(std::span<const char>(chunk.data()))));
    array += chunk.data();
  }
  ASSERT_EQ(arrays[0].size(), positions.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(arrays[0].data(), positions.data(), arrays[0].size()), 0);
  ASSERT_EQ(arrays[1].size(), vertices.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(arrays[1].data(), vertices.data(), arrays[1].size()), 0);
}

TEST(FrameConvert, gives_a_body_without_particles_no_chunk) {
  const std::vector<FieldView> fields = {{0, Field::position, {}}};
  const FrameMessages frame = convert_frame(two_bodies(0), fields, {}, {}, 0);
  EXPECT_EQ(frame.header.arrays(0).byte_count(), 0);
  EXPECT_TRUE(frame.chunks.empty());
}

TEST(FrameConvert, writes_scalars_and_where_obstacles_are) {
  const std::vector<float> pressures = {1.F, 2.F, 3.F, 4.F, 5.F};
  const std::vector<FieldView> fields = {{0, Field::pressure, pressures}};
  const std::vector<ObstacleOffset> moved = {{"ball", Vec3(1, 2, -3)}};
  const FrameMessages frame = convert_frame(two_bodies(5), fields, moved, {}, 0);
  ASSERT_EQ(frame.header.arrays_size(), 1);
  EXPECT_EQ(frame.header.arrays(0).field(), v1::FIELD_PRESSURE);
  EXPECT_EQ(frame.header.arrays(0).count(), 5);
  EXPECT_EQ(frame.header.arrays(0).component_count(), 1);
  EXPECT_EQ(frame.header.arrays(0).byte_count(), 20);
  ASSERT_EQ(frame.header.obstacle_offsets_size(), 1);
  EXPECT_EQ(frame.header.obstacle_offsets(0).body(), "ball");
  ASSERT_EQ(frame.header.obstacle_offsets(0).offset_size(), 3);
  EXPECT_EQ(frame.header.obstacle_offsets(0).offset(2), -3);
}

TEST(FrameConvert, knows_every_field_both_ways) {
  for (const Field field :
       {Field::position, Field::velocity, Field::pressure, Field::density, Field::contact_force,
        Field::smoke, Field::temperature, Field::dye, Field::cell_level, Field::interior_cell}) {
    EXPECT_EQ(convert_field(convert_field(field)), field);
  }
  EXPECT_EQ(convert_field(v1::FIELD_CONTACT_FORCE), Field::contact_force);
  EXPECT_FALSE(convert_field(v1::FIELD_SPEED)) << "derived, not the solver's";
  EXPECT_FALSE(convert_field(v1::FIELD_UNSPECIFIED));
}

TEST(FrameConvert, writes_the_layout_with_little_endian_triangles) {
  const v1::Layout layout = convert_layout(
      two_bodies(5),
      {.frames_per_second = 60, .domain_lower = Vec3(-1, -2, 0), .domain_upper = Vec3(1, 2, 3)}, 0);
  EXPECT_THAT(layout.domain_lower(), testing::ElementsAre(-1, -2, 0));
  EXPECT_THAT(layout.domain_upper(), testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(layout.frames_per_second(), 60);
  ASSERT_EQ(layout.bodies_size(), 2);
  EXPECT_EQ(layout.bodies(0).kind(), v1::BODY_KIND_PARTICLES);
  EXPECT_EQ(layout.bodies(0).count(), 5);
  EXPECT_TRUE(layout.bodies(0).triangles().empty());
  EXPECT_EQ(layout.bodies(1).kind(), v1::BODY_KIND_SURFACE);
  ASSERT_EQ(layout.bodies(0).fields_size(), 3);
  EXPECT_EQ(layout.bodies(0).fields(2), v1::FIELD_PRESSURE);
  EXPECT_EQ(layout.bodies(1).fields_size(), 2);
  EXPECT_EQ(layout.bodies(1).triangles(), std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12));
}

TEST(FrameConvert, writes_ids_and_once_alone_what_never_changes) {
  std::vector<BodyLayout> bodies = two_bodies(3);
  bodies[0].ids = {0, 4, 7};
  const v1::Layout layout = convert_layout(bodies, {.frames_per_second = 60}, 2);
  EXPECT_EQ(layout.epoch(), 2);
  EXPECT_THAT(layout.bodies(0).ids(), testing::ElementsAre(0, 4, 7));
  EXPECT_TRUE(layout.bodies(1).triangles().empty()) << "those of epoch 0";
  EXPECT_EQ(layout.bodies(1).count(), bodies[1].count);
}

TEST(FrameConvert, writes_the_tetrahedra_of_a_volume) {
  std::vector<BodyLayout> bodies = two_bodies(5);
  bodies.push_back({"jelly", BodyKind::volume, 4, {{0, 2, 1}}, {Field::position}, {{0, 1, 2, 3}}});
  const v1::Layout layout = convert_layout(bodies, {.frames_per_second = 60}, 0);
  ASSERT_EQ(layout.bodies_size(), 3);
  EXPECT_EQ(layout.bodies(2).kind(), v1::BODY_KIND_VOLUME);
  EXPECT_EQ(layout.bodies(2).triangles(), std::string("\0\0\0\0\2\0\0\0\1\0\0\0", 12));
  EXPECT_EQ(layout.bodies(2).tetrahedra(), std::string("\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 16));
  EXPECT_TRUE(layout.bodies(1).tetrahedra().empty());
}

TEST(FrameConvert, writes_where_the_cells_of_a_gas_are) {
  std::vector<BodyLayout> bodies{
      {"air", BodyKind::cells, 24, {}, {Field::dye, Field::temperature, Field::velocity}}};
  bodies[0].lattice = {{2, 3, 4}, Vec3(-1, 0, 0.5), Vec3(0.1, 0.2, 0.3)};
  const v1::Layout layout = convert_layout(bodies, {.frames_per_second = 60}, 0);
  ASSERT_EQ(layout.bodies_size(), 1);
  const v1::Body& body = layout.bodies(0);
  EXPECT_EQ(body.kind(), v1::BODY_KIND_CELLS);
  EXPECT_EQ(body.count(), 24);
  EXPECT_THAT(body.fields(),
              testing::ElementsAre(v1::FIELD_DYE, v1::FIELD_TEMPERATURE, v1::FIELD_VELOCITY));
  EXPECT_THAT(body.lattice().counts(), testing::ElementsAre(2, 3, 4));
  EXPECT_THAT(body.lattice().lower(), testing::ElementsAre(-1, 0, 0.5));
  EXPECT_THAT(body.lattice().edges(), testing::ElementsAre(0.1, 0.2, 0.3));
  EXPECT_THAT(layout.fields(), testing::ElementsAre(v1::FIELD_VELOCITY)) << "no positions";
  EXPECT_FALSE(convert_layout(two_bodies(5), {.frames_per_second = 60}, 0).bodies(0).has_lattice());
  const std::vector<float> dye(72, 0.5F);
  const std::vector<FieldView> fields{{0, Field::dye, dye}};
  const FrameMessages frame = convert_frame(bodies, fields, {}, {}, 0);
  EXPECT_EQ(frame.header.arrays(0).field(), v1::FIELD_DYE);
  EXPECT_EQ(frame.header.arrays(0).count(), 24);
  EXPECT_EQ(frame.header.arrays(0).component_count(), 3);
}

TEST(FrameConvert, copies_statistics) {
  FrameStatistics from;
  from.substep_count = 1;
  from.iteration_count = 2;
  from.residual = 3;
  from.smallest_gap = std::numeric_limits<double>::infinity();
  from.contact_count = 5;
  from.kinetic_energy = 6;
  from.momentum = {7, 8, 9};
  from.potential_energy = 11;
  from.emitted_count = 12;
  from.removed_count = 13;
  from.particle_count = 14;
  from.cell_counts = {15, 16};
  from.settled_count = -17;
  from.interior_count = 18;
  from.warnings = {{WarningKind::detail_lost, "air", "", 3, 1}};
  from.stage_seconds[static_cast<std::size_t>(Stage::fluid_transfers)] = 0.5;
  from.stage_seconds[static_cast<std::size_t>(Stage::output)] = 0.25;
  const v1::FrameStatistics to = convert_statistics(from, 10);
  EXPECT_EQ(to.substep_count(), 1);
  EXPECT_EQ(to.iteration_count(), 2);
  EXPECT_EQ(to.residual(), 3);
  EXPECT_EQ(to.smallest_gap(), from.smallest_gap);
  EXPECT_EQ(to.contact_count(), 5);
  EXPECT_EQ(to.kinetic_energy(), 6);
  ASSERT_EQ(to.momentum_size(), 3);
  EXPECT_EQ(to.momentum(2), 9);
  EXPECT_EQ(to.solve_seconds(), 10);
  EXPECT_EQ(to.potential_energy(), 11);
  EXPECT_EQ(to.emitted_count(), 12);
  EXPECT_EQ(to.removed_count(), 13);
  EXPECT_EQ(to.particle_count(), 14);
  EXPECT_THAT(to.cell_counts(), testing::ElementsAre(15, 16));
  EXPECT_EQ(to.settled_count(), -17);
  EXPECT_EQ(to.interior_count(), 18);
  ASSERT_EQ(to.warnings_size(), 1);
  EXPECT_EQ(to.warnings(0).kind(), v1::WARNING_KIND_DETAIL_LOST);
  ASSERT_EQ(to.stage_times_size(), 2) << "stages that took no time are left out";
  EXPECT_EQ(to.stage_times(0).stage(), "fluid transfers");
  EXPECT_EQ(to.stage_times(0).seconds(), 0.5);
  EXPECT_EQ(to.stage_times(1).stage(), "output");
}

TEST(SteerConvert, converts_each_action_with_defaults) {
  v1::SteerCommand command;
  for (const double value : {1, 2, 3})
    command.mutable_set_gravity()->add_gravity(value);
  EXPECT_EQ(std::get<SetGravity>(convert_steer(command).command.value()).gravity, Vec3(1, 2, 3));

  v1::DragBody& drag = *command.mutable_drag_body();
  drag.set_body("sheet");
  drag.set_radius(0.5);
  for (const double value : {1, 2, 3})
    drag.add_from(value);
  for (const double value : {4, 5, 6})
    drag.add_to(value);
  const auto dragged = std::get<DragBody>(convert_steer(command).command.value());
  EXPECT_EQ(dragged.body, "sheet");
  EXPECT_EQ(dragged.from, Vec3(1, 2, 3));
  EXPECT_EQ(dragged.to, Vec3(4, 5, 6));
  EXPECT_EQ(dragged.radius, 0.5);
  EXPECT_EQ(dragged.stiffness, 10);
  EXPECT_EQ(dragged.frame_count, 1);

  v1::PushFluid& push = *command.mutable_push_fluid();
  push.set_radius(0.25);
  push.set_frame_count(8);
  for (const double value : {1, 2, 3})
    push.add_center(value);
  for (const double value : {7, 8, 9})
    push.add_acceleration(value);
  const auto pushed = std::get<PushFluid>(convert_steer(command).command.value());
  EXPECT_EQ(pushed.center, Vec3(1, 2, 3));
  EXPECT_EQ(pushed.acceleration, Vec3(7, 8, 9));
  EXPECT_EQ(pushed.frame_count, 8);

  v1::SetEmitter& set = *command.mutable_set_emitter();
  set.set_body("water");
  set.set_emitter("tap");
  set.set_is_open(false);
  const auto shut = std::get<SetEmitter>(convert_steer(command).command.value());
  EXPECT_EQ(shut.body, "water");
  EXPECT_EQ(shut.emitter, "tap");
  EXPECT_FALSE(shut.is_open);
  EXPECT_FALSE(shut.velocity);
  set.set_is_open(true);
  for (const double value : {1, 0, 2})
    set.add_velocity(value);
  const auto opened = std::get<SetEmitter>(convert_steer(command).command.value());
  EXPECT_TRUE(opened.is_open);
  EXPECT_EQ(opened.velocity, Vec3(1, 0, 2));

  v1::MovePin& move = *command.mutable_move_pin();
  move.set_body("sheet");
  move.set_pin("left");
  for (const double value : {0, 0, 1})
    move.add_velocity(value);
  const auto moved = std::get<MovePin>(convert_steer(command).command.value());
  EXPECT_EQ(moved.pin, "left");
  EXPECT_EQ(moved.velocity, Vec3(0, 0, 1));

  v1::MoveObstacle& obstacle = *command.mutable_move_obstacle();
  obstacle.set_body("ball");
  for (const double value : {0, 100, -100})
    obstacle.add_velocity(value);
  const auto pushed_on = std::get<MoveObstacle>(convert_steer(command).command.value());
  EXPECT_EQ(pushed_on.body, "ball");
  EXPECT_EQ(pushed_on.velocity, Vec3(0, 100, -100));
  obstacle.set_velocity(1, 100.5);
  EXPECT_EQ(convert_steer(command).problems.at(0).path, "move_obstacle.velocity[1]");
}

TEST(SteerConvert, takes_a_stroke) {
  v1::SteerCommand command;
  v1::StrokeGas& stroke = *command.mutable_stroke_gas();
  for (const double value : {1, 2, 3})
    stroke.add_from(value);
  stroke.set_radius(0.5);
  stroke.mutable_content()->set_smoke(0);
  const auto dab = std::get<StrokeGas>(convert_steer(command).command.value());
  EXPECT_EQ(dab.from, Vec3(1, 2, 3));
  EXPECT_EQ(dab.to, Vec3(1, 2, 3));
  EXPECT_EQ(dab.radius, 0.5);
  EXPECT_EQ(dab.frame_count, 1);
  EXPECT_EQ(dab.content.smoke, 0);
  EXPECT_FALSE(dab.content.velocity);
  EXPECT_FALSE(dab.content.temperature);
  EXPECT_FALSE(dab.content.dye);
  for (const double value : {4, 5, 6}) {
    stroke.add_to(value);
    stroke.mutable_content()->add_velocity(10 * value);
    stroke.mutable_content()->add_dye(0.1 * value);
  }
  stroke.mutable_content()->set_temperature(400);
  stroke.set_frame_count(7);
  const auto painted = std::get<StrokeGas>(convert_steer(command).command.value());
  EXPECT_EQ(painted.to, Vec3(4, 5, 6));
  EXPECT_EQ(painted.content.velocity, Vec3(40, 50, 60));
  EXPECT_EQ(painted.content.temperature, 400);
  EXPECT_EQ(painted.content.dye, Vec3(0.1 * 4, 0.1 * 5, 0.1 * 6));
  EXPECT_EQ(painted.frame_count, 7);
}

TEST(SteerConvert, tells_what_is_wrong_with_a_stroke) {
  v1::SteerCommand command;
  v1::StrokeGas& stroke = *command.mutable_stroke_gas();
  stroke.add_to(2e6);
  stroke.set_frame_count(0);
  const ConvertedSteer bare = convert_steer(command);
  EXPECT_FALSE(bare.command);
  std::vector<std::string> paths;
  for (const scene::Problem& problem : bare.problems)
    paths.push_back(problem.path);
  EXPECT_THAT(
      paths, testing::UnorderedElementsAre("stroke_gas.from", "stroke_gas.content", "stroke_gas.to",
                                           "stroke_gas.radius", "stroke_gas.frame_count"));
  stroke.Clear();
  for (const double value : {1e6, -2e6, 0.0})
    stroke.add_from(value);
  stroke.set_radius(2e4);
  stroke.mutable_content()->add_dye(1);
  paths.clear();
  for (const scene::Problem& problem : convert_steer(command).problems)
    paths.push_back(problem.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre("stroke_gas.from[1]", "stroke_gas.radius",
                                                   "stroke_gas.content.dye"));
}

TEST(SteerConvert, tells_all_that_is_wrong_at_once) {
  v1::SteerCommand command;
  EXPECT_EQ(convert_steer(command).problems.size(), 1U);
  v1::DragBody& drag = *command.mutable_drag_body();
  drag.add_from(1);
  drag.set_radius(-1);
  drag.set_stiffness(std::numeric_limits<double>::quiet_NaN());
  drag.set_frame_count(0);
  const ConvertedSteer converted = convert_steer(command);
  EXPECT_FALSE(converted.command);
  std::vector<std::string> paths;
  paths.reserve(converted.problems.size());
  for (const scene::Problem& problem : converted.problems)
    paths.push_back(problem.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"drag_body.body", "drag_body.from", "drag_body.to",
                                             "drag_body.radius", "drag_body.stiffness",
                                             "drag_body.frame_count"}));
}

TEST(SteerConvert, needs_to_know_whether_an_emitter_is_open_and_where_to) {
  v1::SteerCommand command;
  for (const double value : {0, 0, 0})
    command.mutable_set_emitter()->add_velocity(value);
  const ConvertedSteer converted = convert_steer(command);
  EXPECT_FALSE(converted.command);
  std::vector<std::string> paths;
  for (const scene::Problem& problem : converted.problems)
    paths.push_back(problem.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"set_emitter.is_open", "set_emitter.body",
                                             "set_emitter.emitter", "set_emitter.velocity"}));
}

}  // namespace
}  // namespace sluice::convert
