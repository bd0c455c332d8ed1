// SPDX-License-Identifier: Apache-2.0
#include "server/convert/pin_convert.h"

#include <fmt/format.h>

#include <numbers>

#include "server/convert/shape_convert.h"

namespace sluice::convert {
namespace {

constexpr double fastest_turn = 36'000;  // [degrees/s] as documented in scene.proto
constexpr double largest_center = 1e4;   // [m]

void turn(const v1::Pin& pin, const std::string& path, scene::Pin& converted,
          ProblemSink& problems) {
  const auto degrees =
      problems.vector(pin.angular_velocity_degrees(), child_path(path, "angular_velocity_degrees"));
  const std::string center_path = child_path(path, "rotation_center");
  if (!pin.rotation_center().empty() && pin.angular_velocity_degrees().empty()) {
    problems.error(center_path, "has no use without `angular_velocity_degrees`");
    return;
  }
  const auto center = problems.vector(pin.rotation_center(), center_path);
  if (degrees && problems.in_range(*degrees, -fastest_turn, fastest_turn,
                                   child_path(path, "angular_velocity_degrees"))) {
    converted.angular_velocity = *degrees * std::numbers::pi / 180;
  }
  if (center && problems.in_range(*center, -largest_center, largest_center, center_path)) {
    converted.center = *center;
  }
}

// Appends the vertices in `pin.region` that no pin has yet; `taken` marks those that one has.
void pin_region(const v1::Pin& pin, const std::string& path, std::span<const Vec3> vertices,
                std::vector<char>& taken, BodyBudget& budget, scene::Pin& converted,
                ProblemSink& problems) {
  const std::size_t problems_before = problems.count();
  const geometry::Shape region = convert_shape(pin.region(), path, problems);
  if (problems.count() > problems_before) return;
  budget.pin_tests -= static_cast<std::int64_t>(vertices.size());
  if (budget.pin_tests < 0) {
    problems.error(path, "the scene has too many pins with regions for its many vertices");
    return;
  }
  std::size_t inside = 0;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (!vertices[v].allFinite()) continue;
    if (!(geometry::signed_distance(region, vertices[v]).distance <= 0)) continue;
    ++inside;
    if (taken[v] != 0) continue;
    taken[v] = 1;
    converted.vertices.push_back(static_cast<std::int32_t>(v));
  }
  if (inside == 0 && !vertices.empty()) {
    problems.error(path, "holds no vertex of the body at the start");
  }
}

}  // namespace

std::vector<scene::Pin> convert_pins(const Pins& pins_given, const std::string& path,
                                     std::span<const Vec3> vertices, BodyBudget& budget,
                                     ProblemSink& problems) {
  std::vector<scene::Pin> pins;
  std::vector<char> taken(vertices.size(), 0);
  for (const v1::Pin& pin : pins_given) {  // Vertices that are named come before regions.
    for (const std::int32_t vertex : pin.vertices()) {
      const auto index = static_cast<std::size_t>(vertex);
      if (vertex >= 0 && index < taken.size()) taken[index] = 1;
    }
  }
  for (const v1::Pin& pin : pins_given) {
    const std::size_t index = pins.size();
    const std::string pin_path = element_path(path, index);
    scene::Pin& converted = pins.emplace_back();
    converted.name = pin.name().empty() ? fmt::format("pin{}", index) : pin.name();
    converted.velocity =
        problems.vector(pin.velocity(), child_path(pin_path, "velocity")).value_or(Vec3::Zero());
    turn(pin, pin_path, converted, problems);
    converted.vertices.assign(pin.vertices().begin(), pin.vertices().end());
    if (pin.has_region()) {
      pin_region(pin, child_path(pin_path, "region"), vertices, taken, budget, converted, problems);
    } else if (pin.vertices().empty()) {
      problems.error(pin_path, "needs `vertices` or a `region`: it holds nothing");
    }
  }
  return pins;
}

}  // namespace sluice::convert
