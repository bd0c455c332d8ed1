// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "solver/scene/validate.h"

namespace sluice::simulation {

namespace {

bool leaves_plane(const Vec3& v, bool is_flat) { return is_flat && v.y() != 0; }

Error refuse(std::string message) { return {ErrorCode::invalid_scene, std::move(message)}; }

/// Keeps the entries of `values` whose frames left are still positive after one more frame.
template <typename T>
void count_down(std::vector<T>& values, std::vector<std::int64_t>& frames) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (--frames[i] <= 0) continue;
    values[kept] = values[i];
    frames[kept++] = frames[i];
  }
  values.resize(kept);
  frames.resize(kept);
}

Result<std::monostate> take_obstacle(const MoveObstacle& command, Obstacles& obstacles) {
  if (!command.velocity.allFinite()) return refuse("the velocity of an obstacle must be finite");
  if (!obstacles.set_velocity(command.body, command.velocity)) {
    return refuse(fmt::format("no obstacle is named \"{}\"", command.body));
  }
  return std::monostate{};
}

Result<std::monostate> take_emitter(const SetEmitter& command, const SteeredBodies& bodies) {
  if (command.velocity && (!command.velocity->allFinite() || command.velocity->isZero(0))) {
    return refuse("the velocity of an emitter must be finite and not 0");
  }
  if (command.velocity && leaves_plane(*command.velocity, bodies.is_flat)) {
    return refuse(fmt::format(
        "the velocity of an emitter has {} along y; in two dimensions nothing moves there",
        command.velocity->y()));
  }
  const auto found =
      std::find_if(bodies.fluids.begin(), bodies.fluids.end(),
                   [&](const scene::Fluid& fluid) { return fluid.name == command.body; });
  if (found == bodies.fluids.end()) {
    return refuse(fmt::format("no fluid is named \"{}\"", command.body));
  }
  const Vec3* const velocity = command.velocity ? &*command.velocity : nullptr;
  if (!bodies.fluid->set_emitter(static_cast<std::size_t>(found - bodies.fluids.begin()),
                                 command.emitter, command.is_open, velocity)) {
    return refuse(fmt::format("\"{}\" has no emitter named \"{}\"", command.body, command.emitter));
  }
  return std::monostate{};
}

void put(ByteWriter& out, const Vec3& v) { out.put_array(std::span<const double>(v.data(), 3)); }
bool get(ByteReader& in, Vec3& v) { return in.get_array(std::span<double>(v.data(), 3)); }
void put(ByteWriter& out, double value) { out.put(value); }
bool get(ByteReader& in, double& value) { return in.get(value); }

template <typename T>
void put(ByteWriter& out, const std::optional<T>& value) {
  out.put(static_cast<std::uint8_t>(value ? 1 : 0));
  if (value) put(out, *value);
}
template <typename T>
bool get(ByteReader& in, std::optional<T>& value) {
  std::uint8_t has_value = 0;
  if (!in.get(has_value)) return false;
  if (has_value == 0) return true;
  return get(in, value.emplace());
}

void put(ByteWriter& out, const fluid::Stroke& stroke) {
  put(out, stroke.from);
  put(out, stroke.to);
  out.put(stroke.radius);
  put(out, stroke.content.velocity);
  put(out, stroke.content.smoke);
  put(out, stroke.content.temperature);
  put(out, stroke.content.dye);
}

bool get(ByteReader& in, fluid::Stroke& stroke) {
  return get(in, stroke.from) && get(in, stroke.to) && in.get(stroke.radius) &&
         get(in, stroke.content.velocity) && get(in, stroke.content.smoke) &&
         get(in, stroke.content.temperature) && get(in, stroke.content.dye);
}

const solid::BodyRange* find_body(const solid::DeformableSystem& solids, const std::string& name) {
  const auto found =
      std::find_if(solids.bodies.begin(), solids.bodies.end(),
                   [&](const solid::BodyRange& range) { return range.name == name; });
  return found == solids.bodies.end() ? nullptr : &*found;
}

}  // namespace

