// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace sluice::render {

/// Calls `work(i)` for each piece i in [0, count) on `thread_count` threads, the caller's included.
/// Pieces must share nothing, so that the picture does not depend on the number of threads. An
/// exception in a piece ends the program: pieces do arithmetic only.
void for_each_piece(int count, int thread_count, const std::function<void(int)>& work);

}  // namespace sluice::render
