// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/random_scene.h"

#include <array>
#include <cmath>
#include <random>

namespace sluice::e2e {
namespace {

using Vec = std::array<double, 3>;

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  // Own formulas, not the library's distributions: the same scenes with any compiler.
  double number(double least, double most) {
    return least + (most - least) * (static_cast<double>(random_()) / 4294967296.0);
  }
  /// Small ones as likely as large ones.
  double size(double least, double most) {
    return std::exp(number(std::log(least), std::log(most)));
  }
  bool chance(double part) { return number(0, 1) < part; }
  int up_to(int most) { return static_cast<int>(number(0, most + 1)); }

 private:
  std::mt19937 random_;
};

void set(google::protobuf::RepeatedField<double>& field, const Vec& values) {
  field.Clear();
  for (const double value : values)
    field.Add(value);
}

class Maker {
 public:
  explicit Maker(unsigned seed) : dice_(seed) {}

  v1::Scene make(unsigned seed) {
    scene_.set_name("random " + std::to_string(seed));
    length_ = dice_.size(1e-3, 1e3);
    cell_ = length_ / dice_.number(7, 12);
    const double height = length_ * dice_.number(0.8, 1.2);
    room_ = {length_, length_ * dice_.number(0.6, 1), height};
    set(*scene_.mutable_domain()->mutable_lower(), {0, 0, 0});
    set(*scene_.mutable_domain()->mutable_upper(), room_);
    scene_.mutable_timing()->set_frame_count(4);
    scene_.mutable_timing()->set_frames_per_second(4 / std::sqrt(0.2 * height / 9.81));
    if (dice_.chance(0.2)) scene_.mutable_domain()->set_wall(v1::WALL_CONDITION_NO_SLIP);
    add_what_flows();
    add_obstacles();
    add_solids();
    return scene_;
  }

 private:
  void add_what_flows() {
    const int kind = dice_.up_to(3);
    if (kind == 0) return;
    v1::FluidGrid& grid = *scene_.mutable_fluid_grid();
    grid.set_cell_size(cell_);
    if (kind == 3) {
      add_gas();
      return;
    }
    grid.set_solver(kind == 1 ? v1::FLUID_SOLVER_MPM : v1::FLUID_SOLVER_INCOMPRESSIBLE);
    v1::Fluid& water = *scene_.add_fluids();
    water.set_name("water");
    v1::Shape& region = *water.add_regions();
    const double depth = dice_.number(0.2, 0.5) * room_[2];
    set(*region.mutable_box()->mutable_size(), {room_[0], room_[1], depth});
    set(*region.mutable_transform()->mutable_translation(),
        {0.5 * room_[0], 0.5 * room_[1], 0.5 * depth});
    // Sound in proportion to waves, or a frame takes as many substeps as the scene is large.
    if (kind == 1) water.set_sound_speed(10 * std::sqrt(9.81 * room_[2]));
    if (dice_.chance(0.3)) {
      v1::Emitter& emitter = *water.add_emitters();
      emitter.set_name("tap");
      emitter.mutable_shape()->mutable_box();
      set(*emitter.mutable_shape()->mutable_box()->mutable_size(),
          {2 * cell_, 2 * cell_, 2 * cell_});
      set(*emitter.mutable_shape()->mutable_transform()->mutable_translation(),
          {0.5 * room_[0], 0.5 * room_[1], dice_.number(0.3, 0.8) * room_[2]});
      set(*emitter.mutable_velocity(), {0, 0, -0.3 * std::sqrt(9.81 * room_[2])});
    }
  }

  void add_gas() {
    v1::Gas& gas = *scene_.mutable_gas();
    gas.set_name("air");
    gas.add_carries(v1::CARRIED_SMOKE);
    gas.add_carries(v1::CARRIED_TEMPERATURE);
    if (dice_.chance(0.5)) scene_.mutable_domain()->add_open_sides(v1::SIDE_Z_UPPER);
    v1::GasSource& source = *gas.add_sources();
    *source.mutable_shape() = some_shape(0.2, {0.25, 0.5, 0.25});
    source.mutable_content()->set_smoke(1);
    source.mutable_content()->set_temperature(dice_.number(300, 600));
  }

