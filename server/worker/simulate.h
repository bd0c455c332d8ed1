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

/// A worker's assignment, with the assets and the checkpoint that came with it.
struct Job {
  v1::Assignment assignment;
  std::map<std::string, convert::AssetFile> assets;  ///< Files by the asset's name.
  std::vector<std::byte> checkpoint;                 ///< Empty: start from the scene.
};

/// Makes the simulation from the scene or, if `snapshot` is not empty, from the snapshot.
using SimulationFactory = std::function<Result<std::unique_ptr<Simulation>>(
    const scene::Scene& scene, const SimulationOptions& options,
    std::span<const std::byte> snapshot)>;

/// Runs the job: builds the simulation, computes frames as `orders` say and puts results into
/// `outbox`, until it is told to stop or cannot go on. Returns how it ended, also if the solving
/// thread runs out of memory. Other exceptions are bugs, and end the process.
///
/// A checkpoint holds no command that acts on a later frame: the server sends such commands again
/// with the checkpoint. So no checkpoint is taken between a command and the first frame that it
/// acts on; a worker that holds sends one before the first command, as it may end before the frame.
/// A crossing is a warning in the log and in the frame's statistics; it does not end the run.
/// The job's assets and checkpoint are freed once the simulation is built from them.
v1::WorkerOutcome simulate(Job job, const SimulationFactory& make, Orders& orders, Outbox& outbox);

}  // namespace sluice::worker