Result<std::monostate> Steering::take(const SteerCommand& command, const SteeredBodies& bodies) {
  struct Visitor {
    Steering& self;
    const SteeredBodies& bodies;
    Result<std::monostate> operator()(const SetGravity& c) {
      return self.take_gravity(c, bodies.is_flat);
    }
    Result<std::monostate> operator()(const DragBody& c) {
      return self.take_drag(c, bodies.solids);
    }
    Result<std::monostate> operator()(const PushFluid& c) { return self.take_push(c); }
    Result<std::monostate> operator()(const MovePin& c) { return self.take_pin(c, bodies.solids); }
    Result<std::monostate> operator()(const MoveObstacle& c) {
      return take_obstacle(c, bodies.obstacles);
    }
    Result<std::monostate> operator()(const SetEmitter& c) { return take_emitter(c, bodies); }
    Result<std::monostate> operator()(const StrokeGas& c) {
      return self.take_stroke(c, bodies.gas);
    }
  };
  return std::visit(Visitor{*this, bodies}, command);
}

Result<std::monostate> Steering::take_gravity(const SetGravity& command, bool is_flat) {
  if (!command.gravity.allFinite()) return refuse("gravity must be finite");
  if (leaves_plane(command.gravity, is_flat)) {
    return refuse(fmt::format("gravity has {} along y; in two dimensions nothing moves there",
                              command.gravity.y()));
  }
  gravity_ = command.gravity;
  return std::monostate{};
}

Result<std::monostate> Steering::take_drag(const DragBody& command,
                                           const solid::DeformableSystem& solids) {
  const solid::BodyRange* range = find_body(solids, command.body);
  if (range == nullptr)
    return refuse(fmt::format("no cloth, soft body or rigid body is named \"{}\"", command.body));
  if (!command.from.allFinite() || !command.to.allFinite()) {
    return refuse("the points of a drag must be finite");
  }
  if (!(command.radius > 0) || !std::isfinite(command.radius)) {
    return refuse(fmt::format("the radius of a drag must be positive, not {}", command.radius));
  }
  if (!(command.stiffness >= 0) || !std::isfinite(command.stiffness)) {
    return refuse(
        fmt::format("the stiffness of a drag must be 0 or more, not {}", command.stiffness));
  }
  if (command.frame_count <= 0) return refuse("a drag must last at least 1 frame");
  std::size_t found = 0;
  for (std::int32_t i = range->first_vertex; i < range->first_vertex + range->vertex_count; ++i) {
    const Vec3& x = solids.positions[static_cast<std::size_t>(i)];
    if ((x - command.from).norm() > command.radius) continue;
    anchors_.push_back({i, command.stiffness, x + (command.to - command.from)});
    anchor_frames_.push_back(command.frame_count);
    ++found;
  }
  if (found == 0) {
    return refuse(fmt::format("no vertex of \"{}\" is within {} m of ({}, {}, {})", command.body,
                              command.radius, command.from.x(), command.from.y(),
                              command.from.z()));
  }
  return std::monostate{};
}

Result<std::monostate> Steering::take_push(const PushFluid& command) {
  if (!command.center.allFinite() || !command.acceleration.allFinite()) {
    return refuse("the center and the acceleration of a push must be finite");
  }
  if (!(command.radius > 0) || !std::isfinite(command.radius)) {
    return refuse(fmt::format("the radius of a push must be positive, not {}", command.radius));
  }
  if (command.frame_count <= 0) return refuse("a push must last at least 1 frame");
  pushes_.push_back({command.center, command.radius, command.acceleration});
  push_frames_.push_back(command.frame_count);
  return std::monostate{};
}

