// SPDX-License-Identifier: Apache-2.0
#include "server/convert/steer_convert.h"

#include <fmt/format.h>

#include "server/convert/gas_convert.h"
#include "server/convert/problem_sink.h"
#include "server/convert/unknown_fields.h"
#include "solver/scene/limits.h"

namespace sluice::convert {
namespace {

// The limits and the default are those that sessions.proto documents.
constexpr double largest_gravity = 1000;        // [m/s^2]
constexpr double largest_coordinate = 1e6;      // [m]
constexpr double largest_radius = 1e4;          // [m]
constexpr double largest_stiffness = 1e6;       // [N/m]
constexpr double default_stiffness = 10;        // [N/m]
constexpr double largest_acceleration = 1e5;    // [m/s^2]
constexpr double largest_obstacle_speed = 100;  // [m/s]
constexpr std::int64_t most_frames = 1'000'000;

Vec3 required(const google::protobuf::RepeatedField<double>& values, double most,
              const std::string& path, ProblemSink& problems) {
  const auto vector = problems.required_vector(values, path);
  if (!vector) return Vec3::Zero();
  problems.in_range(*vector, -most, most, path);
  return *vector;
}

std::string required(const std::string& name, const std::string& path, ProblemSink& problems) {
  if (name.empty()) problems.error(path, "is required");
  return name;
}

double positive(double value, double most, const std::string& path, ProblemSink& problems) {
  if (!(value > 0 && value <= most)) {
    problems.error(path, fmt::format("{} is not in (0, {}]", value, most));
  }
  return value;
}

template <typename Message>
std::int64_t frame_count(const Message& message, const std::string& path, ProblemSink& problems) {
  const std::int64_t count = message.has_frame_count() ? message.frame_count() : 1;
  if (count < 1 || count > most_frames) {
    problems.error(path, fmt::format("{} is not in [1, {}]", count, most_frames));
  }
  return count;
}

std::optional<SteerCommand> convert(const v1::SteerCommand& command, ProblemSink& problems) {
  switch (command.action_case()) {
    case v1::SteerCommand::kSetGravity:
      return SetGravity{required(command.set_gravity().gravity(), largest_gravity,
                                 "set_gravity.gravity", problems)};
    case v1::SteerCommand::kDragBody: {
      const v1::DragBody& drag = command.drag_body();
      return DragBody{
          .body = required(drag.body(), "drag_body.body", problems),
          .from = required(drag.from(), largest_coordinate, "drag_body.from", problems),
          .to = required(drag.to(), largest_coordinate, "drag_body.to", problems),
          .radius = positive(drag.radius(), largest_radius, "drag_body.radius", problems),
          .stiffness = positive(drag.has_stiffness() ? drag.stiffness() : default_stiffness,
                                largest_stiffness, "drag_body.stiffness", problems),
          .frame_count = frame_count(drag, "drag_body.frame_count", problems)};
    }
    case v1::SteerCommand::kPushFluid: {
      const v1::PushFluid& push = command.push_fluid();
      return PushFluid{
          .center = required(push.center(), largest_coordinate, "push_fluid.center", problems),
          .radius = positive(push.radius(), largest_radius, "push_fluid.radius", problems),
          .acceleration = required(push.acceleration(), largest_acceleration,
                                   "push_fluid.acceleration", problems),
          .frame_count = frame_count(push, "push_fluid.frame_count", problems)};
    }
    case v1::SteerCommand::kMovePin: {
      const v1::MovePin& move = command.move_pin();
      return MovePin{.body = required(move.body(), "move_pin.body", problems),
                     .pin = required(move.pin(), "move_pin.pin", problems),
                     .velocity = required(move.velocity(), scene::largest_speed,
                                          "move_pin.velocity", problems)};
    }
    case v1::SteerCommand::kMoveObstacle: {
      const v1::MoveObstacle& move = command.move_obstacle();
      return MoveObstacle{.body = required(move.body(), "move_obstacle.body", problems),
                          .velocity = required(move.velocity(), largest_obstacle_speed,
                                               "move_obstacle.velocity", problems)};
    }
    case v1::SteerCommand::kSetEmitter: {
      const v1::SetEmitter& set = command.set_emitter();
      if (!set.has_is_open()) problems.error("set_emitter.is_open", "is required");
      SetEmitter converted{.body = required(set.body(), "set_emitter.body", problems),
                           .emitter = required(set.emitter(), "set_emitter.emitter", problems),
                           .is_open = set.is_open(),
                           .velocity = std::nullopt};
      if (!set.velocity().empty()) {
        converted.velocity =
            required(set.velocity(), scene::largest_speed, "set_emitter.velocity", problems);
        if (converted.velocity->isZero(0))
          problems.error("set_emitter.velocity", "must not be 0: shut it by `is_open`");
      }
      return converted;
    }
    case v1::SteerCommand::kStrokeGas: {
      const v1::StrokeGas& stroke = command.stroke_gas();
      const Vec3 from = required(stroke.from(), largest_coordinate, "stroke_gas.from", problems);
      if (!stroke.has_content()) problems.error("stroke_gas.content", "is required");
      return StrokeGas{
          .from = from,
          .to = stroke.to().empty()
                    ? from
                    : required(stroke.to(), largest_coordinate, "stroke_gas.to", problems),
          .radius = positive(stroke.radius(), largest_radius, "stroke_gas.radius", problems),
          .content = convert_content(stroke.content(), "stroke_gas.content", problems),
          .frame_count = frame_count(stroke, "stroke_gas.frame_count", problems)};
    }
    case v1::SteerCommand::ACTION_NOT_SET:
      problems.error("",
                     "needs one of set_gravity, drag_body, push_fluid, move_pin, move_obstacle, "
                     "set_emitter, stroke_gas");
  }
  return std::nullopt;
}

}  // namespace

ConvertedSteer convert_steer(const v1::SteerCommand& command) {
  ConvertedSteer answer;
  ProblemSink problems;
  answer.command = convert(command, problems);
  answer.problems = problems.take();
  find_unknown_fields(command, "", answer.problems);
  if (!answer.problems.empty()) answer.command.reset();
  return answer;
}

}  // namespace sluice::convert
