// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/random_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace sluice::e2e {
namespace {

using Json = nlohmann::json;
using Vector = std::array<double, 3>;

class Dice {
 public:
  Dice(std::uint32_t seed, std::uint32_t attempt) : random_(seed * 1000 + attempt) {}
  double number(double least, double most) {
    return least + (most - least) * static_cast<double>(random_()) / 4294967296.0;
  }
  // Small ones as likely as large ones.
  double size(double least, double most) {
    return std::exp(number(std::log(least), std::log(most)));
  }
  bool chance(double part) { return number(0, 1) < part; }
  int below(int count) { return static_cast<int>(number(0, count)); }
  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& values) {
    return values.at(static_cast<std::size_t>(below(static_cast<int>(N))));
  }
  Vector direction() { return {number(-1, 1), number(-1, 1), number(-1, 1)}; }

 private:
  std::mt19937 random_;
};

Vector times(double factor, const Vector& v) {
  return {factor * v[0], factor * v[1], factor * v[2]};
}

/// Draws one scene. Lengths are parts of the domain's longest side, `size_`.
class Drawing {
 public:
  Drawing(std::uint32_t seed, std::uint32_t attempt) : dice_(seed, attempt) {}

  Json scene() {
    const double power = dice_.number(-3, 3);
    size_ = std::pow(10.0, power);
    fluid_ = dice_.one_of(all_fluids);
    is_flat_ = fluid_ != Fluid::none && dice_.chance(0.35);
    cell_ = size_ / (is_flat_ ? 16 + dice_.below(16) : 8 + dice_.below(7));
    speed_ = std::sqrt(9.81 * size_);
    depth_ = is_flat_ ? dice_.number(1, 4) * cell_ : size_ * dice_.number(0.6, 1);
    const double start = dice_.chance(0.3) ? size_ * dice_.number(-3, 3) : 0;
    lower_ = {start, start, start};
    upper_ = {start + size_, start + depth_, start + size_ * dice_.number(0.7, 1)};
    scene_["domain"] = {{"lower", lower_}, {"upper", upper_}};
    draw_times();
    draw_walls();
    if (fluid_ == Fluid::gas) draw_gas();
    if (fluid_ == Fluid::mpm || fluid_ == Fluid::incompressible) draw_liquids();
    draw_obstacles();
    draw_bodies();
    draw_methods();
    draw_sizes();
    return scene_;
  }

 private:
  enum class Fluid { none, mpm, incompressible, gas };
  static constexpr std::array<Fluid, 7> all_fluids{
      Fluid::none,           Fluid::mpm, Fluid::mpm,  Fluid::incompressible,
      Fluid::incompressible, Fluid::gas, Fluid::none,
  };

  // A frame takes a tenth or so of the time that things take to fall through the domain.
  void draw_times() {
    const double frame = std::min(size_ / speed_ * dice_.number(0.03, 0.12), 1.0);
    scene_["timing"] = {{"frame_count", 8 + dice_.below(5)}, {"frames_per_second", 1 / frame}};
    if (frame > 0.01) scene_["timing"]["max_substep_seconds"] = std::min(frame / 4, 0.1);
    if (dice_.chance(0.15))
      scene_["gravity"] = times(dice_.number(0, 15), {1, is_flat_ ? 0.0 : 1, -1});
  }

  void draw_walls() {
    if (fluid_ == Fluid::none) return;
    scene_["domain"]["wall"] = dice_.chance(0.5) ? "WALL_CONDITION_SLIP" : "WALL_CONDITION_NO_SLIP";
    if (dice_.chance(0.15)) scene_["domain"]["open_sides"] = {"SIDE_X_UPPER"};
    Json& grid = scene_["fluid_grid"];
    grid["cell_size"] = cell_;
    if (is_flat_) grid["dimensions"] = 2;
  }

