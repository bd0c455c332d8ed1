// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace sluice::session {

/// Whether a connection may keep `descriptor`. False if it is one of the last free ones, which are
/// kept for the database, frames and workers.
///
/// The kernel gives the lowest free number, so the number of a descriptor tells how many are open
/// at least: a limit on all connections together without a counter. A quarter of the process's
/// limit of descriptors is kept, at most 1,024.
[[nodiscard]] inline bool leaves_reserve(int descriptor) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return true;
  }
  const rlim_t reserve = std::min<rlim_t>(limit.rlim_cur / 4, 1024);
  return static_cast<rlim_t>(descriptor) < limit.rlim_cur - reserve;
}

}  // namespace sluice::session
