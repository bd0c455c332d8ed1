// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "solver/scene/checks.h"

namespace sluice::scene {
namespace {

constexpr std::size_t longest_name = 63;

bool well_formed(const std::string& name) {
  if (name.empty() || name.size() > longest_name || name[0] < 'a' || name[0] > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

// One name among those that must differ; `seen` has the paths of those before it.
void check_name(const std::string& name, const std::string& path,
                std::map<std::string, std::string>& seen, ProblemList& problems) {
  if (name.empty()) {
    problems.error(path, "is required");
  } else if (!well_formed(name)) {
    // Not quoted back: it may be of any length and hold any character.
    problems.error(path, fmt::format("must be 1 to {} of a-z, 0-9, `_` and `-`, starting with a "
                                     "letter",
                                     longest_name));
  } else if (const auto [first, is_new] = seen.emplace(name, path); !is_new) {
    problems.error(path, fmt::format("\"{}\" is the name of {} too", name, first->second));
  }
}

// Checks the names of the pins or emitters of a body.
template <typename Part>
void check_part_names(const std::vector<Part>& parts, const std::string& path,
                      ProblemList& problems) {
  std::map<std::string, std::string> seen;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_name(parts[i].name, element(path, i) + ".name", seen, problems);
  }
}

}  // namespace

void check_names(const Scene& scene, ProblemList& problems) {
  std::map<std::string, std::string> bodies;
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const std::string path = element("fluids", i);
    check_name(scene.fluids[i].name, path + ".name", bodies, problems);
    check_part_names(scene.fluids[i].emitters, path + ".emitters", problems);
  }
  if (scene.gas) check_name(scene.gas->name, "gas.name", bodies, problems);
  for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
    const std::string path = element("cloths", i);
    check_name(scene.cloths[i].name, path + ".name", bodies, problems);
    check_part_names(scene.cloths[i].pins, path + ".pins", problems);
  }
  for (std::size_t i = 0; i < scene.soft_bodies.size(); ++i) {
    const std::string path = element("soft_bodies", i);
    check_name(scene.soft_bodies[i].name, path + ".name", bodies, problems);
    check_part_names(scene.soft_bodies[i].pins, path + ".pins", problems);
  }
  for (std::size_t i = 0; i < scene.rigid_bodies.size(); ++i) {
    check_name(scene.rigid_bodies[i].name, element("rigid_bodies", i) + ".name", bodies, problems);
  }
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    check_name(scene.obstacles[i].name, element("obstacles", i) + ".name", bodies, problems);
  }
}

}  // namespace sluice::scene