  Vector place(double least, double most) {
    Vector x;
    for (std::size_t axis = 0; axis < 3; ++axis)
      x[axis] = lower_[axis] + (upper_[axis] - lower_[axis]) * dice_.number(least, most);
    if (is_flat_) x[1] = 0.5 * (lower_[1] + upper_[1]);
    return x;
  }

  // Where a body as large as a ball of `radius` meets no wall and no other body, if there is such a
  // place; obstacles stand anywhere.
  Vector free_place(double radius) {
    Vector x = place(0.2, 0.8);
    const auto is_free = [&](const Vector& at) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (is_flat_ && axis == 1) continue;
        if (at[axis] < lower_[axis] + radius || at[axis] > upper_[axis] - radius) return false;
      }
      return std::ranges::none_of(taken_, [&](const Ball& ball) {
        return std::hypot(at[0] - ball.middle[0], at[1] - ball.middle[1], at[2] - ball.middle[2]) <
               1.1 * (ball.radius + radius);
      });
    };
    for (int tries = 0; tries < 50 && !is_free(x); ++tries)
      x = place(0.05, 0.95);
    taken_.push_back({x, radius});
    return x;
  }

  Json transform(const Vector& at, double most_degrees) {
    Vector degrees = times(most_degrees, dice_.direction());
    if (is_flat_) degrees = {0, degrees[1], 0};
    return {{"translation", at}, {"rotation_degrees", degrees}};
  }

  // Something as thick as it is wide.
  Json shape(const Vector& at, double size) {
    const double depth = is_flat_ ? 2 * depth_ : size * dice_.number(0.6, 1.6);
    Json made;
    switch (is_flat_ ? 0 : dice_.below(4)) {
      case 1:
        made["sphere"] = {{"radius", size / 2}};
        break;
      case 2:
        made["capsule"] = {{"radius", size / 3}, {"length", size / 2}};
        break;
      case 3:
        made["cylinder"] = {{"radius", size / 2}, {"length", size}};
        break;
      default:
        made["box"] = {{"size", {size, depth, size * dice_.number(0.6, 1.6)}}};
    }
    made["transform"] = transform(at, 40);
    return made;
  }

  void draw_gas() {
    Json& gas = scene_["gas"];
    gas["name"] = "air";
    const bool is_hot = dice_.chance(0.4);
    gas["carries"] = {"CARRIED_SMOKE"};
    if (is_hot) gas["carries"].push_back("CARRIED_TEMPERATURE");
    Json content{{"smoke", 1}, {"velocity", some_velocity(1)}};
    if (is_hot) content["temperature"] = 293 + dice_.number(0, 300);
    gas[dice_.chance(0.5) ? "regions" : "sources"].push_back(
        {{"shape", shape(place(0.3, 0.7), 4 * cell_)}, {"content", content}});
    gas["advection"] = dice_.one_of(
        std::array{"ADVECTION_CUBIC", "ADVECTION_MACCORMACK", "ADVECTION_SEMI_LAGRANGIAN"});
    if (dice_.chance(0.3)) gas["vorticity_confinement"] = dice_.number(0, 1);
    if (dice_.chance(0.3)) gas["dynamic_viscosity"] = 1.2 * speed_ * size_ * dice_.size(1e-5, 1e-2);
  }

  // Cells of many sizes, where a gas or a liquid may have them.
  void draw_sizes() {
    const bool is_gas = fluid_ == Fluid::gas && !scene_["gas"].contains("dynamic_viscosity");
    const bool is_liquid = fluid_ == Fluid::incompressible && scene_["fluids"].size() == 1 &&
                           !scene_.contains("rigid_bodies");
    if ((!is_gas && !is_liquid) || scene_.contains("cloths") || scene_.contains("soft_bodies") ||
        !dice_.chance(0.6))
      return;
    Json& adaptive = scene_["fluid_grid"]["adaptive"];
    adaptive["levels"] = 2 + dice_.below(4);
    if (dice_.chance(0.4)) adaptive["detail"] = dice_.size(0.1, 10);
    if (is_gas && dice_.chance(0.3)) adaptive["max_cells"] = 300 + dice_.below(2000);
    if (dice_.chance(0.3)) adaptive["finest"].push_back(shape(place(0.2, 0.8), 3 * cell_));
  }

  Json some_velocity(double part) {
    Vector v = times(part * speed_, dice_.direction());
    if (is_flat_) v[1] = 0;
    return v;
  }

  void draw_liquids() {
    Json& grid = scene_["fluid_grid"];
    if (fluid_ == Fluid::incompressible) {
      grid["solver"] = "FLUID_SOLVER_INCOMPRESSIBLE";
      grid["transfer"] = dice_.one_of(std::array{"TRANSFER_APIC", "TRANSFER_FLIP", "TRANSFER_PIC"});
    } else if (dice_.chance(0.3)) {
      grid["kernel"] = "KERNEL_CUBIC";
    }
    const int count = dice_.chance(0.2) ? 2 : 1;
    for (int i = 0; i < count; ++i)
      draw_liquid(i);
    if (dice_.chance(0.1)) {
      scene_["drains"].push_back({{"shape", shape(place(0.1, 0.9), 3 * cell_)}});
    }
  }

  void draw_liquid(int index) {
    Json fluid{{"name", index == 0 ? "water" : "other"}};
    if (index == 0 && dice_.chance(0.6)) {  // On the floor.
      Vector size, middle;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double most = axis == 2 ? 0.6 : 1;
        const double part = axis == 1 || dice_.chance(0.4) ? most : dice_.number(0.2, most);
        size[axis] = (upper_[axis] - lower_[axis]) * part;
        middle[axis] = lower_[axis] + size[axis] / 2;
      }
      fluid["regions"].push_back(
          {{"box", {{"size", size}}}, {"transform", {{"translation", middle}}}});
    } else {
      fluid["regions"].push_back(shape(place(0.4, 0.6), size_ * dice_.number(0.15, 0.3)));
      fluid["velocity"] = some_velocity(0.7);
    }
    if (dice_.chance(0.12)) {
      const double size = cell_ * dice_.number(2, 4);
      fluid["emitters"].push_back(
          {{"shape", shape(place(0.25, 0.75), size)}, {"velocity", some_velocity(0.5)}});
    }
    if (fluid_ == Fluid::mpm) {
      draw_material(fluid);
    } else if (index == 1) {
      fluid["density"] = dice_.size(100, 10000);
    }
    scene_["fluids"].push_back(fluid);
  }

  // Draws a material that is as stiff as the weight on it asks for.
  void draw_material(Json& fluid) {
    const double pressure = 1000 * 9.81 * size_;  // [Pa]
    const auto clamped = [](double value, double most) { return std::clamp(value, 1.0, most); };
    switch (dice_.below(8)) {
      case 0:
        fluid["jelly"] = {{"young_modulus", clamped(pressure * dice_.size(10, 300), 1e9)}};
        return;
      case 1:
        fluid["sand"] = {{"young_modulus", clamped(pressure * dice_.size(100, 1000), 1e9)}};
        return;
      case 2:
        fluid["snow"] = {{"young_modulus", clamped(pressure * dice_.size(20, 300), 1e9)}};
        fluid["density"] = 400;
        return;
      case 3:
        fluid["bingham"] = {{"yield_stress", clamped(pressure * dice_.size(1e-3, 0.1), 1e7)}};
        fluid["dynamic_viscosity"] = std::clamp(1000 * speed_ * size_ * 1e-3, 1e-6, 1e4);
        break;
      default:
        break;
    }
    fluid["sound_speed"] = std::clamp(dice_.number(10, 20) * speed_, 0.1, 5000.0);
  }

  // Plates from a fiftieth of a cell to three cells thick, half of the time; else what is thick.
  void draw_obstacles() {
    const int count = dice_.below(3);
    for (int i = 0; i < count; ++i) {
      Json obstacle{{"name", "obstacle" + std::to_string(i)}};
      if (dice_.chance(0.6)) {
        const double thickness = cell_ * dice_.size(0.02, 3);
        const double width = size_ * dice_.number(0.3, 1.2);
        obstacle["shape"] = {{"box", {{"size", {width, is_flat_ ? 2 * depth_ : width, thickness}}}},
                             {"transform", transform(place(0.2, 0.8), dice_.chance(0.3) ? 0 : 90)}};
      } else {
        obstacle["shape"] = shape(place(0.1, 0.9), size_ * dice_.number(0.1, 0.35));
      }
      if (dice_.chance(0.3)) obstacle["wall"] = "WALL_CONDITION_NO_SLIP";
      scene_["obstacles"].push_back(obstacle);
    }
  }

  void draw_bodies() {
    int count = fluid_ == Fluid::none ? 1 + dice_.below(3) : dice_.below(3);
    if (is_flat_ && fluid_ == Fluid::mpm) count = 0;
    for (int i = 0; i < count; ++i) {
      const std::string name = "body" + std::to_string(i);
      if (is_flat_) {
        if (fluid_ == Fluid::incompressible) scene_["rigid_bodies"].push_back(rigid_body(name));
      } else if (const int kind = dice_.below(fluid_ == Fluid::gas ? 2 : 3); kind == 0) {
        scene_["cloths"].push_back(cloth(name));
      } else if (kind == 1) {
        scene_["soft_bodies"].push_back(soft_body(name));
      } else {
        scene_["rigid_bodies"].push_back(rigid_body(name));
      }
    }
    if (scene_.contains("cloths") && fluid_ == Fluid::none && dice_.chance(0.2))
      scene_["wind"] = {{"velocity", some_velocity(0.5)}};
  }

  // Such that it carries its own weight, or sags by a good part.
  Json cloth(const std::string& name) {
    const double width = size_ * dice_.number(0.25, 0.5);
    const int count = 6 + dice_.below(7);
    const double density = std::clamp(0.2 * std::sqrt(size_) * dice_.size(0.3, 3), 1e-3, 1e3);
    Json made{{"name", name}, {"area_density", density}};
    made["grid"] = {{"size", {width, width}}, {"vertices", {count, count}}};
    const Vector at = free_place(0.71 * width);
    made["transform"] = transform(at, dice_.chance(0.4) ? 0 : 60);
    const double thickness = std::clamp(width * dice_.size(1e-3, 1e-2), 1e-6, 1.0);
    made["thickness"] = thickness;
    if (dice_.chance(0.25)) {
      const double modulus = density * 9.81 * size_ / thickness * dice_.size(20, 1000);
      made["shell"]["material"] = {{"young_modulus", std::clamp(modulus, 1.0, 1e12)}};
    } else {
      const double stiffness = std::clamp(density * 9.81 * width * dice_.size(5, 100), 1e-3, 1e7);
      made["structural_stiffness"] = stiffness;
      made["shear_stiffness"] = 0.4 * stiffness;
      made["bend_stiffness"] = 0.01 * stiffness;
    }
    if (dice_.chance(0.5)) made["pins"].push_back({{"vertices", {0, count - 1}}});
    return made;
  }

  Json soft_body(const std::string& name) {
    const double size = size_ * dice_.number(0.15, 0.3);
    Json made{{"name", name}, {"shape", shape(free_place(size), size)}};
    made["element_size"] = size / dice_.number(2, 4);
    made["density"] = dice_.size(200, 5000);
    const double modulus = 1000 * 9.81 * size_ * dice_.size(10, 1000);
    made["material"] = {{"young_modulus", std::clamp(modulus, 1.0, 1e12)},
                        {"poisson_ratio", dice_.number(0.1, 0.45)},
                        {"model", dice_.one_of(std::array{"ELASTIC_MODEL_STABLE_NEO_HOOKEAN",
                                                          "ELASTIC_MODEL_NEO_HOOKEAN",
                                                          "ELASTIC_MODEL_FIXED_COROTATED"})}};
    made["velocity"] = some_velocity(0.3);
    return made;
  }

  Json rigid_body(const std::string& name) {
    const double size = size_ * dice_.number(0.1, 0.3);
    const Vector at = free_place(size);
    Json made{{"name", name}, {"element_size", size / 2}, {"density", dice_.size(50, 8000)}};
    if (is_flat_) {  // It is as deep as the domain, and the same on both sides of its plane.
      made["shape"] = {{"box", {{"size", {size, depth_, size}}}}, {"transform", transform(at, 40)}};
    } else if (dice_.chance(0.3)) {  // A plate.
      made["shape"] = {{"box", {{"size", {size, size, cell_ * dice_.size(0.05, 1)}}}},
                       {"transform", transform(at, 90)}};
    } else {
      made["shape"] = shape(at, size);
    }
    if (dice_.chance(0.15)) {
      Vector way = times(0.15 * size_, dice_.direction());
      for (std::size_t axis = 0; axis < 3; ++axis) {  // A script is not kept in the domain.
        const double least = lower_[axis] + 1.3 * size, most = upper_[axis] - 1.3 * size;
        way[axis] = least < most ? std::clamp(at[axis] + way[axis], least, most) - at[axis] : 0;
      }
      if (is_flat_) way[1] = 0;
      made["script"].push_back({{"time_seconds", size_ / speed_}, {"offset", way}});
    } else {
      made["velocity"] = some_velocity(0.5);
      const double turn = 60 * speed_ / size_;  // [degrees/s]
      Vector axis = times(std::min(turn, 36000.0), dice_.direction());
      if (is_flat_) axis = {0, axis[1], 0};
      made["angular_velocity_degrees"] = axis;
      if (dice_.chance(0.3)) made["restitution"] = dice_.number(0, 1);
    }
    return made;
  }

  void draw_methods() {
    const bool deforms = scene_.contains("cloths") || scene_.contains("soft_bodies");
    const bool has_bodies = deforms || scene_.contains("rigid_bodies");
    if (has_bodies && fluid_ == Fluid::none) {
      scene_["coupling"]["contact_distance"] =
          std::clamp(size_ * dice_.size(2e-3, 1e-2), 1e-6, 1.0);
    }
    if (has_bodies && dice_.chance(0.2)) {
      // Not ONE_WAY, whose fluid goes through solids, nor WEAK, which is not stable with light
      // ones.
      const bool is_newton = dice_.chance(0.5) && fluid_ == Fluid::none;
      scene_["coupling"]["method"] =
          is_newton ? "COUPLING_METHOD_NEWTON_IPC" : "COUPLING_METHOD_ADMM_IPC";
    }
    if (deforms && dice_.chance(0.4)) {
      scene_["solid_solver"]["integrator"] = dice_.one_of(std::array{
          "INTEGRATOR_NEWTON", "INTEGRATOR_NEWTON_PCG", "INTEGRATOR_LBFGS",
          "INTEGRATOR_PROJECTIVE_DYNAMICS", "INTEGRATOR_ADMM", "INTEGRATOR_CONSENSUS_ADMM"});
    }
  }

  struct Ball {
    Vector middle;
    double radius;
  };

  Dice dice_;
  Json scene_;
  std::vector<Ball> taken_;                   // By bodies.
  double size_ = 1, cell_ = 0.1, depth_ = 1;  // [m]
  double speed_ = 1;                          // [m/s] about that of what fell through the domain
  Fluid fluid_ = Fluid::none;
  bool is_flat_ = false;
  Vector lower_{}, upper_{};
};

}  // namespace

std::string random_scene(std::uint32_t seed, std::uint32_t attempt) {
  return Drawing(seed, attempt).scene().dump(2);
}

}  // namespace sluice::e2e
