// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

/// The ground that everything stands on, with the shadows on it.
struct Ground {
  Float3 point;
  Float3 normal;  ///< Up.
};

/// The parts of a picture that stay while frames come: the obstacles' shapes, ground, camera, scale
/// of speed.
class Stage {
 public:
  /// `has_surfaces`: fluids are the surface around their particles, else a ball each.
  Stage(const v1::Scene& scene, bool has_surfaces);

  /// Everything that is seen of a frame. The first frame that is given sets the scale of speed:
  /// what falls freely from its highest point to the ground is the fastest colour.
  [[nodiscard]] DrawList draw_list(const client::Frame& frame, const v1::Layout& layout);

  /// The obstacles, where they are in a frame.
  [[nodiscard]] std::vector<MovedSolid> moved_obstacles(const client::Frame& frame) const;

  /// The scene's camera, or one that has all of the domain in the picture; straight ahead of a flat
  /// gas.
  [[nodiscard]] Camera camera(float aspect) const;

  /// The domain; of a flat gas its plate.
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }

  /// Its point lies below everything. A flat gas is a picture and stands on nothing: the ground is
  /// not seen then.
  [[nodiscard]] const Ground& ground() const { return ground_; }
  [[nodiscard]] bool has_ground() const { return !flat_axis_; }

  /// The axis along which the gas has one layer of cells, if there is one.
  [[nodiscard]] std::optional<int> flat_axis() const { return flat_axis_; }

  /// How the gas looks.
  [[nodiscard]] const GasScale& gas_scale() const { return gas_scale_; }
  [[nodiscard]] bool has_fluid() const { return scene_.fluids_size() > 0; }

  /// Speed of the last colour, in m/s; 0 before the first frame.
  [[nodiscard]] float fastest() const { return fastest_; }

 private:
  void find_ground();
  void set_scale(const client::Frame& frame);
  void add_fluid(const client::Frame& frame, const v1::Body& body, std::uint8_t material,
                 DrawList& list) const;
  [[nodiscard]] Float3 offset_of(const client::Frame& frame, const v1::Obstacle& obstacle) const;
  void add_obstacles(const client::Frame& frame, DrawList& list) const;

  v1::Scene scene_;
  bool has_surfaces_;
  std::optional<int> flat_axis_;
  GasScale gas_scale_;
  Bounds bounds_;
  Ground ground_;
  DrawList empty_;               // Materials and sizes alone.
  std::vector<Mesh> obstacles_;  // In the scene's order, where the scene has them.
  float fastest_{0};
};

}  // namespace sluice::render
