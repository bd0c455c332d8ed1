// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sluice::worker {

/// Keeps memory that the solver frees, up to 256 MiB, for what it allocates next. Every step
/// allocates and frees the same large arrays; handing them back to the kernel costs a page fault
/// for each 4 KiB the next time: a sixth of the time of a step with 60,000 particles. Call it
/// before the first large allocation.
void keep_freed_memory();

}  // namespace sluice::worker
