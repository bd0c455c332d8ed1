// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace sluice::session {

/// Whether a connection may keep `descriptor`, or the process has so many open that the rest is for
/// the database, frames and workers.
///
/// The kernel gives the lowest free number, so a number says how many are open at the least: a
/// bound on all connections together that nobody has to count. A quarter of what the process may
/// open is kept, at most 1,024.
[[nodiscard]] inline bool leaves_reserve(int descriptor) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return true;
  }
  const rlim_t reserve = std::min<rlim_t>(limit.rlim_cur / 4, 1024);
  return static_cast<rlim_t>(descriptor) < limit.rlim_cur - reserve;
}

}  // namespace sluice::session
