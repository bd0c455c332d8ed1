// SPDX-License-Identifier: Apache-2.0
#include "server/worker/heap.h"
#include "server/worker/worker_main.h"

// An exception that gets here ends the process at once; the server sees to a worker that died.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): see above.
  using namespace sluice;
  worker::keep_freed_memory();
  return worker::worker_main(argc, argv,
                             [](const scene::Scene& scene, const SimulationOptions& options,
                                std::span<const std::byte> snapshot) {
                               return snapshot.empty()
                                          ? Simulation::create(scene, options)
                                          : Simulation::restore(scene, options, snapshot);
                             });
}
