// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/fluid/stroke.h"
#include "solver/result.h"
#include "solver/scene/scene.h"
#include "solver/simulation.h"
#include "solver/simulation/obstacles.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// The bodies that commands act on.
struct SteeredBodies {
  solid::DeformableSystem& solids;
  Obstacles& obstacles;
  std::span<const scene::Fluid> fluids;  ///< The fluids of the scene.
  fluid::ParticleFluid* fluid;           ///< Their particles; null without them.
  const scene::Gas* gas;                 ///< The gas of the scene; null without one.
  bool is_flat;                          ///< Whether the scene is flat: nothing moves along y.
};

/// The commands that people have given to a running simulation, as far as they still act.
class Steering {
 public:
  explicit Steering(const Vec3& gravity) : gravity_(gravity) {}

  /// Checks and takes a command; it acts from the next frame on. `invalid_scene` says what is wrong
  /// with it. A moved pin gets its velocity at once, its vertices in the next frame.
  Result<std::monostate> take(const SteerCommand& command, const SteeredBodies& bodies);

  /// Ends the commands that have acted for their number of frames.
  void finish_frame();

  [[nodiscard]] const Vec3& gravity() const noexcept { return gravity_; }
  [[nodiscard]] std::span<const solid::Anchor> anchors() const noexcept { return anchors_; }
  [[nodiscard]] std::span<const fluid::Push> pushes() const noexcept { return pushes_; }
  [[nodiscard]] std::span<const fluid::Stroke> strokes() const noexcept { return strokes_; }

  void save(ByteWriter& out) const;
  /// False if the bytes do not fit a system of `vertex_count` vertices.
  [[nodiscard]] bool restore(ByteReader& in, std::size_t vertex_count);

 private:
  Result<std::monostate> take_gravity(const SetGravity& command, bool is_flat);
  Result<std::monostate> take_drag(const DragBody& command, const solid::DeformableSystem& solids);
  Result<std::monostate> take_push(const PushFluid& command);
  Result<std::monostate> take_stroke(const StrokeGas& command, const scene::Gas* gas);
  Result<std::monostate> take_pin(const MovePin& command, solid::DeformableSystem& solids);

  Vec3 gravity_;
  std::vector<solid::Anchor> anchors_;
  std::vector<std::int64_t> anchor_frames_;  ///< Numbers of frames left, by anchor.
  std::vector<fluid::Push> pushes_;
  std::vector<std::int64_t> push_frames_;  ///< Numbers of frames left, by push.
  std::vector<fluid::Stroke> strokes_;
  std::vector<std::int64_t> stroke_frames_;  ///< Numbers of frames left, by stroke.
};

}  // namespace sluice::simulation
