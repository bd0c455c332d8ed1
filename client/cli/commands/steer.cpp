// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/output.h"
#include "sluice/session.h"
#include "sluice/v1/sessions.pb.h"

namespace sluice::cli {
namespace {

using Vector = std::vector<double>;

struct SteerOptions {
  std::string session;
  std::string body;
  std::string part;  // A pin or emitter.
  Vector first;
  Vector second;
  double radius{0};
  std::optional<double> stiffness;
  Vector velocity;  // These four: what a stroke paints.
  std::optional<double> smoke;
  std::optional<double> temperature;
  Vector dye;
  std::optional<std::int64_t> frame_count;
  bool is_open{true};
};

using Builder = v1::SteerCommand (*)(const SteerOptions&);

void set(google::protobuf::RepeatedField<double>& field, const Vector& vector) {
  field.Assign(vector.begin(), vector.end());
}

v1::SteerCommand make_gravity(const SteerOptions& options) {
  v1::SteerCommand command;
  set(*command.mutable_set_gravity()->mutable_gravity(), options.first);
  return command;
}

v1::SteerCommand make_drag(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::DragBody& drag = *command.mutable_drag_body();
  drag.set_body(options.body);
  set(*drag.mutable_from(), options.first);
  set(*drag.mutable_to(), options.second);
  drag.set_radius(options.radius);
  if (options.stiffness) {
    drag.set_stiffness(*options.stiffness);
  }
  if (options.frame_count) {
    drag.set_frame_count(*options.frame_count);
  }
  return command;
}

v1::SteerCommand make_push(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::PushFluid& push = *command.mutable_push_fluid();
  set(*push.mutable_center(), options.first);
  push.set_radius(options.radius);
  set(*push.mutable_acceleration(), options.second);
  if (options.frame_count) {
    push.set_frame_count(*options.frame_count);
  }
  return command;
}

v1::SteerCommand make_pin(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::MovePin& move = *command.mutable_move_pin();
  move.set_body(options.body);
  move.set_pin(options.part);
  set(*move.mutable_velocity(), options.first);
  return command;
}

v1::SteerCommand make_obstacle(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::MoveObstacle& move = *command.mutable_move_obstacle();
  move.set_body(options.body);
  set(*move.mutable_velocity(), options.first);
  return command;
}

v1::SteerCommand make_emitter(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::SetEmitter& emitter = *command.mutable_set_emitter();
  emitter.set_body(options.body);
  emitter.set_emitter(options.part);
  emitter.set_is_open(options.is_open);
  set(*emitter.mutable_velocity(), options.first);
  return command;
}

v1::SteerCommand make_stroke(const SteerOptions& options) {
  v1::SteerCommand command;
  v1::StrokeGas& stroke = *command.mutable_stroke_gas();
  set(*stroke.mutable_from(), options.first);
  set(*stroke.mutable_to(), options.second);
  stroke.set_radius(options.radius);
  v1::GasContent& content = *stroke.mutable_content();
  set(*content.mutable_velocity(), options.velocity);
  if (options.smoke) {
    content.set_smoke(*options.smoke);
  }
  if (options.temperature) {
    content.set_temperature(*options.temperature);
  }
  set(*content.mutable_dye(), options.dye);
  if (options.frame_count) {
    stroke.set_frame_count(*options.frame_count);
  }
  return command;
}

ExitCode steer(const Program& program, const SteerOptions& options, Builder builder) {
  const std::string name = session_resource_name(options.session);
  const std::int64_t frame = client::steer_session(program.connect(), name, builder(options));
  if (program.json) {
    print_json({{"name", name}, {"frame_index", frame}});
  } else {
    print_data(fmt::format("{}", frame));
    print_message(fmt::format("acts from frame {} on", frame));
  }
  return ExitCode::done;
}

Command add_action(Command steer_command, Program& program, const std::string& name,
                   const std::string& description, const std::shared_ptr<SteerOptions>& options,
                   Builder builder) {
  const Command command = steer_command.add_command(name, description);
  command.add_option("session", options->session, "Name of the session").required();
  command.on_parsed([&program, options, builder] {
    program.action = [&program, options, builder] { return steer(program, *options, builder); };
  });
  return command;
}

void add_vector(Command command, const std::string& name, Vector& vector,
                const std::string& description) {
  command.add_option(name, vector, description).expected(3).required();
}

}  // namespace

void add_steer_command(Command root, Program& program) {
  const Command command = root.add_command(
      "steer", "Acts on a running or paused session; prints the first frame that it acts on.");
  command.examples(
      "  sluice steer gravity 4f2a9c01 0 0 -1.62\n"
      "  sluice steer drag 4f2a9c01 curtain --from 0 0 1 --to 0 0.5 1 --radius 0.1 --frames 30\n"
      "  sluice steer push 4f2a9c01 --center 0 0 0.5 --radius 0.2 --acceleration 50 0 0\n"
      "  sluice steer pin 4f2a9c01 curtain left 0.1 0 0\n"
      "  sluice steer obstacle 4f2a9c01 ball 0 0 0.5             until told otherwise\n"
      "  sluice steer obstacle 4f2a9c01 ball 0 0 0               stops it\n"
      "  sluice steer emitter 4f2a9c01 water tap --shut\n"
      "  sluice steer emitter 4f2a9c01 water tap --velocity 0 0 -2    opens it\n"
      "  sluice steer stroke-gas 4f2a9c01 --from 0.2 0 0.5 --to 0.8 0 0.5 --radius 0.1 --smoke 1 "
      "\\\n"
      "    --velocity 2 0 0 --frames 10");
  command.require_command(1, 1);
  command.fallthrough();
  const auto options = std::make_shared<SteerOptions>();

  const Command gravity =
      add_action(command, program, "gravity", "Changes gravity.", options, make_gravity);
  add_vector(gravity, "gravity", options->first, "x y z in m/s^2");

  const Command drag =
      add_action(command, program, "drag",
                 "Pulls the vertices of a cloth near a point towards another.", options, make_drag);
  drag.add_option("body", options->body, "Name of the cloth").required();
  add_vector(drag, "--from", options->first, "Where it is grabbed: x y z in metres");
  add_vector(drag, "--to", options->second, "Where it is pulled to: x y z in metres");
  drag.add_option("--radius", options->radius, "Vertices within this distance, in metres")
      .required();
  drag.add_option("--stiffness", options->stiffness, "Of each vertex's spring, in N/m");
  drag.add_option("--frames", options->frame_count, "For so many frames; if not given, 1");

  const Command push = add_action(command, program, "push",
                                  "Accelerates the fluid or gas in a ball.", options, make_push);
  add_vector(push, "--center", options->first, "x y z in metres");
  push.add_option("--radius", options->radius, "In metres").required();
  add_vector(push, "--acceleration", options->second, "x y z in m/s^2");
  push.add_option("--frames", options->frame_count, "For so many frames; if not given, 1");

  const Command pin =
      add_action(command, program, "pin", "Gives a pin a new velocity.", options, make_pin);
  pin.add_option("body", options->body, "Name of the cloth").required();
  pin.add_option("pin", options->part, "Name of the pin").required();
  add_vector(pin, "velocity", options->first, "x y z in m/s");

  const Command obstacle = add_action(
      command, program, "obstacle", "Gives an obstacle a velocity; it stops at the domain's sides.",
      options, make_obstacle);
  obstacle.add_option("body", options->body, "Name of the obstacle").required();
  add_vector(obstacle, "velocity", options->first, "x y z in m/s");

  const Command emitter =
      add_action(command, program, "emitter", "Opens an emitter, or shuts it, whatever its times.",
                 options, make_emitter);
  emitter.add_option("body", options->body, "Name of the fluid").required();
  emitter.add_option("emitter", options->part, "Name of the emitter").required();
  emitter.add_flag("!--shut", options->is_open, "Shuts it");
  emitter.add_option("--velocity", options->first, "x y z in m/s; if not given, as it is")
      .expected(3);

  const Command stroke =
      add_action(command, program, "stroke-gas",
                 "Paints into the gas along a straight stroke; say at least one of "
                 "velocity, smoke, temperature and dye.",
                 options, make_stroke);
  add_vector(stroke, "--from", options->first, "Where the stroke begins: x y z in metres");
  stroke.add_option("--to", options->second, "Where it ends; if not given, where it begins")
      .expected(3);
  stroke
      .add_option("--radius", options->radius,
                  "Around the stroke, in metres: full in the middle, nothing at its rim")
      .required();
  stroke.add_option("--velocity", options->velocity, "x y z in m/s").expected(3);
  stroke.add_option("--smoke", options->smoke, "Concentration");
  stroke.add_option("--temperature", options->temperature, "In kelvin");
  stroke.add_option("--dye", options->dye, "Red, green and blue, linear").expected(3);
  stroke.add_option("--frames", options->frame_count, "For so many frames; if not given, 1");
}

}  // namespace sluice::cli