Result<std::monostate> Steering::take_stroke(const StrokeGas& command, const scene::Gas* gas) {
  if (gas == nullptr) return refuse("a stroke paints into a gas, which the scene has none of");
  if (!command.from.allFinite() || !command.to.allFinite())
    return refuse("the ends of a stroke must be finite");
  if (!(command.radius > 0) || !std::isfinite(command.radius))
    return refuse(fmt::format("the radius of a stroke must be positive, not {}", command.radius));
  if (command.frame_count <= 0) return refuse("a stroke must last at least 1 frame");
  std::vector<scene::Problem> problems = scene::validate_content(command.content, *gas, "stroke");
  if (!problems.empty()) {
    return refuse(fmt::format("{}: {}", problems.front().path, problems.front().message));
  }
  strokes_.push_back({command.from, command.to, command.radius, command.content});
  stroke_frames_.push_back(command.frame_count);
  return std::monostate{};
}

Result<std::monostate> Steering::take_pin(const MovePin& command, solid::DeformableSystem& solids) {
  if (!command.velocity.allFinite()) return refuse("the velocity of a pin must be finite");
  const solid::BodyRange* range = find_body(solids, command.body);
  if (range == nullptr)
    return refuse(fmt::format("no cloth or soft body is named \"{}\"", command.body));
  const auto index = static_cast<std::int32_t>(range - solids.bodies.data());
  for (solid::BodyPin& pin : solids.pins) {
    if (pin.body != index || pin.name != command.pin) continue;
    pin.velocity = command.velocity;
    return std::monostate{};
  }
  return refuse(fmt::format("\"{}\" has no pin named \"{}\"", command.body, command.pin));
}

void Steering::finish_frame() {
  count_down(anchors_, anchor_frames_);
  count_down(pushes_, push_frames_);
  count_down(strokes_, stroke_frames_);
}

void Steering::save(ByteWriter& out) const {
  put(out, gravity_);
  out.put(static_cast<std::uint64_t>(anchors_.size()));
  for (std::size_t i = 0; i < anchors_.size(); ++i) {
    out.put(anchors_[i].vertex);
    out.put(anchors_[i].stiffness);
    put(out, anchors_[i].point);
    out.put(anchor_frames_[i]);
  }
  out.put(static_cast<std::uint64_t>(pushes_.size()));
  for (std::size_t i = 0; i < pushes_.size(); ++i) {
    put(out, pushes_[i].center);
    out.put(pushes_[i].radius);
    put(out, pushes_[i].acceleration);
    out.put(push_frames_[i]);
  }
  out.put(static_cast<std::uint64_t>(strokes_.size()));
  for (std::size_t i = 0; i < strokes_.size(); ++i) {
    put(out, strokes_[i]);
    out.put(stroke_frames_[i]);
  }
}

bool Steering::restore(ByteReader& in, std::size_t vertex_count) {
  std::uint64_t count = 0;
  if (!get(in, gravity_) || !in.get(count)) return false;
  anchors_.clear();
  anchor_frames_.clear();
  for (std::uint64_t i = 0; i < count;
       ++i) {  // Ends at the end of the bytes, whatever `count` says.
    solid::Anchor anchor{};
    std::int64_t frames = 0;
    if (!in.get(anchor.vertex) || !in.get(anchor.stiffness) || !get(in, anchor.point) ||
        !in.get(frames) || anchor.vertex < 0 ||
        static_cast<std::size_t>(anchor.vertex) >= vertex_count) {
      return false;
    }
    anchors_.push_back(anchor);
    anchor_frames_.push_back(frames);
  }
  if (!in.get(count)) return false;
  pushes_.clear();
  push_frames_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    fluid::Push push{};
    std::int64_t frames = 0;
    if (!get(in, push.center) || !in.get(push.radius) || !get(in, push.acceleration) ||
        !in.get(frames)) {
      return false;
    }
    pushes_.push_back(push);
    push_frames_.push_back(frames);
  }
  if (!in.get(count)) return false;
  strokes_.clear();
  stroke_frames_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    fluid::Stroke stroke{};
    std::int64_t frames = 0;
    if (!get(in, stroke) || !in.get(frames)) return false;
    strokes_.push_back(stroke);
    stroke_frames_.push_back(frames);
  }
  return true;
}

}  // namespace sluice::simulation
