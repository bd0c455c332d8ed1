// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

constexpr double largest_friction = 10;

enum class Kind { fluid, deformable, rigid, obstacle };

std::map<std::string, Kind> kinds_of(const Scene& scene) {
  std::map<std::string, Kind> kinds;
  const auto add = [&](const auto& bodies, Kind kind) {
    for (const auto& body : bodies)
      kinds.emplace(body.name, kind);
  };
  add(scene.fluids, Kind::fluid);
  add(scene.cloths, Kind::deformable);
  add(scene.soft_bodies, Kind::deformable);
  add(scene.rigid_bodies, Kind::rigid);
  add(scene.obstacles, Kind::obstacle);
  return kinds;
}

// Whether a body by this name can be in a pair.
bool check_body(const std::string& name, bool may_be_obstacle, const std::string& path,
                const std::map<std::string, Kind>& kinds, ProblemList& problems) {
  const char* allowed = may_be_obstacle ? "a cloth, soft body, rigid body or obstacle"
                                        : "a cloth, soft body or rigid body";
  const auto found = kinds.find(name);
  if (name.empty()) {
    problems.error(path, fmt::format("is required: {}", allowed));
  } else if (found == kinds.end()) {
    problems.error(path, fmt::format("no body is named so; it must be {}", allowed));
  } else if (found->second == Kind::fluid) {
    problems.error(
        path, fmt::format(
                  "\"{}\" is a fluid, which does what the `wall` of each body says; it must be {}",
                  name, allowed));
  } else if (found->second == Kind::obstacle && !may_be_obstacle) {
    problems.error(path, fmt::format("\"{}\" is an obstacle, which belongs in `body_b`", name));
  } else {
    return true;
  }
  return false;
}

}  // namespace

void check_contact(double friction, double restitution, const std::string& path,
                   ProblemList& problems) {
  problems.range(friction, 0, largest_friction, path + ".friction");
  problems.range(restitution, 0, 1, path + ".restitution");
}

void check_walls(const Scene& scene, ProblemList& problems) {
  problems.range(scene.grid.wall_friction, 0, largest_friction, "domain.wall_friction");
}

void check_contact_pairs(const Scene& scene, ProblemList& problems) {
  if (scene.contact_pairs.empty()) return;
  const auto kinds = kinds_of(scene);
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (std::size_t i = 0; i < scene.contact_pairs.size(); ++i) {
    const ContactPair& pair = scene.contact_pairs[i];
    const std::string path = element("contact_pairs", i);
    check_contact(pair.friction.value_or(0), pair.restitution.value_or(0), path, problems);
    const bool is_a = check_body(pair.body_a, false, path + ".body_a", kinds, problems);
    const bool is_b = check_body(pair.body_b, true, path + ".body_b", kinds, problems);
    if (!is_a || !is_b) continue;
    if (pair.restitution && *pair.restitution > 0) {
      for (const std::string* name : {&pair.body_a, &pair.body_b}) {
        if (kinds.at(*name) != Kind::deformable) continue;
        problems.error(path + ".restitution",
                       fmt::format("\"{}\" deforms, and comes off by its elasticity alone: leave "
                                   "it out",
                                   *name));
        break;
      }
    }
    const auto [first, is_new] = seen.emplace(std::minmax({pair.body_a, pair.body_b}), i);
    if (!is_new) {
      problems.error(
          path, fmt::format("is the same pair as {}", element("contact_pairs", first->second)));
    }
  }
}

}  // namespace sluice::scene
