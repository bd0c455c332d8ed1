// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation.h"

#include <algorithm>
#include <string>

#include "solver/scene/validate.h"
#include "solver/simulation/runner.h"

namespace sluice {

namespace {

std::string describe(std::span<const scene::Problem> problems) {
  std::string text;
  for (const scene::Problem& problem : problems) {
    if (problem.severity != scene::Severity::error) continue;
    if (!text.empty()) text += '\n';
    if (!problem.path.empty()) text += problem.path + ": ";
    text += problem.message;
  }
  return text;
}

Result<std::unique_ptr<simulation::Runner>> build(const scene::Scene& scene,
                                                  const SimulationOptions& options) {
  const std::vector<scene::Problem> problems = scene::validate(scene);
  if (scene::has_error(problems)) return Error{ErrorCode::invalid_scene, describe(problems)};
  return std::make_unique<simulation::Runner>(scene, options);
}

}  // namespace

Result<std::unique_ptr<Simulation>> Simulation::create(const scene::Scene& scene,
                                                       const SimulationOptions& options) {
  auto runner = build(scene, options);
  if (!runner) return runner.error();
  return std::unique_ptr<Simulation>(std::move(runner).value());
}

Result<std::unique_ptr<Simulation>> Simulation::restore(const scene::Scene& scene,
                                                        const SimulationOptions& options,
                                                        std::span<const std::byte> snapshot) {
  auto runner = build(scene, options);
  if (!runner) return runner.error();
  if (!runner.value()->load(snapshot)) {
    return Error{ErrorCode::invalid_snapshot,
                 "the snapshot is damaged, or belongs to another scene or another build"};
  }
  return std::unique_ptr<Simulation>(std::move(runner).value());
}

}  // namespace sluice
