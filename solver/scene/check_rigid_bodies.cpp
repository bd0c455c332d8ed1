// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

constexpr double largest_turn_rate = 1000;     // [rad/s]
constexpr double largest_offset = 1e4;         // [m]
constexpr double latest_key = 1e6;             // [s]
constexpr double largest_length_error = 1e-6;  // of a unit quaternion
constexpr std::size_t most_keys = 100'000;

void check_script(const std::vector<PoseKey>& script, const std::string& path,
                  ProblemList& problems) {
  if (script.size() > most_keys) {
    problems.error(path,
                   fmt::format("has {} keys; at most {} are allowed", script.size(), most_keys));
    return;
  }
  double before = 0;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const PoseKey& key = script[i];
    const std::string key_path = element(path, i);
    if (key.time == 0) {
      problems.error(key_path + ".time_seconds",
                     "is 0, when the body is where `transform` has it: leave this key out, or give "
                     "it a later time");
    } else {
      problems.positive(key.time, latest_key, key_path + ".time_seconds");
    }
    if (i > 0 && key.time <= before) {
      problems.error(key_path + ".time_seconds",
                     fmt::format("{} s is not after the key before, at {} s", key.time, before));
    }
    before = key.time;
    problems.range(key.offset, -largest_offset, largest_offset, key_path + ".offset");
    const double length = key.rotation.norm();
    if (!(std::abs(length - 1) <= largest_length_error)) {
      problems.error(
          key_path + ".rotation_degrees",
          fmt::format("has the length {}; a rotation is a quaternion of length 1", length));
    }
  }
}

}  // namespace

void check_rigid_body(const RigidBody& body, const std::string& path, ProblemList& problems) {
  problems.range(body.velocity, -largest_speed, largest_speed, path + ".velocity");
  problems.range(body.angular_velocity, -largest_turn_rate, largest_turn_rate,
                 path + ".angular_velocity_degrees");
  problems.range(body.density, 1, 30'000, path + ".density");
  check_contact(body.friction, body.restitution, path, problems);
  problems.range(body.damping, 0, 1000, path + ".damping");
  problems.range(body.gravity_scale, -100, 100, path + ".gravity_scale");
  check_script(body.script, path + ".script", problems);
}

}  // namespace sluice::scene