  void add_obstacles() {
    for (int i = dice_.up_to(2); i > 0; --i) {
      v1::Obstacle& obstacle = *scene_.add_obstacles();
      obstacle.set_name("obstacle" + std::to_string(i));
      if (dice_.chance(0.6)) {  // A wall from side to side, or a plate.
        const double thickness = cell_ * dice_.size(0.01, 3);
        const bool is_wall = dice_.chance(0.5);
        set(*obstacle.mutable_shape()->mutable_box()->mutable_size(),
            {thickness, (is_wall ? 2 : 0.5) * room_[1], (is_wall ? 1.2 : 0.3) * room_[2]});
        set(*obstacle.mutable_shape()->mutable_transform()->mutable_translation(),
            {dice_.number(0.45, 0.8) * room_[0], 0.5 * room_[1], 0.3 * room_[2]});
        if (!is_wall) rotate(*obstacle.mutable_shape()->mutable_transform());
      } else {
        *obstacle.mutable_shape() = some_shape(0.3, {0.6, 0.5, 0.2});
      }
    }
  }

  void add_solids() {
    if (dice_.chance(0.35)) {
      v1::Cloth& cloth = *scene_.add_cloths();
      cloth.set_name("sheet");
      for (int axis = 0; axis < 2; ++axis) {
        cloth.mutable_grid()->add_size(0.5 * length_ * dice_.number(0.5, 1));
        cloth.mutable_grid()->add_vertices(5 + dice_.up_to(4));
      }
      set(*cloth.mutable_transform()->mutable_translation(),
          {0.5 * room_[0], 0.5 * room_[1], 0.65 * room_[2]});
      if (dice_.chance(0.5)) {
        v1::Pin& pin = *cloth.add_pins();
        set(*pin.mutable_region()->mutable_box()->mutable_size(),
            {0.1 * length_, 2 * length_, 2 * length_});
        set(*pin.mutable_region()->mutable_transform()->mutable_translation(),
            {0.3 * room_[0], 0.5 * room_[1], 0.65 * room_[2]});
      }
      if (dice_.chance(0.3)) {
        cloth.mutable_shell()->mutable_material()->set_young_modulus(dice_.size(1e4, 1e9));
      }
    }
    if (dice_.chance(0.3)) {
      v1::SoftBody& body = *scene_.add_soft_bodies();
      body.set_name("jelly");
      *body.mutable_shape() = some_shape(0.12, {0.3, 0.4, 0.85});
      body.set_element_size(0.08 * length_);
      body.mutable_material()->set_young_modulus(dice_.size(1e3, 1e7));
    }
    if (dice_.chance(0.4)) {
      v1::RigidBody& body = *scene_.add_rigid_bodies();
      body.set_name("block");
      if (dice_.chance(0.4)) {
        set(*body.mutable_shape()->mutable_box()->mutable_size(),
            {0.2 * length_, 0.2 * length_, cell_ * dice_.size(0.05, 2)});
      } else {
        *body.mutable_shape() = some_shape(0.1, {0, 0, 0});
        body.mutable_shape()->clear_transform();
      }
      set(*body.mutable_transform()->mutable_translation(),
          {0.7 * room_[0], 0.6 * room_[1], 0.8 * room_[2]});
      body.set_density(dice_.size(50, 8000));
    }
  }

  /// `size` and `place` are parts of the room.
  v1::Shape some_shape(double size, const Vec& place) {
    v1::Shape shape;
    const double length = size * length_ * dice_.number(0.5, 1);
    switch (dice_.up_to(3)) {
      case 0:
        shape.mutable_sphere()->set_radius(0.5 * length);
        break;
      case 1:
        shape.mutable_capsule()->set_radius(0.3 * length);
        shape.mutable_capsule()->set_length(0.5 * length);
        break;
      case 2:
        shape.mutable_cylinder()->set_radius(0.4 * length);
        shape.mutable_cylinder()->set_length(0.8 * length);
        break;
      default:
        set(*shape.mutable_box()->mutable_size(), {length, 0.8 * length, 0.7 * length});
    }
    Vec translation{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      translation[axis] = room_[axis] * place[axis];
    set(*shape.mutable_transform()->mutable_translation(), translation);
    rotate(*shape.mutable_transform());
    return shape;
  }

  void rotate(v1::Transform& transform) {
    set(*transform.mutable_rotation_degrees(),
        {dice_.number(0, 90), dice_.number(0, 90), dice_.number(0, 90)});
  }

  Dice dice_;
  v1::Scene scene_;
  double length_ = 1, cell_ = 0.1;
  Vec room_{};
};

}  // namespace

v1::Scene random_scene(unsigned seed) { return Maker(seed).make(seed); }

}  // namespace sluice::e2e
