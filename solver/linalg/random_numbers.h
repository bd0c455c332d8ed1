// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::linalg {

/// Starts the random numbers of this thread anew. A program that is linked with this function has
/// a rand() and srand() of its own, with a sequence for each thread in the place of the C library's
/// one for the process: libraries that draw from it get what they get alone.
void restart_random_numbers();

}  // namespace sluice::linalg
