// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/convert/scene_load.h"
#include "server/worker/orders.h"
#include "server/worker/outbox.h"
#include "sluice/v1/worker_link.pb.h"
#include "solver/simulation.h"

namespace sluice::worker {

/// Everything that a worker was given.
struct Job {
  v1::Assignment assignment;
  std::map<std::string, convert::AssetFile> assets;  ///< By name.
  std::vector<std::byte> checkpoint;                 ///< Empty: start from the scene.
};

/// Makes the simulation: from the scene, or from a snapshot where there is one.
using SimulationFactory = std::function<Result<std::unique_ptr<Simulation>>(
    const scene::Scene& scene, const SimulationOptions& options,
    std::span<const std::byte> snapshot)>;

/// Does the job: builds the simulation, computes frames as `orders` say and puts results into
/// `outbox`, until it is told to stop or cannot go on. Answers how it ended: also when the solving
/// thread runs out of memory. Other exceptions are faults, and end the process.
///
/// A checkpoint holds no command that acts on a later frame: the server sends those again with the
/// checkpoint. So none is taken between a command and the frame it shapes; one that holds sends its
/// state before the first command, since it may have to end before the frame.
/// A crossing is a warning in the log and in the frame's statistics, and ends nothing.
/// The job's assets and checkpoint are let go of once the simulation is built from them.
v1::WorkerOutcome simulate(Job job, const SimulationFactory& make, Orders& orders, Outbox& outbox);

}  // namespace sluice::worker
