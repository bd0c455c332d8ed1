// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/render/camera.h"
#include "client/render/draw_list.h"
#include "client/render/gas_look.h"
#include "client/render/gas_plate.h"
#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"
#include "sluice/v1/scene.pb.h"

namespace sluice::render {

/// The plane of the ground, on which shadows fall.
struct Ground {
  Float3 point;
  Float3 normal;  ///< Upward direction.
};

/// The parts of a picture that are the same for all frames: the obstacles' shapes, the ground, the
/// camera and the scale of speed.
class Stage {
 public:
  /// `has_surfaces`: draws fluids as surfaces around their particles, else as a ball for each one.
  Stage(const v1::Scene& scene, bool has_surfaces);

  /// Returns all primitives of a frame. The first frame sets the scale of speed: its last colour is
  /// the speed after a free fall from the highest point to the ground, at least.
  [[nodiscard]] DrawList draw_list(const client::Frame& frame, const v1::Layout& layout);

  /// Returns the obstacles at their places in a frame.
  [[nodiscard]] std::vector<MovedSolid> moved_obstacles(const client::Frame& frame) const;

  /// Returns the scene's camera, or one that has all of the domain in the picture; for a flat gas,
  /// one that faces its plate.
  [[nodiscard]] Camera camera(float aspect) const;

  /// The domain; for a flat gas, the rectangle of its plate.
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }

  /// The ground, at the lower side of the domain. A flat gas is a picture without a ground:
  /// `has_ground` is false then.
  [[nodiscard]] const Ground& ground() const { return ground_; }
  [[nodiscard]] bool has_ground() const { return !flat_axis_; }

  /// The axis along which the gas has a single layer of cells, if there is one.
  [[nodiscard]] std::optional<int> flat_axis() const { return flat_axis_; }

  /// The scale by which the gas's contents become looks.
  [[nodiscard]] const GasScale& gas_scale() const { return gas_scale_; }
  [[nodiscard]] bool has_fluid() const { return scene_.fluids_size() > 0; }

  /// The speed of the scale's last colour, in m/s; 0 before the first frame.
  [[nodiscard]] float fastest() const { return fastest_; }

 private:
  void find_ground();
  void set_scale(const client::Frame& frame);
  void add_fluid(const client::Frame& frame, const v1::Body& body, std::uint8_t material,
                 DrawList& list) const;
  void add_interior(std::span<const float> cells, std::uint8_t material, DrawList& list) const;
  [[nodiscard]] Float3 offset_of(const client::Frame& frame, const v1::Obstacle& obstacle) const;
  void add_obstacles(const client::Frame& frame, DrawList& list) const;
  void flatten(Mesh& obstacle) const;
  [[nodiscard]] bool is_flat_liquid() const {
    return !scene_.has_gas() && scene_.fluid_grid().dimensions() == 2;
  }

  v1::Scene scene_;
  bool has_surfaces_;
  std::optional<int> flat_axis_;
  GasScale gas_scale_;
  Bounds bounds_;
  Ground ground_;
  DrawList empty_;               // Has materials and the sphere radius, but no primitives.
  std::vector<Mesh> obstacles_;  // In the scene's order, at their places in the scene.
  float fastest_{0};
};

}  // namespace sluice::render
