// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation.h"

#include <exception>
#include <string>

#include "solver/simulation/runner.h"

namespace sluice {

namespace {

Result<std::unique_ptr<simulation::Runner>> build(const scene::Scene& scene,
                                                  const SimulationOptions& options) {
  try {
    return std::make_unique<simulation::Runner>(scene, options);
  } catch (const std::exception& exception) {  // Memory; nothing else throws.
    return Error{ErrorCode::invalid_scene,
                 std::string("the scene cannot be built: ") + exception.what()};
  }
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
