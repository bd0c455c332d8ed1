// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/worker/simulate.h"

namespace sluice::worker {

/// The main function of sluice-worker; `make` supplies the physics. Exit codes: 0 told to stop, or
/// the outcome was sent; 2 wrong usage; 3 the server cannot be reached or went away.
int worker_main(int argc, char** argv, const SimulationFactory& make);

}  // namespace sluice::worker
