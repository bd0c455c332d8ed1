// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/validate.h"

#include <utility>

#include "solver/scene/checks.h"

namespace sluice::scene {

std::vector<Problem> validate(const Scene& scene, const Limits& limits,
                              std::vector<Problem> known) {
  ProblemList problems(std::move(known));
  check_values(scene, limits, problems);
  check_sources(scene, limits, problems);
  check_incompressible(scene, problems);
  check_gas(scene, limits, problems);
  check_adaptive(scene, problems);
  check_capabilities(scene, problems);
  check_names(scene, problems);
  check_meshes(scene, limits, problems);
  check_flat_liquid(scene, problems);
  check_springs(scene, problems);
  check_contact_pairs(scene, problems);
  check_walls(scene, problems);
  check_placement(scene, limits, problems);
  check_emitter_places(scene, problems);
  check_thin_obstacles(scene, problems);
  check_scale(scene, problems);
  return std::move(problems).take();
}

std::vector<Problem> validate_shape(const geometry::Shape& shape, const std::string& path) {
  ProblemList problems({});
  check_shape(shape, path, problems);
  return std::move(problems).take();
}

}  // namespace sluice::scene
